"""Runs the lapcast binary that was installed with this package: python -m lapcast."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional


def binary() -> Optional[str]:
    """Returns the binary beside this Python, else the first one on the PATH."""
    own = os.path.join(sysconfig.get_path("scripts"), "lapcast")
    return own if os.access(own, os.X_OK) else shutil.which("lapcast")


def main() -> None:
    program = binary()
    if program is None:
        sys.exit("lapcast: there is no binary beside this Python, nor on the PATH; pip install it")
    os.execv(program, ["lapcast", *sys.argv[1:]])


if __name__ == "__main__":
    main()
