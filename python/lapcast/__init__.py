"""Reports the laps (training iterations) of a program to lapcast.

Most programs do not need this module: under `lapcast probe -- python train.py` laps are found
without a change to the script. It is for loops that cannot be found, such as one in JAX:

    import lapcast

    with lapcast.stage("data-load"):
        batches = load()
    for epoch in lapcast.epochs(10):
        for batch in lapcast.laps(batches):
            loss = train_step(batch)
        with lapcast.validation(samples=len(test)):
            accuracy = evaluate(test)
        lapcast.metric("val_accuracy", accuracy)

Without an observer (no LAPCAST_LOG_DIR in the environment) every call does nothing. See
docs/python.md.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from lapcast._api import (
        checkpoint,
        epochs,
        iteration,
        laps,
        metric,
        note,
        observed,
        phase,
        plan,
        stage,
        validation,
    )

__version__ = "0.1.0"
__all__ = [
    "checkpoint",
    "epochs",
    "iteration",
    "laps",
    "metric",
    "note",
    "observed",
    "phase",
    "plan",
    "stage",
    "validation",
]


def __getattr__(name: str) -> "Any":
    """Loads the calls when the program first uses one, because most programs use only the hook."""
    if name not in __all__:
        raise AttributeError(f"module 'lapcast' has no attribute {name!r}")
    import lapcast._api

    return globals().setdefault(name, getattr(sys.modules["lapcast._api"], name))


if os.environ.get("LAPCAST_LOG_DIR"):
    from lapcast import _hook

    _hook.install()
