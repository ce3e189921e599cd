"""Tests the settings that the hook gives a PyTorch program for `lapcast probe --tune`."""

import pytest

from conftest import environment, frameworks_python, observe_with_hook

PROGRAM = """
import copy, io
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

class Network(nn.Module):
    scale = 1.0
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
    def forward(self, x):
        y = self.conv(x)
        seen.add((y.dtype, y.is_contiguous(memory_format=torch.channels_last)))
        return y.mean((1, 2, 3)) * self.scale

seen = set()
torch.manual_seed(1)
data = TensorDataset(torch.rand(16, 3, 8, 8))
loader, own = DataLoader(data, batch_size=4), DataLoader(data, 4, False, None, None, 1)
model = Network()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, in loader:
    output = model(x)
    loss = output.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loader.num_workers, own.num_workers, output.dtype, seen)
# The model can still be saved as a whole, and a copy computes with its own parameters.
average = copy.deepcopy(model)
average.scale = 0.0
print(average(x).abs().max().item(), model(x).abs().max().item() > 0)
saved = io.BytesIO()
torch.save(model, saved)
saved.seek(0)
print(torch.equal(torch.load(saved, weights_only=False)(x), model(x)))
"""


@pytest.fixture(scope="module")
def python():
    if not list(frameworks_python().parent.parent.glob("lib/python*/site-packages/torch")):
        pytest.skip("not installed: torch")
    return str(frameworks_python())


def test_settings_reach_the_program(python, tmp_path):
    run = observe_with_hook([python, "-W", "ignore", "-c", PROGRAM], tmp_path,
                            environment(LAPCAST_TORCH="loss,workers=2,channels-last,bf16"))
    assert run.out == "2 1 torch.float32 {(torch.bfloat16, True)}\n0.0 True\nTrue\n", run.err
    assert len(run.log.laps()) == 4
    losses = [rest for rest in run.log.rests("metric") if rest.startswith("step_loss ")]
    assert len(losses) == 3  # of the backward passes 1, 2 and 4


def test_an_unknown_setting_is_refused(hooked):
    run = hooked("from lapcast import _torch_settings\n_torch_settings.attach(None, 'bf16,bf61')")
    assert "LAPCAST_TORCH: bf61 is not known" in run.err


WORK = """
import torch
from torch import nn
model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.Flatten(), nn.Linear(144, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(4):
    optimizer.zero_grad()
    model(torch.rand(5, 3, 8, 8)).sum().backward()
    optimizer.step()
"""


def test_the_work_of_a_step_is_counted(python, tmp_path):
    run = observe_with_hook([python, "-W", "ignore", "-c", WORK], tmp_path, environment(LAPCAST_TORCH="work"))
    counted = dict(rest.split() for rest in run.log.rests("metric"))
    # A product of a by b with b by c is 2 a b c operations. The convolution writes 5 x 4 x 6 x 6 numbers, each a sum
    # of 27 products; backward it needs the gradient of its weights alone. The linear layer needs both gradients.
    convolution, linear = 2 * 5 * 144 * 27, 2 * 5 * 144 * 2
    assert float(counted["flops"]) == 2 * convolution + 3 * linear, run.err
    assert float(counted["activations"]) == 5 * 144 + 5 * 2
    assert len(run.log.laps()) == 4
