"""Observes hand-written loops with Keras optimizers: passes over tf.data, and whether an
optimizer's `iterations` grew from one batch to the next, which also happens inside of tf.function.
"""

from __future__ import annotations

import functools
import glob
import sys
import weakref
from time import monotonic_ns

from lapcast._report import report
from lapcast._batch import samples_of
from lapcast._log import rank_and_world
from lapcast._evaluations import SOURCE
from lapcast._loop import Loop
from lapcast._passes import Loader
from lapcast._trainings import bytes_in, is_version, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

ITERATORS = "tensorflow.python.data.ops.iterator_ops"

_loop = Loop(lambda: rank_and_world()[1])
_loaders: Any = weakref.WeakKeyDictionary()  # data set -> Loader
_steps: Any = weakref.WeakKeyDictionary()  # optimizer -> its steps at the last check


def attach(tensorflow: ModuleType) -> None:
    """Attaches to tensorflow, which has been imported."""
    if not is_version(tensorflow, "tensorflow", (2, 11), 2):
        return
    iterator = getattr(sys.modules.get(ITERATORS), "OwnedIterator", None)
    if iterator is None:
        report.note("this TensorFlow's iterators are not known: loops of your own are not seen")
        return
    eager = tensorflow.executing_eagerly
    wrap(tensorflow.data.Dataset, "__iter__", functools.partial(_iterate, eager, iterator))
    wrap(iterator, "__next__", _next_batch)
    for owner, name in ((tensorflow.train.Checkpoint, "save"), (tensorflow.train.Checkpoint, "write"),
                        (tensorflow.train.CheckpointManager, "save")):
        wrap(owner, name, _save)
    report.at_end(_finish)


def attach_optimizers(keras: Any) -> None:
    """Observes Keras's optimizers when they are first applied or traced."""
    if hasattr(keras.optimizers.Optimizer, "apply"):
        wrap(keras.optimizers.Optimizer, "apply", _apply)


def _observes() -> bool:
    """Returns whether the plain loop is observed; a trainer reports by itself."""
    return report.observed() and report.strength() != report.TRAINER


def _apply(original: Any, optimizer: Any, *arguments: Any, **options: Any) -> Any:
    result = original(optimizer, *arguments, **options)
    if optimizer not in _steps:
        _steps[optimizer] = 0
    torch = sys.modules.get("lapcast._torch")
    if torch is not None and _steps_of(optimizer) > 0:
        _stepped_on_torch(torch, optimizer)
    return result


@report.guard
def _stepped_on_torch(torch: Any, optimizer: Any) -> None:
    """Reports a step on the torch backend, where passes over DataLoaders feed the loop."""
    if sys.modules["keras"].backend.backend() == "torch" and torch._observes():
        torch._loop.step(optimizer, monotonic_ns())


def _steps_of(optimizer: Any) -> int:
    """Returns the optimizer's steps so far, 0 while it is only traced."""
    try:
        return int(optimizer.iterations.numpy())
    except Exception:
        return 0


@report.guard
def _look_for_steps() -> None:
    """Reports the optimizers that stepped since the last check."""
    for optimizer, before in list(_steps.items()):
        now = _steps_of(optimizer)
        if now > before:
            _steps[optimizer] = now
            _loop.step(optimizer, monotonic_ns())


@report.guard
def skip_steps() -> None:
    """Skips the steps that a trainer has reported."""
    for optimizer in list(_steps):
        _steps[optimizer] = _steps_of(optimizer)


def _iterate(eager: Any, iterator: type, original: Any, data: Any) -> Any:
    result = original(data)
    if type(result) is iterator and eager():
        _begin_pass(result, data)
    return result


@report.guard
def _begin_pass(result: Any, data: Any) -> None:
    if not _observes():
        return
    loader = _loaders.get(data) or _loaders.setdefault(data, Loader())
    loader.length = max(int(data.cardinality()), 0)
    _look_for_steps()
    result._lapcast_pass = _loop.begin_pass(loader, monotonic_ns())


def _next_batch(original: Any, iterator: Any) -> Any:
    passing = iterator.__dict__.get("_lapcast_pass")
    if passing is None or not _observes():
        return original(iterator)
    _before_fetch(passing)
    try:
        batch = original(iterator)
    except StopIteration:
        _exhausted(passing)
        raise
    _fetched(passing, batch)
    return batch


@report.guard
def _before_fetch(passing: Any) -> None:
    _look_for_steps()
    _loop.before_fetch(passing, False, monotonic_ns())


@report.guard
def _fetched(passing: Any, batch: Any) -> None:
    _loop.fetched(passing, samples_of(batch), monotonic_ns())


@report.guard
def _exhausted(passing: Any) -> None:
    _loop.exhausted(passing, monotonic_ns())


def _save(original: Any, checkpoint: Any, *arguments: Any, **options: Any) -> Any:
    _settle()
    report.checkpoint_begin(SOURCE)
    path = None
    try:
        path = original(checkpoint, *arguments, **options)
        return path
    finally:
        files = glob.glob(glob.escape(str(path)) + ".*") if path else []
        report.checkpoint_end(SOURCE, sum(bytes_in(file) for file in files))


@report.guard
def _settle() -> None:
    if _observes():
        _look_for_steps()
        _loop.settle()


@report.guard
def _finish() -> None:
    if not _observes():
        return
    _look_for_steps()
    _loop.finish()
