"""Tests what the hook knows of a device whose work is queued, with an imitation of one: no GPU is
needed. Its clock goes on only when it is read or waited for, so that all times are exact."""

import pytest

from conftest import ROOT

PREAMBLE = f"""
import sys, time
sys.path.insert(0, {str(ROOT / "tests")!r})
import queued_device as q
clock = q.TickingClock()
time.monotonic_ns, time.sleep = clock.now, clock.sleep
def train(*words, **options): return q.train(list(words), clock)
def device(**options): return q.QueuedDevice(clock=clock, **options)
"""
TRUTH = "\nprint(*made.ends)\n"


def seconds_of(log, begin, end):
    """Returns the lengths of the stretches between two kinds of events, in s. One begins when the
    lap before it has ended."""
    found, last, began = [], 0, 0
    ends = [end for end in log.ends() if end is not None]
    for at, kind, _ in log.events:
        if kind == begin:
            began = at
        if kind == end:
            last = max([each for each in ends if each <= at], default=0)
            found.append((at - max(began, last)) / 1e9)
    return found


def complaints(log):
    """Returns the notes but the one that a loop without a loader gets."""
    return [note for note in log.rests("note") if not note.startswith("no epoch was seen")]


def errors_of(run):
    """Returns by how much each lap's reported end is wrong, in ns; None where it is not known."""
    truth = [int(word) for word in run.out.split()[-len(run.log.laps()):]]
    start = int(run.log.hello["clock"])
    return [None if end is None else end + start - true
            for end, true in zip(run.log.ends(), truth)]


# 60 laps of 80 ms, three of which are queued: a wait in each half second would leave most ends
# unknown, and each wait takes three laps.
def test_every_lap_has_the_end_that_the_device_gave_it(hooked):
    run = hooked(PREAMBLE + "made = train('--laps', '20', '--epochs', '3')" + TRUTH)
    errors = errors_of(run)
    assert len(errors) == 60 and None not in errors, run.err
    assert max(map(abs, errors)) < 100_000
    assert run.log.rests("note") == [] and len(run.log.rests("i")) == 1


def test_the_first_lap_alone_is_waited_for(hooked):
    run = hooked(PREAMBLE + "made = train('--laps', '100', '--epochs', '1')\nprint(made.waits)")
    assert run.out.split()[-1] == "1", run.err


# The queue of three laps drains in the validation, which takes 300 ms by itself.
@pytest.mark.parametrize("more", [[], ["--no-events"]])
def test_a_validation_holds_no_work_of_the_laps_before_it(hooked, more):
    words = ["--laps", "20", "--epochs", "3", "--validation-ms", "300", *more]
    log = hooked(PREAMBLE + f"train(*{words})").log
    for seconds in seconds_of(log, "validation-begin", "validation-end"):
        assert abs(seconds - 0.3) < 0.005, log.events
    if not more:
        laps = [seconds for seconds, _ in log.laps()]
        assert len(laps) == 60 and all(abs(seconds - 0.08) < 0.005 for seconds in laps)


def test_the_parts_of_a_run_add_up_to_its_time(hooked):
    run = hooked(PREAMBLE + "train('--laps', '20', '--epochs', '3', '--validation-ms', '300')")
    log = run.log
    wall = float(run.out.splitlines()[-1].split()[-2])
    laps = sum(seconds for seconds, _ in log.laps())
    validations = sum(seconds_of(log, "validation-begin", "validation-end"))
    assert abs(laps + validations - wall) < 0.01 * wall


# The device's clock gains 1 ms in 1 s, 100 times more than real ones, and its times are floats. An
# error is at most the time between two looks: a few laps, when events have become rare.
@pytest.mark.parametrize("drift", [1e-3, -1e-3])
def test_a_drift_between_the_clocks_does_not_add_up(hooked, drift):
    run = hooked(PREAMBLE + f"""
made = device(lap_ns=5_000_000, drift={drift})
torch = q.attach(fake=made)
optimizer = q.Optimizer()
for _ in range(4000):
    clock.sleep(0.0002)
    made.launch()
    torch.after_step(optimizer)
""" + TRUTH)
    errors = [error for error in errors_of(run) if error is not None]
    assert len(errors) > 1000 and max(map(abs, errors)) < 25_000_000, run.err


