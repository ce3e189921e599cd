"""Says what the loops around a training's steps tell of its length: its epochs, its steps, and what
was made before this process began."""

from __future__ import annotations

import ast

from lapcast._bounds import (COMPARISON, CUT, LIMIT, bound_now, forget, places_of_loops, program_frames,
                             running_loops)
from lapcast._expressions import text_of
from lapcast._rounds import COUNTED, Rounds, depends_on, done_of, place_in, product_of, starts_anew

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, FrozenSet, Iterator, List, Optional, Tuple

    from lapcast._bounds import Bound

    Found = Tuple[int, str]  # the number, and the name of its variable

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
        self._is_uneven = False  # a loop makes other numbers of rounds each time
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
        for index, each in enumerate(self._loops):
            if each and any(outer and depends_on(each, outer) for outer in self._loops[index + 1:]):
                self._loops[index], self._is_uneven = None, True
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
        over = next((i for i, each in enumerate(loops) if each is None or each.kind in OVER_LOADER), -1)
        if over < 0:  # while i < len(loader): batch = next(batches) ...
            over = max((i for i in range(len(loops)) if self._is_of_round(i)), default=len(loops))
        return over

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
        return product_of(outer) if outer else None

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
        number, name = product_of(loops)
        place = place_in(loops)
        if place is not None:
            self._checks = True
            number -= place - self.is_late - self.steps_done()  # before the first step none was made
        return number, name

    def steps_done(self) -> int:
        """Returns how many of steps() come before the first one of this process."""
        return done_of(self._loops)

    def is_checking(self) -> bool:
        """Returns whether check() may still find that steps() were wrong."""
        return self._checks

    def check(self) -> Optional[Found]:
        """Is called at each lap. Returns the steps anew, 0 where they are not
        known, once it is clear that the innermost loop does not make one each time."""
        loops = running_loops(list(program_frames()))
        same = [each and each[0] for each in loops] == [each and each[0] for each in self._loops]
        place = place_in([each for each in loops if each]) if same else None
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
        number, name = product_of([each for each in loops if each])
        if grown == {1}:
            return None
        if len(grown) > 1 or grown.pop() < 1:
            return 0, name
        each = steady[1] - steady[0]
        return self.steps_done() + len(self._places) + self.is_late + (number - 1 - place) // each, name

    # Rounds of the loops around.

    def _is_of_round(self, index: int) -> bool:
        """Returns whether a comparison ends a loop each time that the one around it goes on."""
        inner, outer = (*self._loops[index:index + 2], None, None)[:2]
        return bool(inner and outer and inner.kind == COMPARISON and starts_anew(inner, outer))

    def ends_in_epoch(self) -> bool:
        """Returns whether the comparison that is watched ends an epoch, and not the training."""
        return self._watched is not None and self._is_of_round(self._loops.index(self._watched))

    def rounds(self) -> Optional[Rounds]:
        """Returns the loops around the innermost one that count, as far as they are the outermost
        ones, where they are not what watch() watches."""
        watched, outer = self._watched, len(self._loops)
        while outer > 1 and _counts_rounds(self._loops[outer - 1], watched):
            outer -= 1
        around = [each for each in self._loops[outer:] if each]
        is_around = watched is not None and watched not in self._loops[:outer]
        if self._is_uneven or is_around or product_of(around)[0] < 2:
            return None
        return Rounds(self._loops[:outer], around, watched)

    def other_epochs(self) -> str:
        """Returns why the epochs of several trainings are not as many as was planned: the loop that
        counts those of the present one has another number. "" where it has not."""
        loop = self.epoch_loop() if self.trainings() else None
        now = bound_now(loop, list(program_frames())) if loop else None
        if loop is None or now is None or now.whole() == loop.whole():
            return ""
        return f"{now.name} is {now.whole()} and was {loop.whole()} in an earlier training"

    # A counter that a comparison ends.

    def is_watching(self) -> bool:
        """Returns whether watch() may still find something."""
        return self._watched is not None

    def stop_watching(self) -> None:
        """Ends what is_watching() and is_checking() tell."""
        self._watched, self._checks = None, False

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
        now, seen = bound_now(bound, frames), self._seen
        present = now.present if now else -1
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
        if grown != each and _varies(seen[1:]):
            return None  # these were alike by chance
        self._watched = None
        # Rounds that the counter does not have yet, and the present one where it has that already.
        rounds = max(0, -(-(bound.stop - counted) // grown)) + _has_counted(bound, frames)
        return laps - (not is_over) + each * max(rounds, int(not is_over)), bound.name


def _counts_rounds(bound: Optional[Bound], watched: Optional[Bound]) -> bool:
    """Returns whether a loop counts its rounds, and is not the one that is watched."""
    return bound is not None and bound is not watched and bound.kind in (*COUNTED, COMPARISON)


def _varies(seen: List[Tuple[int, int]]) -> bool:
    """Returns whether a counter has not always grown by as much."""
    return len({after[1] - before[1] for before, after in zip(seen, seen[1:])}) > 1


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
