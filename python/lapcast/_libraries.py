"""Names the libraries that this process has imported, for the start of its lap log."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, List

NAMES = ("torch", "tensorflow", "keras", "jax", "lightning", "transformers", "accelerate")
LONGEST_VERSION = 64


def lines() -> List[str]:
    """Returns a line `library NAME VERSION` for each library of NAMES that is imported, and for
    the cuDNN of torch. Imports nothing, asks no device and never raises."""
    try:
        versions = {name: getattr(sys.modules.get(name), "__version__", "") for name in NAMES}
        versions["cudnn"] = _cudnn(sys.modules.get("torch"))
        return [f"library {name} {version_of(text)}" for name, text in versions.items() if text]
    except Exception:
        return []


def version_of(text: object) -> str:
    """Returns TEXT as a version of the format: other characters become `_` and the rest is cut
    off."""
    return "".join([c if "!" <= c <= "~" else "_" for c in str(text)[:LONGEST_VERSION]])


def _cudnn(torch: Any) -> str:
    try:
        number = int(torch.backends.cudnn.version() or 0) if torch.version.cuda else 0
    except Exception:
        return ""
    if number >= 90000:
        return f"{number // 10000}.{number // 100 % 100}.{number % 100}"
    return f"{number // 1000}.{number // 100 % 10}.{number % 100}" if number > 0 else ""
