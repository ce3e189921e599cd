"""Observes Keras 3 on every backend, and tf_keras: `fit`, `evaluate`, `predict`, `train_on_batch`,
`save` and `save_weights`. The hook's own callback is the first in the list of `fit`.
"""

from __future__ import annotations

import inspect
import threading
from time import monotonic_ns

from lapcast import _keras_data
from lapcast._batch import samples_of
from lapcast._keras_lengths import keras_lengths, works_on_steps
from lapcast._keras_steps import keras_steps
from lapcast._report import report
from lapcast._sequences import sequences
from lapcast._time_axis import TimeAxis
from lapcast._trainings import as_stage, bytes_in, is_version, metrics, trainings, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Callable, Dict, List

SOURCE = "keras"
BATCHES = "keras-batches"  # a loop of the user's over train_on_batch


def attach(library: ModuleType) -> None:
    """Attaches to LIBRARY: keras or tf_keras, imported."""
    if not is_version(library, library.__name__, (2, 11), 3):
        return
    callback = type("LapcastCallback", (Laps, library.callbacks.Callback), {})
    lists = library.callbacks.CallbackList
    around = Around(callback, lists, _is_on_tensorflow(library))
    wrap(library.Model, "fit", around.fit)
    wrap(library.Model, "evaluate", around.evaluate)
    wrap(library.Model, "predict", around.predict)
    wrap(library.Model, "train_on_batch", around.train_on_batch)
    wrap(library.Model, "save", around.save)
    wrap(library.Model, "save_weights", around.save)
    keras_steps.attach(library)


def _is_on_tensorflow(library: Any) -> bool:
    """Returns whether tf.data gives batches to a training step within a graph."""
    return library.__name__ == "tf_keras" or bool(library.backend.backend() == "tensorflow")


