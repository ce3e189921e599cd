"""Trains with tf.keras on a repeated tf.data.Dataset with steps_per_epoch; evaluates every second
epoch."""
# long
import json
import os

import tensorflow as tf

counts = {"laps": 0, "samples": 0, "epochs": 0, "validations": 0,
          "validation_samples": [64, 64], "plan": {"epochs": 4, "iterations": 5, "batch": 8}}


class Counter(tf.keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        counts["laps"] += 1
        counts["samples"] += 8

    def on_epoch_end(self, epoch, logs=None):
        counts["epochs"] += 1

    def on_test_end(self, logs=None):
        counts["validations"] += 1


tf.random.set_seed(1)
x = tf.random.normal((64, 4))
train = tf.data.Dataset.from_tensor_slices((x, tf.reduce_sum(x, axis=1))).repeat().batch(8)
validation = tf.data.Dataset.from_tensor_slices((x, tf.reduce_sum(x, axis=1))).batch(20)
model = tf.keras.Sequential([tf.keras.layers.Input((4,)), tf.keras.layers.Dense(1)])
model.compile(optimizer="sgd", loss="mse")
model.fit(train, steps_per_epoch=5, epochs=4, validation_data=validation, validation_freq=2,
          verbose=2, callbacks=[Counter()])
with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
    json.dump(counts, out)
