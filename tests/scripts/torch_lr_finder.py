"""Searches for the learning rate before training: steps on the training data, then restores the
earlier state."""
# long
import copy
import json
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

counts = {"laps": 0, "samples": 0, "epochs": 0, "losses": [], "first_epoch": 1,
          "notes": ["search for a learning rate"]}
torch.manual_seed(1)
x = torch.randn(160, 8)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=8, shuffle=True)
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-5)


def step(inputs, targets):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(inputs), targets)
    loss.backward()
    optimizer.step()
    counts["laps"] += 1
    counts["samples"] += len(inputs)
    counts["losses"].append(loss.item())


before = copy.deepcopy((model.state_dict(), optimizer.state_dict()))
for inputs, targets in loader:
    optimizer.param_groups[0]["lr"] *= 2
    step(inputs, targets)
    if counts["laps"] == 12:
        break
model.load_state_dict(before[0])
optimizer.load_state_dict(before[1])
optimizer.param_groups[0]["lr"] = 0.01
for epoch in range(3):
    for inputs, targets in loader:
        step(inputs, targets)
    counts["epochs"] += 1
with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
    json.dump(counts, out)
