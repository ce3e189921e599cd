"""Tells `_loop.Loop` what happens in a plain PyTorch loop.

It attaches to the hook after every optimizer step, DataLoader passes, GradScaler.step (a skipped
step is a lap too), eval() and train(), torch.save, and the loading of states. It does not change
what any of these does and returns.
"""

from __future__ import annotations

import functools
import os
import sys
import weakref
from time import monotonic_ns

from lapcast import _torch_backward, _torch_device, _torch_graphs, _torch_states
from lapcast._report import report
from lapcast._batch import samples_of
from lapcast._log import count_of, rank_and_world
from lapcast._loop import Loop
from lapcast._passes import TRAINING, Loader, Pass
from lapcast._trainings import wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_loop = Loop()
_loaders: Any = weakref.WeakKeyDictionary()  # DataLoader -> Loader
_torch: Any = None
_is_compiling: Any = None
_is_grad_enabled: Any = None
_device: Any = None
_backward: Any = None  # until an optimizer of torch.optim steps
_steps = 0  # of optimizers, seen so far


def attach(torch: Any) -> None:
    """Attaches to torch, which has been imported."""
    global _torch, _is_compiling, _is_grad_enabled, _device, _backward
    optim: Any = sys.modules.get("torch.optim.optimizer")
    if not hasattr(optim, "register_optimizer_step_post_hook"):
        report.note(f"torch {getattr(torch, '__version__', '?')} is not supported, 2.1 or newer is")
        return
    report.at_end(_finish)
    _torch, _device = torch, _torch_device.shared(torch)
    _is_grad_enabled = torch.is_grad_enabled
    # The second one, of torch 2.1, takes longer.
    _is_compiling = getattr(torch.compiler, "is_dynamo_compiling", torch.compiler.is_compiling)
    _forget()
    _backward = _torch_backward.Backward(torch, optim)
    optim.register_optimizer_step_post_hook(_after_step)
    wrap(optim.Optimizer, "__init__", _make_optimizer)
    _watch_loaders(torch)
    _torch_states.attach(torch)
    if os.environ.get("LAPCAST_TORCH"):
        from lapcast import _torch_settings

        _torch_settings.attach(torch, os.environ["LAPCAST_TORCH"])
    wrap(torch.amp.GradScaler, "step", _scaler_step)
    _torch_graphs.attach(torch)
    os.register_at_fork(after_in_child=_forget)


def _forget() -> None:
    global _loop
    _loop = Loop(lambda: rank_and_world()[1], monotonic_ns())
    _torch_graphs.forget()


@report.guard
def _finish() -> None:
    if report.strength() != report.TRAINER:
        _torch_graphs.release()
        _loop.finish(monotonic_ns(), 0 if _backward is None else _backward.passes)


def _observes() -> bool:
    """Returns whether the plain loop is observed. A trainer reports by itself, and ends what was
    seen."""
    if not report.trainer:
        if _torch_graphs.held:
            _torch_graphs.release()
        return True
    if _loop.has_begun() or _torch_graphs.held:
        _forget()
    return False


# Optimizer steps.


def _make_optimizer(original: Any, *arguments: Any, **options: Any) -> None:
    original(*arguments, **options)
    _loop.made_optimizer(monotonic_ns())


def _no_backward() -> None:
    """Stops to observe backward passes where the steps of optimizers are enough."""
    global _backward
    if not _backward.found:
        _loop.backward_passes = _backward.passes
        _backward.stop()
        _backward = None


def _after_step(optimizer: Any, arguments: Any, options: Any) -> None:
    global _steps
    # Tracing by a compiler must leave nothing of this function in the graph.
    if _is_compiling():
        return
    try:
        _steps += 1
        if _backward is not None and optimizer is not _backward:
            _no_backward()
        if report.trainer and not _observes():
            return
        if _torch_device.capturing and _torch_graphs.captured(optimizer):
            return
        stepped(optimizer)
    except Exception as error:
        report.failed("_after_step", error)


def stepped(optimizer: Any) -> None:
    """Tells the loop that OPTIMIZER has stepped, in a call of its own or in a graph."""
    now = monotonic_ns()
    try:
        is_done = optimizer.param_groups[0]["params"][0].is_cpu
    except IndexError:
        is_done = True
    if is_done:
        _loop.step(optimizer, now)
        return
    at, queued = _device.mark(optimizer, now)
    if not _torch_graphs.holds(optimizer, at, queued):
        _loop.step(optimizer, at, queued)


