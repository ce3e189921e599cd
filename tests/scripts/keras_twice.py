"""Fine-tunes with Keras: frozen layers first, then all of them, and a separate evaluation at the
end."""
# long
import json
import os

import keras
import numpy as np

counts = {"laps": 0, "samples": 0, "epochs": 0, "validations": 0, "phases": 1,
          "validation_samples": [50], "plan": {"epochs": 5, "iterations": 4, "batch": 16, "train": 50}}


class Counter(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        counts["laps"] += 1

    def on_epoch_end(self, epoch, logs=None):
        counts["epochs"] += 1
        counts["samples"] += len(x)

    def on_test_end(self, logs=None):
        counts["validations"] += 1


keras.utils.set_random_seed(1)
x = np.random.rand(50, 4).astype("float32")
y = x.sum(axis=1)
base = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(8)])
model = keras.Sequential([base, keras.layers.Dense(1)])
base.trainable = False
model.compile(optimizer="sgd", loss="mse")
model.fit(x, y, batch_size=16, epochs=2, verbose=0, callbacks=[Counter()])
base.trainable = True
model.compile(optimizer="sgd", loss="mse")
model.fit(x, y, batch_size=16, epochs=3, verbose=0, callbacks=[Counter()])
model.evaluate(x, y, verbose=0, callbacks=[Counter()])
model.predict(x, verbose=0)
with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
    json.dump(counts, out)
