"""What lapcast puts first on PYTHONPATH: begins to observe, then gives way to the sitecustomize that
was there before. Without LAPCAST_LOG_DIR it only gives way."""

import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def _observe():
    try:
        if not os.path.isdir(os.path.join(_HERE, "lapcast")):  # a checkout: python/hook, python/lapcast
            sys.path.insert(1, os.path.dirname(_HERE))
        import lapcast  # noqa: F401  # its import begins to observe
    except Exception:
        pass  # the program is more important than what lapcast learns of it


def _give_way():
    """Runs the next sitecustomize on the path in place of this one, which leaves sys.modules to it."""
    path = sys.path[:]
    this = sys.modules.pop("sitecustomize", None)
    sys.path[:] = [folder for folder in path if os.path.abspath(folder or os.curdir) != _HERE]
    without = sys.path[:]
    try:
        import sitecustomize  # noqa: F401
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
        if this is not None:
            sys.modules["sitecustomize"] = this
    finally:
        _restore(path, without)


def _restore(path, without):
    """The path as it was, with what the other sitecustomize did to it."""
    if sys.path == without:
        sys.path[:] = path
    else:
        added = [folder for folder in sys.path if folder not in without]
        kept = [folder for folder in path if folder in sys.path or os.path.abspath(folder) == _HERE]
        sys.path[:] = added + kept


if os.environ.get("LAPCAST_LOG_DIR"):
    _observe()
_give_way()
