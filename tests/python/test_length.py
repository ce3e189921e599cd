"""Tests which of a program's variables tell how long its training is."""

import re

import pytest

from conftest import PACKAGE, ROOT

BEGIN = """
import sys, time, weakref
from dataclasses import dataclass
from types import SimpleNamespace as Thing
from lapcast import _length
from lapcast._report import report
report.take("loop", report.LOOP)
def find(in_epochs=True): _length.Length().find("loop", time.monotonic_ns(), in_epochs)

class Mapping:
    # Iterates over its names and gives their values as attributes; a name may have none.
    __module__ = "omegaconf.dictconfig"
    def __init__(self, **values): self.__dict__["values"] = values
    def __iter__(self): return iter(self.__dict__["values"])
    def __getattr__(self, name):
        value = self.__dict__["values"][name]
        if value is ValueError: raise ValueError(name)
        return value

def omegaconf(**values): return Mapping(**values)
def absl(**values): sys.modules["absl.flags"] = Thing(FLAGS=Mapping(**values))
def click(inner, outer):
    context = Thing(params=inner, parent=Thing(params=outer, parent=None))
    sys.modules["click"] = Thing(get_current_context=lambda silent: context)
"""


@pytest.mark.parametrize("variables, plan", [
    ("NUM_EPOCHS = 7", {"epochs": 7, "from": "NUM_EPOCHS"}),
    ("args = Thing(epochs=3.0, lr=0.1)", {"epochs": 3, "from": "args.epochs"}),
    ("cfg = {'train': {'max_epochs': 4}}", {"epochs": 4, "from": "cfg.train.max_epochs"}),
    ("class C: n_epochs = 5\nconfig = C()", {"epochs": 5, "from": "config.n_epochs"}),
    ("class Config: n_epochs = 5", {"epochs": 5, "from": "Config.n_epochs"}),
    ("@dataclass\nclass Config: n_epochs: int = 5\nc = Config(7)", {}),
    ("opt = Thing(epochs=None, max_steps=90)", {"steps": 90, "from": "opt.max_steps"}),
    ("epochs = True; max_steps = -1; num_steps = 20; params = Thing(epochs='9')", {}),
    ("other = Thing(epochs=9)", {}),
    ("def main(**kwargs): find()\nmain(epochs=6)", {"epochs": 6, "from": "kwargs.epochs"}),
    ("cfg = omegaconf(train=omegaconf(data=ValueError, num_epochs=8))",
     {"epochs": 8, "from": "cfg.train.num_epochs"}),
    ("click(inner=dict(lr=1), outer=dict(epochs=5))", {"epochs": 5, "from": "click.epochs"}),
    ("absl(num_epochs=ValueError, max_steps=70)", {"steps": 70, "from": "absl.max_steps"}),
    ("sys.modules['click'] = sys.modules['absl.flags'] = Thing()", {}),
])
def test_variables(hooked, variables, plan):
    run = hooked(f"{BEGIN}\n{variables}\nfind()\nreport.iteration('loop', 1)")
    assert run.log.plan == plan and run.log.rests("note") == []


def test_the_innermost_function_counts_and_another_number_is_named(hooked):
    log = hooked(BEGIN + """
args = Thing(epochs=9)
def train(epochs): find()
train(2)
""").log
    assert log.plan == {"epochs": 2, "from": "epochs"}
    assert log.rests("note") == ["the program has two numbers of epochs: epochs is 2 and args.epochs "
                                 "is 9; 2 is used, --epochs N says otherwise"]


def test_epochs_are_no_plan_of_a_loop_without_epochs(hooked):
    log = hooked(BEGIN + "epochs = 3\nfind(in_epochs=False)\nreport.iteration('loop', 1)").log
    assert log.plan == {}


def test_a_search_keeps_nothing_alive_and_changes_no_dict(hooked):
    run = hooked(BEGIN + """
class Batch: pass
def train(num_epochs):
    batch = Batch()
    alive = weakref.ref(batch)
    find()
    batch = None
    print(alive() is None)
def train_with_settings(num_epochs):
    settings = locals()
    before = dict(settings)
    find()
    print(settings == before)
train(4); train_with_settings(4)
""")
    assert run.out == "True\nTrue\n", run.err
    assert run.log.plan == {"epochs": 4, "from": "num_epochs"}


def names_in(path, begin, end):
    """Returns the words of the texts between BEGIN and END in a source file."""
    source = path.read_text().partition(begin)[2].partition(end)[0]
    return set(" ".join(re.findall(r'"([^"]*)"', source)).split())


