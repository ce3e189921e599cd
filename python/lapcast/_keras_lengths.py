"""Finds how long the sequences are that a Keras model is trained with.

On torch and JAX a training step is given its batches. On TensorFlow it takes them out of tf.data
within a graph. Where the data set says that an axis may have any length, the graph keeps the shape
of its newest batch in a variable; other graphs stay as they are. Reading the variable takes long,
so it is read after a step that made the peak of memory grow, and otherwise rarely: batches between
that were longer needed no more than what is known.
"""

from __future__ import annotations

import sys
import weakref
from time import monotonic_ns

from lapcast._batch import samples_of
from lapcast._report import report
from lapcast._sequences import peak_of_process, sequences
from lapcast._time_axis import NONE, TimeAxis, arrays_of, is_float, is_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Layers that take arrays of batch, steps and features; with all that are named as Conv1D is.
ON_STEPS = frozenset("RNN LSTM GRU SimpleRNN Bidirectional TimeDistributed Masking "
                     "MultiHeadAttention".split())
MOST_LAYERS = 10_000
FIRST_READS = 8  # steps after which it is read whatever the peak
SPARING = 2000  # the time until the next read, over that of the last one


class KerasLengths:
    """Knows the model that is being fitted. Use the one object `keras_lengths`."""

    def __init__(self) -> None:
        self._model: Any = None  # that is being fitted on TensorFlow
        self._paused = False
        self._variables: Any = weakref.WeakKeyDictionary()  # model -> shape of its newest batch
        self._original: Any = None  # train_function of a model on another backend,
        self._watching: Any = None  # and what stands in its place
        self._batches = self._samples = 0  # that it took since they were asked for
        self._reads = self._peak = self._next = 0  # reads, peak of memory then, time of the next

    @report.guard
    def begin(self, model: Any, data: Any, on_tensorflow: bool) -> None:
        """Is called when MODEL begins to be trained with DATA, in which limits are searched."""
        sequences.read_limits(data)
        sequences.time_axis = TimeAxis(works_on_steps(model))
        if on_tensorflow:
            self._model, self._paused = model, False
        elif callable(getattr(model, "train_function", None)):
            self._watch(model)

    def _watch(self, model: Any) -> None:
        original = self._original = model.train_function
        self._batches = self._samples = 0

        def train_function(*arguments: Any, **options: Any) -> Any:
            if arguments and isinstance(arguments[-1], list):
                for batch in arguments[-1]:
                    self._look(batch)
            elif arguments:
                arguments = (*arguments[:-1], _Watched(arguments[-1], self._look))
            return original(*arguments, **options)

        model.train_function = self._watching = train_function

    @report.guard
    def _look(self, batch: Any) -> None:
        inputs = inputs_of(batch)
        self._batches += 1
        self._samples += samples_of(inputs)
        sequences.begins(inputs)

    def take_samples(self, model: Any) -> int:
        """Returns the samples that the newest lap of MODEL was given, 0 where it found no data, and
        -1 where they are not known."""
        batches, samples = self._batches, self._samples
        self._batches = self._samples = 0
        if self._watching is None or model.train_function is not self._watching:
            return -1
        return samples if samples or not batches else -1

    @report.guard
    def end(self, model: Any) -> None:
        """Is called when the training has ended, however it did."""
        sequences.ended()
        self._model = None
        if self._watching is not None and model.train_function is self._watching:
            model.train_function = self._original
        self._watching = self._original = None

    def pause(self, is_evaluated: bool) -> None:
        """Is called when the model that is being fitted begins to be evaluated, and when that ends."""
        self._paused = is_evaluated

    @report.guard
    def taken(self, iterator: Any, batch: Any) -> None:
        """Is called when a step takes BATCH out of an iterator of tf.data, or a graph that does so
        is being made."""
        model = self._model
        if model is None or self._paused or sys.modules["tensorflow"].distribute.has_strategy():
            return
        try:
            part = _sequences_in(iterator.element_spec, works_on_steps(model))
        except Exception:
            return  # an unknown kind of element
        if part < 0:
            return
        array = list(arrays_of(batch))[part][1]
        if model not in self._variables:
            self._variables[model] = _new_variable()
        self._variables[model].assign(_shape_of(array))

    @report.guard
    def stepped(self, model: Any) -> None:
        """Is called after each step of MODEL."""
        variable = self._variables.get(model) if self._model is not None else None
        if variable is None:
            return
        now, peak = monotonic_ns(), peak_of_process()
        if peak == self._peak and now < self._next and self._reads > FIRST_READS:
            return
        samples, length = variable.numpy()
        sequences.worked_on((int(samples), int(length)))
        taken = monotonic_ns() - now
        self._reads, self._peak, self._next = self._reads + 1, peak, now + SPARING * taken


class _Watched:
    """Is an iterator over batches, of which it tells LOOK."""

    def __init__(self, batches: Any, look: Any) -> None:
        self.batches, self.look = batches, look

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        batch = next(self.batches)
        self.look(batch)
        return batch


def inputs_of(batch: Any) -> Any:
    """Returns what the model is given of a batch, not what it is compared with."""
    return batch[0] if isinstance(batch, (list, tuple)) and batch else batch


def works_on_steps(model: Any) -> bool:
    """Returns whether one of the model's layers takes arrays of batch, steps and features."""
    try:
        layers = list(model._flatten_layers())[:MOST_LAYERS]
    except Exception:
        return False
    return any(kind.__name__ in ON_STEPS or kind.__name__.endswith("1D")
               for layer in layers for kind in type(layer).__mro__)


def _sequences_in(spec: Any, on_steps: bool) -> int:
    """Returns which array of a data set with this element_spec has sequences of any length, -1
    where none has, or where another axis may have any length, too."""
    parts = [part for _, part in arrays_of(spec)]
    firsts = {part.shape[0] for part in parts if part.shape.rank}
    free = [(number, axis) for number, part in enumerate(parts) if part.shape.rank
            for axis in range(1, part.shape.rank) if part.shape[axis] is None]
    inputs = len(list(arrays_of(inputs_of(spec))))
    ids = [number for number, axis in free if number < inputs and is_whole(parts[number])
           and parts[number].shape.rank == 2]
    frames = [number for number, axis in free if number < inputs and on_steps and axis == 1
              and is_float(parts[number]) and parts[number].shape.rank == 3]
    others = [number for number, axis in free if is_float(parts[number])
              and (number, axis) not in {(each, 1) for each in frames}]
    found = frames + ids
    if len(firsts) != 1 or others or not found or frames and ids:
        return -1
    return found[0]


def _new_variable() -> Any:
    """Returns a variable in main memory, which no graph that is being made owns."""
    tensorflow: Any = sys.modules["tensorflow"]
    with tensorflow.init_scope(), tensorflow.device("CPU:0"):
        return tensorflow.Variable(NONE, dtype="int64", trainable=False, name="lapcast_shape")


def _shape_of(array: Any) -> Any:
    """Returns the samples and the length of an array, which need not be known yet."""
    tensorflow: Any = sys.modules["tensorflow"]
    with tensorflow.device("CPU:0"):
        if hasattr(array, "bounding_shape"):  # ragged
            return array.bounding_shape(out_type="int64")[:2]
        return tensorflow.shape(array, out_type="int64")[:2]


keras_lengths = KerasLengths()
