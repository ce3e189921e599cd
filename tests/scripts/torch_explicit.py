"""Trains in PyTorch with lapcast.laps: the program's own laps count once, and validations that it
does not report are still seen."""
import json
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import lapcast

counts = {"laps": 0, "samples": 0, "epochs": 0, "validations": 0, "losses": [], "queued": 0,
          "plan": {"epochs": 2, "iterations": 5, "batch": 20}}
torch.manual_seed(1)
x = torch.randn(140, 8)
y = x.sum(1, keepdim=True)
train = DataLoader(TensorDataset(x[:100], y[:100]), batch_size=20, shuffle=True)
test = DataLoader(TensorDataset(x[100:], y[100:]), batch_size=20)
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in lapcast.epochs(2):
    for i, (inputs, targets) in enumerate(lapcast.laps(train)):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        optimizer.step()
        counts["laps"] += 1
        counts["samples"] += len(inputs)
        counts["losses"].append(loss.item())
        if i == 2:
            with torch.no_grad():
                for a, b in test:
                    nn.functional.mse_loss(model(a), b)
            counts["validations"] += 1
    counts["epochs"] += 1
with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
    json.dump(counts, out)
