"""Trains in mixed precision with a gradient scaler that skips steps whose gradients are not
finite."""
import json
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

counts = {"laps": 0, "samples": 0, "epochs": 0, "losses": []}
torch.manual_seed(1)
x = torch.randn(120, 8)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=10)
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu", init_scale=1e38)  # the first scales are too large
skipped = 0
for epoch in range(2):
    for inputs, targets in loader:
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = nn.functional.mse_loss(model(inputs), targets)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        before = scaler.get_scale()
        scaler.update()
        skipped += scaler.get_scale() < before
        counts["laps"] += 1
        counts["samples"] += len(inputs)
        counts["losses"].append(loss.item())
    counts["epochs"] += 1
assert skipped > 0
with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
    json.dump(counts, out)
