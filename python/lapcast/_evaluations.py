"""Decides which passes over loaders, and which stretches of time without one, were validations.

A pass without steps is a validation when gradients were off, the model was set to evaluation, or
training had begun before. Without a loader a validation lasts from eval() to the last end of a
region without gradients, or to train().
"""

from __future__ import annotations

from lapcast._passes import UNKNOWN, VALIDATION, Pass
from lapcast._report import report
from lapcast._training import Training

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List, Optional

SOURCE = report.PLAIN
AT_ONCE = 200_000  # ns
MOST_TIMES = 3  # longer than earlier ones, at the end of the program


class Evaluations:
    """Reports the validations beside a training."""

    def __init__(self, training: Training) -> None:
        self.training = training
        self.unknown: List[Pass] = []  # passes whose kind is not known yet
        self.current: Optional[Pass] = None  # the pass that is being reported as a validation
        self.unused = False  # a pass was neither training nor a validation
        self.evaluating = False  # a model was set to evaluation, and no step has followed
        self.begun = 0  # when a validation without a loader began, 0 while there is none
        self.begun_gradless = False  # in a region whose end is not seen
        self.gradless_ended = 0
        self.longest = 0  # time of those that train() ended, in ns

    # Passes.

    def fetches(self, passing: Pass, gradless: bool) -> None:
        """Is called when PASSING, which does not feed the training, is asked for a batch."""
        if passing.fetches == 0 and passing not in self.unknown and passing is not self.current:
            self.unknown.append(passing)
        passing.gradless |= gradless
        passing.evaluates |= self.evaluating
        if passing.gradless and passing.fetches and passing.kind == UNKNOWN:
            self.begin(passing)

    def forget(self, passing: Pass) -> None:
        """Takes PASSING out of the passes whose kind is not known."""
        if passing in self.unknown:
            self.unknown.remove(passing)

    def fetched_since_step(self) -> List[Pass]:
        """Returns the passes that do not feed the training and were fetched since its last step."""
        passes = self.unknown + ([self.current] if self.current is not None else [])
        return [p for p in passes if p.fetches and p.at_step == self.training.steps]

    def judge(self, passing: Pass, now: int, exhausted: bool = False) -> None:
        """Reports a pass that is over as a validation, if it looks like one: it had no steps."""
        self.forget(passing)
        looks = passing.gradless or passing.evaluates or (exhausted and self.training.laps > 0)
        if looks and passing.fetches:
            self.begin(passing)
            self.end(passing.left or now)
        elif passing.fetches > 1:
            self.unused = True

    def begin(self, passing: Pass) -> None:
        """Begins to report PASSING as a validation."""
        if self.current is not None:
            self.end(passing.begin)
        self.training.settle()
        self.forget(passing)
        passing.kind = VALIDATION
        self.current = passing
        self.begun = self.gradless_ended = 0  # the times of the pass are better
        report.validation_begin(SOURCE, max(passing.begin, self.training.lap_end))

    def end(self, now: int) -> None:
        """Ends the validation that is being reported, if there is one."""
        passing, self.current = self.current, None
        if passing is not None:
            report.validation_end(SOURCE, passing.samples, now)

    def break_off(self, now: int) -> None:
        """Ends the validation that is being reported, and judges what looks like one, because
        training goes on."""
        self.end(now)
        for passing in self._left():
            self.judge(passing, now)

    def _left(self) -> List[Pass]:
        """Returns the passes that look like validations and were fetched since the last step."""
        return [passing for passing in self.unknown if passing.at_step == self.training.steps
                and (passing.gradless or passing.evaluates)]

    # Validations without a loader.

    def evaluation(self, now: int, gradless: bool) -> None:
        """Is called when a model was set to evaluation. Before the first lap only a stretch without
        gradients is taken for a validation, because models are also made in evaluation mode."""
        self.evaluating = True
        if (self.training.laps or gradless) and self.training.is_between_laps() and self.begun == 0:
            self.begun, self.begun_gradless, self.gradless_ended = now, gradless, 0

    def other_begins(self, now: int) -> None:
        """Is called when a checkpoint begins or a file is read, which ends an evaluation with
        gradients. eval() just before it was for the checkpoint."""
        is_open = self.begun_gradless or self.gradless_ended
        if self.begun and not is_open and now - self.begun > AT_ONCE:
            self.end_by_hand(now)

    def training_again(self, now: int) -> None:
        """Is called when a model was set back to training. A single batch that was fetched in
        evaluation mode may be the first one of an epoch whose every step calls train()."""
        self.end(now)
        end = self.gradless_ended or now
        for passing in self._left():
            ambiguous = passing.fetches == 1 and not passing.gradless
            if ambiguous and not self.training.is_without_loader() and self.gradless_ended <= passing.last:
                passing.left, end = now, self.gradless_ended
            else:
                self.judge(passing, now)
        if self.begun and not self.gradless_ended:
            self.longest = max(self.longest, end - self.begun)
        self.end_by_hand(end)
        self.evaluating = False

    def end_by_hand(self, end: int) -> None:
        """Reports a validation without a loader that ended at END, if one had begun before."""
        begin, self.begun, self.gradless_ended = self.begun, 0, 0
        if 0 < begin < end:
            self.training.settle()
            report.validation_begin(SOURCE, begin)
            report.validation_end(SOURCE, 0, end)

    def stepped(self) -> None:
        """Is called at a step, which ends a validation without a loader."""
        if self.begun:
            self.end_by_hand(self.gradless_ended)
        self.evaluating = False

    def finish(self, now: int) -> None:
        """Reports the rest when the process ends, at NOW."""
        if self.current is not None:
            self.end(self.current.last)
        for passing in self.unknown[:]:
            self.judge(passing, passing.last)
        usual = now if now - self.begun <= MOST_TIMES * self.longest else 0  # other work may follow
        self.end_by_hand(self.gradless_ended or (now if self.begun_gradless else usual))
