"""What the adapters of the trainers share: one training after another, batches, names of metrics."""

from __future__ import annotations

import functools
import os

from lapcast import _report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Optional

DEEPEST = 4  # how far into the containers of a batch its samples are looked for
ACCURACIES = ("acc", "accuracy", "binary_accuracy", "categorical_accuracy",
              "sparse_categorical_accuracy")
PREFIXES = {"val_": "val_", "valid_": "val_", "validation_": "val_", "eval_": "val_", "train_": "",
            "training_": ""}


class Trainings:
    """The trainings of this process, one after another. A script that calls `fit` twice goes on
    counting its epochs and steps; where the second does other work per lap, a phase says so."""

    def __init__(self) -> None:
        self._count = 0
        self._epochs = 0
        self._laps = 0
        self._work: Any = None

    def begin(self, source: str, work: Any, first_epoch: int) -> int:
        """A training begins at FIRST_EPOCH (from 0). WORK: what decides how long a lap takes; one
        that differs from the last training's is a new phase. Returns what to add to its epochs: a
        training that resumes where the last one ended counts on by itself."""
        self._count += 1
        if self._work is not None and work != self._work:
            _report.phase(source, f"training-{self._count}")
        self._work = work
        return 0 if first_epoch >= self._epochs else self._epochs

    def laps_before(self) -> int:
        """The laps of the trainings that have ended."""
        return self._laps

    def end(self, last_epoch: int, laps: int) -> None:
        """It ended with LAST_EPOCH (from 1, as it was reported) after so many laps."""
        self._epochs = max(self._epochs, last_epoch)
        self._laps += laps


trainings = Trainings()


def samples_in(batch: Any, depth: int = 0) -> int:
    """The samples of a batch: the length of the first tensor in it. 0: none was found."""
    shape = getattr(batch, "shape", None)
    if shape is not None:
        return int(shape[0]) if len(shape) else 0
    if depth >= DEEPEST or batch is None or isinstance(batch, (str, bytes)):
        return 0
    if hasattr(batch, "values") and callable(batch.values):
        batch = batch.values()
    elif not isinstance(batch, (list, tuple)):
        return 0
    return _first_samples(batch, depth)


def _first_samples(parts: Any, depth: int) -> int:
    parts = list(parts)
    for part in parts:
        samples = samples_in(part, depth + 1)
        if samples:
            return samples
    plain = parts and isinstance(parts[0], (str, bytes, int, float))
    return len(parts) if plain else 0


def length_of(data: Any) -> int:
    """len(DATA), 0 where it has none."""
    try:
        return len(data)
    except (TypeError, NotImplementedError, AttributeError):
        return 0


def samples_of_loader(loader: Any) -> int:
    """The samples of one pass over a DataLoader in this process, 0 when not known."""
    size, batches = getattr(loader, "batch_size", None) or 0, length_of(loader)
    data = length_of(getattr(loader, "sampler", None)) or length_of(getattr(loader, "dataset", None))
    if data and size and getattr(loader, "drop_last", False):
        return min(data, batches * size)
    return data


def metric_name(name: str) -> str:
    """The customary name: `train_acc` is accuracy, `eval_loss` is val_loss."""
    name = str(name)
    for prefix, customary in PREFIXES.items():
        if name.startswith(prefix):
            name = customary + name[len(prefix):]
            break
    side = "val_" if name.startswith("val_") else ""
    return f"{side}accuracy" if name[len(side):] in ACCURACIES else name


def metrics(source: str, figures: Optional[Dict[str, Any]]) -> None:
    """Reports those of FIGURES that are single numbers."""
    for name, figure in (figures or {}).items():
        if not isinstance(figure, (str, bytes, bool)):
            _report.metric(source, metric_name(name), figure)


def bytes_in(path: Any) -> int:
    """The size of a file, or of all files below a folder; 0 when there is none."""
    try:
        if not os.path.isdir(path):
            return os.path.getsize(path)
    except (OSError, TypeError, ValueError):
        return 0
    total = 0
    for folder, _, names in os.walk(path):
        total += sum(bytes_in(os.path.join(folder, name)) for name in names)
    return total


def wrap(owner: Any, name: str, around: Callable[..., Any]) -> None:
    """OWNER's method NAME becomes AROUND(original, self, *arguments, **options)."""
    original = getattr(owner, name)

    @functools.wraps(original)
    def method(self: Any, *arguments: Any, **options: Any) -> Any:
        return around(original, self, *arguments, **options)

    setattr(owner, name, method)


def is_version(library: Any, name: str, oldest: tuple, newest: int) -> bool:
    """Whether the library's version is one from OLDEST to the major version NEWEST; a note says so
    when it is not, and the adapter stays away."""
    text = str(getattr(library, "__version__", "0"))
    numbers = tuple(int(part) for part in text.split(".")[:2] if part.isdigit())
    if oldest <= numbers < (newest + 1,):
        return True
    _report.note(f"{name} {text} is not supported: {oldest[0]}.{oldest[1]} to {newest}.x are; "
                 "its trainings are not seen")
    return False
