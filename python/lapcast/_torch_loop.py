"""Tells the Loop of this process what happens in a plain PyTorch loop.

The parts of the adapter (`_torch.py`, `_torch_backward.py`, `_torch_graphs.py`, `_torch_states.py`)
and those of Accelerate and Keras on torch use the one object `torch_loop`.
"""

from __future__ import annotations

import os
import weakref
from time import monotonic_ns

from lapcast._batch import is_made_of_samples, samples_of
from lapcast._log import rank_and_world
from lapcast._loop import Loop
from lapcast._passes import TRAINING, Loader, Pass
from lapcast._report import report
from lapcast._sequences import sequences
from lapcast._torch_device import device
from lapcast._torch_warm_up import WarmUp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Optional


class TorchLoop:
    """Knows the loop, the loaders and the device of a plain PyTorch loop."""

    def __init__(self) -> None:
        self.torch: Any = None
        self.loop: Any = Loop()
        self.device = device
        self.warm_up = WarmUp()
        self.is_compiling: Callable[[], bool] = lambda: False
        self.is_grad_enabled: Callable[[], bool] = lambda: True
        self.check_backward: Optional[Callable[[], None]] = None  # to be called before each fetch
        self.backward_passes = 0  # before the first step
        self._loaders: Any = weakref.WeakKeyDictionary()  # loader -> Loader

    def attach(self, torch: Any) -> None:
        """Begins to observe with torch, which has been imported."""
        self.torch = torch
        self.is_grad_enabled = torch.is_grad_enabled
        # The second one, of torch 2.1, takes longer.
        self.is_compiling = getattr(torch.compiler, "is_dynamo_compiling",
                                    torch.compiler.is_compiling)
        self.forget()
        os.register_at_fork(after_in_child=self.forget)
        os.register_at_fork(after_in_child=sequences.forget)

    def forget(self) -> None:
        """Forgets the training so far."""
        self.loop = Loop(lambda: rank_and_world()[1], monotonic_ns())
        self.warm_up = WarmUp()

    @report.guard
    def begin_anew(self) -> None:
        """Notes that the training failed and begins anew, with a smaller batch."""
        if self.observes() and self.loop.steps():
            sequences.stop()
            report.begin_anew(report.PLAIN)
            report.give(report.PLAIN)
            self.forget()

    def observes(self) -> bool:
        """Returns whether the plain loop is observed. While a trainer reports, it is not, and what
        was seen of it is forgotten."""
        if not report.trainer:
            if self.warm_up.steps:
                self.release()
            return True
        if self.loop.has_begun() or self.warm_up.steps:
            self.forget()
        return False

    def release(self) -> None:
        """Tells the loop the steps that were delayed: no graph is being prepared."""
        for step in self.warm_up.release():
            self.loop.step(*step)

    @report.guard
    def finish(self) -> None:
        """Reports the rest when the process ends."""
        if report.strength() != report.TRAINER:
            self.release()
            self.loop.finish(monotonic_ns(), self.backward_passes)

    def stepped(self, optimizer: Any) -> None:
        """Tells the loop that OPTIMIZER has stepped, in a call of its own or in a graph."""
        now = monotonic_ns()
        try:
            is_done = optimizer.param_groups[0]["params"][0].is_cpu
        except IndexError:
            is_done = True
        if is_done:
            self.loop.step(optimizer, now)
            return
        at, queued = self.device.mark(optimizer, now)
        if not self._delays(optimizer, at, queued):
            self.loop.step(optimizer, at, queued)

    def _delays(self, optimizer: Any, at: int, queued: Any) -> bool:
        if self.loop.steps() or self.warm_up.is_over:
            return False
        if self.warm_up.delays(self.torch, optimizer, at, queued):
            return True
        self.release()
        return False

    def known(self, loader: Any) -> Loader:
        """Returns what is known of a loader from its earlier passes."""
        try:
            known: Loader = self._loaders.get(loader) or self._loaders.setdefault(loader, Loader())
            return known
        except TypeError:  # A loader that cannot be hashed is a new one in each pass.
            return Loader()

    def begin_pass(self, known: Loader) -> Any:
        """Returns a new pass over a loader."""
        return self.loop.begin_pass(known, monotonic_ns())

    def fetch(self, passing: Pass, original: Any, batches: Any) -> Any:
        """Returns ORIGINAL(BATCHES), the next batch of PASSING, and tells the loop. The samples
        follow from the loader, unless a sampler makes its own batches."""
        trains = passing.kind == TRAINING  # then gradients and times are not needed
        try:
            if self.check_backward is not None:
                self.check_backward()
            if self.warm_up.steps:
                self.release()
            gradless = not (trains or self.is_grad_enabled())
            self.loop.before_fetch(passing, gradless, 0 if trains else monotonic_ns())
            if gradless:
                self.device.before_break(0)  # a validation has no work on the device yet
        except Exception as error:
            report.failed("before a fetch", error)
        try:
            batch = original(batches)
        except StopIteration:
            self._exhausted(passing)
            raise
        try:
            loader = passing.loader
            samples = loader.batch
            if samples == 1:
                samples = self._batch_of_one(loader, batch)
            left = loader.samples - passing.samples
            if samples == 0 or left <= 0:
                samples = samples_of(batch)
            elif samples > left:
                samples = left
            self.loop.fetched(passing, samples, 0 if trains else monotonic_ns())
            if loader.time_axis is not None:
                sequences.fetched(passing, batches, batch, samples, trains)
        except Exception as error:
            report.failed("after a fetch", error)
        return batch

    def _batch_of_one(self, loader: Loader, batch: Any) -> int:
        """Returns the samples of a batch that a loader takes for one sample, 0 where they must be
        counted, as it is a batch by itself."""
        if loader.has_whole_items is None:
            loader.has_whole_items = is_made_of_samples(batch)
        if not loader.has_whole_items:
            return 1
        loader.samples = 0  # are not those of its data set
        return 0

    @report.guard
    def _exhausted(self, passing: Pass) -> None:
        if passing.kind == TRAINING:
            sequences.worked_on(passing.sequences)
        self.loop.exhausted(passing, monotonic_ns())


torch_loop = TorchLoop()
