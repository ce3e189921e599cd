"""Tells the observer that an exception ends the program, which may still hang while it exits."""

from __future__ import annotations

import sys
from time import monotonic_ns

from lapcast._log import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable


class Raised:
    """Is the hook for exceptions that nobody catches. They are printed as before."""

    def __init__(self, tell: Callable[[str], None], inner: Any) -> None:
        self._tell, self._inner = tell, inner

    def __call__(self, kind: Any, value: Any, trace: Any) -> None:
        self._tell("raised")
        self._report_memory()
        self._inner(kind, value, trace)

    def _report_memory(self) -> None:
        """Reports the peak of the device memory: the exception may mean that it was too small."""
        try:
            peak = max((_peak_of(kind) for kind in ("cuda", "xpu")), default=0)
            if peak > 0:
                log.untimed(f"device-memory {peak}", monotonic_ns())
        except Exception:
            pass  # the program ends anyway


def watch(tell: Callable[[str], None]) -> None:
    """Watches the exceptions that nobody catches, once. tell: see `_hook.tell`."""
    if not isinstance(sys.excepthook, Raised):
        sys.excepthook = Raised(tell, sys.excepthook)


def _peak_of(kind: str) -> int:
    module = getattr(sys.modules.get("torch"), kind, None)
    if module is None or not module.is_initialized():
        return 0
    return max((int(module.max_memory_allocated(i)) for i in range(module.device_count())), default=0)
