"""Delays the first steps of a training where a graph may be recorded after them.

If a recording follows, they were its preparation; if something else follows, they were laps.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, List, Tuple

    Step = Tuple[Any, int, Any]  # as Loop.step takes it

MOST_STEPS = 16
LONGEST_NS = 3_000_000_000


class WarmUp:
    """Holds the steps that are delayed."""

    def __init__(self) -> None:
        self.steps: List[Step] = []
        self.is_over = False  # a graph with a step was recorded

    def delays(self, torch: Any, optimizer: Any, at: int, queued: Any) -> bool:
        """Returns whether a step is delayed. If not, release() has to be called."""
        steps = self.steps
        if len(steps) == MOST_STEPS or (steps and at - steps[0][1] > LONGEST_NS):
            return False
        if not _can_be_recorded(torch, optimizer):
            return False
        steps.append((optimizer, at, queued))
        return True

    def release(self) -> List[Step]:
        """Returns the delayed steps and forgets them."""
        steps, self.steps = self.steps, []
        return steps


def _can_be_recorded(torch: Any, optimizer: Any) -> bool:
    """Returns whether a recording may follow a step: it was made on another stream than the default
    one, or by an optimizer that is `capturable`."""
    try:
        group = optimizer.param_groups[0]
        if group.get("capturable"):
            return True
        device = group["params"][0].device
        module = getattr(torch, str(device.type))
        return bool(module.current_stream(device) != module.default_stream(device))
    except Exception:  # a device without streams, or without a default one
        return False
