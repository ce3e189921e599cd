"""Infers iterations, epochs and validations of a plain loop from optimizer steps and data passes.

The library's adapter (`_torch.py`) reports what happens: a pass over a loader begins, a batch is
fetched, an optimizer has stepped. The loop concludes from their order:

- One iteration lies between two fetches of training batches between which an optimizer stepped,
  however many optimizers stepped and however often. Fetches without a step are gradient
  accumulation.
- A pass with steps is training, and an epoch (`_training.py`). A pass without steps may be a
  validation (`_evaluations.py`).
- Steps without fetches (batches indexed by hand) are an iteration each, counted by the optimizer
  that stepped first (`_main_optimizer.py`).

python/README.md has the table of states and events. What is concluded late is reported with the time
at which it happened. All times are CLOCK_MONOTONIC, ns.
"""

from __future__ import annotations

from time import monotonic_ns

from lapcast._evaluations import Evaluations
from lapcast._passes import TRAINING, UNKNOWN, VALIDATION, Loader, Pass
from lapcast._seen import Seen
from lapcast._training import Training

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable


class Loop:
    """Is the plain training loop of this process. world() returns the number of its ranks. begun:
    when a first lap without a loader began, at the earliest; 0 when not known."""

    def __init__(self, world: Callable[[], int] = lambda: 1, begun: int = 0) -> None:
        self._seen = Seen()
        self._training = Training(world, begun, self._seen)
        self._evaluations = Evaluations(self._training)

    def steps(self) -> int:
        """Returns the steps of all optimizers so far."""
        return self._training.steps

    def has_begun(self) -> bool:
        """Returns whether a step, or a pass of unknown kind, was seen."""
        return self._training.steps > 0 or bool(self._evaluations.unknown)

    # Passes.

    def begin_pass(self, loader: Loader, now: int) -> Pass:
        """Begins a pass; an older one over the same loader has ended."""
        for passing in [p for p in self._evaluations.unknown if p.loader is loader]:
            self._evaluations.judge(passing, now)
        self._seen.loaders += not loader.seen
        loader.seen = True
        return Pass(loader, now, self._training.steps)

    def before_fetch(self, passing: Pass, gradless: bool, now: int) -> None:
        """Is called when PASSING is asked for its next batch. gradless: gradients are off. now: 0
        for a pass that is training, whose time is seldom needed."""
        training, evaluations = self._training, self._evaluations
        training.close_lap(at_fetch=True)
        if passing.kind == TRAINING:
            if evaluations.current is not None or evaluations.unknown:
                evaluations.break_off(now or monotonic_ns())
            if passing.fetches == passing.loader.length:
                passing.begin = now or monotonic_ns()  # of its next epoch, if it is endless
            return
        rested = passing.at_step != training.steps or passing.kind == VALIDATION
        if rested and passing is not evaluations.current:
            passing.begin_again(now, training.steps)  # training continued meanwhile
        evaluations.fetches(passing, gradless)

    def fetched(self, passing: Pass, samples: int, now: int) -> None:
        """Is called when PASSING returned a batch of so many samples. now: 0 for a pass that was
        training when the batch was asked for."""
        training = self._training
        feeds_epoch = passing is training.epoch_pass
        if feeds_epoch and passing.fetches == passing.loader.length and training.splits(passing):
            self._evaluations.unknown.append(passing)
        passing.fetches += 1
        passing.samples += samples
        passing.size = samples
        if passing.kind == TRAINING:
            training.samples += samples
            if feeds_epoch:
                training.fetches += 1
            return
        passing.before, passing.last = passing.last, now or passing.begin
        passing.at_step = training.steps

    def exhausted(self, passing: Pass, now: int) -> None:
        """Is called when PASSING has no more batches."""
        if passing is self._training.epoch_pass:
            self._training.exhausted(now)
        elif passing.kind == TRAINING:
            self._training.joined_end = now
        elif passing is self._evaluations.current:
            self._evaluations.end(now)
        elif passing in self._evaluations.unknown:
            self._evaluations.judge(passing, now, exhausted=True)

    # Steps.

    def made_optimizer(self, now: int) -> None:
        """Is called when an optimizer was made."""
        self._seen.optimizers += 1
        self._training.begun = now

    def backward(self, now: int) -> None:
        """Is called when the first backward pass begins, which works on one batch: those fetched
        before it were fetched ahead, or passed over by a training that was resumed."""
        if self._seen.optimizers == 0:
            self._training.begun = now
        for passing in self._evaluations.unknown[-1:]:
            self._training.first_batch(passing)

    def backward_passes(self, count: int) -> None:
        """Is called when the first optimizer steps, after COUNT backward passes."""
        self._training.backward_passes = count

    def step_begins(self, optimizer: Any) -> None:
        """Is called when a step begins that may take long, as it evaluates the model itself."""
        self._find_pass_of_step()
        self._training.step_begins(optimizer)

    def step(self, optimizer: Any, now: int, queued: Any = False) -> None:
        """Is called when OPTIMIZER has stepped, or did not step because its gradients were not
        finite. queued: its work may go on, as `report.iteration` takes it."""
        evaluations = self._evaluations
        self._find_pass_of_step()
        if evaluations.begun or evaluations.evaluating:
            evaluations.stepped()
        self._training.step(optimizer, now, queued)

    def _find_pass_of_step(self) -> None:
        if self._evaluations.unknown or self._evaluations.current is not None:
            self._find_training_pass()

    def _find_training_pass(self) -> None:
        """Finds the passes that feed the training, at a step: the one fetched last since the
        previous step, and those fetched while it ran, as in zip(a, b). The first of them is the
        epoch's."""
        training, evaluations = self._training, self._evaluations
        if training.is_ahead_of_epoch() and evaluations.unknown == [training.epoch_pass]:
            return  # an endless pass went on, but the step is made with a batch fetched before
        passes = evaluations.fetched_since_step()
        if not passes:
            return
        newest = max(passes, key=lambda passing: passing.last)
        passes = [p for p in passes if p.last >= newest.begin]
        if training.needs_pass():
            if passes[0] is evaluations.current:
                evaluations.end(newest.begin)
            training.begin_epoch(passes[0])
            evaluations.forget(passes[0])
        for other in passes:
            if other.kind == UNKNOWN and not other.gradless:
                training.join(other)
                evaluations.forget(other)

    # Events other than passes and steps.

    def evaluation(self, now: int, gradless: bool = False) -> None:
        """Is called when a model was set to evaluation. gradless: gradients are off."""
        if self._training.step_times:
            self._training.settle()
        self._evaluations.evaluation(now, gradless)

    def training(self, now: int) -> None:
        """Is called when a model was set back to training."""
        self._evaluations.training_again(now)

    def gradless_end(self, now: int) -> None:
        """Is called when a region without gradients has ended."""
        self._evaluations.gradless_ended = now

    def begin_again(self, now: int) -> int:
        """Is called when what looked like the training was only its preparation: the training
        begins at NOW. Returns when the preparation began."""
        for passing in self._evaluations.unknown:
            passing.begin_again(now, 0)  # its batches were those of the preparation
        begun, self._training.begun = self._training.begun, now
        return begun

    def close_lap(self) -> None:
        """Reports the lap in progress."""
        self._training.close_lap()

    def other_begins(self, now: int) -> None:
        """Is called when a checkpoint begins, or a state was loaded."""
        self._evaluations.other_begins(now)

    def settle(self) -> None:
        """Reports what has happened, before something else begins."""
        self._training.settle()

    def state_loaded(self, optimizer_steps: int = -1) -> None:
        """Is called when a state was loaded: a model's, or an optimizer's of so many steps (0: not
        counted)."""
        self._training.state_loaded(optimizer_steps)

    def no_step(self, backward_passes: int) -> None:
        """Notes that there are no laps, because steps are not seen."""
        self._seen.no_step(backward_passes)

    def finish(self, now: int = 0, backward_passes: int = 0) -> None:
        """Reports the rest when the process ends."""
        self._training.settle()
        self._evaluations.finish(now)
        if self._training.steps == 0 and (self._evaluations.unused or backward_passes):
            self.no_step(backward_passes)
