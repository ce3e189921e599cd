"""Reports everything that this process observes; all sources use its one object `report`.

Several sources may see the same training: the user's own calls, a trainer (Keras, Lightning,
Transformers) and the optimizer steps beneath it. The strongest active source reports and the others
are ignored (`_sources.py`).

An adapter uses it like this:

    SOURCE = "lightning"
    if report.take(SOURCE, report.TRAINER):
        report.plan(SOURCE, epochs=3, iterations=100, batch=32, train=3200)
        report.epoch_begin(SOURCE, 1)
        report.iteration(SOURCE, 32)
        ...
        report.give(SOURCE)

Every call is cheap and does nothing without an observer. No call raises because of its arguments:
numbers and names are adapted to the format (docs/lap-log.md).
"""

from __future__ import annotations

import functools
import os
from time import monotonic_ns

from lapcast import _libraries
from lapcast._log import MOST_SAMPLES, count_of, log, name_of, note_of, plan_line
from lapcast._sources import Sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Optional, Set, TypeVar

    Function = TypeVar("Function", bound=Callable[..., Any])

MOST_NOTES = 50

_extend = log.buffer.extend  # a constant, which is called faster than an attribute


class Report(Sources):
    """Writes the events of the source that reports."""

    def __init__(self) -> None:
        super().__init__()
        # Are called with the time (0: now) when a validation or a checkpoint begins, to report the
        # lap that it interrupts.
        self.before_break: Set[Callable[[int], None]] = set()
        # Are called before the end of an epoch is reported.
        self.before_epoch_end: Set[Callable[[], None]] = set()
        # Are called after a lap was reported, whenever the log is written then.
        self.between_laps: Set[Callable[[], None]] = set()
        self._plan: Dict[str, Any] = {}
        self._noted: Set[str] = set()
        self._peak_bytes = 0
        self._numbers = ""

    def plan(
        self,
        source: str,
        *,
        epochs: Optional[int] = None,
        steps: Optional[int] = None,
        iterations: Optional[int] = None,
        batch: Optional[int] = None,
        train: Optional[int] = None,
        validation: Optional[int] = None,
        validate_every: Optional[int] = None,
        done: Optional[int] = None,
        origin: str = "",
        at: int = 0,
    ) -> None:
        """Merges the plan with earlier ones and reports it if it changed. None: no change; 0: not
        known any more.

        epochs: planned epochs, including those before a resumed one. steps: planned iterations in
        all, when training is not counted in epochs, those of `done` included. iterations: those of an epoch, with a partial
        last batch. batch: samples of a full iteration over all ranks. train: samples of one epoch
        over all ranks. validation: samples of one validation. validate_every: epochs from one
        validation to the next. done: iterations that were made before this process began, by a run
        that it resumes. origin: the variable in which epochs or steps were found, "" when their trainer told them. at: as for an iteration; a plan
        between two laps should have the time of the first one's end, because otherwise the second
        one begins with the plan."""
        if source != self._active:
            return
        said = {"epochs": epochs, "steps": steps, "iterations": iterations, "batch": batch,
                "train": train, "validation": validation, "validate-every": validate_every,
                "done": done}
        with self._lock:
            merged = dict(self._plan)
            merged.update((key, count_of(value)) for key, value in said.items()
                          if value is not None)
            if epochs is not None or steps is not None:
                merged["from"] = name_of(origin) if origin else ""
            merged = {key: value for key, value in merged.items() if value}
            if merged != self._plan:
                self._plan = merged
                log.event(plan_line(merged), at)

    def planned(self, key: str) -> int:
        """Returns a number of the plan, 0 when not known: planned("iterations")."""
        return int(self._plan.get(key, 0))

    def origin(self) -> str:
        """Returns the variable in which the planned epochs or steps were found, "" for none."""
        return str(self._plan.get("from", ""))

    def lap_begins(self, source: str, at: int) -> None:
        """Reports the plan again, so that the next lap begins at AT, or at what was reported
        later."""
        if source == self._active and at:
            log.event(plan_line(self._plan), at)

    def iteration(self, source: str, samples: int, queued: Any = False, at: int = 0) -> None:
        """Reports that an iteration ended. samples: an int from 0 to 2147483647, those of this
        process. queued: its work was only queued on a device; a `_torch_clock.Mark` is told the
        number of the lap, whose end becomes known later. at: when (CLOCK_MONOTONIC, ns), now when
        0."""
        if source != self._active:
            return
        now = at or monotonic_ns()
        if not queued:
            _extend((now, samples))
        else:
            _extend((now, ~samples))
            if queued is not True:
                queued.lap = log.laps + 1
        log.laps += 1
        if now >= log.due:
            log.write(now)
            for function in self.between_laps:
                function()

    def laps(self) -> int:
        """Returns how many laps this process has reported."""
        return log.laps

    def iteration_ended(self, lap: int, at: int) -> None:
        """Reports that the work of lap number LAP, counted from 1 over all that this process
        reported, ended on its device at AT (CLOCK_MONOTONIC, ns). Ends are reported in the order of
        the laps."""
        log.ended(lap, at)

    def begin_anew(self, source: str) -> None:
        """Reports that the training begins anew, with another plan: all that was reported of it was
        an attempt that failed."""
        if source != self._active:
            return
        with self._lock:
            self._plan = {}
        log.event("anew")

    def epoch_begin(self, source: str, epoch: int, at: int = 0) -> None:
        """Reports that EPOCH begins, counted from 1. A resumed training continues counting."""
        if source == self._active:
            log.event(f"epoch-begin {count_of(epoch, MOST_SAMPLES)}", at)

    def epoch_end(self, source: str, epoch: int, at: int = 0) -> None:
        """Reports that an epoch ends. An epoch that is broken off is not reported to end."""
        if source == self._active:
            for function in self.before_epoch_end:
                function()
            log.event(f"epoch-end {count_of(epoch, MOST_SAMPLES)}", at)

    def validation_begin(self, source: str, at: int = 0) -> None:
        if self.open(source, "validation"):
            self._break(at)
            log.event("validation-begin", at)

    def validation_end(self, source: str, samples: int, at: int = 0) -> None:
        """samples: those that this process evaluated, 0 when not known."""
        if self.close(source, "validation"):
            log.event(f"validation-end {count_of(samples)}", at)

    def checkpoint_begin(self, source: str, at: int = 0) -> None:
        if self.open(source, "checkpoint"):
            self._break(at)
            log.event("checkpoint-begin", at)

    def checkpoint_end(self, source: str, bytes: int, at: int = 0) -> None:
        """bytes: the number written, 0 when not known."""
        if self.close(source, "checkpoint"):
            log.event(f"checkpoint-end {count_of(bytes)}", at)

    def _break(self, at: int) -> None:
        for function in self.before_break:
            function(at)

    def stage_begin(self, name: str, at: int = 0) -> None:
        """Reports that a stage of the run begins: data-load, pre-process, compile, train, evaluate.
        Every source may report one, and stages may nest."""
        log.event(f"stage-begin {name_of(name)}", at)

    def stage_end(self, name: str, at: int = 0) -> None:
        """Reports the end of the innermost stage of this name."""
        log.event(f"stage-end {name_of(name)}", at)

    def metric(self, source: str, name: str, value: Any) -> None:
        """Reports the current value of loss, accuracy, val_loss, val_accuracy (shares as
        fractions), ..."""
        if source != self._active and source != self.USER:
            return
        try:
            figure = repr(float(value))
        except (TypeError, ValueError, OverflowError):
            return
        log.event(f"metric {name_of(name)} {figure}", write=False)

    def phase(self, source: str, name: str, at: int = 0) -> None:
        """Reports that the following iterations do other work: another image size, another
        model. at: as for an iteration."""
        if source == self._active:
            log.event(f"phase {name_of(name)}", at)

    def device_memory(self, bytes: int) -> None:
        """Reports the most memory that this process has held on its device so far."""
        if count_of(bytes) > self._peak_bytes:
            self._peak_bytes = count_of(bytes)
            log.untimed(f"device-memory {self._peak_bytes}")

    def numbers(self, name: str) -> None:
        """Reports in which numbers the training computes: "fp32", "tf32" or "amp", which stays."""
        if name != self._numbers != "amp":
            self._numbers = name
            log.untimed(f"numbers {name}")

    def note(self, text: str, at: int = 0) -> None:
        """Reports, once, something that the hook does not understand or support. at: when the log
        begins if it has not yet, now when 0."""
        if log.enabled and text not in self._noted and len(self._noted) < MOST_NOTES:
            self._noted.add(text)
            log.untimed(f"note {note_of(text)}", at or monotonic_ns())

    def at_end(self, function: Callable[[], None]) -> None:
        """Calls FUNCTION when the process ends by itself, before the log is closed."""
        log.at_end(function)

    def guard(self, function: Function) -> Function:
        """Decorates everything that a library calls: an exception inside the hook stops the hook
        with a note that names it, and never reaches the training."""

        @functools.wraps(function)
        def guarded(*arguments: Any, **options: Any) -> Any:
            try:
                return function(*arguments, **options)
            except Exception as error:
                self.failed(function.__qualname__, error)
                return None

        return guarded  # type: ignore[return-value]

    def failed(self, where: str, error: BaseException) -> None:
        """Reports that the hook itself failed, then stops reporting."""
        try:
            self.note(f"the hook failed in {where} and is quiet from here on: "
                      f"{type(error).__name__}: {error}")
            log.stop()
        except Exception:
            log.enabled = False

    def after_fork(self) -> None:
        """Makes a forked child report in its own log, if it trains at all."""
        self.forget()
        self._plan = {}
        self._noted.clear()
        self._peak_bytes = 0
        self._numbers = ""
        log.after_fork()


report = Report()
log.first_lines = _libraries.lines
if log.enabled:
    os.register_at_fork(after_in_child=report.after_fork)
