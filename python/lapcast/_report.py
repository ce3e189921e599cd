"""Reports everything that this process observes; all sources use this module.

Several sources may see the same training: the user's own calls, a trainer (Keras, Lightning,
Transformers) and the optimizer steps beneath it. The strongest active source reports and the others
are ignored, so that every lap is counted once.

An adapter uses it like this:

    SOURCE = "lightning"
    if _report.take(SOURCE, _report.TRAINER):
        _report.plan(SOURCE, epochs=3, iterations=100, batch=32, train=3200)
        _report.epoch_begin(SOURCE, 1)
        _report.iteration(SOURCE, 32)
        ...
        _report.give(SOURCE)

Every call is cheap and does nothing without an observer. No call raises because of its arguments:
numbers and names are adapted to the format (docs/lap-log.md).
"""

from __future__ import annotations

import functools
import os
import threading
from time import monotonic_ns

from lapcast import _libraries
from lapcast._log import MOST_SAMPLES, count_of, log, name_of, note_of, plan_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Set, Tuple, TypeVar

    Function = TypeVar("Function", bound=Callable[..., Any])

EXPLICIT = 3  # the user's own calls: lapcast.laps(...)
TRAINER = 2  # a trainer that knows its epochs: Keras fit, Lightning, the Hugging Face Trainer
USER = "lapcast"  # the source of the explicit calls
LOOP = 1  # observations of a plain loop: optimizer steps, DataLoader passes


class _Kind:
    """Decides who may report one kind of event: sources at least as strong as the strongest so
    far."""

    __slots__ = ("strength",)

    def __init__(self) -> None:
        self.strength = 0


_lock = threading.RLock()
_takers: List[List[Any]] = []  # [source, strength, depth], the active one last
trainer = False  # A trainer is active, so plain loops need not be observed.
_taken = False  # a source has called take() at least once
_active = ""  # the source whose laps count now
_plan: Dict[str, Any] = {}
_open: Dict[str, str] = {}  # "validation" or "checkpoint", begun and not ended -> its source
_noted: Set[str] = set()
_explicit: Set[str] = set()  # kinds of events that the user reports: "laps", "validation" ...
_before_break: Set[Callable[[int], None]] = set()
_before_epoch_end: Set[Callable[[], None]] = set()
_between_laps: Set[Callable[[], None]] = set()
_peak_bytes = 0
_extend = log.buffer.extend
log.first_lines = _libraries.lines


def observed() -> bool:
    """Returns whether the program is observed: LAPCAST_LOG_DIR is set and its folder is
    writable."""
    return log.enabled


def take(source: str, strength: int) -> bool:
    """Lets SOURCE report. Returns False, and changes nothing, while an equally strong or stronger
    source is active; events of SOURCE are then ignored. Calls may nest: each True needs its `give`.
    A source stronger than the active one displaces it until its `give`."""
    global _taken
    if not log.enabled:
        return False
    with _lock:
        if _takers and _takers[-1][0] == source:
            _takers[-1][2] += 1
            return True
        if _takers and _takers[-1][1] >= strength:
            return False
        if strength < EXPLICIT and "laps" in _explicit:
            return False  # The user's own laps are the laps of this script.
        _takers.append([source, strength, 1])
        _taken = True
        _activate()
        return True


def give(source: str) -> None:
    """Ends what SOURCE began with the `take` that returned True. Other sources are not affected."""
    with _lock:
        for taker in reversed(_takers):
            if taker[0] == source:
                taker[2] -= 1
                if taker[2] == 0:
                    _takers.remove(taker)
                break
        _activate()


def _activate() -> None:
    global _active, trainer
    _active = _takers[-1][0] if _takers else ""
    trainer = strength() == TRAINER


def took_anybody() -> bool:
    """Returns whether any source has reported laps, or could have."""
    return _taken


def active() -> str:
    """Returns the source whose events count now, "" for none."""
    return _active


def strength() -> int:
    """Returns the strength of the active source, 0 for none."""
    return _takers[-1][1] if _takers else 0


