"""Makes laps and epochs of the steps of a plain loop, and of the passes that feed it."""

from __future__ import annotations

from lapcast._epochs import Epochs
from lapcast._main_optimizer import MOST_STEPS_WITH_A_BATCH, MainOptimizer
from lapcast._passes import TRAINING, Pass
from lapcast._report import report
from lapcast._seen import Seen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional

SOURCE = report.PLAIN
_iteration = report.iteration  # a constant, which is called faster than an attribute

# The states of a training. IDLE: no epoch is open. IN_EPOCH: a pass feeds the open epoch.
# LOADER_EXHAUSTED: that pass has no more batches. NO_LOADER: every step of the main optimizer is a
# lap; the batches come from no loader.
IDLE, IN_EPOCH, LOADER_EXHAUSTED, NO_LOADER = "idle", "in epoch", "loader exhausted", "no loader"


TWO_LOOPS = "two training loops in one script: their laps and epochs are counted on together"


class Training:
    """Knows the lap in progress, the open epoch, and what feeds them. world() returns the number of
    ranks."""

    def __init__(self, world: Callable[[], int], begun: int, seen: Seen) -> None:
        self.begun = begun  # when a first lap without a loader began, at the earliest; 0: not known
        self.seen = seen
        self.state = IDLE
        self.epochs = Epochs(world)
        self.main_optimizer = MainOptimizer()
        self.epoch_pass: Optional[Pass] = None  # the pass that feeds the current epoch
        self.exhausted_at = 0  # the end of the epoch's pass, reported when something else begins
        self.joined_end = 0  # the end of a second pass that feeds the epoch

        self.steps = 0  # of all optimizers
        self.step_times: List[int] = []  # of the main optimizer, since the last lap
        self.queued = False  # the work of the last step may not have finished
        self.marks: Dict[int, Any] = {}  # by a step's time: what `report.iteration` is given
        self.samples = 0  # fetched for training since the last lap
        self.fetches = 0  # of the epoch's pass since the last lap
        self.backward_passes = 0  # before the first step
        self.ahead = 0  # batches that were fetched before the first lap of the epoch, for later laps
        self.lap_steps = 0  # of the main optimizer, in the last lap
        self.laps = 0
        self.lap_end = 0
        self.last_samples = 0
        self.restored = False  # a state was loaded since the last lap

    def is_without_loader(self) -> bool:
        """Returns whether every step of the main optimizer is a lap."""
        return self.state is NO_LOADER

    def is_between_laps(self) -> bool:
        """Returns whether no batch was fetched for the next lap, except those fetched ahead."""
        return self.fetches <= self.ahead if self.ahead else self.samples == 0

    # Steps.

    def step(self, optimizer: Any, now: int, queued: Any) -> None:
        """Is called when OPTIMIZER has stepped; see Loop.step."""
        times = self.step_times
        if self.main_optimizer.optimizer() is not optimizer:
            self.step_begins(optimizer)
        if self.main_optimizer.optimizer() is optimizer:
            if self.ahead and 0 < self.lap_steps <= len(times):
                if self.fetches > self.epochs.most_fetches:
                    self.close_lap()  # this step's batch was fetched before the last one's step
            times.append(now)
        else:
            self._step_of_other(optimizer, now)
        self.queued = False
        if queued:
            self.queued, self.marks[now] = True, queued
        self.steps += 1
        if self.state is NO_LOADER or len(times) > MOST_STEPS_WITH_A_BATCH:
            self._close_lap_of_each_step()

    def step_begins(self, optimizer: Any) -> None:
        """Is called when a long step of OPTIMIZER begins. Where it has not stepped before and all
        loops in which the main one stepped have ended, it takes over from it."""
        main, epochs = self.main_optimizer, self.epochs
        if not (self.laps or self.step_times) or main.knows(optimizer):
            return
        if not epochs.length.nest.has_ended():
            return
        self.close_lap()
        in_epochs = self.fetches > 0
        if not in_epochs:
            self._close_lap_of_each_step()
            self.last_samples = 0
        if not main.trains_the_same(optimizer):
            report.note(TWO_LOOPS)
        main.replace(optimizer)
        report.phase(SOURCE, type(optimizer).__name__, self.lap_end)
        made = epochs.number - (epochs.open and in_epochs)
        epochs.length.goes_on(SOURCE, self.lap_end, self.laps, made, in_epochs)

    def _step_of_other(self, optimizer: Any, now: int) -> None:
        main, epochs, times = self.main_optimizer, self.epochs, self.step_times
        has_loader = self.state is not NO_LOADER
        in_new_epoch = has_loader and self.laps > 0 and epochs.laps == 0 and not times
        if not main.yields_to(optimizer, in_new_epoch):
            if has_loader:
                times[-1:] = [now]  # is not a lap of its own while the main optimizer steps
            else:
                main.step_beside(optimizer, now)
            return
        begins = epochs.laps == 0 or not has_loader or main.other_steps_alone()
        if self.laps and begins and not epochs.rehearsed and not self._goes_on_with(optimizer):
            report.note(TWO_LOOPS)
        if not main.has_stepped() and self.epoch_pass is None:
            self.epochs.length.nest.is_late = getattr(optimizer, "is_noticed_late", False)
            self._begin_without_loader()
        times += [*main.replace(optimizer), now]

    def _goes_on_with(self, optimizer: Any) -> bool:
        """Returns whether OPTIMIZER goes on with the training in the loops around, as one that is
        made anew in each round."""
        has_ended = self.epochs.length.nest.has_ended
        return self.main_optimizer.trains_the_same(optimizer) and not has_ended()

    def _begin_without_loader(self) -> None:
        """Begins a training without a loader, whose first lap began before its first step."""
        length = self.epochs.length
        self.epochs.report_from_here(self.begun, in_epochs=False)
        report.lap_begins(SOURCE, self.begun)
        self.state = NO_LOADER
        if self.backward_passes == 1 and self.epochs.world() == 1:
            self.last_samples = length.batch
        if not (report.planned("steps") or length.epochs or length.rounds or length.nest.is_watching()):
            self.seen.no_epoch(self.last_samples)

    # Laps.

    def _close_lap_of_each_step(self) -> None:
        """Reports a lap for each step: no loader feeds the steps, or several are made with a
        batch."""
        if self.state is not NO_LOADER:
            self.state = NO_LOADER
            report.plan(SOURCE, iterations=0, at=self.lap_end)
            if self.exhausted_at:
                self._epoch_ends(self.exhausted_at)
        if not self.step_times:
            return
        samples = self.samples or self.last_samples
        for at in self.step_times:
            _iteration(SOURCE, samples, self.marks.get(at, self.queued), at)
            self.epochs.laps += 1
            self.epochs.length.watch(SOURCE, at)
            self.epochs.made_lap(at)
        self.laps += len(self.step_times)
        self.lap_end, self.last_samples, self.restored = self.step_times[-1], samples, False
        self.step_times.clear()
        self.marks.clear()
        self.main_optimizer.other_times.clear()
        self.fetches = self.samples = 0

    def close_lap(self, at_fetch: bool = False) -> None:
        """Reports the lap whose steps were seen, if any. at_fetch: the next batch is asked for."""
        times = self.step_times
        if not times or self.state is NO_LOADER:
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
            _iteration(SOURCE, samples, self.marks.get(end, self.queued), end)
            self.marks.clear()
        else:
            _iteration(SOURCE, samples, self.queued, end)
        self.laps += 1
        epochs.laps += 1
        self.lap_end, self.last_samples, self.restored = end, samples, False
        epochs.length.watch_counter(SOURCE, end, at_fetch, at_fetch)
        epochs.made_lap(end)
        if fetches > epochs.most_fetches or samples > epochs.most_samples:
            if self.epoch_pass is not None:
                epochs.plan(self.epoch_pass.loader, fetches, samples, self.lap_end)

    def _keep(self, fetches: int) -> None:
        """Keeps those batches fetched since the last lap that were fetched ahead for later laps."""
        epochs, passing = self.epochs, self.epoch_pass
        kept = self.ahead if self.state is IN_EPOCH else fetches - epochs.most_fetches
        kept = max(min(kept, fetches - 1), 0)
        if epochs.laps and fetches - kept > epochs.most_fetches:
            kept = self.ahead = 0  # batches are accumulated, not fetched ahead
        self.lap_steps = len(self.step_times)
        if passing is not None:
            self.fetches, self.samples = kept, passing.samples_of_last(kept)

    # Epochs.

    def first_batch(self, passing: Pass) -> None:
        """Is called when the first backward pass begins, which works on a batch of PASSING."""
        others = max(passing.fetches - 1, 0)
        if self.restored and self.epochs.passes_over(others, passing.loader):
            passing.pass_over(others)
        else:
            self.ahead = others

    def begin_epoch(self, passing: Pass) -> None:
        """Begins the epoch that PASSING feeds."""
        self._end_epoch()
        passing.kind = TRAINING
        self.state = IN_EPOCH
        self.epoch_pass = passing
        # Batches of the pass before are accumulated with those of this one, as over an endless loader.
        goes_on = not self.ahead and self.fetches + passing.fetches == self.epochs.most_fetches
        begun = self.samples if goes_on else 0
        self.fetches = passing.fetches - passing.passed
        self.samples = passing.samples_of_last(self.fetches) if passing.passed else begun + passing.samples
        if self.epochs.most_fetches:
            self.ahead = max(passing.fetches - self.epochs.most_fetches, 0)
        self.epochs.begin(passing, max(passing.begin, self.lap_end), self.fetches - self.ahead)

    def join(self, passing: Pass) -> None:
        """Makes PASSING feed the iterations in addition to the epoch's own pass."""
        passing.kind = TRAINING
        self.samples += passing.samples

    def is_ahead_of_epoch(self) -> bool:
        """Returns whether the next step may be of the epoch whose pass has ended, because batches
        are left that were fetched ahead."""
        return self.state is LOADER_EXHAUSTED and self.fetches > 0 and self.ahead > 0

    def needs_pass(self) -> bool:
        """Returns whether another pass has to feed the training: there was none, or none was
        fetched since the last lap."""
        if self.epoch_pass is None or self.fetches == 0 or self.exhausted_at > 0:
            return True
        return self.epochs.is_cut(self.epoch_pass)

    def splits(self, passing: Pass) -> bool:
        """Ends the epoch of PASSING, which goes on after the length of its loader, and makes it a
        new pass. Returns False, and changes nothing, where the length may be a guess."""
        if passing.kind != TRAINING or not passing.loader.is_exact():
            return False
        passing.loader.endless = True
        if self.epochs.open:
            self._exhaust(passing.begin)
        passing.begin_again(passing.begin, self.steps)
        return True

    def exhausted(self, now: int) -> None:
        """Is called when the epoch's pass has no more batches."""
        self.close_lap()
        if self.epochs.open:
            self._exhaust(now)

    def _exhaust(self, now: int) -> None:
        self.exhausted_at = now
        if self.state is IN_EPOCH:
            self.state = LOADER_EXHAUSTED

    def _end_epoch(self) -> None:
        """Ends the epoch, whose pass is exhausted or was left for another one."""
        restored = self.restored  # before or after the lap in progress
        self.close_lap()
        epochs = self.epochs
        if not epochs.open:
            return
        if self.exhausted_at:
            if epochs.laps and self.state is not NO_LOADER:
                epochs.whole_pass(self.lap_end)
            self._epoch_ends(max(self.exhausted_at, self.lap_end))
        elif restored and not epochs.rehearsed:
            epochs.rehearse()
            if self.state is not NO_LOADER:
                self.state = IDLE
        else:
            self._epoch_ends(self.lap_end)

    def _epoch_ends(self, at: int) -> None:
        self.epochs.end(at)
        self.exhausted_at = 0
        if self.state is not NO_LOADER:
            self.state = IDLE

    # Events other than passes and steps.

    def settle(self) -> None:
        """Reports what has happened, before something else begins."""
        passing = self.epoch_pass
        if len(self.step_times) > 1 and passing and passing.fetches == 1 and not self.exhausted_at:
            self._close_lap_of_each_step()  # a single batch, with which all steps are made
        self.close_lap()
        if self.state is IN_EPOCH and not self.fetches and passing and passing.loader.endless:
            if passing.fetches == passing.loader.length:
                self._exhaust(self.lap_end)
        if self.joined_end > self.lap_end and not self.exhausted_at:
            self._exhaust(self.joined_end)  # zip(a, b) ends with the shorter one
        if self.exhausted_at:
            self._end_epoch()

    def state_loaded(self, optimizer_steps: int) -> None:
        """Is called when a state was loaded; see Loop.state_loaded."""
        self.close_lap()
        self.restored = True
        if self.laps == 0 and optimizer_steps >= 0:
            self.epochs.resumed_steps = max(self.epochs.resumed_steps, optimizer_steps)