class Laps:
    """Is the callback of one `fit`, `evaluate` or `predict`.

    A lap ends with `on_train_batch_end`. A thread-safe backend may call it from another thread, if
    no callback of the user needs every batch. The lap then ends with the next event of the main
    thread, so that nothing waits for it.
    """

    async_safe = True  # Keras need not wait for on_train_batch_end
    model: Any  # these two are set by Keras
    params: Dict[str, Any]

    def begin(self, model: Any, data: _keras_data.Data, source: Any, on_tensorflow: bool,
              first_epoch: int, epochs: int) -> None:
        """Notes what `fit` was given, before it starts."""
        self.fitted = model
        self.data = data
        self.source = source
        self.on_tensorflow = on_tensorflow
        self.thread = threading.get_ident()
        self.steps_per_lap = int(getattr(model, "steps_per_execution", 1) or 1)
        self.first_epoch, self.epochs = first_epoch, epochs
        self.laps = self.epoch = self.offset = self.steps = self.counted = 0
        self.waiting = False  # a lap has begun and was not reported
        self.queued = False  # the work of a lap that the main thread ends may not have finished
        self.told = False  # the ends of batches are reported in the main thread
        self.compiling = True
        report.stage_begin("compile")

    @report.guard
    def on_train_begin(self, logs: Any = None) -> None:
        if self.compiling:
            report.stage_end("compile")
            self.compiling = False
        model = self.fitted
        self.queued = _keras_data.is_on_device(model)
        work = (type(model), self.data.batch, len(model.weights), len(model.trainable_weights))
        self.offset = trainings.begin(SOURCE, work, self.first_epoch)
        iterations = self.data.iterations or (self.params or {}).get("steps") or 0
        if self.steps_per_lap > 1:
            report.note(f"steps_per_execution={self.steps_per_lap}: a lap is so many Keras steps")
        epochs = (self.params or {}).get("epochs") or self.epochs
        report.plan(
            SOURCE, epochs=self.offset + epochs, steps=0,
            iterations=-(-iterations // self.steps_per_lap),
            batch=self.data.batch * self.steps_per_lap, train=self.data.samples,
            validation=self.data.validation, validate_every=self.data.validate_every)
        report.numbers(_keras_data.numbers_of(model))
        if not self.data.exact:  # arrays have one length for all batches
            keras_lengths.begin(model, self.source, self.on_tensorflow)

    @report.guard
    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self.epoch = self.offset + epoch + 1
        self.steps = self.counted = 0
        report.epoch_begin(SOURCE, self.epoch)

    @report.guard
    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        self.finish_lap()
        self.waiting = True

    @report.guard
    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        if threading.get_ident() == self.thread:
            self.told = True
            self.finish_lap()

    def leave_batches(self) -> None:
        """Is called after the last batch of an epoch. A batch that began and did not end found no
        data."""
        if self.told:
            self.waiting = False
        self.finish_lap()

    def finish_lap(self) -> None:
        """Reports the lap in progress, if any."""
        if not self.waiting:
            return
        self.waiting = False
        at = monotonic_ns()
        given = keras_lengths.take_samples(self.fitted)
        if given == 0:
            return
        self.laps += 1
        keras_lengths.stepped(self.fitted)
        samples = given if given > 0 else self.samples_of_lap()
        report.iteration(SOURCE, samples, self.queued and not self.told, at)
        if self.data.batch == 0:
            self.data.batch = samples // self.steps_per_lap
            report.plan(SOURCE, batch=samples)

    def samples_of_lap(self) -> int:
        samples = 0
        for _ in range(self.steps_per_lap):
            samples += self.data.samples_of_step(self.steps)
            self.steps += 1
        if samples:
            return samples
        before, self.counted = self.counted, _keras_data.counted(self.fitted)
        return max(self.counted - before, 0) or self.data.batch * self.steps_per_lap

    @report.guard
    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self.leave_batches()
        report.epoch_end(SOURCE, self.epoch)
        metrics(SOURCE, logs)

    @report.guard
    def on_test_begin(self, logs: Any = None) -> None:
        report.validation_begin(SOURCE)
        keras_lengths.pause(True)

    @report.guard
    def on_test_end(self, logs: Any = None) -> None:
        keras_lengths.pause(False)
        report.validation_end(SOURCE, _keras_data.counted(self.model))

    @report.guard
    def end(self) -> None:
        """Cleans up after `fit`, however it ended."""
        self.leave_batches()
        keras_lengths.end(self.fitted)
        if self.compiling:
            report.stage_end("compile")
        trainings.end(self.epoch, self.laps)


class Around:
    """Wraps the methods of a Keras model."""

    def __init__(self, callback: Callable[[], Any], lists: Any, on_tensorflow: bool) -> None:
        self.callback, self.lists = callback, lists
        self.on_tensorflow = on_tensorflow
        self.fits: List[Any] = []  # the callbacks of the running fits, the innermost last
        self.batch_model: Any = None

    def fit(self, original: Any, model: Any, *arguments: Any, **options: Any) -> Any:
        """Runs the original with the hook's callback in front of the user's."""
        if not report.take(SOURCE, report.TRAINER):
            return original(model, *arguments, **options)
        call = self.prepare_fit(original, model, arguments, options)
        try:
            if call is None:
                return original(model, *arguments, **options)
            return original(*call.args, **call.kwargs)
        finally:
            self.end_fit(call is not None)

    @report.guard
    def prepare_fit(self, original: Any, model: Any, arguments: Any, options: Any) -> Any:
        call = inspect.signature(original).bind(model, *arguments, **options)
        given = dict(call.arguments)
        callback = self.callback()
        callback.begin(model, _keras_data.of_fit(given), given.get("x"), self.on_tensorflow,
                       given.get("initial_epoch") or 0, given.get("epochs", 1))
        self.add(call, callback)
        self.fits.append(callback)
        return call

    def add(self, call: inspect.BoundArguments, callback: Any) -> None:
        """Puts CALLBACK first in the call's callbacks."""
        given = call.arguments.get("callbacks")
        if isinstance(given, self.lists):
            callback.set_model(call.arguments["self"])
            callback.set_params(given.params)
            given.callbacks.insert(0, callback)
        elif given is None:
            call.arguments["callbacks"] = [callback]
        else:
            given = list(given) if isinstance(given, (list, tuple)) else [given]
            call.arguments["callbacks"] = [callback, *given]

    def end_fit(self, prepared: bool) -> None:
        if prepared:
            self.fits.pop().end()
        keras_steps.skip()
        report.give(SOURCE)

    def evaluate(self, original: Any, model: Any, *arguments: Any, **options: Any) -> Any:
        """Reports a validation, within a fit or by itself."""
        if self.fits and isinstance(options.get("callbacks"), self.lists):
            self.fits[-1].leave_batches()
            return original(model, *arguments, **options)
        return self.evaluate_alone(original, model, arguments, options)

    def predict(self, original: Any, model: Any, *arguments: Any, **options: Any) -> Any:
        keras_lengths.pause(True)
        try:
            return as_stage(SOURCE, "predict", original, model, *arguments, **options)
        finally:
            keras_lengths.pause(False)

    def evaluate_alone(self, original: Any, model: Any, arguments: Any, options: Any) -> Any:
        """Reports an evaluation outside of `fit`."""
        taken = report.take(SOURCE, report.TRAINER)
        try:
            call = self.prepare_evaluation(original, model, arguments, options)
            if call is None:
                return original(model, *arguments, **options)
            return original(*call.args, **call.kwargs)
        finally:
            if taken:
                report.give(SOURCE)

    @report.guard
    def prepare_evaluation(self, original: Any, model: Any, arguments: Any, options: Any) -> Any:
        call = inspect.signature(original).bind(model, *arguments, **options)
        self.add(call, self.callback())
        return call

    def train_on_batch(self, original: Any, model: Any, *arguments: Any, **options: Any) -> Any:
        """Reports an iteration of the user's own loop when no stronger source sees it."""
        result = original(model, *arguments, **options)
        self.report_batch(model, arguments[0] if arguments else options.get("x"))
        return result

    @report.guard
    def report_batch(self, model: Any, batch: Any) -> None:
        if self.batch_model is None and report.take(BATCHES, report.LOOP):
            self.batch_model = model
            sequences.time_axis = TimeAxis(works_on_steps(model))
        keras_steps.skip()
        if model is self.batch_model:
            sequences.begins(batch)
            sequences.ended()
            report.iteration(BATCHES, samples_of(batch))
        elif self.batch_model is not None:
            report.note("several models are trained with train_on_batch: a lap ends with each "
                        "batch of the first; wrap the loop in lapcast.laps to say what a lap is")

    def save(self, original: Any, model: Any, *arguments: Any, **options: Any) -> Any:
        """Reports a checkpoint that a callback or the user saves."""
        report.checkpoint_begin(SOURCE)
        try:
            return original(model, *arguments, **options)
        finally:
            path = arguments[0] if arguments else options.get("filepath")
            report.checkpoint_end(SOURCE, bytes_in(path))
