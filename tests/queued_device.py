"""Imitates an accelerator whose work is queued, and a program that trains on it.

As a module: a QueuedDevice has what the hook asks of torch.cuda, and `attach` connects the hook to an
imitation of torch that has such devices. Its laps take their time on the device while the host goes
on, until `depth` of them are queued.

As a program, under the hook, with any Python and without torch:

    python3 tests/queued_device.py --depth 3 --lap-ms 80 --epochs 3 --laps 20 --validation-ms 300

The loop reads a loader, validates after each epoch where --validation-ms is given, and prints the end
of each epoch. --no-loader indexes its batches by hand; --graph warms up with three steps, records a
graph and replays it, as programs with small steps do. --no-events is a device that can only be
waited for. Its clock is CLOCK_MONOTONIC, so the device goes on while the program is suspended.
"""

import os
import struct
import sys
import time
from collections import deque
from types import SimpleNamespace

MS = 1_000_000


class RealClock:
    """Is CLOCK_MONOTONIC."""

    def now(self):
        return time.monotonic_ns()

    def until(self, moment):
        time.sleep(max(0, moment - self.now()) / 1e9)


class TickingClock:
    """Goes on only when it is read, and when somebody waits: times do not depend on the machine.
    `time.monotonic_ns` and `time.sleep` must be its `now` and `sleep` before lapcast is imported."""

    def __init__(self, tick_ns=1000):
        self.moment, self.tick_ns = 1_000_000_000, tick_ns

    def now(self):
        self.moment += self.tick_ns
        return self.moment

    def until(self, moment):
        self.moment = max(self.moment, moment)

    def sleep(self, seconds):
        self.moment += round(seconds * 1e9)


class SkippingClock:
    """Is CLOCK_MONOTONIC, but waits take no time: it skips them. What the hook itself takes is real.
    `time.monotonic_ns` must be its `now` before lapcast is imported."""

    def __init__(self):
        self.real = time.monotonic_ns
        self.skipped = 0

    def now(self):
        return self.real() + self.skipped

    def until(self, moment):
        self.skipped += max(0, moment - self.now())


def as_float32(number):
    return struct.unpack("f", struct.pack("f", number))[0]


class QueuedDevice:
    """Is a module such as torch.cuda, for one device.

    depth: laps that may be queued. lap_ns: what one takes. memory: bytes at most. timing: whether it
    has timing events. clock: the host's. drift: how much faster its own clock goes, as a share.

    asked, waits: how often the hook asked it anything, and waited for it. ends: the true end of each
    lap. A question while a graph is recorded breaks the recording and raises."""

    def __init__(self, depth=3, lap_ns=80 * MS, memory=0, timing=True, clock=None, drift=0.0):
        self.depth, self.lap_ns, self.memory, self.drift = depth, lap_ns, memory, drift
        self.clock = clock or RealClock()
        self.queue = deque()
        self.ends = []
        self.busy_until = 0
        self.asked = self.waits = 0
        self.capturing = False
        self.stream = "default"
        self.Graph = type("Graph", (Graph,), {"device": self})
        if timing:
            self.Event = type("Event", (Event,), {"device": self})

    def launch(self, work_ns=None, is_lap=True):
        """Queues the work of a lap, or other work; waits first while the queue is full."""
        now = self.clock.now()
        while self.queue and self.queue[0] <= now:
            self.queue.popleft()
        if len(self.queue) >= self.depth:
            self.clock.until(self.queue.popleft())
        begin = max(self.clock.now(), self.busy_until)
        self.busy_until = begin + (self.lap_ns if work_ns is None else work_ns)
        self.queue.append(self.busy_until)
        if is_lap:
            self.ends.append(self.busy_until)

    def use(self):
        """Is called by everything that must not happen while a graph is recorded."""
        self.asked += 1
        if self.capturing:
            raise RuntimeError("operation not permitted when stream is capturing")

    def current_stream(self, index=None):
        return self.stream

    def default_stream(self, index=None):
        return "default"

    def is_current_stream_capturing(self):
        return False  # it is another thread's stream that records

    def synchronize(self, index=None):
        self.use()
        self.waits += 1
        self.clock.until(self.busy_until)

    def max_memory_allocated(self, index=None):
        return self.memory


class Event:
    """Is an event such as torch.cuda.Event."""

    device = None

    def __init__(self, enable_timing=False):
        self.at = None
        self.has_time = enable_timing

    def record(self, stream=None):
        self.device.use()
        self.at = max(self.device.clock.now(), self.device.busy_until)

    def query(self):
        self.device.use()
        return self.at <= self.device.clock.now()

    def synchronize(self):
        self.device.use()
        self.device.waits += 1
        self.device.clock.until(self.at)

    def elapsed_time(self, other):
        if not (self.has_time and other.has_time and self.query() and other.query()):
            raise RuntimeError("the events have no times")
        return as_float32((other.at - self.at) * (1 + self.device.drift) / MS)


class Graph:
    """Is a graph such as torch.cuda.CUDAGraph."""

    device = None

    def capture_begin(self):
        self.device.clock.until(self.device.busy_until)  # as torch.cuda.graph does
        self.device.capturing = True

    def capture_end(self):
        self.device.capturing = False

    def replay(self):
        self.device.launch()


class Optimizer:
    """Is an optimizer of parameters on the device of a type such as "cuda"."""

    def __init__(self, kind="fake", capturable=False):
        parameter = SimpleNamespace(is_cpu=kind == "cpu",
                                    device=SimpleNamespace(type=kind, index=None if kind == "cpu"
                                                           else 0))
        self.param_groups = [{"params": [parameter], "capturable": capturable}]


