"""Trains in plain PyTorch: epochs over a DataLoader with workers, a validation and a checkpoint
after each epoch, a partial last batch."""
import json
import os
import tempfile

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

counts = {"laps": 0, "samples": 0, "epochs": 0, "validations": 0, "checkpoints": 0, "losses": [],
          "first_epoch": 1, "plan": {"iterations": 7, "batch": 32, "train": 200},
          "validation_samples": []}


def train_one_epoch(model, loader, optimizer):
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        counts["laps"] += 1
        counts["samples"] += len(x)
        counts["losses"].append(loss.item())
    counts["epochs"] += 1


def evaluate(model, loader):
    model.eval()
    right = 0
    with torch.no_grad():
        for x, y in loader:
            right += (model(x).argmax(1) == y).sum().item()
    counts["validations"] += 1
    counts["validation_samples"].append(len(loader.dataset))
    return right / len(loader.dataset)


def main():
    torch.manual_seed(1)
    x = torch.randn(250, 8)
    y = (x.sum(1) > 0).long()
    train = DataLoader(TensorDataset(x[:200], y[:200]), batch_size=32, shuffle=True, num_workers=2)
    test = DataLoader(TensorDataset(x[200:], y[200:]), batch_size=20)
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 2))
    optimizer = torch.optim.Adam(model.parameters())
    with tempfile.TemporaryDirectory() as folder:
        for epoch in range(3):
            train_one_epoch(model, train, optimizer)
            evaluate(model, test)
            torch.save({"epoch": epoch, "model": model.state_dict()}, f"{folder}/{epoch}.pt")
            counts["checkpoints"] += 1
    with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
        json.dump(counts, out)


if __name__ == "__main__":
    main()
