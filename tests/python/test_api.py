"""Tests the calls that a program makes itself with `import lapcast`."""

import subprocess
import sys

from conftest import PACKAGE, environment

BEGIN = "import lapcast\ndata = [[1, 2, 3], [4, 5]]\n"


def test_a_pass_is_an_epoch(hooked):
    log = hooked(BEGIN + "got = [b for b in lapcast.laps(data, epochs=2)]\nassert got == data * 2").log
    assert log.counts("epoch-begin") == [1, 2] and log.counts("epoch-end") == [1, 2]
    assert [samples for _, samples in log.laps()] == [3, 2, 3, 2]
    assert log.plan == {"epochs": 2, "iterations": 2, "batch": 3}


def test_epochs_hold_passes_and_may_resume(hooked):
    log = hooked(BEGIN + """
seen = []
for epoch in lapcast.epochs(range(3, 5)):
    seen.append(epoch)
    for batch in lapcast.laps(data): pass
assert seen == [3, 4]
""").log
    assert log.counts("epoch-begin") == [4, 5] and log.plan["epochs"] == 5
    assert len(log.laps()) == 4


def test_steps_begin_again_where_the_batches_end(hooked):
    log = hooked(BEGIN + "assert list(lapcast.laps(data, steps=3)) == data + data[:1]").log
    assert log.plan == {"steps": 3, "batch": 3} and log.rests("epoch-begin") == []
    assert len(log.laps()) == 3


def test_batches_that_end_for_good_end_the_steps(hooked):
    log = hooked(BEGIN + "assert list(lapcast.laps(iter(data), steps=9, batch=2)) == data").log
    assert [samples for _, samples in log.laps()] == [2, 2]


def test_a_validation_is_not_part_of_the_lap_it_interrupts(hooked):
    log = hooked(BEGIN + """
for batch in lapcast.laps(data):
    with lapcast.validation(samples=7) as this: this.samples += 1
""").log
    assert log.kinds() == ["epoch-begin", "lap", "validation-begin", "validation-end", "lap",
                           "validation-begin", "validation-end", "epoch-end"]
    assert log.counts("validation-end") == [8, 8]


def test_a_checkpoint_has_the_size_of_its_file(hooked, tmp_path):
    (tmp_path / "model").write_bytes(b"12345")
    log = hooked(BEGIN + f"""
with lapcast.checkpoint({str(tmp_path / "model")!r}): pass
with lapcast.checkpoint("/nowhere"): pass
""").log
    assert log.counts("checkpoint-end") == [5, 0]


def test_iterations_stages_metrics_phases_and_notes(hooked):
    log = hooked(BEGIN + """
with lapcast.stage("data-load"): pass
lapcast.plan(steps=2, batch=8)
lapcast.iteration(8); lapcast.iteration(8, queued=True)
lapcast.metric("loss", 0.5)
lapcast.phase("large"); lapcast.note("hello")
""").log
    assert [kind for _, kind, _ in log.events] == [
        "stage-begin", "stage-end", "plan", "i", "q", "metric", "phase", "note", "bye"]


def test_errors_of_the_program_pass_through(hooked):
    run = hooked(BEGIN + """
try:
    for batch in lapcast.laps(data):
        with lapcast.stage("s"), lapcast.validation(), lapcast.checkpoint():
            raise KeyError("mine")
except KeyError as error:
    print(error)
""")
    assert run.out == "'mine'\n"
    assert [run.log.rests(kind) for kind in ("stage-end", "validation-end", "checkpoint-end")] == [
        ["s"], ["0"], ["0"]]


def test_strange_batches_count_nothing_and_break_nothing(hooked):
    log = hooked(BEGIN + """
class Odd:
    @property
    def shape(self): raise RuntimeError
class Array:
    shape = (6, 2)
odd = [Odd(), None, 5, "text", {}, [], {"x": Array()}, ((Array(),), 1), [["a", "b"]]]
assert list(lapcast.laps(odd)) == odd
""").log
    assert [samples for _, samples in log.laps()] == [0, 0, 0, 0, 0, 0, 6, 6, 2]


def test_does_nothing_without_an_observer(tmp_path):
    code = BEGIN + """
import sys
assert not lapcast.observed()
assert list(lapcast.laps(data, epochs=2)) == data * 2
assert list(lapcast.laps(data, steps=3)) == data + data[:1]
assert list(lapcast.epochs(2)) == [0, 1]
with lapcast.stage("s"), lapcast.validation(), lapcast.checkpoint("x"): pass
lapcast.iteration(1); lapcast.metric("a", object()); lapcast.plan(epochs=1); lapcast.note("n")
lapcast.phase("p")
assert not any("Watcher" in str(finder) for finder in sys.meta_path)
try: lapcast.no_such
except AttributeError as error: print(error)
"""
    ended = subprocess.run([sys.executable, "-c", code], env=environment(PYTHONPATH=str(PACKAGE)),
                           cwd=tmp_path, capture_output=True, text=True)
    assert ended.stdout == "module 'lapcast' has no attribute 'no_such'\n", ended.stderr
    assert list(tmp_path.iterdir()) == []
