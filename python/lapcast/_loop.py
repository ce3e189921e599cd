"""Infers iterations, epochs and validations of a plain loop from optimizer steps and data passes.

The library's adapter (`_torch.py`) reports what happens: a pass over a loader begins, a batch is
fetched, an optimizer has stepped. This module concludes from their order:

- One iteration lies between two fetches of training batches between which an optimizer stepped,
  however many optimizers stepped and however often. Fetches without a step are gradient
  accumulation.
- A pass with steps is training, and an epoch. A pass without steps may be a validation
  (`_evaluations.py`).
- Steps without fetches (batches indexed by hand) are an iteration each, counted by the optimizer
  that stepped first.

python/README.md has the table of states and events. What is concluded late is reported with the time
at which it happened. All times are CLOCK_MONOTONIC, ns.
"""

from __future__ import annotations

from lapcast import _report
from lapcast._epochs import Epochs
from lapcast._evaluations import SOURCE, Evaluations
from lapcast._lead import UNFED_STEPS, Lead
from lapcast._passes import TRAINING, UNKNOWN, VALIDATION, Loader, Pass
from lapcast._seen import Seen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional

# The states of a loop. IDLE: no epoch is open. FED: a pass feeds the open epoch. DRAINED: that pass
# has no more batches. UNFED: every step of the lead is a lap; the batches come from no loader.
IDLE, FED, DRAINED, UNFED = "idle", "fed", "drained", "unfed"