def plan(
    source: str,
    *,
    epochs: Optional[int] = None,
    steps: Optional[int] = None,
    iterations: Optional[int] = None,
    batch: Optional[int] = None,
    train: Optional[int] = None,
    validation: Optional[int] = None,
    origin: str = "",
    at: int = 0,
) -> None:
    """Merges the plan with earlier ones and reports it if it changed. None: no change; 0: not known
    any more.

    epochs: planned epochs, including those before a resumed one. steps: planned iterations in all,
    when training is not counted in epochs. iterations: those of an epoch, with a partial last
    batch. batch: samples of a full iteration over all ranks. train: samples of one epoch over all
    ranks. validation: samples of one validation. origin: the variable in which epochs or steps were
    found, "" when their trainer told them. at: as for an iteration; a plan between two laps
    should have the time of the first one's end, because otherwise the second one begins with the
    plan."""
    if source != _active:
        return
    said = {"epochs": epochs, "steps": steps, "iterations": iterations, "batch": batch,
            "train": train, "validation": validation}
    with _lock:
        merged = dict(_plan)
        merged.update((key, count_of(value)) for key, value in said.items() if value is not None)
        if epochs is not None or steps is not None:
            merged["from"] = name_of(origin) if origin else ""
        merged = {key: value for key, value in merged.items() if value}
        if merged != _plan:
            _plan.clear()
            _plan.update(merged)
            log.event(plan_line(_plan), at)


def lap_begins(source: str, at: int) -> None:
    """Reports the plan again, so that the next lap begins at AT, or at what was reported later."""
    if source == _active and at:
        log.event(plan_line(_plan), at)


def planned(key: str) -> int:
    """Returns a number of the plan, 0 when not known: planned("iterations")."""
    return int(_plan.get(key, 0))


def iteration(source: str, samples: int, queued: Any = False, at: int = 0) -> None:
    """Reports that an iteration ended. samples: an int from 0 to 2147483647, those of this process.
    queued: its work was only queued on a device; a `_torch_clock.Mark` is told the number of the
    lap, whose end becomes known later. at: when (CLOCK_MONOTONIC, ns), now when 0."""
    if source != _active:
        return
    now = at or monotonic_ns()
    _extend((now, ~samples if queued else samples))
    log.laps += 1
    if queued and queued is not True:
        queued.lap = log.laps
    if now >= log.due:
        log.write(now)
        for function in _between_laps:
            function()


def laps() -> int:
    """Returns how many laps this process has reported."""
    return log.laps


def iteration_ended(lap: int, at: int) -> None:
    """Reports that the work of lap number LAP, counted from 1 over all that this process reported,
    ended on its device at AT (CLOCK_MONOTONIC, ns). Ends are reported in the order of the laps."""
    log.ended(lap, at)


def epoch_begin(source: str, epoch: int, at: int = 0) -> None:
    """Reports the begin of EPOCH, counted from 1; a resumed training continues counting."""
    if source == _active:
        log.event(f"epoch-begin {count_of(epoch, MOST_SAMPLES)}", at)


def epoch_end(source: str, epoch: int, at: int = 0) -> None:
    """Reports the end of an epoch that began. An epoch that is broken off has no end."""
    if source == _active:
        for function in _before_epoch_end:
            function()
        log.event(f"epoch-end {count_of(epoch, MOST_SAMPLES)}", at)


def validation_begin(source: str, at: int = 0) -> None:
    """Reports the begin of a validation."""
    if _may(source, "validation") and "validation" not in _open:
        _break(at)
        _open["validation"] = source
        log.event("validation-begin", at)


def validation_end(source: str, samples: int, at: int = 0) -> None:
    """Reports its end. samples: those that this process evaluated, 0 when not known."""
    if _may(source, "validation") and _open.get("validation") == source:
        del _open["validation"]
        log.event(f"validation-end {count_of(samples)}", at)


def checkpoint_begin(source: str, at: int = 0) -> None:
    """Reports the begin of one save of a checkpoint."""
    if _may(source, "checkpoint") and "checkpoint" not in _open:
        _break(at)
        _open["checkpoint"] = source
        log.event("checkpoint-begin", at)


