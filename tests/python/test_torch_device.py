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


# A first lap of 300 ms whose epoch and end are reported when the next batch is asked for.
SLOW_FIRST_LAP = PREAMBLE + """
from lapcast import _loop
loop = _loop.Loop()
_report.at_end(loop.finish)
class Optimizer: pass
gpu = Optimizer()  # SimpleNamespace takes no weak reference
gpu.param_groups = optimizer("cuda").param_groups
passing = loop.begin_pass(_loop.Loader(3, 24), time.monotonic_ns())
def lap(seconds):
    loop.before_fetch(passing, False, time.monotonic_ns())
    loop.fetched(passing, 8, time.monotonic_ns())
    time.sleep(seconds)
    loop.step(gpu, *device.finish(gpu, time.monotonic_ns()))
lap(0.3); lap(0); lap(0)
"""


def test_the_first_lap_lasts_from_the_begin_of_its_epoch(hooked):
    log = hooked(SLOW_FIRST_LAP).log
    assert log.laps()[0][0] >= 0.3 and len(log.laps()) == 3
    assert log.counts("device-memory") == [1001]


def test_a_note_does_not_move_what_happened_before_it(hooked):
    log = hooked(SLOW_FIRST_LAP.replace("lap(0.3);", "lap(0); time.sleep(0.3); "
                                        "_report.note('after a lap that is not reported yet');")).log
    assert log.laps()[1][0] >= 0.3 and len(log.rests("note")) == 1


def test_a_note_does_not_move_the_first_epoch(hooked):
    log = hooked(SLOW_FIRST_LAP.replace("lap(0.3)", "epochs = 7; n_epochs = 9; lap(0.3)")).log
    assert log.laps()[0][0] >= 0.3 and "two numbers of epochs" in log.rests("note")[0]