class Loop:
    """Is the only training loop of this process. world() returns the number of its ranks. begun:
    when a first lap without a loader began, at the earliest; 0 when not known."""

    def __init__(self, world: Callable[[], int] = lambda: 1, begun: int = 0) -> None:
        self.begun = begun
        self.seen = Seen()
        self.state = IDLE
        self.epochs = Epochs(world)
        self.aside = Evaluations(self)
        self.lead = Lead(self)
        self.epoch_pass: Optional[Pass] = None  # the pass that feeds the current epoch
        self.exhausted_at = 0  # the end of the epoch's pass, reported when something else begins
        self.joined_end = 0  # the end of a second pass that feeds the epoch

        self.steps = 0  # of all optimizers
        self.step_times: List[int] = []  # of the lead, since the last lap
        self.queued = False  # the work of the last step may not have finished
        self.marks: Dict[int, Any] = {}  # by a step's time: what `_report.iteration` is given
        self.samples = 0  # fetched for training since the last lap
        self.fetches = 0  # of the epoch's pass since the last lap
        self.backward_passes = 0  # before the first step
        self.ahead = 0  # batches that were fetched before the first lap of the epoch, for later laps
        self.lap_steps = 0  # of the lead, in the last lap
        self.laps = 0
        self.lap_end = 0
        self.last_samples = 0
        self.restored = False  # a state was loaded since the last lap

    def has_begun(self) -> bool:
        """Returns whether a step or a pass was seen that a trainer would have to be told of."""
        return self.steps > 0 or bool(self.aside.unknown)

    # Passes.

    def begin_pass(self, loader: Loader, now: int) -> Pass:
        """Begins a pass; an older one over the same loader has ended."""
        for passing in [p for p in self.aside.unknown if p.loader is loader]:
            self.aside.judge(passing, now)
        self.seen.loaders += not loader.seen
        loader.seen = True
        return Pass(loader, now, self.steps)

    def before_fetch(self, passing: Pass, gradless: bool, now: int) -> None:
        """Is called when PASSING is asked for its next batch. gradless: gradients are off."""
        if self.step_times:
            self.close_lap()
        aside = self.aside
        if passing.kind == TRAINING:
            if aside.current is not None or aside.unknown:
                aside.break_off(now)
            if passing.fetches == passing.loader.length:
                passing.begin = now  # of its next epoch, if it is endless
            return
        rested = passing.at_step != self.steps or passing.kind == VALIDATION
        if rested and passing is not aside.current:
            passing.begin_again(now, self.steps)  # training continued meanwhile
        aside.fetches(passing, gradless)

    def fetched(self, passing: Pass, samples: int, now: int) -> None:
        """Is called when PASSING returned a batch of so many samples. now: 0 for a pass that was
        training when the batch was asked for."""
        if passing is self.epoch_pass:
            if passing.fetches == passing.loader.length:
                self._split(passing)
            if passing.kind == TRAINING:
                self.fetches += 1
        passing.fetches += 1
        passing.samples += samples
        passing.size = samples
        if passing.kind == TRAINING:
            self.samples += samples
            return
        passing.last = now or passing.begin
        passing.at_step = self.steps

    def _split(self, passing: Pass) -> None:
        """Ends the epoch of a pass that goes on after the loader's length, as a new pass."""
        if passing.kind != TRAINING or not passing.loader.is_exact():
            return
        passing.loader.endless = True
        if self.epochs.open:
            self._drain(passing.begin)
        passing.begin_again(passing.begin, self.steps)
        self.aside.unknown.append(passing)

    def exhausted(self, passing: Pass, now: int) -> None:
        """Is called when PASSING has no more batches."""
        if passing is self.epoch_pass:
            self.close_lap()
            if self.epochs.open:
                self._drain(now)
        elif passing.kind == TRAINING:
            self.joined_end = now
        elif passing is self.aside.current:
            self.aside.end(now)
        elif passing in self.aside.unknown:
            self.aside.judge(passing, now, exhausted=True)

    def _drain(self, now: int) -> None:
        self.exhausted_at = now
        if self.state is FED:
            self.state = DRAINED

    # Evaluation.

    def evaluation(self, now: int, gradless: bool = False) -> None:
        """Is called when a model was set to evaluation. gradless: gradients are off."""
        if self.step_times:
            self.settle()
        self.aside.evaluation(now, gradless)

    def is_between_laps(self) -> bool:
        """Returns whether no batch was fetched for the next lap, except those fetched ahead."""
        return self.fetches <= self.ahead if self.ahead else self.samples == 0

    def training(self, now: int) -> None:
        """Is called when a model was set back to training."""
        self.aside.training(now)

    def gradless_end(self, now: int) -> None:
        """Is called when a region without gradients has ended."""
        self.aside.gradless_ended = now

    # Steps and iterations.

    def made_optimizer(self, now: int) -> None:
        """Is called when an optimizer was made."""
        self.seen.optimizers += 1
        self.begun = now

    def backward(self, now: int) -> None:
        """Is called when the first backward pass begins, which works on one batch: those fetched
        beside it were fetched ahead."""
        if self.seen.optimizers == 0:
            self.begun = now
        self.ahead = max([passing.fetches - 1 for passing in self.aside.unknown[-1:]] + [0])

    def step(self, optimizer: Any, now: int, queued: Any = False) -> None:
        """Is called when OPTIMIZER has stepped, or did not step because its gradients were not
        finite. queued: its work may go on, as `_report.iteration` takes it."""
        aside = self.aside
        if aside.unknown or aside.current is not None:
            self._find_training_pass()
        if aside.begun or aside.evaluating:
            aside.stepped()
        if self.lead.optimizer() is optimizer:
            if self.ahead and 0 < self.lap_steps <= len(self.step_times):
                if self.fetches > self.epochs.most_fetches:
                    self.close_lap()  # this step's batch was fetched before the last one's step
            self.step_times.append(now)
        else:
            self.lead.step_of_other(optimizer, now)
        self.queued = False
        if queued:
            self.queued, self.marks[now] = True, queued
        self.steps += 1
        if self.state is UNFED or len(self.step_times) > UNFED_STEPS:
            self._laps_by_step()

    def is_unfed(self) -> bool:
        """Returns whether every step of the lead is a lap."""
        return self.state is UNFED

    def begin_unfed(self) -> None:
        """Begins a training without a loader, whose first lap began before its first step."""
        length = self.epochs.length
        self.epochs.report_from_here(self.begun, in_epochs=False)
        _report.lap_begins(SOURCE, self.begun)
        self.state = UNFED
        if self.backward_passes == 1 and self.epochs.world() == 1:
            self.last_samples = length.batch
        if not _report.planned("steps") and length.epochs is None:
            self.seen.no_epoch(self.last_samples)

    def _find_training_pass(self) -> None:
        """Finds the passes that feed the training, at a step: the one fetched last since the
        previous step, and those fetched while it ran, as in zip(a, b). The first of them is the
        epoch's."""
        aside = self.aside
        if self.state is DRAINED and self.fetches and self.ahead:
            if aside.unknown == [self.epoch_pass]:
                return  # an endless pass went on, but the step is made with a batch fetched before
        candidates = aside.unknown + ([aside.current] if aside.current is not None else [])
        fed = [p for p in candidates if p.fetches and p.at_step == self.steps]
        if not fed:
            return
        newest = max(fed, key=lambda passing: passing.last)
        fed = [p for p in fed if p.last >= newest.begin]
        if self.epoch_pass is None or self.fetches == 0 or self.exhausted_at:
            if fed[0] is aside.current:
                aside.end(newest.begin)
            self._begin_epoch(fed[0])
        for other in fed:
            if other.kind == UNKNOWN and not other.gradless:
                self._join(other)

    def _join(self, passing: Pass) -> None:
        """Makes PASSING feed the iterations in addition to the epoch's own pass."""
        self.aside.unknown.remove(passing)
        passing.kind = TRAINING
        self.samples += passing.samples

    def _laps_by_step(self) -> None:
        """Counts steps as laps: batches come from no loader, or several steps are made with
        each."""
        if self.state is not UNFED:
            self.state = UNFED
            _report.plan(SOURCE, iterations=0, at=self.lap_end)
            if self.exhausted_at:
                self._epoch_ends(self.exhausted_at)
        if not self.step_times:
            return
        samples = self.samples or self.last_samples
        for at in self.step_times:
            _report.iteration(SOURCE, samples, self.marks.get(at, self.queued), at)
            self.epochs.length.watch(SOURCE, at)
        self.laps += len(self.step_times)
        self.epochs.laps += len(self.step_times)
        self.lap_end, self.last_samples, self.restored = self.step_times[-1], samples, False
        self.step_times.clear()
        self.marks.clear()
        self.lead.other_times.clear()
        self.fetches = self.samples = 0

    def close_lap(self) -> None:
        """Ends the iteration whose steps were seen."""
        times = self.step_times
        if not times or self.state is UNFED:
            return
        samples, fetches = self.samples, self.fetches
        self.samples = self.fetches = 0
        if self.ahead:
            self._keep(fetches)
            samples -= self.samples
            fetches -= self.fetches
        epochs = self.epochs
        end = times[-1]
        times.clear()
        if self.marks:
            _report.iteration(SOURCE, samples, self.marks.get(end, self.queued), end)
            self.marks.clear()
        else:
            _report.iteration(SOURCE, samples, self.queued, end)
        self.laps += 1
        epochs.laps += 1
        self.lap_end, self.last_samples, self.restored = end, samples, False
        if fetches > epochs.most_fetches or samples > epochs.most_samples:
            if self.epoch_pass is not None:
                epochs.plan(self.epoch_pass.loader, fetches, samples, self.lap_end)

    def _keep(self, fetches: int) -> None:
        """Keeps those of the batches fetched since the last lap that are for later laps."""
        epochs, passing = self.epochs, self.epoch_pass
        kept = self.ahead if self.state is FED else fetches - epochs.most_fetches
        kept = max(min(kept, fetches - 1), 0)
        if epochs.laps and fetches - kept > epochs.most_fetches:
            kept = self.ahead = 0  # batches are accumulated, not fetched ahead
        self.lap_steps = len(self.step_times)
        if passing is not None:
            self.fetches, self.samples = kept, passing.samples_of_last(kept)

    # Epochs.

    def _begin_epoch(self, passing: Pass) -> None:
        self._end_epoch()
        if passing in self.aside.unknown:
            self.aside.unknown.remove(passing)
        passing.kind = TRAINING
        self.state = FED
        self.epoch_pass = passing
        self.samples, self.fetches = passing.samples, passing.fetches
        if self.epochs.most_fetches:
            self.ahead = max(passing.fetches - self.epochs.most_fetches, 0)
        self.epochs.begin(passing, max(passing.begin, self.lap_end))

    def _end_epoch(self) -> None:
        """Ends the epoch, whose pass is exhausted or was left for another one."""
        restored = self.restored  # before or after the lap in progress
        self.close_lap()
        epochs = self.epochs
        if not epochs.open:
            return
        if self.exhausted_at:
            if epochs.laps and self.state is not UNFED:
                _report.plan(SOURCE, iterations=epochs.laps, at=self.lap_end)
            self._epoch_ends(max(self.exhausted_at, self.lap_end))
        elif restored and not epochs.rehearsed:
            epochs.rehearse()
            if self.state is not UNFED:
                self.state = IDLE
        else:
            self._epoch_ends(self.lap_end)

    def _epoch_ends(self, at: int) -> None:
        self.epochs.end(at)
        self.exhausted_at = 0
        if self.state is not UNFED:
            self.state = IDLE

    # Events other than passes and steps.

    def settle(self) -> None:
        """Reports what has happened, before something else begins."""
        passing = self.epoch_pass
        if len(self.step_times) > 1 and passing and passing.fetches == 1 and not self.exhausted_at:
            self._laps_by_step()  # a single batch, with which all steps are made
        self.close_lap()
        if self.state is FED and not self.fetches and passing and passing.loader.endless:
            if passing.fetches == passing.loader.length:
                self._drain(self.lap_end)
        if self.joined_end > self.lap_end and not self.exhausted_at:
            self._drain(self.joined_end)  # zip(a, b) ends with the shorter one
        if self.exhausted_at:
            self._end_epoch()

    def state_loaded(self, optimizer_steps: int = -1) -> None:
        """Is called when a state was loaded: a model's, or an optimizer's of so many steps (0: not
        counted)."""
        self.close_lap()
        self.restored = True
        if self.laps == 0 and optimizer_steps >= 0:
            self.epochs.resumed_steps = max(self.epochs.resumed_steps, optimizer_steps)

    def finish(self, now: int = 0, backward_passes: int = 0) -> None:
        """Reports the rest when the process ends."""
        self.settle()
        self.aside.finish(now)
        if self.steps == 0 and (self.aside.unused or backward_passes):
            self.seen.no_step(backward_passes)