def checkpoint_end(source: str, bytes: int, at: int = 0) -> None:
    """Reports its end. bytes: the number written, 0 when not known."""
    if _may(source, "checkpoint") and _open.get("checkpoint") == source:
        del _open["checkpoint"]
        log.event(f"checkpoint-end {count_of(bytes)}", at)


def _may(source: str, kind: str) -> bool:
    """Returns whether SOURCE may report this kind of event, which several sources see: a script
    that reports its laps itself need not report its validations and checkpoints itself."""
    if not log.enabled or (kind in _explicit and source != USER):
        return False
    return source in (_active, USER) or strength() != TRAINER


def before_break(function: Callable[[int], None]) -> None:
    """Makes FUNCTION be called with the time (0: now) when a validation or a checkpoint begins, so
    that it reports the lap that is interrupted."""
    _before_break.add(function)


def before_epoch_end(function: Callable[[], None]) -> None:
    """Makes FUNCTION be called before the end of an epoch is reported."""
    _before_epoch_end.add(function)


def between_laps(function: Callable[[], None]) -> None:
    """Makes FUNCTION be called after a lap was reported, whenever the log is written then."""
    _between_laps.add(function)


def _break(at: int) -> None:
    for function in _before_break:
        function(at)


def explicit(kind: str) -> None:
    """Lets only the user's own calls report this kind from now on: "laps", "validation",
    "checkpoint"."""
    _explicit.add(kind)


def stage_begin(name: str, at: int = 0) -> None:
    """Reports the begin of a stage of the run: data-load, pre-process, compile, train, evaluate.
    Every source may report one, and stages may nest."""
    log.event(f"stage-begin {name_of(name)}", at)


def stage_end(name: str, at: int = 0) -> None:
    """Reports the end of the innermost stage of this name."""
    log.event(f"stage-end {name_of(name)}", at)


def metric(source: str, name: str, value: Any) -> None:
    """Reports the present value of loss, accuracy, val_loss, val_accuracy (shares as fractions),
    ..."""
    if source != _active and source != USER:
        return
    try:
        figure = repr(float(value))
    except (TypeError, ValueError, OverflowError):
        return
    log.event(f"metric {name_of(name)} {figure}", write=False)


def phase(source: str, name: str) -> None:
    """Reports that the following iterations do other work: another image size, another model."""
    if source == _active:
        log.event(f"phase {name_of(name)}")


def device_memory(bytes: int) -> None:
    """Reports the maximum of the memory that this process held on its device so far."""
    global _peak_bytes
    if count_of(bytes) > _peak_bytes:
        _peak_bytes = count_of(bytes)
        log.aside(f"device-memory {_peak_bytes}")


def note(text: str, at: int = 0) -> None:
    """Reports, once, something that the hook does not understand or support. at: when the log
    begins if it has not yet, now when 0."""
    if log.enabled and text not in _noted and len(_noted) < 50:
        _noted.add(text)
        log.aside(f"note {note_of(text)}", at or monotonic_ns())


def at_end(function: Callable[[], None]) -> None:
    """Calls FUNCTION when the process ends by itself, before the log is closed."""
    log.at_end(function)


def guard(function: Function) -> Function:
    """Decorates everything that a library calls: an exception inside the hook stops the hook with a
    note that names it, and never reaches the training."""

    @functools.wraps(function)
    def guarded(*arguments: Any, **options: Any) -> Any:
        try:
            return function(*arguments, **options)
        except Exception as error:
            failed(function.__qualname__, error)
            return None

    return guarded  # type: ignore[return-value]


def failed(where: str, error: BaseException) -> None:
    """Reports that the hook itself failed, then stops reporting."""
    try:
        note(f"the hook failed in {where} and is quiet from here on: "
             f"{type(error).__name__}: {error}")
        log.stop()
    except Exception:
        log.enabled = False


def _after_fork() -> None:
    """Makes a forked child report in its own log, if it trains at all."""
    global _lock, _peak_bytes, _taken
    _lock = threading.RLock()
    for state in (_takers, _plan, _open, _noted):
        state.clear()
    _peak_bytes, _taken = 0, False
    _activate()
    log.after_fork()


if log.enabled:
    os.register_at_fork(after_in_child=_after_fork)
