"""Trains a given number of steps instead of epochs, fetches each batch by hand, and evaluates some
batches every ten steps."""
import json
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

MAX_STEPS = 45
counts = {"laps": 0, "samples": 0, "epochs": 0, "validations": 0, "validation_samples": [],
          "losses": []}
torch.manual_seed(1)
x = torch.randn(160, 8)
y = x.sum(1, keepdim=True)
train = DataLoader(TensorDataset(x[:128], y[:128]), batch_size=8, shuffle=True, drop_last=True)
test = DataLoader(TensorDataset(x[128:], y[128:]), batch_size=4)
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


@torch.no_grad()
def estimate_loss():
    losses = []
    for i, (inputs, targets) in enumerate(test):
        losses.append(nn.functional.mse_loss(model(inputs), targets).item())
        if i == 2:
            break
    counts["validations"] += 1
    counts["validation_samples"].append(12)
    return sum(losses) / len(losses)


batches = iter(train)
for step in range(MAX_STEPS):
    try:
        inputs, targets = next(batches)
    except StopIteration:
        counts["epochs"] += 1
        batches = iter(train)
        inputs, targets = next(batches)
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(inputs), targets)
    loss.backward()
    optimizer.step()
    counts["laps"] += 1
    counts["samples"] += len(inputs)
    counts["losses"].append(loss.item())
    if (step + 1) % 10 == 0:
        estimate_loss()
with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
    json.dump(counts, out)
