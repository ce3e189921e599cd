"""Tells in which numbers a training with PyTorch computes (docs/lap-log.md, `numbers`)."""

from __future__ import annotations

from lapcast._report import report
from lapcast._trainings import HALF, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

LOOKS = (2, 20, 200)  # steps after which it is looked: a program may turn autocast on after a while


class Numbers:
    """Sees autocast around work with gradients, the parameters of optimizers, and TF32."""

    def __init__(self, torch: Any) -> None:
        self.torch = torch
        self.is_half = False
        self.is_over = False  # it has seen enough
        self.steps = 0
        self._autocast: Optional[Any] = getattr(torch.amp, "autocast_mode", None)
        if self._autocast is not None:
            self._original = self._autocast.autocast.__enter__
            wrap(self._autocast.autocast, "__enter__", self._enter)
            self._wrapper = self._autocast.autocast.__enter__

    def stepped(self, optimizer: Any) -> None:
        """Is told of each step of an optimizer until is_over."""
        self.steps += 1
        if self.steps in LOOKS:
            self._look(optimizer)

    @report.guard
    def _look(self, optimizer: Any) -> None:
        parameters = (each for group in optimizer.param_groups for each in group["params"])
        first = next(parameters, None)
        self.is_half = self.is_half or _is_half(getattr(first, "dtype", None))
        if self.is_half:
            report.numbers("amp")
        elif self.torch.get_float32_matmul_precision() != "highest":
            report.numbers("tf32")
        else:
            report.numbers("fp32")
        if self.is_half or self.steps == LOOKS[-1]:
            self._stop()

    def _enter(self, original: Any, autocast: Any) -> Any:
        result = original(autocast)
        if not self.torch.is_grad_enabled() or not getattr(autocast, "_enabled", False):
            return result
        self.is_half = self.is_half or _is_half(getattr(autocast, "fast_dtype", None))
        return result

    def _stop(self) -> None:
        """Takes the observer off, unless another library has wrapped it meanwhile."""
        if self._autocast is not None and self._autocast.autocast.__enter__ is self._wrapper:
            self._autocast.autocast.__enter__ = self._original
        self.is_over = True


def _is_half(dtype: Any) -> bool:
    return str(dtype).rpartition(".")[2] in HALF
