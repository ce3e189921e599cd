"""Observes eval() and train(), the loading of states, and torch.save in a plain PyTorch loop."""

from __future__ import annotations

import functools
import os
from time import monotonic_ns

from lapcast._log import count_of
from lapcast._report import report
from lapcast._torch_loop import TorchLoop
from lapcast._trainings import wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class States:
    """Observes the states of models, of optimizers and of files."""

    def __init__(self, told: TorchLoop) -> None:
        self.told = told
        self.has_read = False  # a file was read, which may be a checkpoint

    def attach(self, torch: Any) -> None:
        self._watch_modes(torch)
        wrap(torch, "load", self._load)
        torch.serialization.load = torch.load  # one function, because pickle looks it up by its name
        wrap(torch.nn.Module, "load_state_dict", self._load_model)
        wrap(torch.optim.Optimizer, "load_state_dict", self._load_optimizer)
        wrap(torch, "save", self._save)
        torch.serialization.save = torch.save

    # eval() and train().

    def _watch_modes(self, torch: Any) -> None:
        """Watches eval() and train() of the outermost module and, in evaluation, the ends of
        regions without gradients. train() calls itself for every inner module, so it is watched in
        evaluation only."""
        module = torch.nn.Module
        train = module.train
        regions = (torch.no_grad, torch.inference_mode)
        exits = [region.__exit__ for region in regions]
        watched_exits = [self._watched_exit(leave) for leave in exits]

        @functools.wraps(train)
        def watched_train(model: Any, mode: bool = True) -> Any:
            if mode:
                module.train = train
                for region, leave in zip(regions, exits):
                    region.__exit__ = leave
                self._training()
            return train(model, mode)

        def evaluate(original: Any, model: Any) -> Any:
            if module.train is train and not torch.compiler.is_compiling() and self._evaluation():
                result = original(model)
                module.train = watched_train
                for region, leave in zip(regions, watched_exits):
                    region.__exit__ = leave
                return result
            return original(model)

        wrap(module, "eval", evaluate)

    def _watched_exit(self, leave: Any) -> Any:
        @functools.wraps(leave)
        def watched(*arguments: Any) -> Any:
            result = leave(*arguments)
            self.told.loop.gradless_end(monotonic_ns())
            return result

        return watched

    @report.guard
    def _training(self) -> None:
        if self.told.observes():
            self.told.loop.training(monotonic_ns())

    def _evaluation(self) -> bool:
        told = self.told
        try:
            if not told.observes():
                return False
            told.loop.evaluation(monotonic_ns(), not told.is_grad_enabled())
            return True
        except Exception as error:
            report.failed("_evaluation", error)
            return False

    # States that are loaded.

    def _load(self, original: Any, *arguments: Any, **options: Any) -> Any:
        self._other_begins()
        result = original(*arguments, **options)
        self.has_read = True
        return result

    @report.guard
    def _other_begins(self) -> None:
        if self.told.observes():
            self.told.loop.other_begins(monotonic_ns())

    def _load_model(self, original: Any, module: Any, *arguments: Any, **options: Any) -> Any:
        result = original(module, *arguments, **options)
        self._loaded(-1)
        return result

    def _load_optimizer(self, original: Any, optimizer: Any, *arguments: Any, **options: Any) -> Any:
        result = original(optimizer, *arguments, **options)
        self._loaded(_steps_of(optimizer) if self.has_read else -1)
        return result

    @report.guard
    def _loaded(self, optimizer_steps: int) -> None:
        if self.told.observes():
            self.told.loop.state_loaded(optimizer_steps)

    # Checkpoints.

    def _save(self, original: Any, *arguments: Any, **options: Any) -> Any:
        """Wraps torch.save(obj, f, ...), whose arguments may be positional or named."""
        file = arguments[1] if len(arguments) > 1 else options.get("f")
        begun = self._begin_checkpoint(file)
        try:
            return original(*arguments, **options)
        finally:
            if begun is not None:
                _end_checkpoint(file, begun)

    def _begin_checkpoint(self, file: Any) -> Any:
        """Returns the position in FILE where the checkpoint begins, or None before training, when
        it is not one."""
        told = self.told
        try:
            if not told.observes() or told.loop.steps() == 0:
                return None
            told.loop.settle()
            told.loop.other_begins(monotonic_ns())
            report.checkpoint_begin(report.PLAIN)
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
    report.checkpoint_end(report.PLAIN, written)


def _position(file: Any) -> int:
    try:
        return int(file.tell())
    except Exception:
        return 0


def _steps_of(optimizer: Any) -> int:
    """Returns the steps that a restored optimizer has counted (as Adam does), 0 when it counts
    none."""
    try:
        states = optimizer.state.values()
        return max((count_of(state["step"]) for state in states if "step" in state), default=0)
    except Exception:
        return 0
