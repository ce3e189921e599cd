"""Observes hand-written loops with Keras optimizers: passes over tf.data, and whether an
optimizer's `iterations` grew from one batch to the next, which also happens inside of tf.function.
"""

from __future__ import annotations

import glob
import sys
import weakref
from time import monotonic_ns

from lapcast._batch import samples_of
from lapcast._keras_lengths import keras_lengths
from lapcast._keras_steps import keras_steps
from lapcast._log import rank_and_world
from lapcast._loop import Loop
from lapcast._passes import TRAINING, Loader
from lapcast._report import report
from lapcast._sequences import sequences
from lapcast._trainings import bytes_in, is_version, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Callable

ITERATORS = "tensorflow.python.data.ops.iterator_ops"
SOURCE = report.PLAIN


def attach(tensorflow: ModuleType) -> None:
    """Attaches to tensorflow, which has been imported."""
    if not is_version(tensorflow, "tensorflow", (2, 11), 2):
        return
    iterator = getattr(sys.modules.get(ITERATORS), "OwnedIterator", None)
    if iterator is None:
        report.note("this TensorFlow's iterators are not known: loops of your own are not seen")
        return
    Adapter(tensorflow.executing_eagerly, iterator).attach(tensorflow)


def _observes() -> bool:
    """Returns whether the plain loop is observed; a trainer reports by itself."""
    return report.observed() and report.strength() != report.TRAINER


class Adapter:
    """Tells a Loop what happens in a loop over tf.data. iterator: the class of its iterators.
    eager() returns whether code runs at once, instead of being traced."""

    def __init__(self, eager: Callable[[], bool], iterator: type) -> None:
        self.eager, self.iterator = eager, iterator
        self.loop = Loop(lambda: rank_and_world()[1])
        self.loaders: Any = weakref.WeakKeyDictionary()  # data set -> Loader

    def attach(self, tensorflow: Any) -> None:
        """Attaches to data sets and checkpoints."""
        wrap(tensorflow.data.Dataset, "__iter__", self._iterate)
        wrap(self.iterator, "__next__", self._next_batch)
        wrap(self.iterator, "get_next", self._taken)
        train = tensorflow.train
        for owner, name in ((train.Checkpoint, "save"), (train.Checkpoint, "write"),
                            (train.CheckpointManager, "save")):
            wrap(owner, name, self._save)
        report.at_end(self._finish)

    def _look_for_steps(self) -> None:
        """Reports the steps since the last look."""
        for optimizer in keras_steps.look():
            self.loop.step(optimizer, monotonic_ns())

    def _iterate(self, original: Any, data: Any) -> Any:
        result = original(data)
        if type(result) is self.iterator and self.eager():
            self._begin_pass(result, data)
        return result

    @report.guard
    def _begin_pass(self, result: Any, data: Any) -> None:
        if not _observes():
            return
        loader = self.loaders.get(data) or self.loaders.setdefault(data, Loader())
        loader.length = max(int(data.cardinality()), 0)
        self._look_for_steps()
        result._lapcast_pass = self.loop.begin_pass(loader, monotonic_ns())

    def _next_batch(self, original: Any, iterator: Any) -> Any:
        passing = iterator.__dict__.get("_lapcast_pass")
        if passing is None or not _observes():
            return self._taken(original, iterator)
        self._before_fetch(passing)
        try:
            batch = original(iterator)
        except StopIteration:
            self._exhausted(passing)
            raise
        self._fetched(passing, batch)
        return batch

    def _taken(self, original: Any, iterator: Any) -> Any:
        batch = original(iterator)
        if not self.eager():
            keras_lengths.taken(iterator, batch)
        return batch

    @report.guard
    def _before_fetch(self, passing: Any) -> None:
        self._look_for_steps()
        self.loop.before_fetch(passing, False, monotonic_ns())

    @report.guard
    def _fetched(self, passing: Any, batch: Any) -> None:
        samples, trains = samples_of(batch), passing.kind == TRAINING
        self.loop.fetched(passing, samples, monotonic_ns())
        sequences.fetched(passing, None, batch, samples, trains)

    @report.guard
    def _exhausted(self, passing: Any) -> None:
        if passing.kind == TRAINING:
            sequences.worked_on(passing.sequences)
        self.loop.exhausted(passing, monotonic_ns())

    def _save(self, original: Any, checkpoint: Any, *arguments: Any, **options: Any) -> Any:
        self._settle()
        report.checkpoint_begin(SOURCE)
        path = None
        try:
            path = original(checkpoint, *arguments, **options)
            return path
        finally:
            files = glob.glob(glob.escape(str(path)) + ".*") if path else []
            report.checkpoint_end(SOURCE, sum(bytes_in(file) for file in files))

    @report.guard
    def _settle(self) -> None:
        if _observes():
            self._look_for_steps()
            self.loop.settle()

    @report.guard
    def _finish(self) -> None:
        if _observes():
            self._look_for_steps()
            self.loop.finish()
