"""Defines a pass over a loader, the source of batches in a plain loop."""

from __future__ import annotations

from lapcast._time_axis import TimeAxis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

UNKNOWN, TRAINING, VALIDATION = range(3)


class Loader:
    """Holds what is known of one loader over all its passes.

    length: batches of a pass, 0 when not known. samples: those of a pass in this process, 0 when
    not known. batch: samples of every batch except perhaps the last, 0 when each must be examined.
    epoch: the epoch that its sampler was told (from 0), -1 when it was not told. endless: its
    iterator goes on after `length` batches, or may do so. seen: a pass over it has begun. skipped:
    batches of an epoch that come before those of a pass, because the loader leaves them out.
    time_axis: how long the sequences of its batches are; None where they have none.
    has_whole_items: each of its items is a batch by itself, of which it gives one; None until one
    was seen."""

    __slots__ = ("length", "samples", "batch", "epoch", "endless", "seen", "skipped",
                 "time_axis", "has_whole_items")

    def __init__(self, length: int = 0, samples: int = 0, batch: int = 0, epoch: int = -1) -> None:
        self.length = length
        self.samples = samples
        self.batch = batch
        self.epoch = epoch
        self.endless = False
        self.seen = False
        self.skipped = 0
        self.time_axis: Optional[TimeAxis] = TimeAxis()
        self.has_whole_items: Any = None

    def is_exact(self) -> bool:
        """Returns whether more batches than `length` mean that the iterator is endless. The length
        of a sampler that makes its own batches may be a guess."""
        return self.endless or self.batch > 0


class Pass:
    """Is one pass over a loader, from its start to its last batch, or until it is broken off."""

    __slots__ = ("loader", "kind", "begin", "last", "left", "fetches", "samples", "size", "at_step",
                 "gradless", "evaluates", "before", "passed", "sequences")

    def __init__(self, loader: Loader, begin: int, at_step: int) -> None:
        self.loader = loader
        self.begin_again(begin, at_step)

    def begin_again(self, begin: int, at_step: int) -> None:
        """Forgets the batches so far."""
        self.kind = UNKNOWN
        self.begin = begin
        self.last = self.before = begin  # times of the last batch and of the one before
        self.passed = 0  # batches at its begin that nothing was done with
        self.left = 0  # when training may have gone on without it
        self.fetches = 0
        self.samples = 0
        self.size = 0  # samples of the last batch
        self.sequences = (0, 0)  # samples and length of its last batch
        self.at_step = at_step  # steps of the loop at the last batch
        self.gradless = False  # gradients were off at a fetch
        self.evaluates = False  # the model was in evaluation at a fetch

    def pass_over(self, batches: int) -> None:
        """Notes that the first BATCHES were read and nothing was done with them."""
        self.passed, self.begin = batches, self.before

    def samples_of_last(self, batches: int) -> int:
        """Returns the samples of the newest batches. All batches of a pass but its last one have
        the same size."""
        if batches < 2:
            return batches * self.size
        return self.size + (batches - 1) * ((self.samples - self.size) // (self.fetches - 1))
