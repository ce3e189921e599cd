"""Observes PyTorch Lightning 2 under both of its names.

The hook's own callback is put first into the Trainer's list when `fit`, `validate`, `test` or
`predict` begins, and removed when it ends.
"""

from __future__ import annotations

import importlib
import math

from lapcast._report import report
from lapcast._batch import is_made_of_samples, samples_of
from lapcast._sequences import sequences
from lapcast._trainings import (as_training, bytes_in, end_of_lap, is_version, length_of, metrics,
                                samples_of_loader, trainings, wrap)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Dict, List, Set

SOURCE = "lightning"


def attach(library: ModuleType) -> None:
    """Attaches to LIBRARY: lightning.pytorch or pytorch_lightning, imported."""
    if not is_version(library, library.__name__, (2, 0), 2):
        return
    around = Around(library.__name__)
    for name in ("fit", "validate", "test", "predict"):
        wrap(library.Trainer, name, around.run)
    wrap(library.Trainer, "save_checkpoint", around.save_checkpoint)
    wrap(library.callbacks.LearningRateFinder, "lr_find", around.lr_find)
    wrap(library.callbacks.BatchSizeFinder, "scale_batch_size", around.scale_batch_size)


class Around:
    """Wraps the methods of a Lightning Trainer."""

    def __init__(self, library: str) -> None:
        self.library = library
        self.searching = False

    def run(self, original: Any, trainer: Any, *arguments: Any, **options: Any) -> Any:
        """Runs fit, validate, test or predict. A call inside another one is part of that one."""
        return as_training(SOURCE, self.begin, self.end, original, trainer, *arguments, **options)

    @report.guard
    def begin(self, trainer: Any) -> Any:
        callback = callback_for(self.library)
        trainer.callbacks.insert(0, callback)
        return callback

    @report.guard
    def end(self, trainer: Any, callback: Any) -> None:
        if callback is None:
            return
        callback.end()
        trainer.callbacks = [other for other in trainer.callbacks if other is not callback]

    def save_checkpoint(self, original: Any, trainer: Any, *arguments: Any, **options: Any) -> Any:
        """Reports a checkpoint, whoever saves it. A search saves one to restore later, which is
        part of its stage."""
        if self.searching:
            return original(trainer, *arguments, **options)
        report.checkpoint_begin(SOURCE)
        try:
            return original(trainer, *arguments, **options)
        finally:
            path = arguments[0] if arguments else options.get("filepath")
            report.checkpoint_end(SOURCE, bytes_in(path))

    def lr_find(self, original: Any, *arguments: Any, **options: Any) -> Any:
        """Runs the search as a stage. Lightning removes the callbacks for it, so it reports no
        laps."""
        return self.stage("lr-find", original, arguments, options)

    def scale_batch_size(self, original: Any, *arguments: Any, **options: Any) -> Any:
        """Runs the search for a batch size in the same way."""
        return self.stage("scale-batch-size", original, arguments, options)

    def stage(self, name: str, original: Any, arguments: Any, options: Any) -> Any:
        report.stage_begin(name)
        self.searching = True
        try:
            return original(*arguments, **options)
        finally:
            self.searching = False
            report.stage_end(name)


def callback_for(library: str) -> Any:
    """Returns a new callback for the library of this name, also in a process that Lightning
    spawned."""
    callbacks = importlib.import_module(library).callbacks
    return type("LapcastCallback", (Laps, callbacks.Callback), {"library": library})()


