"""Asks NVIDIA's library of management for the energy and the power of the first GPU."""

import ctypes
import threading
import time


class Gpu:
    def __init__(self):
        self.library = ctypes.CDLL("libnvidia-ml.so.1")
        self.library.nvmlInit_v2()
        self.handle = ctypes.c_void_p()
        self.library.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(self.handle))

    def joules(self):
        """Returns what the GPU has taken since the driver was loaded; None if it does not count."""
        counted = ctypes.c_ulonglong()
        code = self.library.nvmlDeviceGetTotalEnergyConsumption(self.handle, ctypes.byref(counted))
        return counted.value / 1e3 if code == 0 else None

    def watts(self):
        power = ctypes.c_uint()
        code = self.library.nvmlDeviceGetPowerUsage(self.handle, ctypes.byref(power))
        return power.value / 1e3 if code == 0 else None


class Metered:
    """Is a with statement's time: `by_counter` and `by_power` are its mean watts."""

    def __init__(self, gpu):
        self.gpu, self.samples, self.stop = gpu, [], threading.Event()

    def __enter__(self):
        self.begin, self.joules = time.monotonic(), self.gpu.joules()
        self.thread = threading.Thread(target=self._sample)
        self.thread.start()
        return self

    def _sample(self):
        while not self.stop.wait(0.1):
            self.samples.append(self.gpu.watts())

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()
        seconds = time.monotonic() - self.begin
        known = [watts for watts in self.samples if watts is not None]
        self.by_power = sum(known) / len(known) if known else None
        end = self.gpu.joules()
        self.by_counter = (end - self.joules) / seconds if end is not None else None
