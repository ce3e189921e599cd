"""Puts an imitated GPU (tests/queued_device.py) beneath torch.cuda, for a PyTorch that has none: its
work is queued and takes its time by the clock, and its memory is limited. The networks themselves
compute on the CPU.

LAPCAST_GPU_IMITATION says how: "1", or some of `lap_us=8000 sample_us=100 depth=3 memory_mib=8192
sample_mib=4`. A training step takes lap_us and sample_us for each sample on the device (half of
that in a lower precision), a forward pass alone a third of it.
"""

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import torch

sys.path.append(str(Path(__file__).resolve().parents[2]))
from queued_device import QueuedDevice  # noqa: E402

KNOBS = {"lap_us": 8000, "sample_us": 100, "depth": 3, "memory_mib": 8192, "sample_mib": 4}
for text in os.environ.get("LAPCAST_GPU_IMITATION", "").split():
    knob, _, number = text.partition("=")
    if knob in KNOBS:
        KNOBS[knob] = int(number)
MEMORY = KNOBS["memory_mib"] << 20

device = QueuedDevice(depth=KNOBS["depth"])
passed = 0  # ns of work that forward passes leave to the step that follows


class Stream:
    """Is a stream of a device that does the work of all streams in turn."""

    def __init__(self, *_, **__):
        self.device = torch.device("cuda", 0)

    def query(self):
        return device.clock.now() >= device.busy_until

    def synchronize(self):
        device.synchronize()

    def record_event(self, event=None):
        event = event or device.Event()
        event.record(self)
        return event

    def wait_stream(self, other):
        pass

    def wait_event(self, event):
        pass

    def __enter__(self):
        self.before, device.stream = device.stream, self
        return self

    def __exit__(self, *_):
        device.stream = self.before


class Graph:
    """Gives torch.cuda.CUDAGraph what its base class has of the driver: the work that is captured is
    done again by each replay."""

    def __new__(cls, *_):
        graph = object.__new__(cls)
        graph.work = 0
        return graph

    def __init__(self, *_):
        pass

    def capture_begin(self, *_, **__):
        device.capturing = self

    def capture_end(self):
        device.capturing = False

    def replay(self):
        device.launch(self.work)

    def reset(self):
        self.work = 0

    def pool(self):
        return 0, 0


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


def work_of(samples):
    share = 0.5 if torch.is_autocast_enabled("cpu") else 1
    return int((KNOBS["lap_us"] + KNOBS["sample_us"] * samples) * share * 1000)


def before_forward(network, arguments):
    """Takes memory for the samples, and queues a forward pass that no step follows."""
    global passed
    samples = len(arguments[0])
    wanted = samples * KNOBS["sample_mib"] << 20
    if wanted > MEMORY:
        raise torch.OutOfMemoryError(
            f"CUDA out of memory. Tried to allocate {wanted / 2**30:.2f} GiB. GPU 0 has a total "
            f"capacity of {MEMORY / 2**30:.2f} GiB of which {(MEMORY - device.memory) / 2**30:.2f} "
            "GiB is free.")
    device.memory = max(device.memory, wanted)
    if network.training and torch.is_grad_enabled():
        passed += work_of(samples)
    else:
        device.launch(work_of(samples) // 3, is_lap=False)


def before_step(optimizer, arguments, options):
    global passed
    if not isinstance(optimizer.param_groups[0]["params"][0], Parameter):
        return
    work, passed = passed or work_of(1), 0
    if device.capturing:
        device.capturing.work += work
    else:
        device.launch(work)


def waiting(original):
    """Reading the numbers of a tensor waits for the device."""
    def read(tensor, *arguments, **options):
        if not device.capturing:
            device.synchronize()
        return original(tensor, *arguments, **options)
    return read


def properties(*_):
    """Returns what PyTorch would say of the first GPU of tests/fake_nvml.c."""
    return SimpleNamespace(name="NVIDIA A100-SXM4-40GB", total_memory=MEMORY, major=8, minor=0,
                           multi_processor_count=108)


def attach():
    """Puts the imitation beneath torch.cuda. `is_available()` stays as it is."""
    cuda, default = torch.cuda, Stream()
    device.stream = default
    for name, value in {
            "Stream": Stream, "Event": device.Event, "synchronize": device.synchronize,
            "current_stream": device.current_stream, "default_stream": lambda *_: default, "stream": lambda stream: stream,
            "empty_cache": lambda: None, "device_count": lambda: 1, "current_device": lambda: 0,
            "is_initialized": lambda: True, "get_device_properties": properties,
            "max_memory_allocated": device.max_memory_allocated}.items():
        setattr(cuda, name, value)
    cuda.graphs._cuda_isCurrentStreamCapturing = lambda: bool(device.capturing)
    if not hasattr(torch._C, "_host_emptyCache"):
        torch._C._host_emptyCache = lambda: None
    base = cuda.CUDAGraph.__mro__[1]
    for name, value in vars(Graph).items():
        if not name.startswith("__") or name in ("__new__", "__init__"):
            setattr(base, name, value)
    for name in ("item", "tolist", "cpu"):
        setattr(torch.Tensor, name, waiting(getattr(torch.Tensor, name)))
    sys.modules["torch.optim.optimizer"].register_optimizer_step_pre_hook(before_step)
