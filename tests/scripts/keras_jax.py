"""Trains with Keras on the JAX backend, which calls the user's callbacks from other threads where
it may, with two steps in each execution."""
# long
import json
import os

os.environ["KERAS_BACKEND"] = "jax"
import keras  # noqa: E402
import numpy as np  # noqa: E402

# 100 samples are 10 batches, two per execution.
counts = {"laps": 15, "samples": 300, "epochs": 3, "validations": 3,
          "notes": ["steps_per_execution=2: a lap is so many Keras steps"],
          "plan": {"epochs": 3, "iterations": 5, "batch": 20, "train": 100, "validation": 25}}
keras.utils.set_random_seed(1)
x = np.random.rand(125, 4).astype("float32")
y = x.sum(axis=1)
model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
model.compile(optimizer="sgd", loss="mse", steps_per_execution=2)
history = model.fit(x, y, batch_size=10, epochs=3, validation_split=0.2, verbose=0)
counts["losses"] = history.history["loss"]
with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
    json.dump(counts, out)
