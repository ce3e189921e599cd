"""Trains in a JAX loop with lapcast.laps: epochs, validations, a checkpoint, metrics."""
import json
import os
import tempfile

import jax
import jax.numpy as jnp
import numpy as np

import lapcast

counts = {"laps": 0, "samples": 0, "epochs": 0, "first_epoch": 1, "validations": 0,
          "checkpoints": 0, "metrics": ["val_loss"], "losses": [], "queued": 0,
          "plan": {"epochs": 3, "iterations": 4, "batch": 32, "validation": 20}}
x = np.random.default_rng(1).normal(size=(120, 4)).astype("float32")
y = x.sum(axis=1)


@jax.jit
def train_step(weights, inputs, targets):
    def loss_of(w):
        return jnp.mean((inputs @ w - targets) ** 2)

    loss, gradient = jax.value_and_grad(loss_of)(weights)
    return weights - 0.1 * gradient, loss


with lapcast.stage("data-load"):
    batches = [(x[i : i + 32], y[i : i + 32]) for i in range(0, 100, 32)]
    batches[-1] = (x[96:100], y[96:100])
lapcast.plan(validation=20)
weights = jnp.zeros(4)
with tempfile.TemporaryDirectory() as folder:
    for epoch in lapcast.epochs(3):
        for inputs, targets in lapcast.laps(batches):
            weights, loss = train_step(weights, inputs, targets)
            counts["laps"] += 1
            counts["queued"] += 1
            counts["samples"] += len(inputs)
            counts["losses"].append(float(loss))
        counts["epochs"] += 1
        with lapcast.validation(samples=20):
            val_loss = float(jnp.mean((x[100:] @ weights - y[100:]) ** 2))
        counts["validations"] += 1
        lapcast.metric("val_loss", val_loss)
        with lapcast.checkpoint(f"{folder}/weights.npy"):
            np.save(f"{folder}/weights.npy", weights)
        counts["checkpoints"] += 1
with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
    json.dump(counts, out)
