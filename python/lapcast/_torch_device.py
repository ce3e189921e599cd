"""Asks the accelerators of optimizers when their work ended and how much memory it took."""

from __future__ import annotations

import os
import threading
import time
import weakref
from time import monotonic_ns

from lapcast._log import log
from lapcast._pause import Pause
from lapcast._report import report
from lapcast._torch_clock import Clock, Mark, Pending

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional, Tuple

    Place = Tuple[str, Any]  # the type of a device and its index

FREE_NS = 12_000_000  # that events may take before their share is limited
# After that a mark takes at most one 8000th of the time. With what reports and writes the end, and the
# steps without a mark, this is 0.05 % of the time of steps of 5 ms (./bench gpu-laps).
SHARE = 8000
MOST_COST_NS = 100_000  # of one mark; what takes longer, the program would have waited for itself
LEAST_NS = 500_000_000  # between two waits for a device without timing events
LOST_SHARE = 100  # such waits lose at most a hundredth of the time
LEAST_REST_NS = 100_000_000  # between two waits before validations or checkpoints
AT_END_S = 1.0  # the longest wait when the process ends
LOOK_S = 0.0002  # between two checks of a wait with a limit
LONGEST_MEMORY_NS = 60_000_000_000  # between two reads of the memory, which take 0.1 ms