def test_the_names_are_those_of_the_command_line():
    def of_hook(constant):
        return names_in(PACKAGE / "lapcast" / "_length_names.py", f"\n{constant} = frozenset(", ".split()")

    def of_command(constant):
        return names_in(ROOT / "src" / "run" / "command_arguments.cc", f"{constant}[] = {{", "};")

    # A variable `epoch` counts the present epoch, and no variable `steps` is taken.
    assert of_hook("EPOCHS") | {"epoch"} == of_command("kEpochNames")
    of_either = of_hook("STEPS") - of_command("kWholeStepNames")
    assert of_either == {"num_iters", "n_iters"} and of_either <= of_command("kStepNames")
    assert of_command("kWholeStepNames") <= of_hook("STEPS")
    assert of_hook("BATCHES") == of_command("kBatchNames")
    assert of_hook("STEPS_OF_SETTINGS") | {"num_iters", "n_iters"} == of_command("kStepNames")


@pytest.mark.parametrize("variables, plan", [
    ("args = Thing(epochs=3, steps_per_epoch=40)", {"steps": 120,
                                                    "from": "args.epochs-x-args.steps_per_epoch"}),
    ("args = Thing(epochs=3); n_batches = 7", {"steps": 21, "from": "args.epochs-x-n_batches"}),
    ("args = Thing(num_steps=300)", {"steps": 300, "from": "args.num_steps"}),
    ("args = Thing(steps=300, max_steps=90)", {"steps": 90, "from": "args.max_steps"}),
    ("steps = 300", {}),  # it may count the steps so far
    ("args = Thing(num_steps=128, num_envs=8)", {}),  # those of a rollout
    ("args = Thing(num_steps=20, epochs=3)", {}),  # those of a sequence, or of an epoch
])
def test_a_loop_without_a_loader_has_the_steps_of_its_settings(hooked, variables, plan):
    run = hooked(f"{BEGIN}\n{variables}\nfind(in_epochs=False)\nreport.iteration('loop', 1)")
    assert run.log.plan == plan, run.err


@pytest.mark.parametrize("loop, rounds", [
    ("for i in range(0, len(data), batch)", 4),
    ("for i in range(3, 13, batch)", 4),
    ("for n, i in enumerate(range(0, len(data), batch))", 4),
    ("for i in range(0, Odd.shape, batch)", 4),
    ("for i in parts", 4),
    ("for i in range(10, 0, -batch)", None),
    ("for i in range(0, Odd().size(0), batch)", None),  # calls code of the program
], ids=["range", "from-three", "enumerated", "own-shape", "variable", "backwards", "own-code"])
def test_a_range_with_a_step_counts_its_rounds(program_hooked, loop, rounds):
    run = program_hooked(f"""
import sys
from lapcast import _bounds
class Odd:
    shape = 10
    def size(self, dimension): return 10
data, batch, parts = list(range(10)), 3, range(0, 10, 3)
{loop}:
    [found] = _bounds.running_loops([sys._getframe()])
    print(found and (found.whole(), found.number()))
""")
    expected = [f"({rounds}, {n + 1})" if rounds else "None" for n in range(4)]
    assert run.out.splitlines() == expected, run.err


def test_the_samples_of_a_step_are_those_of_the_settings(hooked):
    run = hooked(BEGIN + """
length = _length.Length()
args = Thing(batch_size=32)
length.find("loop", time.monotonic_ns(), False)
print(length.batch)
length = _length.Length()
args = Thing(batch_size=4096, num_envs=8)  # those of a rollout, which makes several steps
length.find("loop", time.monotonic_ns(), False)
print(length.batch)
""")
    assert run.out == "32\n0\n", run.err


def test_steps_that_the_loop_exceeds_are_taken_back(hooked):
    log = hooked(BEGIN + """
length = _length.Length()
args = Thing(num_steps=3)
length.find("loop", time.monotonic_ns(), False)
for _ in range(5):
    report.iteration("loop", 1)
    length.watch("loop", time.monotonic_ns())
    length.check("loop", time.monotonic_ns())
""").log
    assert [rest.split()[0] if rest else "" for rest in log.rests("plan")] == ["steps=3", ""]
    assert log.rests("note") == ["args.num_steps is 3, but the loop made more steps: how many it "
                                 "makes is not known, --steps N says it"]
