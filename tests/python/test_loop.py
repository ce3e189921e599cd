"""Tests what the loop infers from steps and passes, told by hand without any library: the cases
that the scripts in tests/scripts do not reach."""

import pytest

PREAMBLE = """
import time
from lapcast import _loop
from lapcast._report import report

class Optimizer: pass

loop = _loop.Loop()
report.at_end(loop.finish)
optimizer, other = Optimizer(), Optimizer()

def loader(length=0, samples=0, **facts): return _loop.Loader(length, samples, **facts)
def begin(of): return loop.begin_pass(of, time.monotonic_ns())
def fetch(p, samples=8, gradless=False):
    loop.before_fetch(p, gradless, time.monotonic_ns())
    loop.fetched(p, samples, time.monotonic_ns())
def end(p, gradless=False):
    loop.before_fetch(p, gradless, time.monotonic_ns())
    loop.exhausted(p, time.monotonic_ns())
def step(which=optimizer): loop.step(which, time.monotonic_ns())
def train(of, laps):
    p = begin(of)
    for _ in range(laps): fetch(p); step()
    return p
def validate(of, fetches, gradless=True):
    p = begin(of)
    for _ in range(fetches): fetch(p, gradless=gradless)
    return p

data, test = loader(3, 24), loader(2, 16)
"""


def test_an_epoch_and_a_validation(hooked):
    log = hooked(PREAMBLE + "end(train(data, 3)); end(validate(test, 2), True)").log
    assert log.kinds() == ["epoch-begin", "lap", "epoch-end", "validation-begin", "validation-end"]
    assert log.plan == {"iterations": 3, "batch": 8, "train": 24}
    assert log.counts("validation-end") == [16]


def test_data_examined_before_training_is_not_reported(hooked):
    log = hooked(PREAMBLE + """
end(validate(data, 3, gradless=False))
fetch(begin(test))
end(train(data, 3))
""").log
    assert log.kinds() == ["epoch-begin", "lap", "epoch-end"] and len(log.laps()) == 3


def test_a_validation_before_training_is_one(hooked):
    log = hooked(PREAMBLE + "end(validate(test, 2), True); end(train(data, 3))").log
    assert log.kinds()[:3] == ["validation-begin", "validation-end", "epoch-begin"]


def test_a_validation_in_evaluation_mode_with_gradients_on_may_be_left(hooked):
    log = hooked(PREAMBLE + """
p = train(data, 2)
loop.evaluation(time.monotonic_ns())
validate(test, 1, gradless=False)
loop.training(time.monotonic_ns())
fetch(p); step(); end(p)
""").log
    assert log.kinds() == ["epoch-begin", "lap", "validation-begin", "validation-end", "lap",
                          "epoch-end"]
    assert log.counts("validation-end") == [8]


def test_training_on_batches_fetched_without_gradients(hooked):
    log = hooked(PREAMBLE + """
for _ in range(2):
    p = begin(data)
    for _ in range(3): fetch(p, gradless=True); step()
    end(p, True)
""").log
    assert log.kinds() == ["epoch-begin", "lap", "epoch-end"] * 2 and len(log.laps()) == 6


def test_an_iterator_over_validation_data_that_is_kept(hooked):
    log = hooked(PREAMBLE + """
kept = begin(test)
p = begin(data)
for _ in range(6):
    fetch(p); step()
    fetch(kept, gradless=True)
""").log
    assert len(log.laps()) == 6 and log.counts("validation-end") == [8] * 6


def test_accumulation_begins_with_a_step(hooked):
    """Trains with `if i % 4 == 0: step`: the first iteration has one batch, the others four."""
    log = hooked(PREAMBLE + """
p = begin(loader(9, 72))
for i in range(9):
    fetch(p)
    if i % 4 == 0: step()
end(p)
""").log
    assert [samples for _, samples in log.laps()] == [8, 32, 32]
    assert log.plan["batch"] == 32 and log.plan["iterations"] == 3


def test_a_prefetcher_is_one_batch_ahead(hooked):
    log = hooked(PREAMBLE + """
p = begin(data)
fetch(p)
for _ in range(2): fetch(p); step()
end(p); step()
end(validate(test, 2), True)
""").log
    assert len(log.laps()) == 3 and sum(samples for _, samples in log.laps()) == 24
    assert log.kinds()[:3] == ["epoch-begin", "lap", "epoch-end"]


