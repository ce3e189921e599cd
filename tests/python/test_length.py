"""Tests which of a program's variables tell how long its training is."""

import pytest

BEGIN = """
import time, weakref
from types import SimpleNamespace as Thing
from lapcast import _length, _report
_report.take("loop", _report.LOOP)
def find(in_epochs=True): _length.Length().find("loop", time.monotonic_ns(), in_epochs)
"""


@pytest.mark.parametrize("variables, plan", [
    ("NUM_EPOCHS = 7", {"epochs": 7, "from": "NUM_EPOCHS"}),
    ("args = Thing(epochs=3.0, lr=0.1)", {"epochs": 3, "from": "args.epochs"}),
    ("cfg = {'train': {'max_epochs': 4}}", {"epochs": 4, "from": "cfg.train.max_epochs"}),
    ("class C: n_epochs = 5\nconfig = C()", {"epochs": 5, "from": "config.n_epochs"}),
    ("opt = Thing(epochs=None, max_steps=90)", {"steps": 90, "from": "opt.max_steps"}),
    ("epochs = True; max_steps = -1; num_steps = 20; params = Thing(epochs='9')", {}),
    ("other = Thing(epochs=9)", {}),
])
def test_variables(hooked, variables, plan):
    run = hooked(f"{BEGIN}\n{variables}\nfind()\n_report.iteration('loop', 1)")
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
    log = hooked(BEGIN + "epochs = 3\nfind(in_epochs=False)\n_report.iteration('loop', 1)").log
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
