"""Asks the accelerator of an optimizer's parameters whether its work is finished and how much
memory it took."""

from __future__ import annotations

from time import monotonic_ns

from lapcast import _report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Tuple

LEAST_NS = 500_000_000  # between two synchronisations
MOST_SHARE = 100  # waiting takes at most a hundredth of the time


class Device:
    """Waits for a device now and then. Its work is queued: when an optimizer's step returns,
    nothing may have been done yet.

    Only after a wait is a lap's end the end of its work. The first lap is waited for. A wait of W
    ns is followed by at least 100 W, and at least half a second, without one."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._next = 0

    def finish(self, optimizer: Any, now: int) -> Tuple[int, bool]:
        """Returns when the step of OPTIMIZER that has just returned ended, and whether its work is
        only queued."""
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
        self._report_memory(module)
        return end, False

    def _is_capturing(self, kind: str) -> bool:
        """Returns whether a CUDA graph is being recorded, when waiting is not allowed."""
        return kind == "cuda" and bool(self._torch.cuda.is_current_stream_capturing())

    def _report_memory(self, module: Any) -> None:
        peak = getattr(module, "max_memory_allocated", None)
        if peak is not None:
            _report.device_memory(int(peak()))
