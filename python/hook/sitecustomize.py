"""Starts to observe the program, then runs the sitecustomize that this one replaces.

lapcast puts this folder first on PYTHONPATH. Without LAPCAST_LOG_DIR nothing is observed."""

import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def _observe():
    try:
        # a checkout has python/hook and python/lapcast
        if not os.path.isdir(os.path.join(_HERE, "lapcast")):
            sys.path.insert(1, os.path.dirname(_HERE))
        import lapcast  # noqa: F401  # importing it starts to observe
    except Exception:
        pass  # The program must run even if lapcast cannot observe it.


def _run_next_sitecustomize():
    """Runs the next sitecustomize on the path, which takes this one's place in sys.modules."""
    here = [(i, each) for i, each in enumerate(sys.path) if os.path.abspath(each) == _HERE]
    for _, folder in here:
        sys.path.remove(folder)
    this = sys.modules.pop("sitecustomize", None)
    try:
        import sitecustomize  # noqa: F401
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
        if this is not None:
            sys.modules["sitecustomize"] = this
    finally:
        for i, folder in here:
            sys.path.insert(i, folder)


if os.environ.get("LAPCAST_LOG_DIR"):
    _observe()
_run_next_sitecustomize()
