"""Numbers the epochs of a plain loop and reports its plan."""

from __future__ import annotations

from lapcast._length import Length
from lapcast._passes import Loader, Pass
from lapcast._report import report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

SOURCE = report.PLAIN
MOST_AHEAD = 8  # batches that are fetched before they are needed


class Epochs:
    """Holds the number of the current or last epoch, and what is known of its laps."""

    def __init__(self, world: Callable[[], int]) -> None:
        self.world = world
        self.length = Length()
        self.number = 0
        self.open = False
        self.laps = 0  # of this epoch
        self.laps_before = 0  # of this epoch, made before the process began
        self.rehearsed = False  # an epoch was broken off and the state before it was restored
        self.resumed_steps = -1  # steps made before this process began; -1 when it did not resume
        self.most_samples = 0  # of a lap
        self.most_fetches = 0

    def report_from_here(self, at: int, in_epochs: bool, fetches: int = 1) -> None:
        """Reports the laps from now on, with the plan that the program's variables tell."""
        if report.active() != SOURCE and report.take(SOURCE, report.LOOP):
            self.length.find(SOURCE, at, in_epochs, fetches)

    def begin(self, passing: Pass, at: int, fetches: int) -> None:
        """Begins the next epoch, which PASSING feeds, with FETCHES of it for the first lap."""
        self.report_from_here(passing.begin, True, fetches)
        self.number = self.number + 1 if self.number else self._first(passing, fetches)
        self.open = True
        self.laps = 0
        report.epoch_begin(SOURCE, self.number, at)

    def end(self, at: int) -> None:
        report.epoch_end(SOURCE, self.number, at)
        self.open = False

    def rehearse(self) -> None:
        """Takes the epoch back, because an earlier state was restored after it was broken off."""
        self.rehearsed = True
        self.number -= 1
        self.open = False
        self.length.made -= self.laps
        report.note("training began again from an earlier state after a pass that was broken off "
                    "(a search for a learning rate?): the laps before that count as laps")

    def made_lap(self, at: int) -> None:
        """Is called after each lap, and takes a plan back that it exceeds."""
        if self.laps == 1 and self.open:
            self.length.check_epochs(SOURCE, self.number, at)
        self.length.check(SOURCE, at)

    # A training that was resumed.

    def passes_over(self, batches: int, loader: Loader) -> bool:
        """Returns whether the BATCHES that a resumed training fetched before the first one that it
        worked on were passed over, and not fetched ahead: that many are not fetched ahead, or the
        optimizer's steps say so."""
        if batches > MOST_AHEAD:
            return True
        steps = self.resumed_steps
        return batches > 0 < steps and loader.length > 0 and steps % loader.length == batches

    def _first(self, passing: Pass, fetches: int) -> int:
        """Returns the number of the first epoch, and reports what was done before it: more than
        nothing where a training was resumed."""
        loader, fetches = passing.loader, max(1, fetches)
        self.laps_before = (passing.passed + loader.skipped) // fetches
        laps = -(-(loader.length + loader.skipped) // fetches)
        number = self._number(loader, laps)
        done = (number - 1) * laps + self.laps_before if laps else max(self.resumed_steps, 0)
        if done:
            report.plan(SOURCE, iterations=laps, done=done, at=passing.begin)
        return number

    def _number(self, loader: Loader, laps: int) -> int:
        """Returns the number of the first epoch: by the program's own counter, the steps of the
        optimizer, or its sampler."""
        counter, steps = self.length.nest.epoch_loop(), self.resumed_steps
        if counter is not None and counter.number() > 0:
            return counter.number()
        if steps < 0 and not self.laps_before:
            return 1
        if steps > 0 and laps and (self.laps_before or steps % laps == 0):
            return steps // laps + 1
        if loader.epoch > 0:
            return loader.epoch + 1
        report.note("resumed from a checkpoint: its epoch is not known, epochs are counted from 1")
        return 1

    # Laps of an epoch.

    def whole_pass(self, at: int) -> None:
        """Reports the laps of an epoch after a pass that was made to its end."""
        report.plan(SOURCE, iterations=self.laps + self.laps_before, at=at)
        self.laps_before = 0

    def is_cut(self, passing: Pass) -> bool:
        """Returns whether the program breaks its passes off, and has done so with this one, whose
        last batch it has not used."""
        return 0 < self.length.nest.cut() < passing.fetches

    def plan(self, loader: Loader, fetches: int, samples: int, at: int) -> None:
        """Reports the plan after a lap of so many batches and samples, more than any before."""
        self.most_fetches = max(fetches, self.most_fetches)
        self.most_samples = max(samples, self.most_samples)
        if self.most_fetches == 0:
            return
        world, batches = self.world(), loader.length + loader.skipped
        if self.length.nest.cut():
            batches = min(batches, self.length.nest.cut()) if batches else self.length.nest.cut()
        report.plan(
            SOURCE,
            iterations=-(-batches // self.most_fetches) or None,
            batch=self.most_samples * world or None,
            train=loader.samples * world or None,
            at=at,
        )
