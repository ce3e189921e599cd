"""Notes what was seen of a training that the hook cannot follow, and the line that its program
needs."""

from __future__ import annotations

from lapcast._report import report


class Seen:
    """Counts the optimizers that were made and the loaders that were passed over."""

    def __init__(self) -> None:
        self.optimizers = self.loaders = 0

    def no_step(self, backward_passes: int) -> None:
        """Notes that there are no laps, because no optimizer step was seen."""
        if not report.took_anybody():
            self._note("no optimizer step was seen, so there are no laps",
                       f", backward passes {backward_passes}",
                       "after each iteration: import lapcast; lapcast.iteration(samples)")

    def no_epoch(self, samples: int) -> None:
        """Notes which numbers a loop without a loader does not tell. samples: those of a step, 0
        when not known."""
        missing = ("does not tell how many steps it makes" if samples else
                   "tells neither how many steps it makes nor the samples of one")
        self._note("no epoch was seen, because the steps use no batch of a loader, and the program "
                   f"{missing}", "",
                   "--steps N, or before the loop: import lapcast; lapcast.plan(steps=N)")

    def _note(self, what: str, more: str, line: str) -> None:
        report.note(f"{what}; seen: optimizers {self.optimizers}, loaders {self.loaders}{more}. "
                    f"Add {line}")
