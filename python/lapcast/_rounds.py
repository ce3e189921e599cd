"""Counts the steps of each round of the loops around a training without a loader: those of an
epoch, which a `while` makes, or those of a training that is made again and again."""

from __future__ import annotations

import ast

from lapcast._bounds import LISTED, RANGE, RANGES, bound_now, program_frames
from lapcast._expressions import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, List, Optional, Sequence, Tuple

    from lapcast._bounds import Bound

    Found = Tuple[int, str]  # the number, and the name of its variable

COUNTED = (RANGE, LISTED)
EACH_LAP = 300  # until then each lap is looked at
EACH_KNOWN_LAP = 100  # the same, where the steps of a round are known and each round has a number
LAPS_TO_MEASURE = 16  # before the growth of a counter is taken for known
SAYS_IT = "is not known, --steps N says it"


class Rounds:
    """Knows the loops around those that make one round, and the laps of each round."""

    def __init__(
        self, inner: List[Optional[Bound]], outer: List[Bound], counter: Optional[Bound]
    ) -> None:
        self._inner = [each for each in inner if each and each.kind in COUNTED]
        self._outer = outer
        self._counter = counter  # a loop within, which a comparison ends
        self._is_exact = len(self._inner) == len(inner)  # the steps of a round are known before it
        self._next_to_counter = counter is not None and inner[-1] == counter
        self._whole, self.name = product_of(outer)
        # Whether these loops tell the steps, and not the counter by itself.
        self.decides = counter is None or starts_anew(counter, outer[0])
        self.reason = ""  # why the steps of later rounds are not known
        self._ended = done_of(outer)  # rounds
        self._laps = self._begun = 0  # all laps, and those before the present round
        self._seen = self._rounds = 0  # laps of the rounds that ended
        self._first = 0.0  # laps of a round, when it was first known
        self._due = 1  # the lap that is looked at next
        is_known = self._is_exact and place_in(outer) is not None
        self._each_until = EACH_KNOWN_LAP if is_known else EACH_LAP
        self._before: Optional[Tuple[List[Bound], List[Bound]]] = None
        self._counted_from = 0  # by the counter at the first lap

    def all_of(self, laps: int) -> int:
        """Returns the laps of all rounds from the first one of this process on, when that has so
        many LAPS as a counter tells; 0 where the counter is not that of a round."""
        self._first = self._first or laps
        return laps * (self._whole - self._ended) if self._next_to_counter else 0

    def watch(self) -> int:
        """Is called at each lap. Returns the laps of all rounds of this process, 0 for nothing new.
        Where they turn out not to be known it sets `reason`."""
        self._laps += 1
        if self._laps != self._due:
            return 0
        self._due += 1 + self._laps // self._each_until
        frames = list(program_frames())
        within = self._inner + ([self._counter] if self._counter else [])
        outer, inner = ([bound_now(each, frames) for each in of] for of in (self._outer, within))
        if None in outer or None in inner:
            self._due = 0  # the loops have ended
            return 0
        before = self._before
        now = self._before = [each for each in outer if each], [each for each in inner if each]
        if before is None:
            self._counted_from = now[1][-1].present if self._counter else 0
            return 0
        if presents(now[0]) == presents(before[0]) and not presents(now[1]) < presents(before[1]):
            return self._by_growth(now[1][-1]) if self._counter else 0
        return self._ends(before, now)

    def _by_growth(self, counter: Bound) -> int:
        """Returns the laps of all rounds by how much the counter has grown in the first ones."""
        grown = counter.present - self._counted_from
        if self._laps != LAPS_TO_MEASURE or self._first or grown <= 0 or not self.decides:
            return 0
        return self.all_of(-(-(counter.stop - self._counted_from) * (self._laps - 1) // grown))

    def _ends(self, before: Any, now: Any) -> int:
        """Notes that a round has ended, or several."""
        place, place_before = place_in(now[0]), place_in(before[0])
        passed = 1 if place is None or place_before is None else place - place_before
        if place is None and self._due > self._laps + 1:
            self._due = 0  # rounds would be missed
        if passed < 1:
            self._due = 0
            return 0
        self.decides |= bool(self._counter) and now[1][-1].present < before[1][-1].present
        laps = self._laps - 1 - self._begun
        self._ended, self._begun = self._ended + passed, self._laps - 1
        self._seen, self._rounds = self._seen + laps, self._rounds + passed
        for each, was in zip(now[1], before[1]):
            if is_other(each.whole(), was.whole()):
                self.reason = (f"{each.name} is {each.whole()} and was {was.whole()} in an earlier "
                               f"round: how many steps the later ones of {self.name} make {SAYS_IT}")
        if self._rounds > passed and is_other(laps / passed, self._first):
            least, most = sorted((laps // passed, int(self._first)))
            self.reason = (f"the rounds of {self.name} make between {least} and {most} steps: how many "
                           f"the later ones make {SAYS_IT}")
        if self._rounds == passed:
            self._first = laps / passed
        return self._begun + round(self._mean() * (self._whole - self._ended))

    def _mean(self) -> float:
        return self._seen / self._rounds if self._rounds else self._first

    def corrects(self, planned: int, laps: int) -> bool:
        """Returns whether so many LAPS differ from the PLANNED ones by more than the rounds do."""
        return abs(laps - planned) > (self._mean() if self._is_exact else planned // 500)

    def goes_on(self) -> int:
        """Returns by how many laps the last round may still be longer than was expected, at least
        those made, 0 where it is not the last one or much longer."""
        present = self._laps - self._begun
        is_last = self._ended + 1 >= self._whole and self._due > 0
        return 0 if not is_last or is_other(present, self._mean()) else max(1, round(self._mean() / 32))


def is_other(number: float, first: float) -> bool:
    """Returns whether the steps of a round are so many that the rounds are not alike."""
    return abs(number - first) > max(2, first / 4)


def presents(bounds: List[Bound]) -> List[int]:
    """Returns what loops count now, the outermost first."""
    return [each.present for each in reversed(bounds)]


def product_of(loops: List[Bound]) -> Found:
    """Returns how often the innermost of LOOPS runs in all."""
    number, names = 1, []
    for each in loops:
        number *= each.whole()
        names.append(each.name)
    return number, "-x-".join(names)


def done_of(loops: Sequence[Optional[Bound]]) -> int:
    """Returns how often the innermost of LOOPS ran before this process began."""
    done, inner = 0, 1
    for each in loops:
        if each:
            done, inner = done + each.done() * inner, inner * each.whole()
    return done


def place_in(loops: List[Bound]) -> Optional[int]:
    """Returns how many times the innermost loop has run before, in all of LOOPS together; nothing
    where a loop does not tell."""
    place = 0
    for each in reversed(loops):
        if each.present < each.base:
            return None
        place = place * each.whole() + each.number() - 1
    return place


def depends_on(inner: Bound, outer: Bound) -> bool:
    """Returns whether the variable of the OUTER loop is part of what the inner one counts to."""
    (loop, code), (around, code_around) = inner.where, outer.where
    if code is not code_around or inner.kind not in COUNTED or isinstance(around, ast.While):
        return False
    counts = loop.iter
    while isinstance(counts, ast.Call) and counts.args:
        if text_of(counts.func).rpartition(".")[2] in RANGES:
            break
        counts = counts.args[0]  # of tqdm(range(n), desc=f"epoch {epoch}")
    names = {node.id for node in ast.walk(counts) if isinstance(node, ast.Name)}
    return any(isinstance(node, ast.Name) and node.id in names for node in ast.walk(around.target))


def starts_anew(inner: Bound, outer: Bound) -> bool:
    """Returns whether the counter of a loop that a comparison ends begins anew in each round of the
    OUTER loop: it is a variable of a function that is called there, or is set there."""
    (loop, code), (around, code_around) = inner.where, outer.where
    if code is not code_around:
        arguments = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
        return inner.counter in code.co_varnames and inner.counter not in arguments
    own = set(ast.walk(loop))
    set_there = [target for node in ast.walk(around) if isinstance(node, ast.Assign) and node not in own
                 for target in node.targets]
    return any(text_of(each) == inner.counter for target in set_there for each in
               (target.elts if isinstance(target, ast.Tuple) else [target]))