# A tick of 20 us makes a mark take some 200 us: 12 ms are spent after 60 laps of 5 ms.
def test_events_become_rare_when_they_have_taken_their_share(hooked):
    run = hooked(PREAMBLE + """
clock.tick_ns = 20_000
made = device(lap_ns=5_000_000)
torch = q.attach(fake=made)
optimizer = q.Optimizer()
for _ in range(8000):
    made.launch()
    torch.after_step(optimizer)
from lapcast._torch_device import device as watched
print(watched._spent, watched._begun, clock.now())
""")
    spent, begun, now = map(int, run.out.split())
    assert spent <= 12_000_000 + (now - begun) // 8000 + 200_000
    ends = run.log.ends()
    assert None not in ends[:50] and None in ends[1000:2000]
    rare = [lap for lap, end in enumerate(ends) if end is not None and 1000 < lap]
    assert 40 < len(rare) < 1000
    assert max(b - a for a, b in zip(rare, rare[1:])) < 400  # they are spread over the time


def test_nothing_is_asked_while_any_thread_records_a_graph(hooked):
    run = hooked(PREAMBLE + """
import threading
made = device()
torch = q.attach(fake=made)
optimizer, graph = q.Optimizer(), made.Graph()
def lap():
    made.launch()
    torch.after_step(optimizer)
for _ in range(5): lap()
def record():
    thread = threading.Thread(target=graph.capture_begin)
    thread.start(); thread.join()
record()
asked = made.asked
for _ in range(5): lap()
from lapcast._torch_device import device as watched
print(made.asked - asked, watched.drain())
graph.capture_end()
for _ in range(5): lap()
""")
    assert run.out == "0 False\n", run.err
    assert len(run.log.laps()) == 15 and complaints(run.log) == []
    assert run.log.ends()[-1] is not None


# Three steps warm up and one is recorded; 40 replays of 5 ms are the training.
def test_replays_of_a_graph_with_a_step_are_the_laps(hooked):
    run = hooked(PREAMBLE + "made = train('--graph', '--laps', '20', '--epochs', '2', '--lap-ms', "
                 "'5', '--batch', '16')\nprint(*made.ends[3:])\n")
    log = run.log
    assert len(log.laps()) == 40, run.err
    assert all(error is not None and abs(error) < 100_000 for error in errors_of(run))
    assert log.plan["steps"] == 40
    assert log.kinds() == ["stage-begin", "stage-end", "lap"]
    assert log.rests("stage-end") == ["graph-capture"]
    assert all(abs(seconds - 0.005) < 0.0005 for seconds, _ in log.laps()[1:])


def test_steps_that_only_looked_like_a_warm_up_are_laps(hooked):
    log = hooked(PREAMBLE + """
made = device()
torch = q.attach(fake=made)
made.stream = "side"
optimizer = q.Optimizer()
for _ in range(3):
    made.launch()
    torch.after_step(optimizer)
""").log
    assert len(log.laps()) == 3 and log.ends()[-1] is not None


# Steps on the default stream are laps at once; what follows the recording is another kind of lap.
def test_replays_after_reported_laps_are_a_phase(hooked):
    log = hooked(PREAMBLE + """
made = device()
torch = q.attach(fake=made)
optimizer, graph = q.Optimizer(), made.Graph()
def step(): torch.after_step(optimizer)
for _ in range(3): made.launch(); step()
graph.capture_begin(); step(); graph.capture_end()
for _ in range(4): graph.replay()
""").log
    assert [kind for kind in log.kinds() if kind in ("lap", "phase")] == ["lap", "phase", "lap"]
    assert len(log.laps()) == 7


