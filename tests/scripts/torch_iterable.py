"""Trains on an IterableDataset of unknown length with workers; validation stops after two
batches."""
import json
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

counts = {"laps": 0, "samples": 0, "epochs": 0, "validations": 0, "validation_samples": [],
          "losses": [], "plan": {"iterations": 10, "batch": 8}}


class Stream(IterableDataset):
    def __init__(self, length):
        self.length = length

    def __iter__(self):
        info = torch.utils.data.get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        for i in range(first, self.length, step):
            x = torch.sin(torch.arange(8.0) + i)
            yield {"x": x, "y": x.sum(0, keepdim=True)}


def main():
    torch.manual_seed(1)
    train = DataLoader(Stream(76), batch_size=8, num_workers=2)
    test = DataLoader(Stream(60), batch_size=16)
    model = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for epoch in range(2):
        for batch in train:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(batch["x"]), batch["y"])
            loss.backward()
            optimizer.step()
            counts["laps"] += 1
            counts["samples"] += len(batch["x"])
            counts["losses"].append(loss.item())
        counts["epochs"] += 1
        model.eval()
        for i, batch in enumerate(test):
            with torch.no_grad():
                nn.functional.mse_loss(model(batch["x"]), batch["y"])
            if i == 1:
                break
        counts["validations"] += 1
        counts["validation_samples"].append(32)
        model.train()
    with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
        json.dump(counts, out)


if __name__ == "__main__":
    main()