def test_a_prefetcher_trains_each_batch_in_its_lap(hooked):
    """The first backward pass tells how many batches were fetched ahead."""
    log = hooked(PREAMBLE + """
for _ in range(2):
    p = begin(data)
    fetch(p); fetch(p); loop.backward(time.monotonic_ns()); step()
    fetch(p, 3); step()
    end(p); step()
    end(validate(test, 2), True)
""").log
    assert [samples for _, samples in log.laps()] == [8, 8, 3] * 2
    assert log.kinds() == ["epoch-begin", "lap", "epoch-end", "validation-begin",
                           "validation-end"] * 2
    assert log.plan["iterations"] == 3


@pytest.mark.parametrize("asks_again", [True, False])
def test_a_prefetcher_is_two_batches_ahead(hooked, asks_again):
    """At the end of a pass its last laps have no fetch between them, if it asks only once."""
    log = hooked(PREAMBLE + f"""
for _ in range(2):
    p = begin(loader(4, 27))
    fetch(p); fetch(p); fetch(p); loop.backward(time.monotonic_ns()); step(); step(other)
    fetch(p, 3); step(); step(other)
    end(p); step(); step(other)
    if {asks_again}: end(p)
    step(); step(other)
    end(validate(test, 2), True)
""").log
    assert [samples for _, samples in log.laps()] == [8, 8, 8, 3] * 2
    assert log.kinds() == ["epoch-begin", "lap", "epoch-end", "validation-begin",
                           "validation-end"] * 2
    assert log.plan["iterations"] == 4 and log.plan["batch"] == 8


def test_an_endless_pass_is_split_at_the_length(hooked):
    log = hooked(PREAMBLE + """
p = begin(loader(3, 24, batch=8))
for _ in range(8): fetch(p); step()
""").log
    assert log.counts("epoch-begin") == [1, 2, 3] and log.counts("epoch-end") == [1, 2]
    assert len(log.laps()) == 8 and log.plan == {"iterations": 3, "batch": 8, "train": 24}


def test_an_endless_pass_that_is_one_batch_ahead(hooked):
    log = hooked(PREAMBLE + """
p = begin(loader(3, 24, batch=8))
fetch(p)
for i in range(6):
    fetch(p)
    if i == 0: loop.backward(time.monotonic_ns())
    step()
""").log
    assert log.kinds() == ["epoch-begin", "lap", "epoch-end"] * 2
    assert [samples for _, samples in log.laps()] == [8] * 6


def test_a_length_that_is_a_guess_splits_nothing(hooked):
    log = hooked(PREAMBLE + "p = begin(data)\nfor _ in range(5): fetch(p); step()\nend(p)").log
    assert log.kinds() == ["epoch-begin", "lap", "epoch-end"] and len(log.laps()) == 5


def test_training_mode_is_set_after_each_fetch(hooked):
    log = hooked(PREAMBLE + """
for _ in range(2):
    p = begin(data)
    for _ in range(3): fetch(p); loop.training(time.monotonic_ns()); step()
    end(p)
    loop.evaluation(time.monotonic_ns())
    end(validate(test, 2, gradless=False))
""").log
    assert log.kinds() == ["epoch-begin", "lap", "epoch-end", "validation-begin",
                           "validation-end"] * 2


def test_an_evaluation_without_gradients_before_the_first_step_counts(hooked):
    log = hooked(PREAMBLE + """
for _ in range(3):
    loop.evaluation(time.monotonic_ns(), gradless=True); loop.training(time.monotonic_ns())
    step(); step()
""").log
    kinds = [kind for kind in log.kinds() if kind != "note"]
    assert kinds == ["validation-begin", "validation-end", "lap"] * 3


def test_several_steps_with_a_batch_are_one_lap(hooked):
    log = hooked(PREAMBLE + """
p = begin(data)
for _ in range(3):
    fetch(p)
    for _ in range(5): step()
    step(other)
end(p)
""").log
    assert [samples for _, samples in log.laps()] == [8, 8, 8]


def test_many_steps_with_a_batch_are_laps(hooked):
    log = hooked(PREAMBLE + """
p = begin(data)
for _ in range(2):
    fetch(p)
    for _ in range(20): step()
""").log
    assert [samples for _, samples in log.laps()] == [8] * 40
    assert "iterations" not in log.plan