def _scaler_step(original: Any, *arguments: Any, **options: Any) -> Any:
    """Counts a step that the scaler skips, because a gradient is not finite, as an iteration."""
    optimizer = arguments[1] if len(arguments) > 1 else options.get("optimizer")
    before = _steps
    result = original(*arguments, **options)
    if _steps == before:
        _after_step(optimizer, (), {})
    return result


# Passes over loaders.


def _watch_loaders(torch: Any) -> None:
    data = torch.utils.data
    get_worker_info = data.get_worker_info
    iterator = data.dataloader._BaseDataLoaderIter
    original_next = iterator.__next__

    def iterate(original: Any, loader: Any) -> Any:
        result = original(loader)
        try:
            if get_worker_info() is None and isinstance(result, iterator) and _observes():
                result._lapcast_pass = _loop.begin_pass(_loader_of(loader, data), monotonic_ns())
        except Exception as error:
            report.failed("DataLoader.__iter__", error)
        return result

    @report.guard
    def begin_unannounced(self: Any) -> Any:
        """Returns the pass of an iterator that was not made by DataLoader.__iter__, but by a
        library itself."""
        if get_worker_info() is not None or not _observes():
            return None
        known = _known(self._index_sampler)
        known.length = _length(self)
        return _loop.begin_pass(known, monotonic_ns())

    @functools.wraps(original_next)
    def next_batch(self: Any) -> Any:
        try:
            passing = self._lapcast_pass
        except AttributeError:
            passing = self._lapcast_pass = begin_unannounced(self)
        if passing is None or report.trainer and not _observes():
            return original_next(self)
        return fetch(passing, original_next, self)

    wrap(data.DataLoader, "__iter__", iterate)
    iterator.__next__ = next_batch


def fetch(passing: Pass, original: Any, batches: Any) -> Any:
    """Returns ORIGINAL(BATCHES), the next batch of PASSING, and tells the loop. The samples follow
    from the loader, unless a sampler makes its own batches."""
    trains = passing.kind == TRAINING  # its gradients and its batches' times are of no use
    try:
        if _backward is not None:
            _backward.check()
        if _torch_graphs.held:
            _torch_graphs.release()
        gradless = not (trains or _is_grad_enabled())
        _loop.before_fetch(passing, gradless, monotonic_ns())
        if gradless:
            _device.before_break(0)  # a validation has no work on the device yet
    except Exception as error:
        report.failed("before a fetch", error)
    try:
        batch = original(batches)
    except StopIteration:
        _exhausted(passing)
        raise
    try:
        loader = passing.loader
        samples = loader.batch
        left = loader.samples - passing.samples
        if samples == 0 or left <= 0:
            samples = samples_of(batch)
        elif samples > left:
            samples = left
        _loop.fetched(passing, samples, 0 if trains else monotonic_ns())
    except Exception as error:
        report.failed("after a fetch", error)
    return batch


@report.guard
def _exhausted(passing: Pass) -> None:
    _loop.exhausted(passing, monotonic_ns())


def _loader_of(loader: Any, data: Any) -> Loader:
    """Returns what can be known of a DataLoader without asking its data."""
    known = _known(loader)
    sampler = getattr(loader, "sampler", None)
    epoch = getattr(sampler, "epoch", None)
    known.epoch = epoch if isinstance(epoch, int) else -1
    if isinstance(getattr(loader, "dataset", None), data.IterableDataset):
        return known  # Its length is a guess, and asking for it has side effects.
    known.length = _length(loader)
    known.endless |= type(loader).__iter__ is not data.DataLoader.__iter__
    known.samples = known.batch = 0
    if type(getattr(loader, "batch_sampler", None)) is data.BatchSampler:
        known.batch = count_of(loader.batch_size)
        known.samples = _length(sampler)
        if loader.drop_last:
            known.samples = min(known.samples, known.length * known.batch)
        if known.samples == 0:
            known.batch = 0
    return known


def _known(loader: Any) -> Loader:
    """Returns what is known of a loader from its earlier passes."""
    try:
        known: Loader = _loaders.get(loader) or _loaders.setdefault(loader, Loader())
        return known
    except TypeError:  # A loader that cannot be hashed is a new one in each pass.
        return Loader()


def _length(sized: Any) -> int:
    try:
        return len(sized)
    except Exception:
        return 0
