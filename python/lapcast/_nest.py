"""Says what the loops around a training's steps tell of its length: its epochs, its steps, and what
was made before this process began."""

from __future__ import annotations

import ast

from lapcast._bounds import (COMPARISON, CUT, LIMIT, LISTED, RANGE, forget, places_of_loops,
                             present_of, program_frames, running_loops)
from lapcast._expressions import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, FrozenSet, Iterator, List, Optional, Tuple

    from lapcast._bounds import Bound

    Found = Tuple[int, str]  # the number, and the name of its variable

COUNTED = (RANGE, LISTED)
WATCHED = (COMPARISON, LIMIT)
OVER_LOADER = (CUT, LIMIT)
MOST_LAPS = 2000  # for which a counter is watched
MOST_STEPS = 10**12
LEAST_SEEN = 4  # values of a counter, before what it does is taken for known


class Nest:
    """Holds the loops that were running at the first lap, the innermost first."""

    def __init__(self) -> None:
        self._loops: List[Optional[Bound]] = []
        self._where: FrozenSet[Any] = frozenset()  # they stand in the program
        self._watched: Optional[Bound] = None
        self._seen: List[Tuple[int, int]] = []  # laps and the counter when that had changed
        self._laps = 0
        self._checks = False
        self.is_late = False  # a step is noticed only when the next one begins
        self._places: List[int] = []  # of the first laps, in the loops that count

    def read(self) -> None:
        """Reads the loops that are running now."""
        frames = list(program_frames())
        self._loops, self._where = running_loops(frames), places_of_loops(frames)
        self._watched = next((each for each in self._loops if each and each.kind in WATCHED), None)
        forget()

    def has_ended(self) -> bool:
        """Returns whether none of the loops runs any more, so that what is made now is made after
        them."""
        ended = bool(self._where) and not self._where & places_of_loops(list(program_frames()))
        forget()
        return ended

    def is_empty(self) -> bool:
        """Returns whether no loop was running, so that a step is made once."""
        return not self._loops

    # A training with a loop over a loader.

    def _loader(self) -> int:
        """Returns the index of the loop over a loader: the innermost one that does not count."""
        loops = self._loops
        return next((i for i, each in enumerate(loops) if each is None or each.kind in OVER_LOADER),
                    len(loops))

    def _outside(self) -> List[Bound]:
        """Returns the loops around the one over a loader, as far as they count."""
        loops, outside = self._loops, []
        for each in loops[self._loader() + 1:]:
            if each is None or each.kind not in COUNTED:
                break
            outside.append(each)
        return outside

    def epoch_loop(self) -> Optional[Bound]:
        """Returns the loop that counts the epochs, each of them a pass over a loader."""
        return next(iter(self._outside()), None)

    def trainings(self) -> Optional[Found]:
        """Returns how many trainings the loops around that of the epochs make, if several."""
        outer = [each for each in self._outside()[1:] if each.whole() > 1]
        return _product(outer) if outer else None

    def cut(self) -> int:
        """Returns the batches after which the loop over a loader is broken off, 0 where it is
        not."""
        inner = self._loops[self._loader():][:1]
        return max(0, inner[0].stop) if inner and inner[0] and inner[0].kind == CUT else 0

    def steps_of_cut(self) -> Optional[Found]:
        """Returns the batches of a training that is a single loop over a loader, perhaps an endless
        one, which a break ends."""
        only = self._loops[0] if len(self._loops) == 1 else None
        return (only.stop, only.name) if only and only.kind == CUT and only.stop > 0 else None

    # A training whose loops all count.

    def counts_steps(self) -> bool:
        """Returns whether all loops around the steps count, so that none of them is over a
        loader."""
        return bool(self._loops) and all(each and each.kind in COUNTED for each in self._loops)

    def steps(self) -> Found:
        """Returns the steps of a training for which counts_steps(), if the innermost loop makes one
        each time: of the whole training, with steps_done()."""
        loops = [each for each in self._loops if each]
        number, name = _product(loops)
        place = _place_in(loops)
        if place is not None:
            self._checks = True
            number -= place - self.is_late - self.steps_done()  # before the first step none was made
        return number, name

    def steps_done(self) -> int:
        """Returns how many of steps() come before the first one of this process."""
        done, inner = 0, 1
        for each in self._loops:
            if each:
                done, inner = done + each.done() * inner, inner * each.whole()
        return done

    def is_checking(self) -> bool:
        """Returns whether check() may still find that steps() were wrong."""
        return self._checks

    def check(self) -> Optional[Found]:
        """Is called at each lap. Returns the steps anew, 0 where they are not
        known, once it is clear that the innermost loop does not make one each time."""
        loops = running_loops(list(program_frames()))
        same = [each and each[0] for each in loops] == [each and each[0] for each in self._loops]
        place = _place_in([each for each in loops if each]) if same else None
        if place is None:
            self._checks = False
            return None
        self._places.append(place)
        if len(self._places) <= LEAST_SEEN:
            return None
        self._checks = False
        forget()
        steady = self._places[1:]  # the first laps may be reported together
        grown = {after - before for before, after in zip(steady, steady[1:])}
        number, name = _product([each for each in loops if each])
        if grown == {1}:
            return None
        if len(grown) > 1 or grown.pop() < 1:
            return 0, name
        each = steady[1] - steady[0]
        return self.steps_done() + len(self._places) + self.is_late + (number - 1 - place) // each, name

    # A counter that a comparison ends.

    def is_watching(self) -> bool:
        """Returns whether watch() may still find something."""
        return self._watched is not None

    def watch(self, is_over: bool, looks: bool) -> Optional[Found]:
        """Is called at each lap, and returns the planned steps of this process once the counter of
        a comparison has twice grown by as much, in as many laps. is_over: the round of the loop
        that made the lap is over, or the next one has begun. looks: whether to look at it."""
        bound, self._laps = self._watched, self._laps + 1
        if not looks:
            return None
        if bound is None or self._laps > MOST_LAPS:
            self._watched = None
            return None
        frames = list(program_frames())
        present, seen = present_of(bound, frames), self._seen
        if present < 0 or (seen and present < seen[-1][1]):
            self._watched = None
        elif not seen or present != seen[-1][1]:
            seen.append((self._laps, present))
        if self._watched is None or len(seen) < LEAST_SEEN or seen[-1][0] != self._laps:
            return None
        (before, counted_before), (then, counted_then), (laps, counted) = seen[-3:]
        each, grown = laps - then, counted - counted_then
        if (each, grown) != (then - before, counted_then - counted_before):
            return None
        self._watched = None
        # Rounds that the counter does not have yet, and the present one where it has that already.
        rounds = max(0, -(-(bound.stop - counted) // grown)) + _has_counted(bound, frames)
        return laps - (not is_over) + each * max(rounds, int(not is_over)), bound.name


def _product(loops: List[Bound]) -> Found:
    number, names = 1, []
    for each in loops:
        number *= each.whole()
        names.append(each.name)
    return number, "-x-".join(names)


def _place_in(loops: List[Bound]) -> Optional[int]:
    """Returns how many times the innermost loop has run before, in all of LOOPS together; nothing
    where a loop does not tell."""
    place = 0
    for each in reversed(loops):
        if each.present < each.base:
            return None
        place = place * each.whole() + each.number() - 1
    return place


def _has_counted(bound: Bound, frames: List[Any]) -> bool:
    """Returns whether the counter of a loop that a comparison ends has grown in the present round
    already: by where `step += 1` stands, in the loop's own body."""
    if bound.within:
        return True
    loop, code = bound.where
    line = next((frame.f_lineno for frame in frames if frame.f_code is code), 0)
    return any(loop.lineno < node.lineno < line for node in _statements(loop.body)
               if isinstance(node, ast.AugAssign) and text_of(node.target) == bound.counter)


def _statements(body: List[Any]) -> Iterator[Any]:
    """Yields the statements of a body that run once each time."""
    for node in body:
        yield node
        if isinstance(node, (ast.If, ast.With, ast.Try)):
            yield from _statements(node.body)
