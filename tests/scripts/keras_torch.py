"""Trains with Keras on the torch backend from a torch DataLoader, with validation on arrays."""
# long
import json
import os

os.environ["KERAS_BACKEND"] = "torch"
import keras  # noqa: E402
import torch  # noqa: E402
from torch.utils.data import DataLoader, TensorDataset  # noqa: E402

counts = {"laps": 0, "samples": 0, "epochs": 0, "validations": 0, "losses": [],
          "validation_samples": [30, 30],
          "plan": {"epochs": 2, "iterations": 6, "batch": 16, "train": 90, "validation": 30}}


class Counter(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        counts["laps"] += 1
        counts["losses"].append(logs["loss"])

    def on_epoch_end(self, epoch, logs=None):
        counts["epochs"] += 1
        counts["samples"] += 90

    def on_test_end(self, logs=None):
        counts["validations"] += 1


keras.utils.set_random_seed(1)
x = torch.randn(90, 4)
y = x.sum(dim=1, keepdim=True)
model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(8), keras.layers.Dense(1)])
model.compile(optimizer="adam", loss="mse")
model.fit(DataLoader(TensorDataset(x, y), batch_size=16, shuffle=True), epochs=2, verbose=0,
          validation_data=(x[:30].numpy(), y[:30].numpy()), callbacks=[Counter()])
with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
    json.dump(counts, out)
