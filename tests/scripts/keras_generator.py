"""Trains with Keras on arrays with a validation split, then on a generator of unknown length."""
# long
import json
import os

import keras
import numpy as np

counts = {"laps": 0, "samples": 0, "epochs": 0, "validations": 0, "phases": 1,
          "validation_samples": [20, 20], "plan": {"epochs": 3}}


class Counter(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        counts["laps"] += 1

    def on_epoch_end(self, epoch, logs=None):
        counts["epochs"] += 1

    def on_test_end(self, logs=None):
        counts["validations"] += 1


def batches(sizes):
    for size in sizes:
        counts["samples"] += size
        yield x[:size], y[:size]


keras.utils.set_random_seed(1)
x = np.random.rand(100, 4).astype("float32")
y = x.sum(axis=1)
model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
model.compile(optimizer="sgd", loss="mse")
model.fit(x, y, batch_size=16, epochs=2, validation_split=0.2, verbose=0, callbacks=[Counter()])
counts["samples"] += 2 * 80
model.fit(batches([10, 20, 30, 5]), epochs=1, verbose=0, callbacks=Counter())
with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
    json.dump(counts, out)
