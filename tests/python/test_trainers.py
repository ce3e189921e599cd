"""Tests what the adapters of trainers conclude, with fakes of their libraries."""

PREAMBLE = """
from types import SimpleNamespace as Thing
from lapcast import _transformers

laps = _transformers.Laps()
laps.watch(Thing(training_step=None, train_dataset=[0] * 70, eval_dataset=None))
laps.batch = laps.resumed = 0
def iterations(max_steps, epochs=3, planned_steps=-1):
    args = Thing(gradient_accumulation_steps=4, max_steps=planned_steps, num_train_epochs=epochs)
    return laps.plan_of(args, Thing(max_steps=max_steps), [0] * 10)["iterations"]
"""


def test_an_epoch_of_a_trainer_has_as_many_laps_as_its_version_makes(hooked):
    """Ten batches make three iterations of four batches in new versions, and two in old ones."""
    run = hooked(PREAMBLE + "print(iterations(9), iterations(6), iterations(0), "
                 "iterations(7, planned_steps=7))")
    assert run.out == "3 2 3 3\n", run.err
