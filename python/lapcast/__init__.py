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

Without an observer (no LAPCAST_LOG_DIR in the environment) every such call does nothing.

It also drives lapcast from Python: probe(), sweep(), rank(), runs() and show() run the command and
give its results as plain objects; read_store() gives pandas data frames. See docs/python.md.
"""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from lapcast._api import (
        checkpoint,
        epochs,
        iteration,
        iteration_ended,
        laps,
        metric,
        note,
        observed,
        phase,
        plan,
        stage,
        validation,
    )
    from lapcast._drive import (
        Interval,
        LapcastError,
        Run,
        Runs,
        StoreFrames,
        StoredRun,
        Table,
        probe,
        rank,
        read_store,
        runs,
        show,
        sweep,
    )

__version__ = "0.1.0"
_DRIVE = ["Interval", "LapcastError", "Run", "Runs", "StoreFrames", "StoredRun",
          "Table", "probe", "rank", "read_store", "runs", "show", "sweep"]
__all__ = [
    *_DRIVE,
    "checkpoint",
    "epochs",
    "iteration",
    "iteration_ended",
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
    if name in _DRIVE:
        import lapcast._drive as module
    else:
        import lapcast._api as module  # type: ignore[no-redef]
    return globals().setdefault(name, getattr(module, name))


if os.environ.get("LAPCAST_LOG_DIR"):
    from lapcast import _hook

    _hook.install()
