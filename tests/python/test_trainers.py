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


KERAS = """
import lapcast
from types import SimpleNamespace as Thing
from lapcast._keras_lengths import keras_lengths

class Model:
    def __init__(self): self.train_function, self.taken = self.step, []
    def step(self, state, batches): self.taken += [batches[0] if isinstance(batches, list) else next(batches)]

def ids(length): return Thing(shape=(4, length), dtype=Thing(name="int32"))

model = Model()
original = model.train_function
keras_lengths.begin(model, Thing(max_length=99), False)
for length in (30, 20, 25, 40):
    model.train_function(0, iter([(ids(length), ids(500))]))  # as on JAX
samples = keras_lengths.take_samples(model)
for length in (35, 60):
    model.train_function(0, [(ids(length), ids(500))])  # as on torch
both = keras_lengths.take_samples(model)
try: model.train_function(0, iter([]))
except StopIteration: found = keras_lengths.take_samples(model)
print(samples, both, found, len(model.taken))
keras_lengths.end(model)
print(model.train_function == original, keras_lengths.take_samples(model))
keras_lengths.begin(model, None, False)
model.train_function = None  # is to be made anew
print(keras_lengths.take_samples(model))
keras_lengths.end(model)
print(model.train_function)
lapcast.iteration(4)
"""


def test_a_step_of_keras_is_seen_to_take_its_batches(hooked):
    run = hooked(KERAS)
    assert run.out.split() == ["16", "8", "0", "6", "True", "-1", "-1", "None"], run.err
    lines = [rest.split() for rest in run.log.rests("sequence")]
    assert [words[0] for words in lines] == ["30", "40", "60"]
    assert lines[-1][-2:] == ["most=99", "from=dataset.max_length"]
