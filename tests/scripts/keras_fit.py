"""Trains with Keras fit on arrays: a partial last batch, validation data and a checkpoint per
epoch."""
import json
import os
import tempfile

import keras
import numpy as np


class Counter(keras.callbacks.Callback):
    counts = {"laps": 0, "samples": 0, "epochs": 0, "validations": 0, "checkpoints": 3,
              "losses": [], "validation_samples": [50, 50, 50], "first_epoch": 1,
              "metrics": ["accuracy", "loss", "val_accuracy", "val_loss"],
              "plan": {"epochs": 3, "iterations": 7, "batch": 32, "train": 200, "validation": 50}}

    def on_train_batch_end(self, batch, logs=None):
        self.counts["laps"] += 1
        self.counts["losses"].append(logs["loss"])

    def on_epoch_end(self, epoch, logs=None):
        self.counts["epochs"] += 1
        self.counts["samples"] += 200

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
with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
    json.dump(Counter.counts, out)
