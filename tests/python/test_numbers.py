"""Tests that the hook tells in which numbers a program computes, and changes none of them."""

import subprocess

import pytest

from conftest import environment, frameworks_python, observe_with_hook

# An imitation of what is asked of torch.
TORCH = """
import lapcast
from lapcast._torch_numbers import Numbers

class autocast:
    def __init__(self, dtype="torch.bfloat16", enabled=True): self.fast_dtype, self._enabled = dtype, enabled
    def __enter__(self): return self
    def __exit__(self, *arguments): pass

class Holder:
    def __init__(self, **members): self.__dict__.update(members)

entered = autocast.__enter__
torch = Holder(amp=Holder(autocast_mode=Holder(autocast=autocast)), is_grad_enabled=lambda: has_grad,
               get_float32_matmul_precision=lambda: precision)
has_grad, precision = True, "highest"
numbers = Numbers(torch)

def steps(count, dtype="torch.float32"):
    for _ in range(count):
        if not numbers.is_over: numbers.stepped(Holder(param_groups=[{"params": []}, {"params": [Holder(dtype=dtype)]}]))
        lapcast.iteration(1)
"""


@pytest.mark.parametrize("work, told", [
    ("steps(1)", []),
    ("steps(3)", ["fp32"]),
    ("precision = 'high'; steps(30)", ["tf32"]),
    ("steps(3, 'torch.bfloat16')", ["amp"]),
    ("with autocast(): steps(3)", ["amp"]),
    ("steps(10)\nwith autocast('torch.float16'): pass\nsteps(10)", ["fp32", "amp"]),
    ("with autocast(enabled=False): steps(30)", ["fp32"]),
    ("with autocast('torch.float32'): steps(30)", ["fp32"]),
    ("has_grad = False\nwith autocast(): pass\nhas_grad = True\nsteps(300)", ["fp32"]),
])
def test_half_precision_counts_where_gradients_are_kept(hooked, work, told):
    assert hooked(TORCH + work).log.rests("numbers") == told


# Another library's wrapper stays where it is.
@pytest.mark.parametrize("before, state", [("", "True"), ("autocast.__enter__ = lambda self: self\n", "False")])
def test_nothing_of_it_stays_in_torch(hooked, before, state):
    run = hooked(TORCH + before + "steps(201)\nprint(autocast.__enter__ is entered)")
    assert run.out.split() == [state]


TRAIN = """
import torch
torch.manual_seed(1)
model = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = torch.utils.data.DataLoader(torch.randn(120, 8), batch_size=4)
for lap, batch in enumerate(data):
    with torch.autocast("cpu", torch.bfloat16, enabled=lap > 9):
        loss = model(batch).square().mean()
    optimizer.zero_grad(); loss.backward(); optimizer.step()
    print(loss.item())
"""

KERAS = """
import keras, numpy
for policy in ("float32", "mixed_bfloat16", "float32"):
    keras.config.set_dtype_policy(policy)
    model = keras.Sequential([keras.layers.Input((8,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(numpy.ones((64, 8)), numpy.ones((64, 1)), batch_size=8, verbose=0)
"""


def with_frameworks():
    python = frameworks_python()
    if not python.exists():
        pytest.skip(f"no virtual environment with the frameworks: {python}")
    return python


def test_a_program_of_torch_keeps_its_bits(tmp_path):
    python = with_frameworks()
    observed = observe_with_hook([python, "-c", TRAIN], tmp_path, environment())
    assert observed.log.rests("numbers") == ["fp32", "amp"], observed.err
    plain = subprocess.run([python, "-c", TRAIN], env=environment(), cwd=tmp_path, capture_output=True, text=True)
    assert observed.out == plain.stdout and len(plain.stdout.split()) == 30, plain.stderr


def test_keras_tells_its_policy(tmp_path):
    observed = observe_with_hook([with_frameworks(), "-c", KERAS], tmp_path, environment())
    assert observed.log.rests("numbers") == ["tf32", "amp"], observed.err
