"""Tests when the hook waits for a device, with a fake device: no GPU is needed."""

PREAMBLE = """
from types import SimpleNamespace as Thing
import time
from lapcast import _report, _torch_device

waits, slow = [], 0
class Cuda:
    capturing = False
    def synchronize(self):
        waits.append(1); time.sleep(slow)
    def is_current_stream_capturing(self): return self.capturing
    def max_memory_allocated(self): return 1000 + len(waits)

cuda = Cuda()
device = _torch_device.Device(Thing(cuda=cuda))
def optimizer(kind):
    parameter = Thing(is_cpu=kind == "cpu", device=Thing(type=kind))
    return Thing(param_groups=[{"params": [parameter]}])
def finish(kind="cuda"): return device.finish(optimizer(kind), time.monotonic_ns())
"""


def test_work_on_the_cpu_is_done(hooked):
    run = hooked(PREAMBLE + "print(finish('cpu')[1], device.finish(Thing(param_groups=[{'params': "
                 "[]}]), 5), len(waits))")
    assert run.out == "False (5, False) 0\n", run.err


def test_the_first_lap_is_waited_for_and_then_one_in_half_a_second(hooked):
    run = hooked(PREAMBLE + """
print([finish()[1] for _ in range(4)])
device._next = 0  # half a second later
print([finish()[1] for _ in range(2)], len(waits))
""")
    assert run.out == "[False, True, True, True]\n[False, True] 2\n", run.err
    assert run.log.counts("device-memory") == [1001, 1002]


def test_waiting_takes_at_most_a_hundredth_of_the_time(hooked):
    run = hooked(PREAMBLE + """
slow = 0.02
begin = time.monotonic_ns()
end, queued = finish()
assert end - begin >= 20_000_000 and not queued
print(device._next - end >= 100 * 20_000_000)
""")
    assert run.out == "True\n", run.err


def test_no_wait_while_a_graph_is_recorded(hooked):
    run = hooked(PREAMBLE + "cuda.capturing = True\nprint(finish()[1], len(waits))")
    assert run.out == "True 0\n", run.err
