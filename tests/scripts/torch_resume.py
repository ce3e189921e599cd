"""Resumes a training from the checkpoint of its second epoch: the epochs are 3 to 5."""
import json
import os
import tempfile

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

counts = {"laps": 0, "samples": 0, "epochs": 0, "losses": [], "first_epoch": 3}
x = torch.linspace(0, 1, 512).reshape(64, 8)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=8)


def train(path, epochs):
    torch.manual_seed(1)
    model = nn.Linear(8, 1)
    optimizer = torch.optim.AdamW(model.parameters())
    first = 0
    if os.path.exists(path):
        state = torch.load(path)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        first = state["epoch"] + 1
    for epoch in range(first, epochs):
        for inputs, targets in loader:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(inputs), targets)
            loss.backward()
            optimizer.step()
            counts["laps"] += 1
            counts["samples"] += len(inputs)
            counts["losses"].append(loss.item())
        counts["epochs"] += 1
    torch.save(obj={"model": model.state_dict(), "optimizer": optimizer.state_dict(),
                    "epoch": epoch}, f=path)


with tempfile.TemporaryDirectory() as folder:
    path = folder + "/last.pt"
    if os.fork() == 0:  # the earlier run, in a process of its own
        train(path, 2)
        os._exit(0)
    os.wait()
    train(path, 5)
with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
    json.dump(counts, out)
