"""Trains twice in one script, as a cross-validation does: two models, two loaders, two
optimizers."""
# long
import json
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, Subset, TensorDataset

counts = {"laps": 0, "samples": 0, "epochs": 0, "validations": 0, "losses": [],
          "notes": ["two training loops in one script"]}
torch.manual_seed(1)
x = torch.randn(120, 8)
data = TensorDataset(x, x.sum(1, keepdim=True))
for fold in range(2):
    held_out = range(60 * fold, 60 * fold + 60)
    kept = [i for i in range(len(data)) if i not in held_out]
    train = DataLoader(Subset(data, kept), batch_size=20, shuffle=True)
    test = DataLoader(Subset(data, list(held_out)), batch_size=30)
    model = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for epoch in range(2):
        for inputs, targets in train:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(inputs), targets)
            loss.backward()
            optimizer.step()
            counts["laps"] += 1
            counts["samples"] += len(inputs)
            counts["losses"].append(loss.item())
        counts["epochs"] += 1
    with torch.inference_mode():
        for inputs, targets in test:
            nn.functional.mse_loss(model(inputs), targets)
    counts["validations"] += 1
with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
    json.dump(counts, out)
