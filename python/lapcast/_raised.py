"""Tells the observer that an exception ends the program, which may yet hang in its exit."""

from __future__ import annotations

import sys
from time import monotonic_ns

from lapcast._hook import tell
from lapcast._log import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_watching = False


def watch() -> None:
    """Watches the exceptions that nobody catches, once; they are printed as before."""
    global _watching
    if _watching:
        return
    _watching = True
    inner = sys.excepthook

    def excepthook(kind: Any, value: Any, trace: Any) -> None:
        _report()
        inner(kind, value, trace)

    sys.excepthook = excepthook


def _report() -> None:
    """Reports the most device memory before the exception, which may be for the lack of it."""
    tell("raised")
    try:
        peak = max((_peak_of(kind) for kind in ("cuda", "xpu")), default=0)
        if peak > 0:
            log.untimed(f"device-memory {peak}", monotonic_ns())
    except Exception:
        pass  # the program ends anyway


def _peak_of(kind: str) -> int:
    module = getattr(sys.modules.get("torch"), kind, None)
    if module is None or not module.is_initialized():
        return 0
    return max((int(module.max_memory_allocated(i)) for i in range(module.device_count())), default=0)
