"""Determines how much data a Keras `fit` was given: samples, batch size, iterations per epoch."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass

from lapcast._batch import samples_of
from lapcast._trainings import HALF, length_of, samples_of_loader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict

DEFAULT_BATCH = 32  # Keras's default for arrays


@dataclass
class Data:
    """Holds the sizes of the data; 0 means not known."""

    samples: int = 0  # per epoch
    batch: int = 0
    iterations: int = 0  # per epoch
    validation: int = 0  # per validation
    validate_every: int = 0  # epochs from one validation to the next, 0 where it is one
    exact: bool = False  # whether these determine the samples of every step

    def samples_of_step(self, step: int) -> int:
        """Returns the samples of the epoch's step (from 0), or 0 when they must be counted."""
        return max(min(self.batch, self.samples - step * self.batch), 0) if self.exact else 0


def of_fit(given: Dict[str, Any]) -> Data:
    """Returns what the arguments of `fit` tell."""
    x, steps = given.get("x"), given.get("steps_per_epoch")
    data = _of_arrays(given, x) if _is_arrays(x) else _of_batches(x)
    if steps:
        data.iterations, data.exact = int(steps), False
        data.samples = int(steps) * data.batch
    data.validation = data.validation or _validation_samples(given.get("validation_data"))
    if given.get("validation_steps"):
        size = given.get("validation_batch_size") or data.batch
        data.validation = min(data.validation or 1 << 31, int(given["validation_steps"]) * size)
    every = given.get("validation_freq")
    if data.validation and isinstance(every, int) and every > 1:
        data.validate_every = every
    return data


def _is_arrays(x: Any) -> bool:
    """Returns whether X is arrays, tensors, or lists and dicts of them, and not a source of
    batches."""
    return hasattr(x, "shape") or isinstance(x, (list, tuple, dict))


def _of_arrays(given: Dict[str, Any], x: Any) -> Data:
    batch, samples = int(given.get("batch_size") or DEFAULT_BATCH), samples_of(x)
    validation = 0
    if given.get("validation_split") and given.get("validation_data") is None:
        kept = math.floor(samples * (1.0 - given["validation_split"]))
        samples, validation = kept, samples - kept
    return Data(samples, batch, -(-samples // batch), validation, exact=samples > 0)


def _of_batches(x: Any) -> Data:
    """Returns the sizes of a tf.data.Dataset, a torch DataLoader, a PyDataset or a generator."""
    if hasattr(x, "cardinality") and hasattr(x, "element_spec"):
        return Data(0, _static_batch(x.element_spec), max(int(x.cardinality()), 0))
    iterations = int(getattr(x, "num_batches", None) or length_of(x))
    if hasattr(x, "sampler"):
        return Data(samples_of_loader(x), getattr(x, "batch_size", 0) or 0, iterations)
    return Data(0, 0, iterations)


def _static_batch(spec: Any) -> int:
    """Returns the batch size that a dataset's element_spec fixes."""
    while isinstance(spec, (list, tuple, dict)) and spec:
        spec = next(iter(spec.values())) if isinstance(spec, dict) else spec[0]
    shape = getattr(spec, "shape", None)
    return int(shape[0] or 0) if shape is not None and shape.rank else 0


def _validation_samples(given: Any) -> int:
    if isinstance(given, (list, tuple)) and given and _is_arrays(given[0]):
        return samples_of(given[0])
    return samples_of_loader(given) if hasattr(given, "sampler") else 0


def counted(model: Any) -> int:
    """Returns the samples over which the model's loss was averaged since its metrics were reset."""
    for metric in getattr(model, "metrics", ()):
        if metric.name == "loss" and hasattr(metric, "count"):
            try:
                return round(float(metric.count))
            except TypeError:
                return 0  # a variable that is spread over replicas
    return 0


def is_on_device(model: Any) -> bool:
    """Returns whether the model's work is queued on an accelerator."""
    weights = getattr(model, "weights", None)
    value = getattr(weights[0], "value", None) if weights else None
    device = getattr(value, "device", "cpu")
    return "cpu" not in str(device).lower()


def numbers_of(model: Any) -> str:
    """Returns in which numbers the model computes (docs/lap-log.md, `numbers`)."""
    policy = getattr(model, "dtype_policy", None)
    if getattr(policy, "compute_dtype", "") in HALF:
        return "amp"
    config = getattr(getattr(sys.modules.get("tensorflow"), "config", None), "experimental", None)
    is_tf32 = getattr(config, "tensor_float_32_execution_enabled", None)
    return "tf32" if is_tf32 is not None and is_tf32() else "fp32"
