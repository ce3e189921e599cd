"""Resumes a JAX loop over a number of steps, with a validation within a lap and a last lap that a
check at the top of the body ends."""
# long
import json
import os
import time

import jax
import jax.numpy as jnp

import lapcast

counts = {"laps": 0, "samples": 0, "epochs": 0, "validations": 0, "phases": 1, "queued": 0,
          "plan": {"steps": 30, "batch": 8}}


@jax.jit
def step(w, key):
    x = jax.random.normal(key, (8, 4))
    return w - 0.1 * (x.T @ (x @ w - 1.0)) / 8


w = jnp.zeros(4)
keys = jax.random.split(jax.random.PRNGKey(1), 10)
for i, key in enumerate(lapcast.laps(keys, steps=30, batch=8, queued=False)):
    if i == 25:
        break
    w = step(w, key).block_until_ready()
    time.sleep(0.01)
    counts["laps"] += 1
    counts["samples"] += 8
    if i == 12:
        with lapcast.validation() as this:
            this.samples += len(w)
        counts["validations"] += 1
        lapcast.phase("after the validation")
with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
    json.dump(counts, out)
