"""Decides which optimizer's steps are laps where several optimizers step."""

from __future__ import annotations

import weakref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, List

# More steps than this with one batch mean that the batches come from another source.
MOST_STEPS_WITH_A_BATCH = 16


def _nobody() -> None:
    return None


def _first_parameter(optimizer: Any) -> Any:
    try:
        return optimizer.param_groups[0]["params"][0]
    except (AttributeError, IndexError, KeyError, TypeError):
        return None


class MainOptimizer:
    """Knows the optimizer whose steps are laps: the one that stepped first, until another one steps
    alone, is new in a later epoch, or follows it after its loops."""

    def __init__(self) -> None:
        self.optimizer: Any = _nobody  # weak reference
        self._parameter: Any = _nobody  # weak reference to the first one that it updates
        self.other_times: List[int] = []  # consecutive steps of another one, in a loop without a loader
        self._known: Any = weakref.WeakSet()  # optimizers that stepped beside it
        self._other: Any = _nobody  # weak reference to the one that made `other_times`

    def has_stepped(self) -> bool:
        """Returns whether any optimizer has stepped."""
        return self.optimizer is not _nobody

    def other_steps_alone(self) -> bool:
        """Returns whether another optimizer has made so many steps in a row that the main one is no
        longer used."""
        return len(self.other_times) >= MOST_STEPS_WITH_A_BATCH

    def knows(self, optimizer: Any) -> bool:
        """Returns whether OPTIMIZER is the main one or has stepped beside it."""
        return optimizer is self.optimizer() or optimizer in self._known

    def trains_the_same(self, optimizer: Any) -> bool:
        """Returns whether OPTIMIZER updates the parameters of the main one, which may be gone."""
        parameter = self._parameter()
        return parameter is not None and _first_parameter(optimizer) is parameter

    def yields_to(self, optimizer: Any, in_new_epoch: bool) -> bool:
        """Returns whether OPTIMIZER, which is not the main one, takes its place. in_new_epoch: this
        is the first step of a later epoch."""
        is_new = optimizer not in self._known
        if is_new:
            self._known.add(optimizer)
        if self.optimizer() is None or (in_new_epoch and is_new):
            return True
        return self.other_steps_alone()

    def replace(self, optimizer: Any) -> List[int]:
        """Makes OPTIMIZER the main one. Returns the times of its steps so far."""
        self.optimizer = weakref.ref(optimizer)
        try:
            self._parameter = weakref.ref(_first_parameter(optimizer))
        except TypeError:  # none, or of a kind without weak references
            self._parameter = _nobody
        times, self.other_times = self.other_times, []
        return times

    def step_beside(self, optimizer: Any, now: int) -> None:
        """Notes a step of another optimizer, in a loop without a loader."""
        if self._other() is not optimizer:
            self._other = weakref.ref(optimizer)
            self.other_times.clear()
        self.other_times.append(now)
