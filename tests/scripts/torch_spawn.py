"""Trains in two processes of torch.multiprocessing.spawn; only init_process_group knows their
ranks."""
# long
import json
import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2)
    counts = {"laps": 0, "samples": 0, "epochs": 0, "losses": [], "ranks": 2,
              "plan": {"iterations": 3, "batch": 20}}
    torch.manual_seed(1)
    x = torch.randn(30, 8)
    model = nn.parallel.DistributedDataParallel(nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for epoch in range(2):
        for (inputs,) in DataLoader(TensorDataset(x), batch_size=10):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(inputs), inputs.sum(1, keepdim=True))
            loss.backward()
            optimizer.step()
            counts["laps"] += 1
            counts["samples"] += len(inputs)
            counts["losses"].append(loss.item())
        counts["epochs"] += 1
    if rank == 0:
        with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
            json.dump(counts, out)
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(train, (folder,), nprocs=2)
