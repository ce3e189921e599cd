# Trains with JAX in loops over lapcast.laps.
# long
# truth texts: 30, 40, 60
# truth frames: 40, 60
# truth image_width:
# truth tables:
import jax
import jax.numpy as jnp
import numpy as np
from cases import LENGTHS, run_cases

import lapcast


def train(batches):
    step = jax.jit(lambda weight, batch: weight - 0.1 * sum(part.mean() for part in jax.tree.leaves(batch)))
    weight = jnp.zeros(())
    for batch in lapcast.laps(batches):
        weight = step(weight, batch)


def case_texts():
    train([{"tokens": np.ones((4, n), "int32"), "target": np.zeros(4)} for n in LENGTHS])


def case_frames():
    train([(jnp.ones((4, n, 8)), np.array([n, 5, 5, 5])) for n in LENGTHS])


def case_image_width():
    train([(np.ones((4, 8, n, 3)), np.arange(4)) for n in LENGTHS])


def case_tables():  # 26 kinds of each sample
    train([np.ones((4, 26), "int32") for _ in LENGTHS])


run_cases(globals())
