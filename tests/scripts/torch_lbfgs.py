"""Trains with LBFGS, whose step evaluates a closure many times: a lap per step, all data in one
batch."""
import json
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

counts = {"laps": 0, "samples": 0, "losses": []}
torch.manual_seed(1)
x = torch.randn(50, 4)
inputs, targets = next(iter(DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=50)))
model = nn.Linear(4, 1)
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=5)


def closure():
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(inputs), targets)
    loss.backward()
    return loss


for step in range(25):
    counts["losses"].append(optimizer.step(closure).item())
    counts["laps"] += 1
    counts["samples"] += 50
with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
    json.dump(counts, out)
