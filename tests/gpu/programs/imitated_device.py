"""Imitates a GPU beneath torch.cuda, for a PyTorch that has none: work is queued, takes its time
by the clock, and memory is limited. The networks themselves compute on the CPU.

LAPCAST_GPU_IMITATION says how: "1", or some of `lap_us=8000 sample_us=100 depth=3 memory_mib=8192
sample_mib=4`. A training step takes lap_us and sample_us for each sample on the device (half of
that in a lower precision), a forward pass alone a third of it. A program that has queued `depth`
steps waits, as with CUDA. Nothing stops the device: while its program is suspended, it goes on with
its queue.
"""

import os
import struct
import sys
import time
from collections import deque
from types import SimpleNamespace

import torch

KNOBS = {"lap_us": 8000, "sample_us": 100, "depth": 3, "memory_mib": 8192, "sample_mib": 4}
for text in os.environ.get("LAPCAST_GPU_IMITATION", "").split():
    knob, _, number = text.partition("=")
    if knob in KNOBS:
        KNOBS[knob] = int(number)
MEMORY = KNOBS["memory_mib"] << 20
NOT_WHILE_CAPTURING = "CUDA error: operation not permitted when stream is capturing"


def sleep_until(at):
    while (left := at - time.monotonic_ns()) > 0:
        time.sleep(left / 1e9)


class Stream:
    """Is a queue of work; `ends` are the times at which what is in it will be done."""

    device_index = 0

    def __init__(self, *arguments, **options):
        self.ends = deque()
        self.free_at = 0
        self.device = torch.device("cuda", 0)
        device.streams.append(self)

    def submit(self, ns):
        while self.ends and self.ends[0] <= time.monotonic_ns():
            self.ends.popleft()
        if len(self.ends) >= KNOBS["depth"]:
            sleep_until(self.ends.popleft())
        self.free_at = max(time.monotonic_ns(), self.free_at) + ns
        self.ends.append(self.free_at)

    def query(self):
        return time.monotonic_ns() >= self.free_at

    def synchronize(self):
        refuse_in_a_capture()
        sleep_until(self.free_at)

    def record_event(self, event=None):
        event = event or Event()
        event.record(self)
        return event

    def wait_stream(self, other):
        self.free_at = max(self.free_at, other.free_at)

    def wait_event(self, event):
        self.free_at = max(self.free_at, event.at or 0)

    def __enter__(self):
        self.before, device.current = device.current, self
        return self

    def __exit__(self, *_):
        device.current = self.before


