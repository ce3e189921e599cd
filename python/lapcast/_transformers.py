"""Observes the Trainer of Hugging Face Transformers with a TrainerCallback."""

from __future__ import annotations

import sys

from lapcast._report import report
from lapcast._batch import is_made_of_samples, samples_of
from lapcast._sequences import sequences
from lapcast._trainings import (as_stage, as_training, bytes_in, end_of_lap, is_version,
                                length_of, metrics, trainings,
                                wrap)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Dict

SOURCE = "transformers"
EPSILON = 1e-6  # The Trainer's epoch is a float, which should be whole where an epoch begins.


def attach(library: ModuleType) -> None:
    """Attaches to LIBRARY: transformers.trainer, imported."""
    if not is_version(sys.modules["transformers"], "transformers", (4, 30), 5):
        return
    around = Around(type("LapcastCallback", (Laps, library.TrainerCallback), {}))
    wrap(library.Trainer, "train", around.train)
    wrap(library.Trainer, "evaluate", around.evaluate)
    wrap(library.Trainer, "predict", around.predict)
    wrap(library.Trainer, "save_model", around.save_model)


class Around:
    """Wraps the methods of a Trainer."""

    def __init__(self, callback: type) -> None:
        self.callback = callback
        self.training: Any = None  # the callback of the running training
        self.validating = False

    def train(self, original: Any, trainer: Any, *arguments: Any, **options: Any) -> Any:
        """Runs a training. The search for a batch size calls this again inside of it."""
        return as_training(SOURCE, self.begin, self.end, original, trainer, *arguments, **options)

    @report.guard
    def begin(self, trainer: Any) -> Any:
        """Puts the callback first in the list, and wraps training_step, which alone sees every
        batch."""
        callback = self.training = self.callback()
        trainer.callback_handler.callbacks.insert(0, callback)
        callback.watch(trainer)
        return callback

    @report.guard
    def end(self, trainer: Any, callback: Any) -> None:
        self.training = None
        if callback is None:
            return
        callback.end(trainer)
        trainer.remove_callback(callback)

    def evaluate(self, original: Any, trainer: Any, *arguments: Any, **options: Any) -> Any:
        """Reports a validation. For several data sets the Trainer calls it again for each."""
        if self.validating:
            return original(trainer, *arguments, **options)
        taken = report.take(SOURCE, report.TRAINER)
        report.validation_begin(SOURCE)
        self.validating = True
        try:
            return original(trainer, *arguments, **options)
        finally:
            self.validating = False
            self.end_validation(trainer, arguments[0] if arguments else options.get("eval_dataset"))
            if taken:
                report.give(SOURCE)

    @report.guard
    def end_validation(self, trainer: Any, given: Any) -> None:
        data = trainer.eval_dataset if given is None else given
        report.validation_end(SOURCE, _samples(data))

    def predict(self, original: Any, trainer: Any, *arguments: Any, **options: Any) -> Any:
        return as_stage(SOURCE, "predict", original, trainer, *arguments, **options)

    def save_model(self, original: Any, trainer: Any, *arguments: Any, **options: Any) -> Any:
        """Reports a checkpoint. A checkpoint of the Trainer itself begins here with the model, and
        ends in `on_save`."""
        report.checkpoint_begin(SOURCE)
        path = arguments[0] if arguments else options.get("output_dir")
        part = self.training is not None and options.get("_internal_call", len(arguments) > 1)
        if part:
            self.training.saved_to = path
        try:
            return original(trainer, *arguments, **options)
        finally:
            if not part:
                report.checkpoint_end(SOURCE, bytes_in(path or trainer.args.output_dir))


