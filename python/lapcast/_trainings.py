"""Defines what the adapters share: consecutive trainings, sizes, names of metrics, wrappers."""

from __future__ import annotations

import functools
import os
from time import monotonic_ns

from lapcast._report import report
from lapcast._torch_device import device

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Optional, Tuple

HALF = ("float16", "bfloat16")  # names of numbers of 16 bits
ACCURACIES = ("acc", "accuracy", "binary_accuracy", "categorical_accuracy",
              "sparse_categorical_accuracy")
PREFIXES = {"val_": "val_", "valid_": "val_", "validation_": "val_", "eval_": "val_", "train_": "",
            "training_": ""}


class Trainings:
    """Numbers the consecutive trainings of this process. A script that calls `fit` twice continues
    counting its epochs and steps; if the second one does other work per lap, a phase says so."""

    def __init__(self) -> None:
        self._count = 0
        self._epochs = 0
        self._laps = 0
        self._work: Any = None

    def begin(self, source: str, work: Any, first_epoch: int) -> int:
        """Begins a training at FIRST_EPOCH (from 0). WORK is what determines the duration of a lap;
        a change of it is a new phase. Returns what to add to the training's epochs, 0 when it does
        not begin with the first epoch and so counts by itself."""
        self._count += 1
        if self._work is not None and work != self._work:
            report.phase(source, f"training-{self._count}")
        self._work = work
        return self._epochs if first_epoch == 0 else 0

    def steps(self, most: int, done: int = 0) -> int:
        """Returns the planned iterations of all trainings when this one ends with step MOST and
        DONE of its steps were made before it began: with those for the first one, whose plan says
        so (`done_before`), without for a later one."""
        return most if self._count == 1 else self._laps + max(most - done, 0)

    def done_before(self, done: int) -> int:
        """Returns the iterations DONE before this training, 0 where it is not the first one of the
        process."""
        return done if self._count == 1 else 0

    def begin_anew(self, source: str) -> None:
        """Forgets the training that began last, which failed and is made again: another training
        of the process before it is a part of its start."""
        report.begin_anew(source)
        self._count = self._epochs = self._laps = 0
        self._work = None

    def end(self, last_epoch: int, laps: int) -> None:
        """Ends a training with LAST_EPOCH (from 1, as it was reported) after so many laps."""
        self._epochs = max(self._epochs, last_epoch)
        self._laps += laps


trainings = Trainings()


def end_of_lap(optimizer: Any) -> Tuple[int, Any]:
    """Returns the end of a lap that ends with the step of OPTIMIZER, and whether its work is only
    queued, as `report.iteration` takes them."""
    return device.mark(optimizer, monotonic_ns())


def length_of(data: Any) -> int:
    """Returns len(DATA), or 0 when it has none."""
    try:
        return len(data)
    except (TypeError, NotImplementedError, AttributeError):
        return 0


def skipped_of(loader: Any) -> int:
    """Returns the batches at the begin of an epoch that a loader leaves out, because a training was
    resumed after them, as that of accelerate.skip_first_batches() does."""
    for holder in (getattr(loader, "batch_sampler", None), loader):
        skipped = getattr(holder, "skip_batches", None)
        if isinstance(skipped, int) and skipped > 0:
            return skipped
    return 0


def samples_of_loader(loader: Any) -> int:
    """Returns the samples of one pass over a DataLoader in this process, 0 when not known."""
    size, batches = getattr(loader, "batch_size", None) or 0, length_of(loader)
    data = length_of(getattr(loader, "sampler", None)) or length_of(getattr(loader, "dataset", None))
    if data and size and getattr(loader, "drop_last", False):
        return min(data, batches * size)
    return data


def metric_name(name: str) -> str:
    """Returns the customary name: `train_acc` is accuracy, `eval_loss` is val_loss."""
    name = str(name)
    for prefix, customary in PREFIXES.items():
        if name.startswith(prefix):
            name = customary + name[len(prefix):]
            break
    side = "val_" if name.startswith("val_") else ""
    return f"{side}accuracy" if name[len(side):] in ACCURACIES else name


def metrics(source: str, figures: Optional[Dict[str, Any]]) -> None:
    """Reports the single numbers of FIGURES."""
    for name, figure in (figures or {}).items():
        if not isinstance(figure, (str, bytes, bool)):
            report.metric(source, metric_name(name), figure)


def bytes_in(path: Any) -> int:
    """Returns the size of a file or of all files in a folder, 0 when it does not exist."""
    try:
        if not os.path.isdir(path):
            return os.path.getsize(path)
    except (OSError, TypeError, ValueError):
        return 0
    total = 0
    for folder, _, names in os.walk(path):
        total += sum(bytes_in(os.path.join(folder, name)) for name in names)
    return total


def as_training(
    source: str,
    begin: Callable[[Any], Any],
    end: Callable[[Any, Any], None],
    original: Any,
    trainer: Any,
    /,
    *arguments: Any,
    **options: Any,
) -> Any:
    """Calls ORIGINAL as a training that SOURCE reports, between BEGIN(trainer) and END(trainer,
    result of BEGIN). Where it is part of another training, or SOURCE must not report, only calls
    ORIGINAL."""
    if report.active() == source or not report.take(source, report.TRAINER):
        return original(trainer, *arguments, **options)
    begun = begin(trainer)
    try:
        return original(trainer, *arguments, **options)
    finally:
        end(trainer, begun)
        report.give(source)


def as_stage(source: str, name: str, original: Any, /, *arguments: Any, **options: Any) -> Any:
    """Calls ORIGINAL as a stage; nothing that it does with the model counts as a validation."""
    taken = report.take(source, report.TRAINER)
    report.stage_begin(name)
    try:
        return original(*arguments, **options)
    finally:
        report.stage_end(name)
        if taken:
            report.give(source)


def wrap(owner: Any, name: str, around: Callable[..., Any]) -> None:
    """Replaces OWNER's method or function NAME by AROUND(original, *arguments, **options)."""
    original = getattr(owner, name)

    @functools.wraps(original)
    def wrapped(*arguments: Any, **options: Any) -> Any:
        return around(original, *arguments, **options)

    setattr(owner, name, wrapped)


def is_version(library: Any, name: str, oldest: Tuple[int, int], newest: int) -> bool:
    """Returns whether the library's version is between OLDEST and the major version NEWEST. If not,
    a note says so and the adapter must not attach."""
    text = str(getattr(library, "__version__", "0"))
    numbers = tuple(int(part) for part in text.split(".")[:2] if part.isdigit())
    if oldest <= numbers < (newest + 1,):
        return True
    report.note(f"{name} {text} is not supported: {oldest[0]}.{oldest[1]} to {newest}.x are; "
                "its trainings are not seen")
    return False