def attach(**devices):
    """Connects the hook to an imitation of torch with these devices, and returns its adapter."""
    return Adapter(SimpleNamespace(**devices))


class Adapter:
    """Attaches as lapcast._torch does, but to optimizers and loaders that tell it their steps."""

    def __init__(self, torch):
        from lapcast._report import report
        from lapcast._torch import Steps
        from lapcast._torch_device import device
        from lapcast._torch_loop import torch_loop

        self.told, self.device = torch_loop, device
        self.fetch = torch_loop.fetch
        self.steps = Steps(torch_loop)
        report.at_end(torch_loop.finish)
        torch_loop.torch = torch
        device.attach(torch)
        for each in vars(torch).values():
            self.steps.graphs.watch(each.Graph)

    @property
    def loop(self):
        return self.told.loop

    def after_step(self, optimizer):
        self.steps.after_step(optimizer, (), {})


class Training:
    """Is the loop of the program."""

    def __init__(self, options, device):
        self.options, self.device = options, device
        self.torch = attach(**{options.kind: device})
        self.torch.loop.made_optimizer(time.monotonic_ns())
        self.optimizer = Optimizer(options.kind, capturable=options.graph)
        self.replay = None

    def step(self):
        self.work()
        self.torch.after_step(self.optimizer)

    def work(self):
        time.sleep(self.options.host_ms / 1000)
        if not self.device.capturing:
            first = self.options.first_ms * MS if not self.device.ends else 0
            self.device.launch(self.device.lap_ns + first)

    def record(self):
        for _ in range(3):
            self.step()
        graph = self.device.Graph()
        graph.capture_begin()
        self.step()
        graph.capture_end()
        self.replay = graph.replay

    def lap(self):
        self.replay() if self.replay else self.step()

    def batches(self, loader, count):
        """Yields batches of a pass over LOADER, as a DataLoader does."""
        passing = self.torch.loop.begin_pass(loader, time.monotonic_ns())
        batches = iter(range(count))
        while True:
            try:
                yield self.torch.fetch(passing, next, batches)
            except StopIteration:
                return

    def validate(self, loader):
        self.torch.told.is_grad_enabled = lambda: False
        for _ in self.batches(loader, 2):
            self.device.launch(self.options.validation_ms * MS // 2, is_lap=False)
            self.device.clock.until(self.device.busy_until)  # the program reads its accuracy
        self.torch.told.is_grad_enabled = lambda: True

    def run(self):
        from lapcast._passes import Loader

        options = self.options
        laps = options.steps_per_epoch
        train = Loader(laps, laps * options.batch, options.batch)
        test = Loader(2, 2 * options.batch, options.batch)
        if options.graph:
            self.record()
        begin = time.monotonic_ns()
        for epoch in range(options.epochs):
            by_hand = options.no_loader or options.graph
            for _ in range(laps) if by_hand else self.batches(train, laps):
                self.lap()
            if options.validation_ms:
                self.validate(test)
            self.device.clock.until(self.device.busy_until)  # the program reads its loss
            seconds = (time.monotonic_ns() - begin) / 1e9
            print(f"epoch {epoch + 1}/{options.epochs} {seconds:.3f} s", flush=True)


def options_of(arguments):
    import argparse  # here, because the hook loads lapcast then, which binds the clock

    parser = argparse.ArgumentParser()
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--lap-ms", type=float, default=80)
    parser.add_argument("--first-ms", type=int, default=0, help="more for the first lap")
    parser.add_argument("--host-ms", type=float, default=1, help="of the host for a lap")
    parser.add_argument("--laps", "--steps-per-epoch", type=int, default=20, dest="steps_per_epoch")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--validation-ms", type=int, default=0)
    parser.add_argument("--memory-mb", type=int, default=0)
    parser.add_argument("--kind", default="fake", help="the name of the module: cuda, xpu")
    parser.add_argument("--no-events", action="store_true")
    parser.add_argument("--no-loader", action="store_true")
    parser.add_argument("--graph", action="store_true")
    parser.add_argument("--start-s", type=float, default=0, help="before the first lap")
    parser.add_argument("--end-s", type=float, default=0, help="after the last lap")
    parser.add_argument("--name", help="is not used: sets of equal candidates differ by it")
    return parser.parse_args(arguments)


def share_of_events(lap_ns=5 * MS, laps=20_000):
    """Returns the share of the time of a training that the hook's events take: the CPU time of its
    steps, less that of the same steps on a device that is not asked, over the laps' time. It must
    run under the hook, in a process of its own, because it replaces the clock."""
    clock = SkippingClock()
    time.monotonic_ns = clock.now
    device = QueuedDevice(lap_ns=lap_ns, clock=clock)
    torch = attach(fake=device)
    optimizer, mark = Optimizer(), torch.device.mark
    taken = []
    for asked in (True, False, True, False):
        torch.device.mark = mark if asked else lambda optimizer, now: (now, True)
        begin, begun = time.process_time_ns(), clock.now()
        for _ in range(laps):
            device.launch()
            torch.after_step(optimizer)
        taken.append((time.process_time_ns() - begin) / (clock.now() - begun))
    return (taken[0] - taken[1] + taken[2] - taken[3]) / 2


def train(arguments, clock=None):
    """Runs the program with these arguments, and returns its device."""
    options = options_of(arguments)
    device = QueuedDevice(options.depth, int(options.lap_ms * MS), options.memory_mb << 20,
                          timing=not options.no_events, clock=clock)
    time.sleep(options.start_s)
    if not os.environ.get("LAPCAST_LOG_DIR"):
        sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
    Training(options, device).run()
    time.sleep(options.end_s)
    return device


if __name__ == "__main__":
    train(sys.argv[1:])
