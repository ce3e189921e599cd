"""Decides which optimizer's steps are iterations where several optimizers step."""

from __future__ import annotations

import weakref

from lapcast._report import report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, List

    from lapcast._loop import Loop

# More steps than this on one batch mean that the batches come from another source.
UNFED_STEPS = 16


def _nobody() -> None:
    return None


class Lead:
    """Knows the optimizer that stepped first, whose steps count, and those that step beside it. An
    optimizer that steps alone, or is new in a later epoch, takes its place."""

    def __init__(self, loop: Loop) -> None:
        self.loop = loop
        self.optimizer: Any = _nobody  # weak reference
        self.known: Any = weakref.WeakSet()  # optimizers that stepped
        self.other: Any = _nobody  # weak reference to the one beside it that stepped last
        self.other_times: List[int] = []  # its consecutive steps, when the loop is unfed

    def step_of_other(self, optimizer: Any, now: int) -> None:
        """Is called when an optimizer other than the lead has stepped."""
        times = self.loop.step_times
        if self._takes_over(optimizer):
            times += [*self.other_times, now]
            self.other_times.clear()
        elif self.loop.is_unfed():
            if self.other() is not optimizer:
                self.other = weakref.ref(optimizer)
                self.other_times.clear()
            self.other_times.append(now)
        else:
            times[-1:] = [now]  # it is no lap of its own while the lead steps

    def _takes_over(self, optimizer: Any) -> bool:
        """Returns whether OPTIMIZER, which is not the lead, counts the iterations from now on."""
        loop = self.loop
        gone = self.optimizer() is None
        alone = len(self.other_times) >= UNFED_STEPS
        takes_over = gone or alone or self._is_new(optimizer)
        self.known.add(optimizer)
        if not takes_over:
            return False
        begins = alone or loop.is_unfed() or loop.epochs.laps == 0
        if loop.laps and begins and not loop.epochs.rehearsed:
            report.note("two training loops in one script: their laps and epochs are counted on "
                        "together")
        if self.optimizer is _nobody and loop.epoch_pass is None:
            loop.begin_unfed()
        self.optimizer = weakref.ref(optimizer)
        return True

    def _is_new(self, optimizer: Any) -> bool:
        """Returns whether OPTIMIZER is seen for the first time, in the first iteration of a later
        epoch."""
        loop = self.loop
        return (not loop.is_unfed() and loop.laps > 0 and loop.epochs.laps == 0
                and not loop.step_times and optimizer not in self.known)
