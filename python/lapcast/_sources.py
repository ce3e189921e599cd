"""Decides which source reports a training that several of them observe."""

from __future__ import annotations

import threading

from lapcast._log import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List, Set


class Sources:
    """Knows the sources that observe this process. The strongest active one reports, so that every
    lap is counted once."""

    # How strong a source is.
    EXPLICIT = 3  # the user's own calls: lapcast.laps(...)
    TRAINER = 2  # a trainer that knows its epochs: Keras fit, Lightning, the Hugging Face Trainer
    LOOP = 1  # observations of a plain loop: optimizer steps, DataLoader passes

    # Sources that several modules name.
    USER = "lapcast"  # the explicit calls
    PLAIN = "torch"  # plain loops, those of TensorFlow too

    def __init__(self) -> None:
        self.trainer = False  # A trainer is active, so plain loops need not be observed.
        self._lock = threading.RLock()
        self._takers: List[List[Any]] = []  # [source, strength, depth], the active one last
        self._taken = False  # a source has called take() at least once
        self._active = ""  # the source whose laps count now
        self._open: Dict[str, str] = {}  # "validation" or "checkpoint" -> the source that began it
        self._explicit: Set[str] = set()  # what the user reports: "laps", "validation" ...

    def observed(self) -> bool:
        """Returns whether the program is observed: LAPCAST_LOG_DIR is set and its folder is
        writable."""
        return log.enabled

    def take(self, source: str, strength: int) -> bool:
        """Lets SOURCE report. Returns False, and changes nothing, while an equally strong or
        stronger source is active; events of SOURCE are then ignored. Calls may nest: each True
        needs its `give`. A source stronger than the active one displaces it until its `give`."""
        if not log.enabled:
            return False
        with self._lock:
            takers = self._takers
            if takers and takers[-1][0] == source:
                takers[-1][2] += 1
                return True
            if takers and takers[-1][1] >= strength:
                return False
            if strength < self.EXPLICIT and "laps" in self._explicit:
                return False  # The user's own laps are the laps of this script.
            takers.append([source, strength, 1])
            self._taken = True
            self._activate()
            return True

    def give(self, source: str) -> None:
        """Ends what SOURCE began with the `take` that returned True. Other sources are not
        affected."""
        with self._lock:
            for taker in reversed(self._takers):
                if taker[0] == source:
                    taker[2] -= 1
                    if taker[2] == 0:
                        self._takers.remove(taker)
                    break
            self._activate()

    def _activate(self) -> None:
        self._active = self._takers[-1][0] if self._takers else ""
        self.trainer = self.strength() == self.TRAINER

    def took_anybody(self) -> bool:
        """Returns whether any source has been allowed to report."""
        return self._taken

    def active(self) -> str:
        """Returns the source whose events count now, "" for none."""
        return self._active

    def strength(self) -> int:
        """Returns the strength of the active source, 0 for none."""
        return self._takers[-1][1] if self._takers else 0

    def explicit(self, kind: str) -> None:
        """Lets only the user's own calls report this kind of event from now on: "laps",
        "validation", "checkpoint"."""
        self._explicit.add(kind)

    def may_report(self, source: str, kind: str) -> bool:
        """Returns whether SOURCE may report this kind of event, which several sources see. A script
        that reports its laps itself need not report its validations and checkpoints itself."""
        if not log.enabled or (kind in self._explicit and source != self.USER):
            return False
        return source in (self._active, self.USER) or not self.trainer

    def open(self, source: str, kind: str) -> bool:
        """Opens this kind of event for SOURCE. Returns False, and changes nothing, where SOURCE may
        not report it or another one is open."""
        if not self.may_report(source, kind) or kind in self._open:
            return False
        self._open[kind] = source
        return True

    def close(self, source: str, kind: str) -> bool:
        """Closes this kind of event. Returns False, and changes nothing, where SOURCE has not
        opened it."""
        if not self.may_report(source, kind) or self._open.get(kind) != source:
            return False
        del self._open[kind]
        return True

    def forget(self) -> None:
        """Forgets what the parent of a forked child had begun."""
        self._lock = threading.RLock()
        self._takers.clear()
        self._open.clear()
        self._taken = False
        self._activate()
