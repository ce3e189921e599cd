"""Counts the steps of Keras's optimizers, also those that are made inside of tf.function."""

from __future__ import annotations

import sys
import weakref
from time import monotonic_ns

from lapcast._report import report
from lapcast._trainings import wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, List


class KerasSteps:
    """Knows the optimizers that have been applied or traced. Use the one object `keras_steps`."""

    def __init__(self) -> None:
        self._steps: Any = weakref.WeakKeyDictionary()  # optimizer -> its steps at the last look

    def attach(self, keras: Any) -> None:
        """Attaches to keras or tf_keras, imported."""
        if hasattr(keras.optimizers.Optimizer, "apply"):
            wrap(keras.optimizers.Optimizer, "apply", self._apply)

    def _apply(self, original: Any, optimizer: Any, *arguments: Any, **options: Any) -> Any:
        result = original(optimizer, *arguments, **options)
        if optimizer not in self._steps:
            self._steps[optimizer] = 0
        if "lapcast._torch_loop" in sys.modules and _steps_of(optimizer) > 0:
            _stepped_on_torch(optimizer)
        return result

    def look(self) -> List[Any]:
        """Returns the optimizers that stepped since the last look."""
        stepped = []
        for optimizer, before in list(self._steps.items()):
            now = _steps_of(optimizer)
            if now > before:
                self._steps[optimizer] = now
                stepped.append(optimizer)
        return stepped

    @report.guard
    def skip(self) -> None:
        """Skips the steps that a trainer has reported."""
        for optimizer in list(self._steps):
            self._steps[optimizer] = _steps_of(optimizer)


def _steps_of(optimizer: Any) -> int:
    """Returns the optimizer's steps so far, 0 while it is only traced."""
    try:
        return int(optimizer.iterations.numpy())
    except Exception:
        return 0


@report.guard
def _stepped_on_torch(optimizer: Any) -> None:
    """Reports a step on the torch backend, where passes over DataLoaders feed the loop."""
    from lapcast._torch_loop import torch_loop

    if sys.modules["keras"].backend.backend() == "torch" and torch_loop.observes():
        torch_loop.loop.step(optimizer, monotonic_ns())


keras_steps = KerasSteps()
