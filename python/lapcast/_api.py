"""Defines the calls that a program makes itself with `import lapcast`. They are the strongest
source."""

from __future__ import annotations

import sys
from time import monotonic_ns

from lapcast._report import report
from lapcast._batch import samples_of
from lapcast._log import MOST_SAMPLES, count_of, rank_and_world

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from types import TracebackType
    from typing import Any, Iterable, Iterator, Optional, Type, TypeVar, Union

    Batch = TypeVar("Batch")

SOURCE = report.USER
observed = report.observed
_iteration = report.iteration  # a constant, which is called faster than an attribute


class _Position:
    """Is how far the program has come in its epochs and laps."""

    def __init__(self) -> None:
        self.epoch = 0  # the last epoch that began, from 1
        self.in_epochs = False  # within epochs(...), where a pass of laps(...) is not its own epoch
        self.lap: Optional[_Lap] = None  # the lap in progress
        self.plain = False  # iteration(...) has been called

    def end_lap(self, at: int) -> None:
        """Ends the lap in progress, if any."""
        if self.lap is not None:
            self.lap.end(at)


_position = _Position()


class _Lap:
    """Is the work on one batch. It ends when the next batch is requested, or when something else
    begins in the loop's body: a validation or a checkpoint is not part of it."""

    __slots__ = ("samples", "queued", "reported", "begin")

    def __init__(self, samples: int, queued: bool) -> None:
        self.samples = samples
        self.queued = queued
        self.reported = False
        self.begin = monotonic_ns()

    def end(self, at: int = 0) -> None:
        if not self.reported:
            self.reported = True
            _iteration(SOURCE, self.samples, self.queued and _newest_step(), at)

    def leave(self, usual_ns: int) -> None:
        """Is called when the program leaves the loop within this lap. Counts the lap where it took
        at least half the usual time: a check before the work takes almost none."""
        if 2 * (monotonic_ns() - self.begin) >= usual_ns:
            self.end()


def laps(
    batches: Iterable[Batch],
    *,
    epochs: Optional[int] = None,
    steps: Optional[int] = None,
    batch: Optional[int] = None,
    queued: Optional[bool] = None,
) -> Iterator[Batch]:
    """Returns the batches of BATCHES; the work on each one is a lap.

    A pass over BATCHES is an epoch; EPOCHS passes are made, by default one. Within `epochs(...)`
    the pass belongs to the epoch of that loop. With STEPS the training is not counted in epochs:
    STEPS batches are returned, starting again where BATCHES ends.

    batch: samples of each batch; by default its first dimension. queued: whether work may continue
    when the next batch is requested, as on a device; by default this is assumed when JAX is
    imported or CUDA is used. Set queued=False when every lap waits for the device, for example to
    read its loss."""
    if not report.observed():
        return _unobserved(batches, epochs, steps)
    return _observed(batches, epochs, steps, batch, queued)


def _unobserved(
    batches: Iterable[Batch], epochs: Optional[int], steps: Optional[int]
) -> Iterator[Batch]:
    if steps is not None:
        yield from _cycle(batches, steps)
        return
    for _ in range(1 if epochs is None else epochs):
        yield from batches


def _cycle(batches: Iterable[Batch], steps: int) -> Iterator[Batch]:
    """Yields STEPS batches and starts again at the end of BATCHES. Yields fewer where BATCHES
    cannot be read again, like a generator."""
    given, before = 0, -1
    while before < given < steps:
        before = given
        for batch in batches:
            if given == steps:
                return
            yield batch
            given += 1
            if given == steps:
                return


def _observed(
    batches: Iterable[Batch],
    epochs: Optional[int],
    steps: Optional[int],
    batch: Optional[int],
    queued: Optional[bool],
) -> Iterator[Batch]:
    report.explicit("laps")
    report.take(SOURCE, report.EXPLICIT)
    report.before_break.add(_position.end_lap)
    try:
        _plan_of(batches, epochs, steps, batch)
        if steps is not None:
            yield from _reported(_cycle(batches, steps), batch, queued)
        elif _position.in_epochs:
            yield from _reported(batches, batch, queued)
        else:
            for _ in range(1 if epochs is None else epochs):
                _begin_epoch(_position.epoch + 1)
                yield from _reported(batches, batch, queued)
                report.epoch_end(SOURCE, _position.epoch)
    finally:
        report.give(SOURCE)


def _reported(
    batches: Iterable[Batch], batch_size: Optional[int], queued: Optional[bool]
) -> Iterator[Batch]:
    from lapcast._sequences import sequences  # is needed by observed programs alone

    usual_ns = most = 0
    sequences.begin_source(batches)
    for batch in batches:
        sequences.begins(batch)
        samples = samples_of(batch) if batch_size is None else batch_size
        lap = _position.lap = _Lap(count_of(samples, MOST_SAMPLES),
                                _is_asynchronous() if queued is None else queued)
        try:
            yield batch
        except GeneratorExit:
            lap.leave(usual_ns)
            _position.lap = None
            raise
        lap.end()
        _position.lap = None
        usual_ns = monotonic_ns() - lap.begin
        if samples > most:
            most = samples
            report.plan(SOURCE, batch=samples * _world())
    sequences.ended()


