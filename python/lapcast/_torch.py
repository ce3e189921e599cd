"""Attaches to PyTorch.

It observes optimizer steps, DataLoader passes and GradScaler.step (a skipped step is a lap, too),
and with modules of their own graphs, backward passes, eval() and train(), torch.save, and states
that are loaded. It does not change what any of these does and returns.
"""

from __future__ import annotations

import functools
import os
import sys
from time import monotonic_ns

from lapcast._log import count_of
from lapcast._passes import Loader
from lapcast._report import report
from lapcast._torch_backward import Backward
from lapcast._torch_device import device
from lapcast._torch_graphs import Graphs
from lapcast._torch_loop import TorchLoop, torch_loop
from lapcast._torch_numbers import Numbers
from lapcast._torch_states import States
from lapcast._trainings import skipped_of, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional


def attach(torch: Any) -> None:
    """Attaches to torch, which has been imported."""
    report.at_end(torch_loop.finish)
    device.attach(torch)
    optim: Any = sys.modules.get("torch.optim.optimizer")
    if not hasattr(optim, "register_optimizer_step_post_hook"):
        report.note(f"torch {getattr(torch, '__version__', '?')} is not supported, 2.1 or newer is")
        return
    torch_loop.attach(torch)
    Steps(torch_loop).attach(torch, optim)
    Loaders(torch_loop, torch.utils.data).attach()
    States(torch_loop).attach(torch)
    if os.environ.get("LAPCAST_TORCH"):
        from lapcast import _torch_settings

        _torch_settings.attach(torch, os.environ["LAPCAST_TORCH"])


class Steps:
    """Observes the steps of optimizers."""

    def __init__(self, told: TorchLoop) -> None:
        self.told = told
        self.graphs = Graphs(told)
        self.backward: Optional[Backward] = None  # until an optimizer of torch.optim steps
        self.numbers: Optional[Numbers] = None  # until they are known
        self.steps = 0  # of optimizers, seen so far

    def attach(self, torch: Any, optim: Any) -> None:
        self.backward = Backward(torch, optim, self.told, self.after_step)
        self.numbers = Numbers(torch)
        optim.register_optimizer_step_post_hook(self.after_step)
        wrap(optim.Optimizer, "__init__", self._make_optimizer)
        wrap(torch.amp.GradScaler, "step", self._scaler_step)
        wrap(torch.optim.LBFGS, "step", self._long_step)
        self.graphs.attach(torch)

    def _make_optimizer(self, original: Any, *arguments: Any, **options: Any) -> None:
        original(*arguments, **options)
        self.told.loop.made_optimizer(monotonic_ns())

    def after_step(self, optimizer: Any, arguments: Any, options: Any) -> None:
        """Is called when OPTIMIZER has stepped."""
        told = self.told
        is_compiling = told.is_compiling
        if is_compiling():  # Tracing must leave nothing of this function in the graph.
            return
        try:
            self.steps += 1
            if self.numbers is not None:
                self._look_at_numbers(self.numbers, optimizer)
            if self.backward is not None and optimizer is not self.backward:
                self._end_backward(self.backward)
            if report.trainer and not told.observes():
                return
            if device.capturing and self.graphs.captured(optimizer):
                return
            told.stepped(optimizer)
        except Exception as error:
            report.failed("after_step", error)

    def _look_at_numbers(self, numbers: Numbers, optimizer: Any) -> None:
        numbers.stepped(optimizer)
        if numbers.is_over:
            self.numbers = None

    def _end_backward(self, backward: Backward) -> None:
        """Stops observing backward passes where the steps of optimizers are enough."""
        if not backward.found:
            backward.stop()
            self.backward = None

    def _long_step(self, original: Any, optimizer: Any, *arguments: Any, **options: Any) -> Any:
        """Tells that a step begins which evaluates the model many times."""
        self._step_begins(optimizer)
        return original(optimizer, *arguments, **options)

    @report.guard
    def _step_begins(self, optimizer: Any) -> None:
        if self.told.observes() and not self.told.is_compiling():
            self.told.loop.step_begins(optimizer)

    def _scaler_step(self, original: Any, *arguments: Any, **options: Any) -> Any:
        """Counts a step that the scaler skips, because a gradient is not finite, as an
        iteration."""
        optimizer = arguments[1] if len(arguments) > 1 else options.get("optimizer")
        before = self.steps
        result = original(*arguments, **options)
        if self.steps == before:
            self.after_step(optimizer, (), {})
        return result


class Loaders:
    """Observes the passes over loaders. data: torch.utils.data."""

    def __init__(self, told: TorchLoop, data: Any) -> None:
        self.told, self.data = told, data
        self.iterator = data.dataloader._BaseDataLoaderIter

    def attach(self) -> None:
        told, original = self.told, self.iterator.__next__

        @functools.wraps(original)
        def next_batch(iterator: Any) -> Any:
            try:
                passing = iterator._lapcast_pass
            except AttributeError:
                passing = iterator._lapcast_pass = self._begin_unannounced(iterator)
            if passing is None or report.trainer and not told.observes():
                return original(iterator)
            return told.fetch(passing, original, iterator)

        wrap(self.data.DataLoader, "__iter__", self._iterate)
        self.iterator.__next__ = next_batch

    def _iterate(self, original: Any, loader: Any) -> Any:
        result = original(loader)
        try:
            if isinstance(result, self.iterator) and self._observes():
                result._lapcast_pass = self.told.begin_pass(self._known(loader))
        except Exception as error:
            report.failed("DataLoader.__iter__", error)
        return result

    @report.guard
    def _begin_unannounced(self, iterator: Any) -> Any:
        """Returns the pass of an iterator that was not made by DataLoader.__iter__, but by a
        library itself."""
        if not self._observes():
            return None
        known = self.told.known(iterator._index_sampler)
        known.length = _length(iterator)
        return self.told.begin_pass(known)

    def _observes(self) -> bool:
        """Returns whether a pass that begins is observed. Passes within a worker are not."""
        return self.data.get_worker_info() is None and self.told.observes()

    def _known(self, loader: Any) -> Loader:
        """Returns what can be known of a DataLoader without asking its data."""
        data = self.data
        known = self.told.known(loader)
        sampler = getattr(loader, "sampler", None)
        epoch = getattr(sampler, "epoch", None)
        known.epoch = epoch if isinstance(epoch, int) else -1
        if isinstance(getattr(loader, "dataset", None), data.IterableDataset):
            return known  # Its length is a guess, and asking for it has side effects.
        known.length = _length(loader)
        known.endless |= type(loader).__iter__ is not data.DataLoader.__iter__
        known.skipped = skipped_of(loader)
        known.samples = known.batch = 0
        if type(getattr(loader, "batch_sampler", None)) is data.BatchSampler:
            known.batch = count_of(loader.batch_size)
            known.samples = _length(sampler)
            if loader.drop_last:
                known.samples = min(known.samples, known.length * known.batch)
            if known.samples == 0:
                known.batch = 0
        return known


def _length(sized: Any) -> int:
    try:
        return len(sized)
    except Exception:
        return 0