class Event:
    """Becomes done when the work that its stream had when it was recorded is done."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False, **_):
        self.timed, self.at = enable_timing, None

    def record(self, stream=None):
        refuse_in_a_capture()
        self.at = max((stream or device.current).free_at, time.monotonic_ns())

    def wait(self, stream=None):
        (stream or device.current).wait_event(self)

    def query(self):
        refuse_in_a_capture()
        return self.at is None or time.monotonic_ns() >= self.at

    def synchronize(self):
        refuse_in_a_capture()
        sleep_until(self.at or 0)

    def elapsed_time(self, later):
        """Returns milliseconds, rounded as CUDA does: to a float of 32 bits."""
        if not (self.timed and later.timed) or None in (self.at, later.at):
            raise ValueError("both events must be timed and recorded")
        if not (self.query() and later.query()):
            raise RuntimeError("CUDA error: device not ready")
        return struct.unpack("f", struct.pack("f", (later.at - self.at) / 1e6))[0]


class Graph:
    """Gives torch.cuda.CUDAGraph what its base class of the driver has: steps that are captured
    are done again by a replay."""

    def __new__(cls, *_):
        graph = object.__new__(cls)
        graph.captured = 0
        return graph

    def __init__(self, *_):
        pass

    def capture_begin(self, *_, **__):
        device.capturing = self

    def capture_end(self):
        device.capturing = None

    def replay(self):
        device.current.submit(self.captured)

    def reset(self):
        self.captured = 0

    def pool(self):
        return 0, 0


def refuse_in_a_capture():
    if device.capturing is not None:
        raise RuntimeError(NOT_WHILE_CAPTURING)


def synchronize(*_):
    refuse_in_a_capture()
    for stream in device.streams:
        sleep_until(stream.free_at)


def work_of(samples):
    share = 0.5 if torch.is_autocast_enabled("cpu") else 1
    return int((KNOBS["lap_us"] + KNOBS["sample_us"] * samples) * share * 1000)


@torch.compiler.disable
def before_forward(network, arguments):
    """Takes memory for the samples, and queues a forward pass that no step follows."""
    samples = len(arguments[0])
    wanted = samples * KNOBS["sample_mib"] << 20
    if wanted > MEMORY:
        raise torch.OutOfMemoryError(
            f"CUDA out of memory. Tried to allocate {wanted / 2**30:.2f} GiB. GPU 0 has a total "
            f"capacity of {MEMORY / 2**30:.2f} GiB of which {(MEMORY - device.peak) / 2**30:.2f} "
            "GiB is free.")
    device.peak = max(device.peak, wanted)
    if network.training and torch.is_grad_enabled():
        device.forward += work_of(samples)
    else:
        device.current.submit(work_of(samples) // 3)


def before_step(optimizer, arguments, options):
    if not isinstance(optimizer.param_groups[0]["params"][0], Parameter):
        return
    work, device.forward = device.forward or work_of(1), 0
    if device.capturing is not None:
        device.capturing.captured += work
    else:
        device.current.submit(work)


class Parameter(torch.nn.Parameter):
    """Is a parameter that says it is on the GPU."""

    is_cpu = property(lambda self: False)
    is_cuda = property(lambda self: True)
    device = property(lambda self: torch.device("cuda", 0))


def place(network):
    for parameter in network.parameters():
        parameter.__class__ = Parameter
    network.register_forward_pre_hook(before_forward)
    return network


def of_tensor(original):
    """Reading a number of a tensor waits for the device."""
    def read(tensor, *arguments, **options):
        if device.capturing is None:
            synchronize()
        return original(tensor, *arguments, **options)
    return read


def properties(*_):
    """Returns what PyTorch would say of the first GPU of tests/fake_nvml.c."""
    return SimpleNamespace(name="NVIDIA A100-SXM4-40GB", total_memory=MEMORY, major=8, minor=0,
                           multi_processor_count=108)


device = SimpleNamespace(streams=[], capturing=None, peak=0, forward=0, current=None)
device.current = Stream()


def attach():
    """Puts the imitation beneath torch.cuda. `is_available()` stays as it is."""
    cuda = torch.cuda
    for name, value in {
            "Stream": Stream, "Event": Event, "synchronize": synchronize,
            "current_stream": lambda *_: device.current, "default_stream": lambda *_: device.streams[0],
            "stream": lambda stream: stream, "empty_cache": lambda: None,
            "device_count": lambda: 1, "current_device": lambda: 0, "is_initialized": lambda: True,
            "get_device_properties": properties, "get_device_name": lambda *_: properties().name,
            "max_memory_allocated": lambda *_: device.peak,
            "memory_allocated": lambda *_: device.peak,
            "max_memory_reserved": lambda *_: device.peak}.items():
        setattr(cuda, name, value)
    cuda.graphs._cuda_isCurrentStreamCapturing = lambda: device.capturing is not None
    if not hasattr(torch._C, "_host_emptyCache"):
        torch._C._host_emptyCache = lambda: None
    base = cuda.CUDAGraph.__mro__[1]
    for name, value in vars(Graph).items():
        if name not in ("__module__", "__doc__", "__dict__", "__weakref__"):
            setattr(base, name, value)
    for name in ("item", "tolist", "cpu"):
        setattr(torch.Tensor, name, of_tensor(getattr(torch.Tensor, name)))
    sys.modules["torch.optim.optimizer"].register_optimizer_step_pre_hook(before_step)
