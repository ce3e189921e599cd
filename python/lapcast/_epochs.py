"""Numbers the epochs of a plain loop and reports its plan."""

from __future__ import annotations

from lapcast._length import Length
from lapcast._passes import Loader, Pass
from lapcast._report import report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

SOURCE = report.PLAIN


class Epochs:
    """Holds the number of the current or last epoch, and what is known of its laps."""

    def __init__(self, world: Callable[[], int]) -> None:
        self.world = world
        self.length = Length()
        self.number = 0
        self.open = False
        self.laps = 0  # of this epoch
        self.rehearsed = False  # an epoch was broken off and the state before it was restored
        self.resumed_steps = -1  # steps made before this process began; -1 when it did not resume
        self.most_samples = 0  # of a lap
        self.most_fetches = 0

    def report_from_here(self, at: int, in_epochs: bool) -> None:
        """Reports the laps from now on, with the plan that the program's variables tell."""
        if report.active() != SOURCE and report.take(SOURCE, report.LOOP):
            self.length.find(SOURCE, at, in_epochs)

    def begin(self, passing: Pass, at: int) -> None:
        """Begins the next epoch, which PASSING feeds."""
        self.number = self.number + 1 if self.number else self._first(passing)
        self.open = True
        self.laps = 0
        self.report_from_here(passing.begin, in_epochs=True)
        report.epoch_begin(SOURCE, self.number, at)

    def end(self, at: int) -> None:
        report.epoch_end(SOURCE, self.number, at)
        self.open = False

    def rehearse(self) -> None:
        """Takes the epoch back, because an earlier state was restored after it was broken off."""
        self.rehearsed = True
        self.number -= 1
        self.open = False
        report.note("training began again from an earlier state after a pass that was broken off "
                    "(a search for a learning rate?): the laps before that count as laps")

    def _first(self, passing: Pass) -> int:
        """Returns 1, or the epoch at which a resumed training continues."""
        if self.resumed_steps < 0:
            return 1
        laps = -(-passing.loader.length // max(1, passing.fetches))
        if self.resumed_steps and laps and self.resumed_steps % laps == 0:
            return self.resumed_steps // laps + 1
        if passing.loader.epoch > 0:
            return passing.loader.epoch + 1
        report.note("resumed from a checkpoint: its epoch is not known, epochs are counted from 1")
        return 1

    def plan(self, loader: Loader, fetches: int, samples: int, at: int) -> None:
        """Reports the plan after a lap of so many batches and samples, more than any before."""
        self.most_fetches = max(fetches, self.most_fetches)
        self.most_samples = max(samples, self.most_samples)
        if self.most_fetches == 0:
            return
        world = self.world()
        report.plan(
            SOURCE,
            iterations=-(-loader.length // self.most_fetches) or None,
            batch=self.most_samples * world or None,
            train=loader.samples * world or None,
            at=at,
        )