def _newest_step() -> Any:
    """Returns what tells the end of a queued lap: the mark of the newest step of a torch optimizer,
    or True where there is none."""
    module: Any = sys.modules.get("lapcast._torch_device")
    return module is None or module.device.newest_step()


def _is_asynchronous() -> bool:
    torch: Any = sys.modules.get("torch")
    return "jax" in sys.modules or bool(torch and torch.cuda.is_initialized())


def _world() -> int:
    return rank_and_world()[1]


def _plan_of(
    batches: Any, epochs: Optional[int], steps: Optional[int], batch: Optional[int]
) -> None:
    try:
        length = len(batches) if steps is None else None
    except Exception:
        length = None
    report.plan(SOURCE, epochs=epochs, steps=steps, iterations=length,
                batch=batch * _world() if batch else None)


def epochs(count: Union[int, range]) -> Iterator[int]:
    """Returns the epochs of a training, counted from 0, like range(COUNT). A training that resumes
    uses `epochs(range(first, count))`."""
    numbers = range(count) if isinstance(count, int) else count
    if not report.observed():
        yield from numbers
        return
    report.explicit("laps")
    report.take(SOURCE, report.EXPLICIT)
    outer, _position.in_epochs = _position.in_epochs, True
    try:
        report.plan(SOURCE, epochs=numbers.stop)
        for number in numbers:
            _begin_epoch(number + 1)
            yield number
            report.epoch_end(SOURCE, number + 1)
    finally:
        _position.in_epochs = outer
        report.give(SOURCE)


def _begin_epoch(epoch: int) -> None:
    _position.epoch = epoch
    report.epoch_begin(SOURCE, epoch)


def iteration(samples: int, queued: bool = False) -> None:
    """Reports that a lap has ended, for loops that cannot use `laps`. queued: its work was only
    queued on a device."""
    if not report.observed():
        return
    if not _position.plain:
        _position.plain = True
        report.explicit("laps")
        report.take(SOURCE, report.EXPLICIT)
    _iteration(SOURCE, count_of(samples, MOST_SAMPLES), queued and _newest_step())


def iteration_ended(lap: int, at_ns: int) -> None:
    """Reports when the work of an earlier lap ended on its device, for a lap that was only queued.
    lap: its number among the laps of this process, from 1. at_ns: time.monotonic_ns() at its end.
    Ends are reported in the order of the laps."""
    if report.observed() and 0 < lap <= report.laps() and at_ns <= monotonic_ns():
        report.iteration_ended(lap, at_ns)


def plan(
    *,
    epochs: Optional[int] = None,
    steps: Optional[int] = None,
    iterations: Optional[int] = None,
    batch: Optional[int] = None,
    train: Optional[int] = None,
    validation: Optional[int] = None,
) -> None:
    """Reports the plan of the training, as far as `laps` and `epochs` cannot know it: planned
    epochs, or steps in all; iterations per epoch; samples of a batch over all ranks, of an
    epoch, and of a validation."""
    if report.take(SOURCE, report.EXPLICIT):
        report.plan(SOURCE, epochs=epochs, steps=steps, iterations=iterations, batch=batch,
                    train=train, validation=validation)
        report.give(SOURCE)


class _Within:
    """Is the base of the `with` blocks: `_end` is called however the block ends."""

    def _end(self) -> None:
        raise NotImplementedError

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self._end()


class stage(_Within):
    """Reports a stage of the run: `with lapcast.stage("data-load"):`. Names are data-load,
    pre-process, compile, train, evaluate, or one of your own. Stages are parts of the run, not of a
    lap."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> stage:
        report.stage_begin(self.name)
        return self

    def _end(self) -> None:
        report.stage_end(self.name)


class validation(_Within):
    """Reports one validation: `with lapcast.validation(samples=10000):`. When the number of samples
    is known only at the end: `with lapcast.validation() as this: ... this.samples +=
    len(batch)`."""

    def __init__(self, samples: int = 0) -> None:
        self.samples = samples

    def __enter__(self) -> validation:
        report.explicit("validation")
        report.validation_begin(SOURCE)
        return self

    def _end(self) -> None:
        report.validation_end(SOURCE, self.samples)


class checkpoint(_Within):
    """Reports one save of a checkpoint: `with lapcast.checkpoint("model.npz"):`. If a path is
    given, the size of the file is read at the end."""

    def __init__(self, path: Union[str, os.PathLike[str], None] = None) -> None:
        self.path = path

    def __enter__(self) -> checkpoint:
        report.explicit("checkpoint")
        report.checkpoint_begin(SOURCE)
        return self

    def _end(self) -> None:
        report.checkpoint_end(SOURCE, self._bytes() if report.observed() else 0)

    def _bytes(self) -> int:
        import os

        try:
            return os.path.getsize(self.path) if self.path is not None else 0
        except OSError:
            return 0


def metric(name: str, value: Any) -> None:
    """Reports the current value of loss, accuracy, val_loss, val_accuracy (shares as fractions) or
    another metric. VALUE is converted to a float, which waits for a device."""
    if report.observed():
        report.metric(SOURCE, name, value)


def phase(name: str) -> None:
    """Reports that the following laps do other work: another image size, another sequence
    length."""
    if report.take(SOURCE, report.EXPLICIT):
        report.phase(SOURCE, name)
        report.give(SOURCE)


def note(text: str) -> None:
    """Reports a text for the reader of the report."""
    report.note(text)
