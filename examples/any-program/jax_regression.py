"""Trains a small network in JAX. Its loop is hand-written, so `lapcast.laps` says what a lap is.

    python jax_regression.py [--epochs 12] [--batch 64] [--samples 12000]

Without lapcast, `lapcast.laps` does nothing but yield the batches.
"""

import argparse

import jax
import jax.numpy as jnp
import lapcast
import numpy as np


def make_parameters(key, sizes=(64, 1536, 1536, 1)):
    keys = jax.random.split(key, len(sizes))
    return [(jax.random.normal(k, (n, m)) / np.sqrt(n), jnp.zeros(m))
            for k, n, m in zip(keys, sizes[:-1], sizes[1:])]


def predict(parameters, x):
    for weights, bias in parameters[:-1]:
        x = jax.nn.relu(x @ weights + bias)
    weights, bias = parameters[-1]
    return (x @ weights + bias)[:, 0]


def loss_of(parameters, x, y):
    return jnp.mean((predict(parameters, x) - y) ** 2)


@jax.jit
def train_step(parameters, x, y):
    loss, gradients = jax.value_and_grad(loss_of)(parameters, x, y)
    updated = jax.tree.map(lambda p, g: p - 0.01 * g, parameters, gradients)
    return updated, loss


def batches_of(x, y, size, random):
    """Yields one epoch's batches in a new order."""
    order = random.permutation(len(x))
    return [(x[part], y[part]) for part in np.split(order, range(size, len(x), size))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--samples", type=int, default=12000)
    args = parser.parse_args()

    with lapcast.stage("data-load"):
        random = np.random.default_rng(0)
        x = random.standard_normal((args.samples, 64), dtype=np.float32)
        y = np.tanh(x[:, :8].sum(axis=1))
        held_out = args.samples // 10
    parameters = make_parameters(jax.random.key(0))
    for epoch in lapcast.epochs(args.epochs):
        batches = batches_of(x[held_out:], y[held_out:], args.batch, random)
        for batch_x, batch_y in lapcast.laps(batches, queued=False):
            parameters, loss = train_step(parameters, batch_x, batch_y)
            loss.block_until_ready()
        with lapcast.validation(samples=held_out):
            error = float(loss_of(parameters, x[:held_out], y[:held_out]))
        lapcast.metric("val_loss", error)
        print(f"epoch {epoch}: val_loss {error:.4f}")


if __name__ == "__main__":
    main()
