"""Tests who reports: the strongest active source, and every event once."""

BEGIN = "from lapcast._report import report as r\n"


def test_the_stronger_source_displaces_the_weaker_until_it_gives(hooked):
    log = hooked(BEGIN + """
assert r.take("loop", r.LOOP)
r.iteration("loop", 1)
assert r.take("trainer", r.TRAINER)
r.iteration("loop", 2)
r.iteration("trainer", 3)
assert not r.take("other", r.TRAINER)
assert not r.take("loop", r.LOOP)
r.give("trainer")
r.iteration("loop", 4)
""").log
    assert [samples for _, samples in log.laps()] == [1, 3, 4]


def test_takes_nest(hooked):
    log = hooked(BEGIN + """
assert r.take("t", r.TRAINER) and r.take("t", r.TRAINER)
r.give("t"); r.iteration("t", 1)
r.give("t"); r.iteration("t", 2)
r.give("t"); r.give("never")
""").log
    assert [samples for _, samples in log.laps()] == [1]


def test_after_explicit_laps_no_other_laps_count(hooked):
    log = hooked(BEGIN + """
import lapcast
for _ in lapcast.laps([[1, 2]]): pass
assert not r.take("trainer", r.TRAINER) and not r.take("loop", r.LOOP)
r.validation_begin("loop"); r.validation_end("loop", 5)     # not reported by the user: counts
with lapcast.checkpoint(): pass
r.checkpoint_begin("loop"); r.checkpoint_end("loop", 5)     # reported by the user: does not
""").log
    assert len(log.laps()) == 1
    assert log.counts("validation-end") == [5] and log.counts("checkpoint-end") == [0]


def test_a_trainer_hides_what_the_loop_sees(hooked):
    log = hooked(BEGIN + """
r.take("trainer", r.TRAINER)
r.validation_begin("loop"); r.validation_end("loop", 5)
r.checkpoint_begin("trainer"); r.checkpoint_begin("trainer")
r.checkpoint_end("trainer", 1); r.checkpoint_end("trainer", 2)
""").log
    assert log.kinds() == ["checkpoint-begin", "checkpoint-end"]


def test_a_plan_is_merged_and_reported_when_it_changes(hooked):
    log = hooked(BEGIN + """
r.take("t", r.TRAINER)
r.plan("t", epochs=3)
r.plan("t", iterations=10, batch=4)
r.plan("t", epochs=3)
r.plan("t", iterations=0)
assert r.planned("epochs") == 3 and r.planned("iterations") == 0
""").log
    assert log.rests("plan") == ["epochs=3", "epochs=3 iterations=10 batch=4", "epochs=3 batch=4"]


def test_an_error_inside_stops_the_hook_with_a_reason(hooked):
    run = hooked(BEGIN + """
r.take("t", r.TRAINER)

@r.guard
def on_batch():
    r.iteration("t", 1)
    raise ValueError("a new version")

assert on_batch() is None
on_batch()
assert not r.observed()
print("trained")
""")
    assert (run.out, run.err) == ("trained\n", "")
    assert len(run.log.laps()) == 1
    (note,) = run.log.rests("note")
    assert note.endswith("on_batch and is quiet from here on: ValueError: a new version")


def test_the_rest_is_reported_at_the_end(hooked):
    log = hooked(BEGIN + """
r.take("t", r.TRAINER)
r.at_end(lambda: r.iteration("t", 5))
""").log
    assert [samples for _, samples in log.laps()] == [5]
    assert log.kinds() == ["lap"]
