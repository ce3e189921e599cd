"""Tells when the work of steps ended on a device, by its timing events and without waiting for
it."""

from __future__ import annotations

from collections import deque
from time import monotonic_ns

from lapcast._report import report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Deque, List, Sequence, Tuple

NS_PER_MS = 1_000_000
MOST_PENDING = 256  # marks whose ends are not known; no more are made


class Mark:
    """Stands for the end of a step's work. `report.iteration` sets `lap`, the number of the lap
    that ends with the step; 0 until then. A mark without events has no end of its own."""

    __slots__ = ("lap", "busy", "events", "end")

    def __init__(self, at: int, events: Sequence[Tuple[Clock, Any]] = ()) -> None:
        self.lap = 0
        self.busy = at  # the latest time at which the work had not ended; at first the step's return
        self.events = events
        self.end = 0  # not known yet

    def has_happened(self) -> bool:
        """Returns whether the work has ended on all its devices."""
        return all(event.query() for _, event in self.events)

    def ended_before(self, now: int) -> None:
        """Sets the end, which was between `busy` and NOW: that of the last device."""
        self.end = max(clock.end_of(event, self.busy, now) for clock, event in self.events)


class Clock:
    """Relates the timing events of one device to the host's clock.

    The time between two events is a float of 32 bits, so it is taken from one event to the next.
    What the host sees limits each end: it is not before the step returned, not before a check that
    found the work unfinished, and not after one that found it finished. So neither rounding nor a
    drift between the clocks adds up."""

    def __init__(self, module: Any, index: Any) -> None:
        self._module, self._index = module, index
        self._free: List[Any] = []
        self._last: Any = None  # the event from which the next end is measured
        self._last_end = 0

    def record(self) -> Any:
        """Returns an event behind the work that is queued on the current stream."""
        event = self._free.pop() if self._free else self._module.Event(enable_timing=True)
        event.record(self._module.current_stream(self._index))
        return event

    def is_tied(self) -> bool:
        """Returns whether the end of an event is known by the host's clock."""
        return self._last is not None

    def end_of(self, event: Any, low: int, high: int) -> int:
        """Returns when EVENT happened, which has happened between LOW and HIGH. The first one ties
        the clocks at HIGH, and fails on a device whose events tell no times."""
        if self._last is None:
            event.elapsed_time(event)
            end = high
        else:
            end = self._last_end + round(self._last.elapsed_time(event) * NS_PER_MS)
            end = min(max(end, low), high)
            self._free.append(self._last)
        self._last, self._last_end = event, end
        return end


class Pending:
    """Holds the marks whose ends have not been reported, in the order of their steps."""

    def __init__(self) -> None:
        self._marks: Deque[Mark] = deque()

    def __bool__(self) -> bool:
        return bool(self._marks)

    def add(self, mark: Mark) -> None:
        """Adds the mark of the newest step."""
        self._marks.append(mark)

    def is_full(self) -> bool:
        """Returns whether the host is too far ahead for another mark."""
        return len(self._marks) >= MOST_PENDING

    def look(self) -> None:
        """Reports the ends that are known by now. Does not wait."""
        for mark in self._marks:
            if mark.end:
                continue
            now = monotonic_ns()
            if not mark.has_happened():
                mark.busy = now
                break
            mark.ended_before(monotonic_ns())
        self._tell()

    def newest(self) -> Mark:
        """Returns the mark of the newest step."""
        return self._marks[-1]

    def _tell(self) -> None:
        """Reports ends in the order of the laps. A step that was not the last one of its lap has
        none."""
        marks = self._marks
        while marks and marks[0].end:
            if marks[0].lap:
                report.iteration_ended(marks[0].lap, marks[0].end)
            elif len(marks) < MOST_PENDING and not any(mark.lap for mark in marks):
                break  # its lap is reported later
            marks.popleft()
