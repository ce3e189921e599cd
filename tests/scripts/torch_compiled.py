"""Trains a compiled model whose step is not compiled, after looking at the data."""
# long
import json
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

counts = {"laps": 0, "samples": 0, "epochs": 0, "validations": 0, "losses": []}
torch.manual_seed(1)
x = torch.randn(64, 8)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=8)
mean = sum(inputs.sum(0) for inputs, _ in loader) / len(x)
print(next(iter(loader))[0].shape)
model = torch.compile(nn.Linear(8, 1), backend="eager")
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(2):
    for inputs, targets in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(inputs - mean), targets)
        loss.backward()
        optimizer.step()
        counts["laps"] += 1
        counts["samples"] += len(inputs)
        counts["losses"].append(loss.item())
    counts["epochs"] += 1
with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
    json.dump(counts, out)