class Laps:
    """Is the callback of one training. A lap is an optimizer step with all its accumulated
    batches."""

    def watch(self, trainer: Any) -> None:
        """Counts the samples of the batches of TRAINER's training steps."""
        self.laps = self.samples = self.epoch = self.offset = self.batch = 0
        # Samples of a batch, of an epoch, and of the epoch so far.
        self.asked = self.of_epoch = self.counted = 0
        self.began = False
        self.saved_to = ""  # the folder of the checkpoint that is being written
        step = trainer.training_step

        def training_step(model: Any, inputs: Any, *arguments: Any, **options: Any) -> Any:
            self.count(inputs)
            return step(model, inputs, *arguments, **options)

        trainer.training_step = training_step
        self.trainer = trainer

    @report.guard
    def count(self, inputs: Any) -> None:
        sequences.begins(inputs, self.asked)
        samples = samples_of(inputs)
        if samples == 1 and sequences.by_tokens:  # a collator put all of them into one row
            left = self.of_epoch - self.counted
            samples = min(self.asked, left) if left > 0 else self.asked
        self.counted += samples
        self.samples += samples
        if self.asked == 1 and self.batch and is_made_of_samples(inputs):
            self.batch = 0  # the loader takes a batch for one sample
            report.plan(SOURCE, batch=0, train=0)

    @report.guard
    def on_train_begin(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        if self.began:  # the search for a batch size begins again after one that was too large
            trainings.begin_anew(SOURCE)
            sequences.stop()
            self.laps = self.samples = 0
        self.began = True
        self.asked = _asked(args, state)
        self.of_epoch = _samples(self.trainer.train_dataset) // max(args.world_size, 1)
        self.batch = _batch(args, state)
        parameters = self.trainer.model.parameters()
        work = (type(self.trainer.model), self.batch, sum(p.requires_grad for p in parameters))
        self.resumed = state.global_step
        first = _whole(state.epoch) if self.resumed else 0
        self.offset = trainings.begin(SOURCE, work, first)
        report.plan(SOURCE, **self.plan_of(args, state, others.get("train_dataloader")))
        members = vars(self.trainer)
        sequences.read_limits(others.get("train_dataloader"), self.trainer.model,
                              members.get("processing_class", members.get("tokenizer")))

    def plan_of(self, args: Any, state: Any, loader: Any) -> Dict[str, Any]:
        """Returns the plan in epochs when these are whole and end the training, else in steps. 0:
        not known."""
        iterations = -(-length_of(loader) // args.gradient_accumulation_steps)
        in_epochs = args.max_steps <= 0 and float(args.num_train_epochs).is_integer()
        if in_epochs and state.max_steps > 0:  # older versions round an epoch's iterations down
            iterations = -(-state.max_steps // max(1, int(args.num_train_epochs)))
        return {
            "epochs": self.offset + int(args.num_train_epochs) if in_epochs else 0,
            "steps": 0 if in_epochs else trainings.steps(state.max_steps, self.resumed),
            "iterations": iterations, "batch": self.batch,
            "train": _samples(self.trainer.train_dataset),
            "validation": _samples(self.trainer.eval_dataset),
            "done": trainings.done_before(self.resumed),
        }

    @report.guard
    def on_epoch_begin(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        self.epoch = self.offset + _whole(state.epoch) + 1
        self.samples = self.counted = 0
        report.epoch_begin(SOURCE, self.epoch)

    @report.guard
    def on_step_end(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        at, queued = end_of_lap(self.trainer.optimizer)
        report.iteration(SOURCE, self.samples, queued, at)
        self.samples = 0
        self.laps += 1

    @report.guard
    def on_epoch_end(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        if state.epoch - _whole(state.epoch) < EPSILON:  # otherwise it was broken off
            report.epoch_end(SOURCE, self.epoch)

    @report.guard
    def on_train_end(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        sequences.ended()

    @report.guard
    def on_log(
        self, args: Any, state: Any, control: Any, logs: Any = None, **others: Any
    ) -> None:
        metrics(SOURCE, {name: figure for name, figure in (logs or {}).items() if _tells(name)})

    @report.guard
    def on_save(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        report.checkpoint_end(SOURCE, bytes_in(self.saved_to))

    def end(self, trainer: Any) -> None:
        """Cleans up after the training, however it ended."""
        trainer.__dict__.pop("training_step", None)
        if self.began:
            trainings.end(self.epoch, self.laps)


def _tells(name: str) -> bool:
    """Returns whether a logged figure describes the model, not the speed or the whole training."""
    return "loss" in name and name != "train_loss" or (
        name.startswith("eval_") and not name.endswith(("_runtime", "_per_second")))


def _whole(epoch: Any) -> int:
    """Returns the finished epochs, given the Trainer's fractional epoch."""
    return int((epoch or 0) + EPSILON)


def _asked(args: Any, state: Any) -> int:
    """Returns the samples of a batch of this process."""
    return int(getattr(state, "train_batch_size", None) or args.train_batch_size)


def _batch(args: Any, state: Any) -> int:
    """Returns the samples of a step over all ranks."""
    return int(_asked(args, state) * args.gradient_accumulation_steps * max(args.world_size, 1))


def _samples(data: Any) -> int:
    """Returns the samples of a data set or of a dict of several, 0 when not known."""
    if isinstance(data, dict):
        return sum(length_of(part) for part in data.values())
    return length_of(data)
