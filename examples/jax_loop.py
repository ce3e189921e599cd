"""Trains a linear model in JAX and reports its laps to lapcast.

    lapcast probe -- python examples/jax_loop.py

Without lapcast the script runs as it would without these calls.
"""

import jax
import jax.numpy as jnp
import numpy as np

import lapcast

EPOCHS, BATCH = 3, 32


def loss_of(weights, x, y):
    return jnp.mean((x @ weights - y) ** 2)


@jax.jit
def train_step(weights, x, y):
    loss, gradient = jax.value_and_grad(loss_of)(weights, x, y)
    return weights - 0.1 * gradient, loss


def batches(x, y, order):
    for i in range(0, len(order), BATCH):
        chosen = order[i : i + BATCH]
        yield x[chosen], y[chosen]


def main():
    random = np.random.default_rng(1)
    with lapcast.stage("data-load"):
        x = random.normal(size=(1000, 16)).astype("float32")
        y = x @ random.normal(size=16).astype("float32")
        train, test = np.arange(800), np.arange(800, 1000)
    lapcast.plan(iterations=-(-len(train) // BATCH), train=len(train), validation=len(test))
    weights = jnp.zeros(16)
    for epoch in lapcast.epochs(EPOCHS):
        for inputs, targets in lapcast.laps(batches(x, y, random.permutation(train))):
            weights, loss = train_step(weights, inputs, targets)
        with lapcast.validation(samples=len(test)):
            val_loss = float(loss_of(weights, x[test], y[test]))
        lapcast.metric("val_loss", val_loss)
        print(f"epoch {epoch + 1}: loss {float(loss):.4f}, val_loss {val_loss:.4f}")


if __name__ == "__main__":
    main()
