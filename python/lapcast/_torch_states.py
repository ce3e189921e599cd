"""Observes eval() and train(), the loading of states, and torch.save in a plain PyTorch loop."""

from __future__ import annotations

import functools
import os
from time import monotonic_ns

from lapcast import _torch
from lapcast._report import report
from lapcast._evaluations import SOURCE
from lapcast._log import count_of
from lapcast._trainings import wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def attach(torch: Any) -> None:
    """Attaches to torch, which has been imported."""
    _watch_modes(torch)
    _watch_states(torch)
    wrap(torch, "save", _save)
    torch.serialization.save = torch.save  # one function, because pickle looks it up by its name


def _watch_modes(torch: Any) -> None:
    """Watches eval() and train() of the outermost module and, in evaluation, the ends of regions
    without gradients. train() calls itself for every inner module, so it is watched in evaluation
    only."""
    module = torch.nn.Module
    train = module.train
    regions = (torch.no_grad, torch.inference_mode)
    exits = [region.__exit__ for region in regions]

    def leave_evaluation() -> None:
        module.train = train
        for region, leave in zip(regions, exits):
            region.__exit__ = leave

    def watched_train(self: Any, mode: bool = True) -> Any:
        if mode:
            leave_evaluation()
            _training()
        return train(self, mode)

    def watched_exit(leave: Any) -> Any:
        @functools.wraps(leave)
        def watched(*arguments: Any) -> Any:
            result = leave(*arguments)
            _torch._loop.gradless_end(monotonic_ns())
            return result

        return watched

    functools.update_wrapper(watched_train, train)
    watched_exits = [watched_exit(leave) for leave in exits]

    def evaluate(original: Any, model: Any) -> Any:
        if module.train is train and not torch.compiler.is_compiling() and _evaluation():
            result = original(model)
            module.train = watched_train
            for region, leave in zip(regions, watched_exits):
                region.__exit__ = leave
            return result
        return original(model)

    wrap(module, "eval", evaluate)


@report.guard
def _training() -> None:
    if _torch._observes():
        _torch._loop.training(monotonic_ns())


def _evaluation() -> bool:
    try:
        if not _torch._observes():
            return False
        _torch._loop.evaluation(monotonic_ns(), not _torch._is_grad_enabled())
        return True
    except Exception as error:
        report.failed("_evaluation", error)
        return False


def _watch_states(torch: Any) -> None:
    read_from_file = []

    def load(original: Any, *arguments: Any, **options: Any) -> Any:
        result = original(*arguments, **options)
        read_from_file.append(True)
        return result

    def load_model(original: Any, module: Any, *arguments: Any, **options: Any) -> Any:
        result = original(module, *arguments, **options)
        _state_loaded(-1)
        return result

    def load_optimizer(original: Any, optimizer: Any, *arguments: Any, **options: Any) -> Any:
        result = original(optimizer, *arguments, **options)
        _state_loaded(_steps_of(optimizer) if read_from_file else -1)
        return result

    wrap(torch, "load", load)
    torch.serialization.load = torch.load
    wrap(torch.nn.Module, "load_state_dict", load_model)
    wrap(torch.optim.Optimizer, "load_state_dict", load_optimizer)


@report.guard
def _state_loaded(optimizer_steps: int) -> None:
    if _torch._observes():
        _torch._loop.state_loaded(optimizer_steps)


def _steps_of(optimizer: Any) -> int:
    """Returns the steps that a restored optimizer has counted (as Adam does), 0 when it counts
    none."""
    try:
        states = optimizer.state.values()
        return max((count_of(state["step"]) for state in states if "step" in state), default=0)
    except Exception:
        return 0


def _save(original: Any, *arguments: Any, **options: Any) -> Any:
    """Wraps torch.save(obj, f, ...), whose arguments may be positional or named."""
    file = arguments[1] if len(arguments) > 1 else options.get("f")
    begun = _begin_checkpoint(file)
    try:
        return original(*arguments, **options)
    finally:
        if begun is not None:
            _end_checkpoint(file, begun)


def _begin_checkpoint(file: Any) -> Any:
    """Returns the position in FILE where the checkpoint begins, or None before training, when it is
    none."""
    try:
        if not _torch._observes() or _torch._loop.steps == 0:
            return None
        _torch._loop.settle()
        report.checkpoint_begin(SOURCE)
        return _position(file)
    except Exception as error:
        report.failed("torch.save", error)
        return None


@report.guard
def _end_checkpoint(file: Any, begun: int) -> None:
    if isinstance(file, (str, os.PathLike)):
        written = os.path.getsize(file) if os.path.exists(file) else 0
    else:
        written = _position(file) - begun
    report.checkpoint_end(SOURCE, written)


def _position(file: Any) -> int:
    try:
        return int(file.tell())
    except Exception:
        return 0
