"""Finds how long the sequences of batches are: which axis of which array is time.

Token ids are whole numbers in two dimensions. Frames of speech are floating point numbers, and an
axis of them is time only where the batch says so: by a name of Transformers, or by a vector with
the length of each sample. An axis that changes without such a word may be the side of an image or
a number of features, and then nothing is told of the batches.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator, List, Set, Tuple

NONE = (0, 0)
IDS = "input_ids"
FRAMES = ("input_values", "input_features")  # speech, in Transformers
PACKED = ("position_ids", "cu_seq_lens_q", "seq_idx")  # say where samples begin in one long row
DEEPEST = 3  # levels of containers in which arrays are searched
DECIDES = 8  # batches whose arrays are all looked at
MOST_PARTS = 64
MOST_SAMPLES = 4096  # whose lengths are compared


class TimeAxis:
    """Is told the batches of one source, such as a loader. on_steps: an array of three dimensions has
    samples, steps and features, as its model takes them."""

    def __init__(self, on_steps: bool = False) -> None:
        self.on_steps = on_steps
        self.batches = 0  # that were told, until it is decided
        self.before: List[Any] = []  # shapes of the batch before
        self.ids = NONE  # size_of() the batch before
        self.said: Set[Tuple[int, int]] = set()  # array and axis that vectors of lengths agree with
        self.frames = (-1, 0)  # array and axis of the frames; the array -1: not known
        self.has_none = False  # an axis changes that cannot be told from a sequence's

    def size_of(self, batch: Any) -> Tuple[int, int]:
        """Returns the samples and padded length of BATCH, (0, 0) where it has no sequences or it is
        not known yet which axis is time."""
        try:
            if self.has_none:
                return NONE
            if self.batches == DECIDES:
                return self._of_frames(batch) if self.has_frames() else size_of(batch)
            return self._decide(batch)
        except Exception:
            return NONE  # an unknown kind of container

    def has_frames(self) -> bool:
        """Returns whether the sequences are frames of speech, not token ids."""
        return self.frames[0] >= 0

    def _of_frames(self, batch: Any) -> Tuple[int, int]:
        part, axis = self.frames
        shape = list(arrays_of(batch))[part][1].shape
        return int(shape[0]), int(shape[axis])

    def _decide(self, batch: Any) -> Tuple[int, int]:
        parts = list(arrays_of(batch))[:MOST_PARTS]
        shapes = [tuple(int(side) for side in each.shape) for _, each in parts]
        before, self.before = self.before, shapes
        ids_before, self.ids = self.ids, size_of(batch)
        self.batches += 1
        changed = [(part, axis) for part, (old, new) in enumerate(zip(before, shapes))
                   if is_float(parts[part][1]) and len(old) == len(new)
                   for axis in range(len(new)) if old[axis] != new[axis]]
        named = {(part, axis) for part, (name, _) in enumerate(parts) if name in FRAMES
                 for axis in range(1, len(shapes[part]))}
        if self.on_steps:
            named |= {(part, 1) for part, shape in enumerate(shapes)
                      if len(shape) == 3 and is_float(parts[part][1])}
        said = named or _said_by_lengths(batch, parts)
        self.said = said if self.batches == 1 else self.said & said
        # What is as long as the sequences, such as a mask, changes with them.
        sides = {place: (before[place[0]][place[1]], shapes[place[0]][place[1]]) for place in changed}
        if not self.said:
            are_edges = self.ids[0] == 2 and IDS not in [name for name, _ in parts] and any(
                shape[0] not in self.ids for shape in shapes if shape)
            others = set(sides.values()) - set(zip(ids_before, self.ids))
            self.has_none = self.ids == NONE or are_edges or bool(others)
            return NONE if self.has_none else self.ids
        longer = {place: sides[place] for place in changed if place[1] > 0}
        times = [place for place in longer if place in self.said]
        if longer:
            self.has_none = not times or len(set(longer.values())) > 1
        if not longer or self.has_none:
            self.batches = min(self.batches, DECIDES - 1)  # until one is longer
            return NONE
        self.frames, self.batches = times[0], DECIDES
        return self._of_frames(batch)


def size_of(batch: Any) -> Tuple[int, int]:
    """Returns the samples and the padded length of the token ids in BATCH, (0, 0) without any: the
    first array of whole numbers with two dimensions. Ids with a name may have more: rows of
    choices, or a batch that a loader took for one sample."""
    try:
        return _ids_of(batch, DEEPEST)
    except Exception:
        return NONE  # an unknown kind of container


def _ids_of(batch: Any, depth: int) -> Tuple[int, int]:
    shape = getattr(batch, "shape", None)
    if shape is not None:
        return (int(shape[0]), int(shape[1])) if len(shape) == 2 and is_whole(batch) else NONE
    if depth == 0 or isinstance(batch, (str, bytes)):
        return NONE
    if callable(getattr(batch, "values", None)):
        if IDS in batch:
            return _rows_of(batch[IDS])
        batch = batch.values()
    elif not isinstance(batch, (list, tuple)):
        return NONE
    for part in batch:
        size = _ids_of(part, depth - 1)
        if size != NONE:
            return size
    return NONE


def _rows_of(ids: Any) -> Tuple[int, int]:
    sides = [int(side) for side in ids.shape]
    if len(sides) < 2 or not is_whole(ids):
        return NONE
    rows = 1
    for side in sides[:-1]:
        rows *= side
    return rows, sides[-1]


def is_packed(batch: Any) -> bool:
    """Returns whether BATCH has its samples in one row, one after the other."""
    try:
        return (_rows_of(batch[IDS])[0] == 1 and "attention_mask" not in batch
                and any(name in batch for name in PACKED))
    except Exception:
        return False


def arrays_of(batch: Any, depth: int = DEEPEST, name: str = "") -> Iterator[Tuple[str, Any]]:
    """Yields the arrays in BATCH with the names that they have in a mapping."""
    if getattr(batch, "shape", None) is not None:
        yield name, batch
    elif depth == 0 or isinstance(batch, (str, bytes)):
        return
    elif callable(getattr(batch, "items", None)):
        for key, part in batch.items():
            yield from arrays_of(part, depth - 1, str(key))
    elif isinstance(batch, (list, tuple)):
        for part in batch:
            yield from arrays_of(part, depth - 1)


def _said_by_lengths(batch: Any, parts: List[Tuple[str, Any]]) -> Set[Tuple[int, int]]:
    """Returns arrays and axes that are as long as the longest sample by a vector of lengths. Only
    numbers in main memory are read, so that nothing waits for a device."""
    frames = [(part, each.shape) for part, (_, each) in enumerate(parts)
              if len(each.shape) > 1 and is_float(each)]
    if not frames:
        return set()
    vectors = [each.tolist() for _, each in parts
               if len(each.shape) == 1 and 1 < each.shape[0] <= MOST_SAMPLES and is_whole(each)
               and (type(each).__module__ == "numpy" or getattr(each, "is_cpu", False))]
    if isinstance(batch, (list, tuple)):
        vectors += [part for part in batch if isinstance(part, (list, tuple))
                    and 1 < len(part) <= MOST_SAMPLES and type(part[0]) is int]
    return {(part, axis) for part, shape in frames for vector in vectors
            if len(vector) == shape[0] for axis in range(1, len(shape))
            if shape[axis] == max(vector)}


def is_whole(array: Any) -> bool:
    return _number(array) in ("int64", "int32")


def is_float(array: Any) -> bool:
    return "float" in _number(array)


def _number(array: Any) -> str:
    """Returns the name of the array's numbers, as that of torch.int64 and that of TensorFlow."""
    number = array.dtype
    return getattr(number, "name", None) or str(number).rpartition(".")[2]