def test_a_graph_without_a_step_is_no_lap(hooked):
    log = hooked(PREAMBLE + """
made = device()
torch = q.attach(fake=made)
optimizer, graph = q.Optimizer(), made.Graph()
graph.capture_begin(); graph.capture_end()
for _ in range(4):
    graph.replay()
    torch.after_step(optimizer)
""").log
    assert len(log.laps()) == 4 and log.rests("stage-begin") == log.rests("phase") == []


def test_the_latest_end_of_several_devices_counts(hooked):
    run = hooked(PREAMBLE + """
made, other = device(lap_ns=10_000_000), device(lap_ns=14_000_000)
torch = q.attach(fake=made, more=other)
optimizer = q.Optimizer()
optimizer.param_groups += q.Optimizer("more").param_groups
for _ in range(20):
    made.launch(); other.launch()
    torch.after_step(optimizer)
print(*other.ends)
""")
    errors = errors_of(run)
    assert None not in errors and max(map(abs, errors)) < 200_000, run.err


# A step of each of two optimizers is one lap, which ends with the second one.
def test_two_optimizers_of_a_lap_give_it_one_end(hooked):
    log = hooked(PREAMBLE + """
from lapcast._passes import Loader
made = device()
torch = q.attach(fake=made)
first, second = q.Optimizer(), q.Optimizer()
passing = torch.loop.begin_pass(Loader(10, 80, 8), time.monotonic_ns())
batches = iter(range(10))
for _ in range(10):
    torch.fetch(passing, next, batches)
    for optimizer in (first, second):
        made.launch(40_000_000)
        torch.after_step(optimizer)
""").log
    assert len(log.laps()) == 10 and None not in log.ends()
    assert all(abs(seconds - 0.08) < 0.001 for seconds, _ in log.laps()[1:])


# The wait for a lap of 200 ms loses only the millisecond in which the host queues the next one.
def test_a_device_without_events_is_waited_for_as_often_as_that_costs_little(hooked):
    log = hooked(PREAMBLE + "train('--no-events', '--lap-ms', '200', '--laps', '60', '--epochs', '1')"
                 ).log
    waited = [lap for lap, end in enumerate(log.ends()) if end is not None]
    assert len(waited) >= 10 and max(b - a for a, b in zip(waited, waited[1:])) <= 7


def test_a_device_whose_events_tell_no_time_is_waited_for(hooked):
    log = hooked(PREAMBLE + """
made = device()
made.Event.elapsed_time = lambda event, other: 1 / 0
torch = q.attach(fake=made)
optimizer = q.Optimizer()
for _ in range(40):
    clock.sleep(0.001)
    made.launch()
    torch.after_step(optimizer)
""").log
    assert len(log.laps()) == 40 and len(log.rests("i")) >= 3 and complaints(log) == []


# As torch.mps, which is for one device and has no streams.
def test_a_device_that_has_only_a_wait_is_waited_for(hooked):
    log = hooked(PREAMBLE + """
from types import SimpleNamespace
made = device()
module = SimpleNamespace(synchronize=lambda: made.synchronize(), Graph=made.Graph)
torch = q.attach(mps=module)
optimizer = q.Optimizer("mps")
for _ in range(40):
    clock.sleep(0.001)
    made.launch()
    torch.after_step(optimizer)
""").log
    assert len(log.laps()) == 40 and len(log.rests("i")) >= 3 and complaints(log) == []


def test_an_unknown_device_breaks_nothing(hooked):
    run = hooked(PREAMBLE + """
torch = q.attach(fake=device())
optimizer = q.Optimizer("unheard-of")
for _ in range(4): torch.after_step(optimizer)
for _ in range(4): torch.after_step(q.Optimizer("fake"))
torch.after_step(object())
""")
    assert run.process.returncode == 0
    assert len(run.log.rests("q")) >= 4
    assert complaints(run.log)[0].startswith("the ends of laps on the device are not known: ")


