"""Infers iterations, epochs and validations of a plain loop from optimizer steps and data passes.

The library's adapter (`_torch.py`) reports what happens: a pass over a loader begins, a batch is
fetched, an optimizer has stepped. This module concludes from their order:

- One iteration lies between two fetches of training batches between which an optimizer stepped,
  however many optimizers stepped and however often. Fetches without a step are gradient
  accumulation.
- A pass with steps is training, and an epoch. A pass without steps is a validation when gradients
  were off, the model was set to evaluation, or training had begun before.
- Steps without fetches (batches indexed by hand) are an iteration each, counted by the optimizer
  that stepped first.

What is concluded late is reported with the time at which it happened. All times are
CLOCK_MONOTONIC, ns.
"""

from __future__ import annotations

import weakref

from lapcast import _report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, List, Optional

SOURCE = "torch"
# More steps than this on one batch mean that the batches come from another source.
UNFED_STEPS = 16

UNKNOWN, TRAINING, VALIDATION = range(3)


class Loader:
    """Holds what is known of one loader over all its passes.

    length: batches of a pass, 0 when not known. samples: those of a pass in this process, 0 when
    not known. batch: samples of every batch except perhaps the last, 0 when each must be examined.
    epoch: the epoch that its sampler was told (from 0), -1 when it was told none."""

    __slots__ = ("length", "samples", "batch", "epoch")

    def __init__(self, length: int = 0, samples: int = 0, batch: int = 0, epoch: int = -1) -> None:
        self.length = length
        self.samples = samples
        self.batch = batch
        self.epoch = epoch


class Pass:
    """Is one pass over a loader, from its begin to its last batch, or until it is broken off."""

    __slots__ = ("loader", "kind", "begin", "last", "fetches", "samples", "at_step", "gradless",
                 "evaluates")

    def __init__(self, loader: Loader, begin: int, at_step: int) -> None:
        self.loader = loader
        self.kind = UNKNOWN
        self.begin = begin
        self.last = begin  # time of the last batch
        self.fetches = 0
        self.samples = 0
        self.at_step = at_step  # steps of the loop at the last batch
        self.gradless = False  # gradients were off at a fetch
        self.evaluates = False  # the model was in evaluation at a fetch


