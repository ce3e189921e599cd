"""A network in JAX, which no hook follows: lapcast reads the lines that it prints."""

import argparse
import os
import time

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
import jax
import jax.numpy as jnp

parser = argparse.ArgumentParser()
parser.add_argument("--batch", type=int, default=512)
parser.add_argument("--epochs", type=int, default=8)
parser.add_argument("--steps", type=int, default=400)
parser.add_argument("--width", type=int, default=2048)
args = parser.parse_args()

key = jax.random.PRNGKey(0)
sizes = [512, args.width, args.width, 100]
params = [jax.random.normal(jax.random.fold_in(key, i), pair) * pair[0] ** -0.5
          for i, pair in enumerate(zip(sizes, sizes[1:]))]


def loss_of(params, x, y):
    for weights in params[:-1]:
        x = jax.nn.relu(x @ weights)
    return -jnp.mean(jax.nn.log_softmax(x @ params[-1])[jnp.arange(len(y)), y])


@jax.jit
def step(params, x, y):
    loss, gradients = jax.value_and_grad(loss_of)(params, x, y)
    return [w - 0.01 * g for w, g in zip(params, gradients)], loss


x = jax.random.normal(key, (args.batch, 512))
y = jax.random.randint(key, (args.batch,), 0, 100)
for epoch in range(1, args.epochs + 1):
    begin = time.time()
    for _ in range(args.steps):
        params, loss = step(params, x, y)
    print(f"Epoch {epoch}/{args.epochs}: loss={float(loss):.4f} time={time.time() - begin:.2f}s",
          flush=True)
