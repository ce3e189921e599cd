"""Trains in two processes under torchrun (gloo): a log for each rank, half of the samples in
each."""
# run: -m torch.distributed.run --standalone --nproc-per-node=2
import json
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

counts = {"laps": 0, "samples": 0, "epochs": 0, "losses": [], "ranks": 2,
          "plan": {"iterations": 4, "batch": 32, "train": 100}}
dist.init_process_group("gloo")
torch.manual_seed(1)
x = torch.randn(100, 8)
data = TensorDataset(x, x.sum(1, keepdim=True))
sampler = DistributedSampler(data)
loader = DataLoader(data, batch_size=16, sampler=sampler)
model = DistributedDataParallel(nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(3):
    sampler.set_epoch(epoch)
    for inputs, targets in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        optimizer.step()
        counts["laps"] += 1
        counts["samples"] += len(inputs)
        counts["losses"].append(loss.item())
    counts["epochs"] += 1
if dist.get_rank() == 0:
    with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
        json.dump(counts, out)
dist.destroy_process_group()