def test_optimizers_that_take_turns_with_batches(hooked):
    log = hooked(PREAMBLE + """
for _ in range(2):
    p = begin(data)
    for i in range(3): fetch(p); step(optimizer if i % 2 else other)
    end(p)
""").log
    assert len(log.laps()) == 6 and log.rests("note") == []


def test_a_pass_that_is_broken_off_ends_its_epoch(hooked):
    log = hooked(PREAMBLE + "train(data, 2); train(data, 2)").log
    assert log.counts("epoch-begin") == [1, 2] and log.counts("epoch-end") == [1]


def test_a_resumed_training_whose_epoch_is_not_known(hooked):
    log = hooked(PREAMBLE + "loop.state_loaded(0); end(train(data, 3))").log
    assert log.counts("epoch-begin") == [1]
    assert "epochs are counted from 1" in log.rests("note")[0]


def test_a_resumed_training_whose_sampler_or_optimizer_knows(hooked):
    log = hooked(PREAMBLE + "loop.state_loaded(0); end(train(loader(3, 24, epoch=4), 3))").log
    assert log.counts("epoch-begin") == [5]
    log = hooked(PREAMBLE + "loop.state_loaded(30); end(train(data, 3))").log
    assert log.counts("epoch-begin") == [11]


RESUMED = PREAMBLE + """
def passed_over(of, batches, laps, accumulated=1):
    p = begin(of)
    for _ in range(batches): fetch(p)
    for lap in range(laps):
        for i in range(accumulated):
            fetch(p)
            if lap == i == 0: loop.backward(time.monotonic_ns())
        step()
    end(p)
"""


def test_batches_that_a_resumed_training_passes_over_are_no_accumulation(hooked):
    """Resumes an epoch of 50 laps after 30 of them, at step 130: epochs 3 and 4."""
    log = hooked(RESUMED + """
data = loader(50, 400, batch=8)
loop.state_loaded(130)
passed_over(data, 30, 20)
end(train(data, 50))
""").log
    assert log.counts("epoch-begin") == [3, 4] and len(log.laps()) == 70
    assert log.plan["done"] == 130 and log.plan["iterations"] == 50
    assert {samples for _, samples in log.laps()} == {8} and log.rests("note") == []


def test_batches_passed_over_count_as_laps_of_several_batches(hooked):
    log = hooked(RESUMED + "loop.state_loaded(-1); passed_over(loader(40, 320), 20, 10, 2)").log
    assert len(log.laps()) == 10 and log.plan["done"] == 10 and log.plan["iterations"] == 20


def test_batches_fetched_ahead_are_not_passed_over(hooked):
    """Resumes at the third epoch; each lap works on the batch before the last two."""
    log = hooked(RESUMED + """
loop.state_loaded(24)
passed_over(loader(12, 96), 2, 10); step(); step()
""").log
    assert log.counts("epoch-begin") == [3] and log.plan["done"] == 24 and len(log.laps()) == 12


def test_a_loader_that_leaves_out_batches_is_part_of_an_epoch(hooked):
    log = hooked(PREAMBLE + """
rest = loader(20, 400); rest.skipped = 30
loop.state_loaded(130)
end(train(rest, 20)); end(train(loader(50, 400), 50))
""").log
    assert log.counts("epoch-begin") == [3, 4]
    assert log.plan["iterations"] == 50 and log.plan["done"] == 130


LOADER = PREAMBLE + """
class Batches:
    def __init__(self, laps): self.of = loader(laps, 8 * laps)
    def __iter__(self):
        p = begin(self.of)
        for _ in range(self.of.length): fetch(p); yield p
        end(p)
batches = Batches(3)
def main(first, last, trials=1):
"""


@pytest.mark.parametrize("loops, arguments, epochs, plan", [
    ("for era in range(first, last):", "4, 6", [5, 6], {"epochs": 6, "done": 12, "from": "last"}),
    ("for era in range(first, last + 1):", "4, 5", [4, 5], {"epochs": 5, "done": 9, "from": "last"}),
    ("for era in range(last):\n  if era >= first:", "1, 3", [2, 3],
     {"epochs": 3, "done": 3, "from": "last"}),
    ("for k in range(trials):\n  for era in range(last):", "0, 2, 3", [1, 2, 3, 4, 5, 6],
     {"epochs": 6, "from": "last-x-trials"}),
    ("for era in (x for x in [0, 1]):", "0, 2", [1, 2], {}),
])
def test_a_loop_around_the_loader_says_the_epochs(program_hooked, loops, arguments, epochs, plan):
    log = program_hooked(f"{LOADER} {loops}\n   for _ in batches: step()\nmain({arguments})\n").log
    assert log.counts("epoch-begin") == epochs
    assert log.plan == {"iterations": 3, "batch": 8, "train": 24, **plan}


