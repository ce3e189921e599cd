"""Counts the samples of a batch."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DEEPEST = 4  # levels of containers in which a tensor is searched
MOST_CHANNELS = 4


def samples_of(batch: Any) -> int:
    """Returns the first dimension of the first array in BATCH, the length of a container without
    arrays, or 0 when BATCH is neither."""
    try:
        return _samples_of(batch, DEEPEST)
    except Exception:
        return 0  # an unknown kind of container


def is_made_of_samples(item: Any) -> bool:
    """Returns whether ITEM, which a loader took for one sample, is a whole batch: inputs and targets
    as arrays without a dimension of their own in front, so that their first one is the same. An
    image has channels in front, a label for each of which would be odd."""
    try:
        parts = list(item.values()) if callable(getattr(item, "values", None)) else list(item)
        shapes = [part.shape for part in parts if len(getattr(part, "shape", ())) > 0]
    except Exception:
        return False  # an unknown kind of container
    if len(shapes) < 2 or shapes[0][0] != shapes[-1][0] or shapes[0][0] < 2:
        return False
    return len(shapes[0]) != 3 or int(shapes[0][0]) > MOST_CHANNELS


def _samples_of(batch: Any, depth: int) -> int:
    shape = getattr(batch, "shape", None)
    if shape is not None:
        return int(shape[0]) if len(shape) else 1
    if hasattr(batch, "num_graphs"):  # a batch of graphs, whose arrays count nodes
        return int(batch.num_graphs)
    if isinstance(batch, (str, bytes)) or not hasattr(batch, "__len__") or depth == 0:
        return 0
    first = next(iter(batch.values() if callable(getattr(batch, "values", None)) else batch), None)
    return _samples_of(first, depth - 1) or len(batch)
