"""The accelerator that an optimizer's parameters are on: is its work finished, and how much memory
did it take?"""

from __future__ import annotations

from time import monotonic_ns

from lapcast import _report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Tuple

LEAST_NS = 500_000_000  # between two synchronisations
MOST_SHARE = 100  # waiting takes at most the hundredth part of the time


class Device:
    """Work on a device is queued: when an optimizer's step returns, nothing may have been done yet.

    Now and then the device is waited for, so that a lap's end is that of its work. The first lap is;
    after that a wait of W ns is followed by none for 100 W, and at least half a second."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._next = 0

    def finish(self, optimizer: Any, now: int) -> Tuple[int, bool]:
        """When the step of OPTIMIZER that has just returned ended, and whether its work is only
        queued."""
        try:
            parameter = optimizer.param_groups[0]["params"][0]
        except IndexError:
            return now, False
        if parameter.is_cpu:
            return now, False
        kind = str(parameter.device.type)
        if now < self._next or self._is_capturing(kind):
            return now, True
        module = getattr(self._torch, kind)
        module.synchronize()
        end = monotonic_ns()
        self._next = end + max(LEAST_NS, MOST_SHARE * (end - now))
        self._report_memory(module, end)
        return end, False

    def _is_capturing(self, kind: str) -> bool:
        """Waiting is not allowed while a CUDA graph is recorded."""
        return kind == "cuda" and bool(self._torch.cuda.is_current_stream_capturing())

    def _report_memory(self, module: Any, at: int) -> None:
        peak = getattr(module, "max_memory_allocated", None)
        if peak is not None:
            _report.device_memory(int(peak()), at)