class Laps:
    """Is the callback of one `fit`. A lap is a batch after which an optimizer has stepped: of
    several accumulated batches all but the last belong to the same lap, and several optimizers make
    one lap."""

    def __init__(self) -> None:
        self.fitting = False
        self.offset = self.epoch = self.laps = self.samples = self.validated = self.steps = 0
        self.steps_per_lap = self.batches = self.resumed = 0
        self.reported: Set[str] = set()  # the metrics that are reported with validations

    def __reduce__(self) -> Any:
        return callback_for, (self.library,)  # type: ignore[attr-defined]

    @report.guard
    def setup(self, trainer: Any, pl_module: Any, stage: str) -> None:
        """Lets this source report in a process that Lightning spawned, where begin() was not
        called."""
        if report.active() != SOURCE:
            report.take(SOURCE, report.TRAINER)

    @report.guard
    def on_sanity_check_start(self, trainer: Any, pl_module: Any) -> None:
        report.stage_begin("sanity-check")

    @report.guard
    def on_sanity_check_end(self, trainer: Any, pl_module: Any) -> None:
        report.stage_end("sanity-check")

    @report.guard
    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        self.fitting = True
        self.steps = self.resumed = trainer.global_step
        trained = sum(parameter.requires_grad for parameter in pl_module.parameters())
        work = (type(pl_module), _batch(trainer), trained)
        self.offset = trainings.begin(SOURCE, work, trainer.current_epoch)
        report.plan(SOURCE, **self.plan_of(trainer))
        sequences.read_limits(next(iter(_loaders(trainer, "train_dataloader")), None))

    def plan_of(self, trainer: Any) -> Dict[str, Any]:
        """Returns the plan in epochs, or in steps where these end the training first. 0: not
        known."""
        iterations = _per_epoch(trainer)
        epochs = max(trainer.max_epochs or 0, 0)
        steps = max(trainer.max_steps, 0) // max(self.steps_per_lap, 1)
        if steps and epochs and iterations and steps >= epochs * iterations:
            steps = 0
        return {
            "epochs": 0 if steps else epochs + self.offset if epochs else 0,
            "steps": trainings.steps(steps, self.resumed // max(self.steps_per_lap, 1)) if steps else 0,
            "iterations": iterations, "batch": _batch(trainer), "train": _train_samples(trainer),
            "validation": _validation_samples(trainer),
            "validate_every": _validate_every(trainer),
            "done": trainings.done_before(self.resumed // max(self.steps_per_lap, 1)),
        }

    @report.guard
    def on_train_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        self.epoch = self.offset + trainer.current_epoch + 1
        self.batches = 0
        report.epoch_begin(SOURCE, self.epoch)

    @report.guard
    def on_train_batch_end(
        self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        self.samples += samples_of(batch)
        sequences.begins(batch)
        sequences.ended()
        self.batches += 1
        stepped = trainer.global_step - self.steps
        if stepped <= 0:
            return
        self.steps += stepped
        at, queued = end_of_lap(trainer.optimizers[0])
        report.iteration(SOURCE, self.samples, queued, at)
        if self.laps == 0 and report.planned("batch") == self.batches and is_made_of_samples(batch):
            report.plan(SOURCE, batch=0, train=0, at=at)  # its loader takes a batch for one sample
        self.samples = 0
        self.laps += 1
        if stepped != self.steps_per_lap:
            self.count_steps(trainer, stepped)

    def count_steps(self, trainer: Any, stepped: int) -> None:
        """Learns how many steps Lightning counts per lap: those of all optimizers."""
        if stepped > self.steps_per_lap:
            self.steps_per_lap = stepped
            if stepped > 1:
                report.plan(SOURCE, **self.plan_of(trainer))

    @report.guard
    def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        if not self.is_broken_off(trainer):
            report.epoch_end(SOURCE, self.epoch)
        metrics(SOURCE, {name: figure for name, figure in trainer.callback_metrics.items()
                         if name not in self.reported})

    def is_broken_off(self, trainer: Any) -> bool:
        """Returns whether the epoch ends before its last batch."""
        stops = trainer.should_stop or 0 <= trainer.max_steps <= trainer.global_step
        return bool(stops and self.batches < trainer.num_training_batches < math.inf)

    @report.guard
    def on_validation_start(self, trainer: Any, pl_module: Any) -> None:
        self.validated = 0
        if not trainer.sanity_checking:
            report.validation_begin(SOURCE)

    @report.guard
    def on_validation_batch_end(
        self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int,
        dataloader_idx: int = 0,
    ) -> None:
        self.validated += samples_of(batch)

    @report.guard
    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        if not trainer.sanity_checking:
            report.validation_end(SOURCE, self.validated)
            names = {name for name in trainer.callback_metrics if "val" in name}
            metrics(SOURCE, {name: trainer.callback_metrics[name] for name in names})
            self.reported |= names

    @report.guard
    def on_test_start(self, trainer: Any, pl_module: Any) -> None:
        report.stage_begin("evaluate")

    @report.guard
    def on_test_end(self, trainer: Any, pl_module: Any) -> None:
        report.stage_end("evaluate")

    @report.guard
    def on_predict_start(self, trainer: Any, pl_module: Any) -> None:
        report.stage_begin("predict")

    @report.guard
    def on_predict_end(self, trainer: Any, pl_module: Any) -> None:
        report.stage_end("predict")

    def end(self) -> None:
        """Cleans up after the call, however it ended."""
        if self.fitting:
            trainings.end(self.epoch, self.laps)


def _loaders(trainer: Any, name: str) -> List[Any]:
    """Returns the trainer's loaders as a list, whatever collection the user gave."""
    loaders = getattr(trainer, name, None)
    if isinstance(loaders, dict):
        return list(loaders.values())
    if isinstance(loaders, (list, tuple)):
        return list(loaders)
    return [] if loaders is None else [loaders]


def _per_epoch(trainer: Any) -> int:
    """Returns the laps of an epoch, 0 when the loader does not know."""
    batches = trainer.num_training_batches
    return 0 if math.isinf(batches) else -(-int(batches) // trainer.accumulate_grad_batches)


def _batch(trainer: Any) -> int:
    """Returns the samples of a lap over all ranks, 0 when not known. Only the first loader
    counts."""
    size = next((getattr(loader, "batch_size", 0) or 0
                 for loader in _loaders(trainer, "train_dataloader")), 0)
    return int(size * trainer.accumulate_grad_batches * trainer.world_size)


def _limited(loader: Any, batches: Any) -> int:
    """Returns the samples in at most BATCHES batches of a loader, 0 when not known."""
    samples, size = samples_of_loader(loader), getattr(loader, "batch_size", 0) or 0
    if not size or not samples or batches >= (length_of(loader) or math.inf):
        return samples
    return min(samples, int(batches) * size)


def _train_samples(trainer: Any) -> int:
    loaders = _loaders(trainer, "train_dataloader")
    if len(loaders) != 1:
        return 0
    return int(_limited(loaders[0], trainer.num_training_batches) * trainer.world_size)


def _validate_every(trainer: Any) -> int:
    """Returns the epochs from one validation to the next, 0 where it is one or not known."""
    every = getattr(trainer, "check_val_every_n_epoch", None) or 0
    return every if every > 1 and _validation_samples(trainer) else 0


def _validation_samples(trainer: Any) -> int:
    loaders = _loaders(trainer, "val_dataloaders")
    limits = trainer.num_val_batches
    limits = limits if isinstance(limits, list) else [limits] * len(loaders)
    samples = sum(_limited(loader, limit) for loader, limit in zip(loaders, limits))
    return int(samples * trainer.world_size)
