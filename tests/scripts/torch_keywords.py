"""Uses keyword arguments where most people use positions, a custom batch sampler, a checkpoint into
memory, and a new loader for every epoch."""
# long
import io
import json
import os
import pickle

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

counts = {"laps": 0, "samples": 0, "epochs": 0, "checkpoints": 0, "losses": []}
torch.manual_seed(1)
x = torch.randn(30, 8)
data = TensorDataset(x, x.sum(1, keepdim=True))
batches = [[0, 1, 2], list(range(3, 20)), list(range(20, 30))]
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(params=model.parameters(), lr=0.01)
scaler = torch.amp.GradScaler(device="cpu", init_scale=1e38)
assert pickle.loads(pickle.dumps(torch.save)) is torch.save
for epoch in range(3):
    for inputs, targets in DataLoader(dataset=data, batch_sampler=batches):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(inputs), targets)
        scaler.scale(loss).backward()
        scaler.step(optimizer=optimizer)
        scaler.update()
        counts["laps"] += 1
        counts["samples"] += len(inputs)
        counts["losses"].append(loss.item())
    counts["epochs"] += 1
    torch.save(obj=model.state_dict(), f=io.BytesIO())
    counts["checkpoints"] += 1
with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
    json.dump(counts, out)
