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
_give_way()