def test_a_device_that_hangs_does_not_keep_the_process(hooked):
    run = hooked(PREAMBLE + """
made = device()
torch = q.attach(fake=made)
optimizer = q.Optimizer()
for _ in range(3):
    made.launch()
    torch.after_step(optimizer)
made.busy_until += 10**12
made.launch()
torch.after_step(optimizer)
from lapcast._torch_device import device as watched
print(watched.drain(limit_s=0.25), watched.drain(limit_s=0.25))
before = clock.now()
import atexit; atexit.register(lambda: print(clock.now() - before < 2_000_000_000))
""")
    assert run.out == "False False\nTrue\n", run.err
    assert [end is None for end in run.log.ends()] == [False, False, False, True]


def test_a_forked_child_leaves_the_devices_of_its_parent(hooked):
    run = hooked(PREAMBLE + """
import os
made = device()
torch = q.attach(fake=made)
optimizer = q.Optimizer()
def lap():
    made.launch()
    torch.after_step(optimizer)
for _ in range(3): lap()
sys.stdout.flush()
if os.fork() == 0:
    asked = made.asked
    from lapcast._torch_device import device as watched
    print(watched.drain(), made.asked - asked, flush=True)
    os._exit(0)
os.wait()
for _ in range(3): lap()
""")
    assert run.out == "True 0\n", run.err
    assert len(run.log.laps()) == 6 and None not in run.log.ends()


@pytest.mark.parametrize("loop", ["for _ in lapcast.laps(range(20), batch=8, queued=True): lap()",
                                  "for _ in range(20): lap(); lapcast.iteration(8, queued=True)"])
def test_laps_that_the_program_reports_itself_end_with_their_steps(hooked, loop):
    run = hooked(PREAMBLE + f"""
import lapcast
made = device()
torch = q.attach(fake=made)
optimizer = q.Optimizer()
def lap():
    made.launch()
    torch.after_step(optimizer)
{loop}
""")
    laps = run.log.laps()[-19:]  # before its first call, iteration() is not known
    assert all(abs(seconds - 0.08) < 0.001 and samples == 8 for seconds, samples in laps), run.err
    assert None not in run.log.ends()[-19:]


def test_work_on_the_cpu_is_done(hooked):
    log = hooked(PREAMBLE + """
torch = q.attach(fake=device())
optimizer = q.Optimizer("cpu")
for _ in range(3): torch.after_step(optimizer)
""").log
    assert len(log.rests("i")) == 3


def test_the_first_lap_lasts_from_the_begin_of_its_epoch(hooked):
    log = hooked(PREAMBLE + "train('--first-ms', '300', '--laps', '3', '--epochs', '1', "
                 "'--memory-mb', '7')").log
    assert abs(log.laps()[0][0] - 0.38) < 0.005 and len(log.laps()) == 3
    assert log.counts("device-memory")[0] == 7 << 20


def test_a_note_does_not_move_what_happened_before_it(hooked):
    log = hooked(PREAMBLE + """
from lapcast._report import report
made = device(lap_ns=0)
torch = q.attach(fake=made)
from lapcast._passes import Loader
passing, optimizer = torch.loop.begin_pass(Loader(3, 24), time.monotonic_ns()), q.Optimizer()
batches = iter(range(3))
for lap in range(3):
    torch.fetch(passing, next, batches)
    torch.after_step(optimizer)
    clock.sleep(0.3 if lap == 0 else 0)
    if lap == 0: report.note("after a lap that is not reported yet")
""").log
    assert log.laps()[1][0] >= 0.3 and len(log.rests("note")) == 1


def test_a_note_does_not_move_the_first_epoch(hooked):
    log = hooked(PREAMBLE + "epochs = 7; n_epochs = 9\n"
                 "train('--first-ms', '300', '--laps', '3', '--epochs', '1')").log
    assert log.laps()[0][0] >= 0.3 and "two numbers of epochs" in log.rests("note")[0]
