"""Accumulates gradients: an iteration is one optimizer step over four batches, or over the
remaining ones at the end."""
import json
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

ACCUMULATE = 4
counts = {"laps": 0, "samples": 0, "epochs": 0, "validations": 0, "losses": [],
          "plan": {"iterations": 4, "batch": 32}}
torch.manual_seed(1)
x = torch.randn(104, 8)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=8)
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(3):
    for i, (inputs, targets) in enumerate(loader):
        loss = nn.functional.mse_loss(model(inputs), targets) / ACCUMULATE
        loss.backward()
        counts["samples"] += len(inputs)
        if (i + 1) % ACCUMULATE == 0:
            optimizer.step()
            optimizer.zero_grad()
            counts["laps"] += 1
            counts["losses"].append(loss.item())
    optimizer.step()  # the remaining batch of 104 / 8 = 13
    optimizer.zero_grad()
    counts["laps"] += 1
    counts["epochs"] += 1
with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
    json.dump(counts, out)
