"""Trains with Keras fit on arrays: a partial last batch, validation data and a checkpoint per
epoch. Then on texts of different lengths, which tf.data pads; those of the validation are longer."""
import json
import os
import tempfile

import keras
import numpy as np
import tensorflow as tf


class Counter(keras.callbacks.Callback):
    counts = {"laps": 0, "samples": 0, "epochs": 0, "validations": 0, "checkpoints": 3,
              "losses": [], "validation_samples": [50, 50, 50, 8], "first_epoch": 1,
              "metrics": ["accuracy", "loss", "val_accuracy", "val_loss"],
              "plan": {"epochs": 4, "batch": 4}, "phases": 1, "sequences": []}
    samples = 200

    def on_train_batch_end(self, batch, logs=None):
        self.counts["laps"] += 1
        self.counts["losses"].append(logs["loss"])

    def on_epoch_end(self, epoch, logs=None):
        self.counts["epochs"] += 1
        self.counts["samples"] += self.samples

    def on_test_end(self, logs=None):
        self.counts["validations"] += 1


keras.utils.set_random_seed(1)
x = np.random.rand(200, 8).astype("float32")
y = (x.sum(axis=1) > 4).astype("int32")
model = keras.Sequential([keras.layers.Input((8,)), keras.layers.Dense(16, activation="relu"),
                          keras.layers.Dropout(0.1), keras.layers.Dense(2, activation="softmax")])
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
with tempfile.TemporaryDirectory() as folder:
    checkpoint = keras.callbacks.ModelCheckpoint(folder + "/{epoch}.keras")
    model.fit(x, y, batch_size=32, epochs=3, validation_data=(x[:50], y[:50]), verbose=0,
              callbacks=[checkpoint, Counter()])


def texts(lengths):
    items = tf.data.Dataset.from_generator(lambda: ((np.ones(length), 1.0) for length in lengths), output_signature=(
        tf.TensorSpec((None,), tf.int32), tf.TensorSpec((), tf.float32)))
    return items.padded_batch(4)


lengths = [(30, 8, 9, 10), (20, 20, 20, 20), (5, 5, 25, 5), (40, 1, 1, 1), (35, 7, 8, 9), (60, 6, 6, 6), (50, 5, 5, 5)]
reader = keras.Sequential([keras.layers.Input((None,), dtype="int32"), keras.layers.Embedding(2, 8), keras.layers.Dropout(0.1),
                           keras.layers.GlobalAveragePooling1D(), keras.layers.Dense(1)])
reader.compile(optimizer="adam", loss="mse", jit_compile=False)
Counter.samples = 28
reader.fit(texts(sum(lengths, ())), epochs=1, validation_data=texts([90] * 8), verbose=0, callbacks=[Counter()])
Counter.counts["sequences"] = ["30", "40", "60"]
with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
    json.dump(Counter.counts, out)