class Device:
    """Knows when the work of optimizers' steps ended. It is queued: when a step returns, nothing
    may have been done yet.

    An event follows each step on the devices that hold the optimizer's parameters, and later steps
    look whether it has happened. Only the first step is waited for, which ties the clocks. A device
    without timing events is waited for: at the first step, then at most every half second, and
    before an epoch ends. Before a validation or a checkpoint, when the program waits itself, all
    are waited for."""

    def __init__(self) -> None:
        self.capturing = 0  # graphs that any thread records; meanwhile no device is asked
        self._torch: Any = None
        self._pause: Optional[Pause] = None  # answers requests since the first device was seen
        self._forgotten: List[Any] = []
        self._forget()

    def attach(self, torch: Any) -> None:
        """Begins to watch the devices of torch, or of an imitation of it."""
        self._torch = torch
        report.before_break.add(self.before_break)
        report.before_epoch_end.add(self.before_epoch_end)
        report.at_end(self.finish)
        os.register_at_fork(after_in_child=self.forget)

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._places: Any = weakref.WeakKeyDictionary()  # optimizer -> (its first place, all)
        self._clocks: Dict[Place, Optional[Clock]] = {}  # None: without timing events
        self._pending = Pending()
        self.newest: Any = True  # what mark() returned for the newest step; True: was used
        self._step = Mark(0)  # the newest step, when it has no events
        self._is_unmarked = False  # it has none
        self._failed = False
        self._begun = 0  # of the first mark
        self._spent = 0  # by marks
        self._rest_until = 0  # when events may be recorded again
        self._waited = 0  # the end of the last wait
        self._wait_from = 0  # when a device without timing events may be waited for again
        self._stepped = 0  # the last step on such a device
        self._fastest = 0  # the least time between two such steps
        self._memory_from = self._memory_rest = 0

    def newest_step(self) -> Any:
        """Returns what `report.iteration` is to be given with a lap that ends with the newest step
        of an optimizer, for laps that the program reports itself. True: its end is not known."""
        newest, self.newest = self.newest, True
        return newest

    def forget(self) -> None:
        """Starts anew in a forked child, which can neither use nor free the parent's devices and
        events."""
        self._forgotten += [self._clocks, self._pending]
        self._forget()

    def mark(self, optimizer: Any, now: int) -> Tuple[int, Any]:
        """Returns when the step of OPTIMIZER that has just returned ended, and False; where its
        work is queued, NOW and what `report.iteration` is to be given with the lap. Never
        raises."""
        if now < self._rest_until:
            return now, self._leave_unmarked(now)
        if self._failed or not self._lock.acquire(blocking=False):
            return now, True  # another thread steps, too
        try:
            return self._mark(optimizer, now)
        except Exception as error:
            self._fail(error)
        finally:
            self._lock.release()
        return self.mark(optimizer, now)

    def _mark(self, optimizer: Any, now: int) -> Tuple[int, Any]:
        try:
            places = self._places_of(optimizer)
        except (AttributeError, KeyError, TypeError):
            return now, True  # an optimizer that is not like torch's
        if not places:
            return now, False
        if self._is_capturing(places):
            return now, True
        clocks = [self._clock(place) for place in places]
        timed = [clock for clock in clocks if clock is not None]
        if len(timed) < len(clocks):
            return self._mark_by_waiting(places, now)
        self._is_unmarked = False
        self._pending.look()
        if self._pending.is_full():
            return now, True
        mark = Mark(now, [(clock, clock.record()) for clock in timed])
        if not all(clock.is_tied() for clock in timed):
            return self._tie(mark, places)
        self._pending.add(mark)
        self._spend(now)
        self.newest = mark
        return now, mark

    def _leave_unmarked(self, now: int) -> Mark:
        step = self._step  # one object for all steps: only the newest one matters
        step.lap, step.busy = 0, now
        self._is_unmarked = True
        self.newest = step
        return step

    def _tie(self, mark: Mark, places: List[Place]) -> Tuple[int, bool]:
        """Waits for a step, whose end is then known by the clocks of both the host and the
        device."""
        at = mark.busy
        was_busy = not mark.has_happened()
        self._synchronize(places)
        self._waited = monotonic_ns()
        end = self._waited if was_busy else at
        self._pending.look()
        mark.busy = end
        mark.ended_before(end)
        self._begun = self._begun or self._waited
        self._report_memory(self._waited)
        return mark.end, False

    def _spend(self, begin: int) -> None:
        """Pauses the events until those so far have taken no more than their share of the time.
        begin: when the last one began."""
        now = monotonic_ns()
        if now >= self._memory_from:
            self._report_memory(now)
        self._spent += min(monotonic_ns() - begin, MOST_COST_NS)
        if self._spent > FREE_NS:
            self._rest_until = self._begun + (self._spent - FREE_NS) * SHARE

    def _mark_by_waiting(self, places: List[Place], now: int) -> Tuple[int, Any]:
        """Waits for a device without timing events from time to time. A wait costs the work that is
        not queued meanwhile: at most the time in which the host queues a lap."""
        if self._stepped > self._waited:
            gap = now - self._stepped
            self._fastest = min(self._fastest or gap, gap)
        self._stepped = now
        if now < self._wait_from:
            return now, self._leave_unmarked(now)
        self._is_unmarked = False
        self._synchronize(places)
        self._waited = end = monotonic_ns()
        self._wait_from = end + max(LEAST_NS, LOST_SHARE * min(end - now, self._fastest))
        self._report_memory(end)
        return end, False

    # Waits.

    def drain(self, limit_s: Optional[float] = None) -> bool:
        """Waits until all queued work is done and reports the ends of the laps so far. limit_s:
        waits no longer, and not for a device without timing events. Returns whether all is done.
        Never raises."""
        if not self._lock.acquire(blocking=False):
            return False
        try:
            return self._drain(limit_s)
        except Exception as error:
            self._fail(error)
            return False
        finally:
            self._lock.release()

    def _drain(self, limit_s: Optional[float]) -> bool:
        places = list(self._clocks)
        if not places:
            return True
        if self._failed or self._is_capturing(places):
            return False
        timed = [clock for clock in self._clocks.values() if clock is not None]
        if len(timed) == len(places) and all(clock.is_tied() for clock in timed):
            done = self._drain_events(timed, limit_s)
        else:
            done = self._drain_by_waiting(places, limit_s)
        now = monotonic_ns()
        if done:
            self._waited = now
        self._report_memory(now)
        log.write(now)
        return done

    def _drain_events(self, clocks: List[Clock], limit_s: Optional[float]) -> bool:
        unmarked, self._is_unmarked = self._is_unmarked, False
        if limit_s is not None or unmarked:
            mark = Mark(self._step.busy if unmarked else monotonic_ns(),
                        [(clock, clock.record()) for clock in clocks])
            mark.lap = self._step.lap if unmarked else 0
            self._pending.add(mark)
        if not self._pending:
            return True
        newest = self._pending.newest()
        done = True
        if limit_s is not None:
            done = _happens_within(newest, limit_s)
        else:
            for _, event in newest.events:
                event.synchronize()
        self._pending.look()
        return done

    def _drain_by_waiting(self, places: List[Place], limit_s: Optional[float]) -> bool:
        if limit_s is not None:
            return False
        if self._is_unmarked:
            self._is_unmarked = False
            self._synchronize(places)
            if self._step.lap:
                report.iteration_ended(self._step.lap, monotonic_ns())
        return True

    def before_break(self, at: int) -> None:
        """Waits before a validation or a checkpoint, unless these come so often that waiting would
        cost time."""
        if monotonic_ns() - self._waited > LEAST_REST_NS:
            self.drain()

    def before_epoch_end(self) -> None:
        """Waits for devices without timing events when an epoch ends."""
        if None in self._clocks.values() and monotonic_ns() >= self._wait_from:
            self.drain()

    def finish(self) -> None:
        """Reports the ends that become known when the process ends. Does not wait for a device that
        hangs."""
        self.drain(AT_END_S)

    # What is known of the devices.

    def _places_of(self, optimizer: Any) -> List[Place]:
        """Returns the accelerators that hold the parameters of OPTIMIZER; none for the CPU."""
        groups = optimizer.param_groups
        first = next((_place_of(group["params"][0]) for group in groups if group["params"]), None)
        try:
            known = self._places.get(optimizer)
        except TypeError:  # an object of the program that takes no weak references
            known = None
        if known is not None and known[0] == (first, len(groups)):
            return known[1]  # type: ignore[no-any-return]
        found = {_place_of(parameter) for group in groups for parameter in group["params"]}
        places = sorted((place for place in found if place[0] not in ("cpu", "meta")), key=str)
        try:
            self._places[optimizer] = ((first, len(groups)), places)
        except TypeError:
            pass
        return places

    def _clock(self, place: Place) -> Optional[Clock]:
        if place not in self._clocks:
            if self._pause is None:
                self._pause = Pause(self.drain)
            module = getattr(self._torch, place[0])
            timed = hasattr(module, "Event") and hasattr(module, "current_stream")
            self._clocks[place] = Clock(module, place[1]) if timed else None
        return self._clocks[place]

    def _is_capturing(self, places: List[Place]) -> bool:
        """Returns whether a graph is being recorded: any call to the device would break the
        recording."""
        for kind in {kind for kind, _ in places}:
            check = getattr(getattr(self._torch, kind, None), "is_current_stream_capturing", None)
            if self.capturing or (check is not None and check()):
                return True
        return False

    def _synchronize(self, places: List[Place]) -> None:
        for kind, index in places:
            _ask(getattr(self._torch, kind).synchronize, index)

    def _report_memory(self, now: int) -> None:
        """Reports the peak memory of each device, and sets when to do so again: after twice as
        long."""
        self._memory_rest = min(max(2 * self._memory_rest, LEAST_NS), LONGEST_MEMORY_NS)
        self._memory_from = now + self._memory_rest
        report.device_memory(self.peak())

    def peak(self) -> int:
        """Returns the most bytes that this process has held on a device; 0 when not known."""
        asked = [(getattr(getattr(self._torch, kind), "max_memory_allocated", None), index)
                 for kind, index in self._clocks]
        return max([int(_ask(ask, index)) for ask, index in asked if ask is not None], default=0)

    def _fail(self, error: Exception) -> None:
        """Waits from now on where events do not work, and gives up where waiting fails, too."""
        self._pending = Pending()
        self._is_unmarked = False
        if any(clock is not None for clock in self._clocks.values()):
            self._clocks = {place: None for place in self._clocks}
            return
        self._failed = True
        report.note("the ends of laps on the device are not known: "
                    f"{type(error).__name__}: {error}")


def _place_of(parameter: Any) -> Place:
    device = parameter.device
    return str(device.type), getattr(device, "index", None)


def _ask(function: Any, index: Any) -> Any:
    """Calls a function of a module for one device; a module for a single one takes no index."""
    try:
        return function(index)
    except TypeError:
        return function()


def _happens_within(mark: Mark, limit_s: float) -> bool:
    deadline = monotonic_ns() + int(limit_s * 1e9)
    while not mark.has_happened():
        if monotonic_ns() >= deadline:
            return False
        time.sleep(LOOK_S)
    return True


device = Device()  # of this process