def test_a_loop_that_is_broken_off_says_the_laps_of_an_epoch(program_hooked):
    """Breaks off with one more batch, which it does not use."""
    log = program_hooked(f"""{LOADER}
    for era in range(last):
        for i, _ in enumerate(batches):
            if i >= 2: break
            step()
main(0, 4)
""").log
    assert log.counts("epoch-begin") == [1, 2, 3, 4] and len(log.laps()) == 8
    assert log.plan["iterations"] == 2 and {samples for _, samples in log.laps()} == {8}


@pytest.mark.parametrize("program, laps, plan", [
    ("for _ in range(3):\n  for _ in range(5): step()", 15, {"steps": 15, "from": "5-x-3"}),
    ("[step() for _ in range(7)]", 7, {"steps": 7, "from": "7"}),
    ("for e in range(2, 4):\n  for _ in range(5): step()", 10, {"steps": 20, "done": 10, "from": "5-x-4"}),
    ("for t in range(40):\n  if t >= 10 and t % 3 == 0: step()", 10, {"steps": 10, "from": "40"}),
    ("n = 0\n while n < 20:\n  step(); n += 1", 20, {"steps": 20, "from": "20"}),
    ("n = 0\n while True:\n  step(); n += 1\n  if n >= last: break", 9, {"steps": 9, "from": "last"}),
    ("t = 0\n while t <= 400:\n  t += 16\n  for _ in iter(range(4)): step()", 104,
     {"steps": 104, "from": "400"}),
    ("n = 0\n while n < 4 or first: step(); n += 1", 4, {}),
])
def test_loops_without_a_loader_say_the_steps(program_hooked, program, laps, plan):
    log = program_hooked(f"{LOADER} {program}\nmain(0, 9)\n").log
    assert len(log.laps()) == laps and log.plan == plan


def test_validations_by_hand_after_every_step(hooked):
    """Validates as when all data is one batch; before the first step there is nothing to
    validate."""
    log = hooked(PREAMBLE + """
for _ in range(20):
    loop.evaluation(time.monotonic_ns()); loop.gradless_end(time.monotonic_ns())
    loop.training(time.monotonic_ns())
    step()
""").log
    assert len(log.laps()) == 20 and log.counts("validation-end") == [0] * 19


@pytest.mark.parametrize("later, ends", [
    ("loop.finish(now + 32_000_000)", [10, 20, 32]),  # about as long as those before
    ("loop.finish(now + 99_000_000)", [10, 20]),  # other work may have followed
    ("loop.other_begins(now + 28_000_000); loop.finish(now + 99_000_000)", [10, 20, 28]),
    ("loop.other_begins(now + 27_000_000); loop.evaluation(now + 40_000_000); "
     "loop.other_begins(now + 48_000_000); loop.finish(now + 99_000_000)", [10, 20, 27, 48]),
])
def test_the_last_validation_by_hand_has_no_train_after_it(hooked, later, ends):
    """Two validations with gradients are ended by train(), the last ones are not."""
    log = hooked(PREAMBLE.replace("report.at_end(loop.finish)", "") + f"""
now = time.monotonic_ns()
for ms in 0, 10:
    loop.step(optimizer, now + ms * 1_000_000 + 1)
    loop.evaluation(now + ms * 1_000_000 + 2)
    loop.training(now + (ms + 10) * 1_000_000)
loop.step(optimizer, now + 20_000_001)
loop.evaluation(now + 25_000_000)
{later}
""").log
    times = [at for at, kind, _ in log.events if kind == "validation-end"]
    begun = times[0] - 10_000_000  # the first lap ends later on a busy machine: what came before has its own time
    assert [round((at - begun) / 1e6) for at in times] == ends


def test_evaluation_within_an_iteration_is_not_a_validation(hooked):
    log = hooked(PREAMBLE + """
p = begin(data)
for _ in range(3):
    fetch(p)
    loop.evaluation(time.monotonic_ns()); loop.gradless_end(time.monotonic_ns())
    loop.training(time.monotonic_ns())
    step()
end(p)
""").log
    assert log.kinds() == ["epoch-begin", "lap", "epoch-end"]