class Loop:
    """Is the only training loop of this process. world() returns the number of its ranks."""

    def __init__(self, world: Callable[[], int] = lambda: 1) -> None:
        self.world = world
        self.unknown: List[Pass] = []  # passes whose kind is not known yet
        self.validation: Optional[Pass] = None  # the pass that is being reported as a validation
        self.epoch_pass: Optional[Pass] = None  # the pass that feeds the current epoch
        self.epoch = 0  # number of the current or last epoch
        self.epoch_open = False
        # the end of the epoch's pass, which is reported when something else begins
        self.exhausted_at = 0
        self.joined_end = 0  # the end of a second pass that feeds the epoch
        self.rehearsed = False  # an epoch was broken off and the state before it was restored

        self.lead: Any = None  # weak reference to the optimizer whose steps count
        self.known: Any = weakref.WeakSet()  # optimizers that stepped
        self.steps = 0  # of all optimizers
        self.by_step = False  # every step of the lead is an iteration
        self.step_times: List[int] = []  # of the lead, since the last lap
        # weak reference to the optimizer, other than the lead, that stepped last
        self.other: Any = None
        self.other_times: List[int] = []  # its consecutive steps, when by_step is true
        self.queued = False  # the work of the last step may not have finished
        self.samples = 0  # fetched for training since the last lap
        self.fetches = 0  # of the epoch's pass since the last lap

        self.laps = 0
        self.laps_of_epoch = 0
        self.lap_end = 0
        self.last_samples = 0
        self.most_samples = 0
        self.most_fetches = 0

        self.unused = False  # a pass was neither training nor a validation
        self.evaluating = False  # a model was set to evaluation, and no step has followed
        self.eval_begin = 0  # of a validation without a loader
        self.eval_end = 0
        self.restored = False  # a state was loaded since the last lap
        self.resumed_steps = -1  # steps made before this process began; -1 when it did not resume

    # Passes.

    def begin_pass(self, loader: Loader, now: int) -> Pass:
        """Begins a pass; an older one over the same loader has ended."""
        for passing in [p for p in self.unknown if p.loader is loader]:
            self._judge(passing, now)
        return Pass(loader, now, self.steps)

    def before_fetch(self, passing: Pass, gradless: bool, now: int) -> None:
        """Is called when PASSING is asked for its next batch. gradless: gradients are off."""
        if self.step_times:
            self.close_lap()
        if passing.kind == TRAINING:
            if self.validation is not None or self.unknown:
                self._training_goes_on(now)
            return
        if passing.at_step != self.steps or passing.kind == VALIDATION:
            self._begin_again(passing, now)
        if passing.fetches == 0 and passing not in self.unknown and passing is not self.validation:
            self.unknown.append(passing)
        passing.gradless |= gradless
        passing.evaluates |= self.evaluating
        if passing.gradless and passing.fetches and passing.kind == UNKNOWN:
            self._begin_validation(passing)

    def _begin_again(self, passing: Pass, now: int) -> None:
        """Forgets everything before this fetch, because the pass rested while training
        continued."""
        if passing is self.validation:
            return
        passing.kind = UNKNOWN
        passing.begin, passing.at_step = now, self.steps
        passing.fetches = passing.samples = 0
        passing.gradless = passing.evaluates = False

    def fetched(self, passing: Pass, samples: int, now: int) -> None:
        """Is called when PASSING returned a batch of so many samples."""
        passing.fetches += 1
        passing.samples += samples
        passing.last = now
        passing.at_step = self.steps
        if passing.kind == TRAINING:
            self.samples += samples
            if passing is self.epoch_pass:
                self.fetches += 1

    def exhausted(self, passing: Pass, now: int) -> None:
        """Is called when PASSING has no more batches."""
        if passing is self.epoch_pass:
            self.close_lap()
            self.exhausted_at = now
        elif passing.kind == TRAINING:
            self.joined_end = now
        elif passing is self.validation:
            self._end_validation(now)
        elif passing in self.unknown:
            self._judge(passing, now, exhausted=True)

    # Validations.

    def _judge(self, passing: Pass, now: int, exhausted: bool = False) -> None:
        """Decides whether a pass without steps, which is over, was a validation."""
        if passing in self.unknown:
            self.unknown.remove(passing)
        looks = passing.gradless or passing.evaluates or (exhausted and self.laps > 0)
        if looks and passing.fetches:
            self._begin_validation(passing)
            self._end_validation(now)
        elif passing.fetches > 1:
            self.unused = True

    def _begin_validation(self, passing: Pass) -> None:
        if self.validation is not None:
            self._end_validation(passing.begin)
        self.settle()
        if passing in self.unknown:
            self.unknown.remove(passing)
        passing.kind = VALIDATION
        self.validation = passing
        self.eval_begin = self.eval_end = 0  # the pass tells more
        _report.validation_begin(SOURCE, max(passing.begin, self.lap_end))

    def _end_validation(self, now: int) -> None:
        passing, self.validation = self.validation, None
        if passing is not None:
            _report.validation_end(SOURCE, passing.samples, now)

    def _training_goes_on(self, now: int) -> None:
        """Breaks off what is not training and has not ended."""
        self._end_validation(now)
        for passing in self.unknown[:]:
            if passing.at_step == self.steps and (passing.gradless or passing.evaluates):
                self._judge(passing, now)

    def evaluation(self, now: int) -> None:
        """Is called when a model was set to evaluation."""
        self.evaluating = True
        if self.step_times:
            self.settle()
        if self.laps and self.samples == 0 and self.eval_begin == 0:
            self.eval_begin, self.eval_end = now, 0

    def training(self, now: int) -> None:
        """Is called when a model was set back to training."""
        self._training_goes_on(now)
        self._validated_by_hand(self.eval_end or now)
        self.evaluating = False

    def gradless_end(self, now: int) -> None:
        """Is called when a region without gradients has ended."""
        self.eval_end = now

    def _validated_by_hand(self, end: int) -> None:
        """Reports a validation without a loader, between eval() and train()."""
        begin, self.eval_begin, self.eval_end = self.eval_begin, 0, 0
        if 0 < begin < end:
            self.settle()
            _report.validation_begin(SOURCE, begin)
            _report.validation_end(SOURCE, 0, end)

    # Steps and iterations.

    def step(self, optimizer: Any, now: int, queued: bool = False) -> None:
        """Is called when OPTIMIZER has stepped, or did not step because its gradients were not
        finite."""
        if self.unknown or self.validation is not None:
            self._find_training_pass()
        if self.eval_begin:
            self._validated_by_hand(self.eval_end)
        if (self.lead is None or self.lead() is not optimizer) and not self._takes_over(optimizer):
            self._step_of_other(optimizer, now)
        else:
            self.step_times.append(now)
        self.queued = queued
        self.steps += 1
        self.evaluating = False
        if self.by_step or len(self.step_times) > UNFED_STEPS:
            self._laps_by_step()

    def _step_of_other(self, optimizer: Any, now: int) -> None:
        """Notes a step of an optimizer other than the lead, which is no lap while the lead
        steps."""
        if self.by_step:
            if self.other is None or self.other() is not optimizer:
                self.other = weakref.ref(optimizer)
                self.other_times.clear()
            self.other_times.append(now)
        elif self.step_times:
            self.step_times[-1] = now
        else:
            self.step_times.append(now)

    def _takes_over(self, optimizer: Any) -> bool:
        """Returns whether OPTIMIZER, which is not the lead, counts the iterations from now on."""
        lead = self.lead() if self.lead is not None else None
        alone = len(self.other_times) >= UNFED_STEPS
        if lead is not None and not alone and not self._is_new(optimizer):
            self.known.add(optimizer)
            return False
        if self.laps and (alone or self.by_step or self.laps_of_epoch == 0) and not self.rehearsed:
            _report.note("two training loops in one script: their laps and epochs are counted on "
                         "together", at=self.lap_end)
        if self.lead is None and self.epoch_pass is None:
            self._report_from_here()
            self.by_step = True
        self.known.add(optimizer)
        self.lead = weakref.ref(optimizer)
        self.step_times += self.other_times
        self.other_times.clear()
        return True

    def _is_new(self, optimizer: Any) -> bool:
        """Returns whether OPTIMIZER is seen for the first time, in the first iteration of a later
        epoch."""
        return (not self.by_step and self.laps > 0 and self.laps_of_epoch == 0
                and not self.step_times and optimizer not in self.known)

    def _find_training_pass(self) -> None:
        """Finds the passes that feed the training, at a step: the one fetched last since the
        previous step, and those fetched while it ran, as in zip(a, b). The first of them is the
        epoch's."""
        candidates = self.unknown + ([self.validation] if self.validation is not None else [])
        fed = [p for p in candidates if p.fetches and p.at_step == self.steps]
        if not fed:
            return
        newest = max(fed, key=_last_fetch)
        fed = [p for p in fed if p.last >= newest.begin]
        if self.epoch_pass is None or self.fetches == 0 or self.exhausted_at:
            if fed[0] is self.validation:
                self._end_validation(newest.begin)
            self._begin_epoch(fed[0])
        for other in fed:
            if other.kind == UNKNOWN and not other.gradless:
                self._join(other)

    def _join(self, passing: Pass) -> None:
        """Makes PASSING feed the iterations in addition to the epoch's own pass."""
        self.unknown.remove(passing)
        passing.kind = TRAINING
        self.samples += passing.samples

    def _laps_by_step(self) -> None:
        """Counts steps as laps: batches come from no loader, or several steps are made with
        each."""
        if not self.by_step:
            self.by_step = True
            _report.plan(SOURCE, iterations=0, at=self.lap_end)
            if self.exhausted_at:
                self._report_epoch_end(self.exhausted_at)
        samples = self.samples or self.last_samples
        for at in self.step_times:
            self._report_lap(samples, at)
        if self.step_times:
            self.other_times.clear()
            self._lap_is_over(samples)

    def close_lap(self) -> None:
        """Ends the iteration whose steps were seen."""
        if not self.step_times or self.by_step:
            return
        self._report_lap(self.samples, self.step_times[-1])
        if self.fetches > self.most_fetches or self.samples > self.most_samples:
            self._plan()
        self._lap_is_over(self.samples)

    def _report_lap(self, samples: int, at: int) -> None:
        _report.iteration(SOURCE, samples, self.queued, at)
        self.laps += 1
        self.laps_of_epoch += 1
        self.lap_end = at

    def _lap_is_over(self, samples: int) -> None:
        self.step_times.clear()
        self.last_samples = samples
        self.samples = self.fetches = 0
        self.restored = False

    # Epochs and the plan.

    def _begin_epoch(self, passing: Pass) -> None:
        self._end_epoch()
        if passing in self.unknown:
            self.unknown.remove(passing)
        passing.kind = TRAINING
        self.by_step = False
        self.epoch_pass = passing
        self.samples, self.fetches = passing.samples, passing.fetches
        self.laps_of_epoch = 0
        self.epoch = self.epoch + 1 if self.epoch else self._first_epoch(passing)
        self.epoch_open = True
        self._report_from_here()
        _report.epoch_begin(SOURCE, self.epoch, max(passing.begin, self.lap_end))

    def _report_from_here(self) -> None:
        if _report.active() != SOURCE:
            _report.take(SOURCE, _report.LOOP)

    def _first_epoch(self, passing: Pass) -> int:
        """Returns 1, or the epoch at which a resumed training continues."""
        if self.resumed_steps < 0:
            return 1
        laps = -(-passing.loader.length // max(1, passing.fetches))
        if self.resumed_steps and laps and self.resumed_steps % laps == 0:
            return self.resumed_steps // laps + 1
        if passing.loader.epoch > 0:
            return passing.loader.epoch + 1
        _report.note("resumed from a checkpoint: its epoch is not known, epochs are counted from 1")
        return 1

    def _end_epoch(self) -> None:
        """Ends the epoch, whose pass is exhausted or was left for another one."""
        restored = self.restored  # before or after the lap in progress
        self.close_lap()
        if not self.epoch_open:
            return
        if self.exhausted_at:
            if self.laps_of_epoch and not self.by_step:
                _report.plan(SOURCE, iterations=self.laps_of_epoch, at=self.lap_end)
            self._report_epoch_end(max(self.exhausted_at, self.lap_end))
        elif restored and not self.rehearsed:
            self._rehearsal()
        else:
            self._report_epoch_end(self.lap_end)

    def _report_epoch_end(self, at: int) -> None:
        _report.epoch_end(SOURCE, self.epoch, at)
        self.epoch_open = False
        self.exhausted_at = 0

    def _rehearsal(self) -> None:
        self.rehearsed = True
        self.epoch -= 1
        self.epoch_open = False
        _report.note("training began again from an earlier state after a pass that was broken off (a "
                     "search for a learning rate?): the laps before that count as laps",
                     at=self.lap_end)

    def _plan(self) -> None:
        self.most_fetches = max(self.fetches, self.most_fetches)
        self.most_samples = max(self.samples, self.most_samples)
        if self.epoch_pass is None or self.most_fetches == 0:
            return
        loader, world = self.epoch_pass.loader, self.world()
        _report.plan(
            SOURCE,
            iterations=-(-loader.length // self.most_fetches) or None,
            batch=self.most_samples * world or None,
            train=loader.samples * world or None,
            at=self.lap_end,
        )

    # Events other than passes and steps.

    def settle(self) -> None:
        """Reports what has happened, before something else begins."""
        passing = self.epoch_pass
        if len(self.step_times) > 1 and passing and passing.fetches == 1 and not self.exhausted_at:
            self._laps_by_step()  # a single batch, with which all steps are made
        self.close_lap()
        if self.joined_end > self.lap_end and not self.exhausted_at:
            self.exhausted_at = self.joined_end  # zip(a, b) ends with the shorter one
        if self.exhausted_at:
            self._end_epoch()

    def state_loaded(self, optimizer_steps: int = -1) -> None:
        """Is called when a state was loaded: a model's, or an optimizer's of so many steps (0: not
        counted)."""
        self.close_lap()
        self.restored = True
        if self.laps == 0 and optimizer_steps >= 0:
            self.resumed_steps = max(self.resumed_steps, optimizer_steps)

    def finish(self) -> None:
        """Reports the rest when the process ends."""
        self.settle()
        if self.validation is not None:
            self._end_validation(self.validation.last)
        for passing in self.unknown[:]:
            self._judge(passing, passing.last)
        self._validated_by_hand(self.eval_end)
        if self.unused and self.steps == 0 and not _report.took_anybody():
            _report.note("no optimizer step was seen (it is compiled, or of no optimizer of "
                         "torch.optim): no laps")


def _last_fetch(passing: Pass) -> int:
    return passing.last