def test_an_optimizer_that_is_gone_is_replaced(hooked):
    log = hooked(PREAMBLE + """
for _ in range(3): step()
del optimizer
step.__defaults__ = None
for _ in range(3): step(other)
""").log
    assert len(log.laps()) == 6
    assert "two training loops" in log.rests("note")[1]


@pytest.mark.parametrize("rounds, samples", [(4, [32, 32, 32]), (6, [32, 32])])
def test_batches_left_of_a_pass_count_where_they_are_accumulated(hooked, rounds, samples):
    """A lap has 4 batches of a loader of 6; of the loop that begins each epoch anew two are left over."""
    log = hooked(PREAMBLE + f"""
of, p = loader(6, 48), None
for number in range(12):
    if number % 6 == 0:
        if p: end(p)
        p = begin(of)
    fetch(p)
    if number % {rounds} == 3: step()
end(p)
""").log
    assert [count for _, count in log.laps()] == samples


TWO_LOOPS = """
for i in range(3): step()
for i in range({rounds}): step(other)
"""


def test_another_optimizer_after_the_loop_takes_over_at_once(program_hooked):
    log = program_hooked(PREAMBLE + TWO_LOOPS.format(rounds=2)).log
    assert len(log.laps()) == 5 and log.laps()[3][0] > 0
    assert log.plan == {"steps": 5, "from": "2"} and log.rests("phase") == ["Optimizer"]
    assert "two training loops" in log.rests("note")[0]  # other parameters, as far as is known


def test_another_optimizer_of_the_same_parameters_goes_on_with_the_training(program_hooked):
    same = """
class Parameter: pass
parameter = Parameter()
optimizer.param_groups = other.param_groups = [{"params": [parameter]}]
"""
    log = program_hooked(PREAMBLE + same + TWO_LOOPS.format(rounds=2)).log
    assert log.plan == {"steps": 5, "from": "2"} and log.rests("note") == []


def test_another_optimizer_within_the_loop_does_not_take_over(program_hooked):
    log = program_hooked(PREAMBLE + """
for i in range(4):
    for _ in range(2): step()
    step(other)
""").log
    assert len(log.laps()) == 8 and log.rests("phase") == []


def test_a_long_step_is_told_when_it_begins(program_hooked):
    run = program_hooked(PREAMBLE + """
import glob, os
for i in range(3): step()
loop.step_begins(other)
[file] = glob.glob(os.environ["LAPCAST_LOG_DIR"] + "/laps.*")
print(open(file).read())
step(other)
""")
    assert " plan steps=4" in run.out and " phase Optimizer" in run.out
    assert len(run.log.laps()) == 4


def test_all_ranks_together_make_a_batch(hooked):
    log = hooked(PREAMBLE + "loop = _loop.Loop(lambda: 4); end(train(data, 3))").log
    assert log.plan == {"iterations": 3, "batch": 32, "train": 96}


@pytest.mark.parametrize("loaders, variables, notes", [
    (2, "", ["no epoch was seen, because the steps use no batch of a loader, and the program tells "
             "neither how many steps it makes nor the samples of one; seen: optimizers 1, loaders 2. "
             "Add --steps N, or before the loop: import lapcast; lapcast.plan(steps=N)"]),
    (0, "from types import SimpleNamespace; args = SimpleNamespace(batch_size=4); loop.backward_passes(1)",
     ["no epoch was seen, because the steps use no batch of a loader, and the program does not tell "
      "how many steps it makes; seen: optimizers 1, loaders 0. "
      "Add --steps N, or before the loop: import lapcast; lapcast.plan(steps=N)"]),
    (0, "from types import SimpleNamespace; args = SimpleNamespace(num_steps=20)", []),
    (2, "max_steps = 20", []),
    (2, "import lapcast; lapcast.plan(steps=20)", []),
])
def test_a_loop_that_uses_none_of_its_loaders_is_told_what_was_seen(hooked, loaders, variables,
                                                                     notes):
    log = hooked(PREAMBLE + f"""
{variables}
loop.made_optimizer(time.monotonic_ns())
for _ in range({loaders}): begin(loader(2, 16))
for _ in range(20): step()
""").log
    assert len(log.laps()) == 20 and log.rests("note") == notes
