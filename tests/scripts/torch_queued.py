"""Trains parameters that are on an imitated accelerator with a queue, by two optimizers on one batch;
validates and saves."""

import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import torch
from torch.utils.data import DataLoader, TensorDataset

sys.path.append(str(Path(__file__).resolve().parent.parent))
from queued_device import MS, QueuedDevice  # noqa: E402

EPOCHS, SAMPLES, BATCH = 3, 36, 8
torch.manual_seed(1)
torch.fake = QueuedDevice(depth=3, lap_ns=4 * MS)


class OnDevice(torch.nn.Parameter):
    is_cpu = False
    device = SimpleNamespace(type="fake", index=0)


first, second = OnDevice(torch.randn(4, 8)), OnDevice(torch.randn(8, 1))
optimizers = [torch.optim.SGD([each], lr=0.01, foreach=False) for each in (first, second)]
data = TensorDataset(torch.randn(SAMPLES, 4), torch.randn(SAMPLES, 1))
train, test = DataLoader(data, BATCH, shuffle=True), DataLoader(data, BATCH)
losses = []
for epoch in range(EPOCHS):
    for x, y in train:
        for optimizer in optimizers:
            optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss((x @ first).relu() @ second, y)
        loss.backward()
        for optimizer in optimizers:
            torch.fake.launch()
            optimizer.step()
        losses.append(loss.item())
    with torch.no_grad():
        for x, y in test:
            losses.append(torch.nn.functional.mse_loss((x @ first).relu() @ second, y).item())
    torch.save([first.data, second.data], "model.pt")

counts = {"laps": EPOCHS * 5, "samples": EPOCHS * SAMPLES, "epochs": EPOCHS, "validations": EPOCHS,
          "validation_samples": [SAMPLES] * EPOCHS, "checkpoints": EPOCHS, "queued": EPOCHS * 5,
          "ended": EPOCHS * 5, "plan": {"epochs": EPOCHS, "iterations": 5}, "losses": losses}
if os.environ.get("LAPCAST_TEST_COUNTS"):
    Path(os.environ["LAPCAST_TEST_COUNTS"]).write_text(json.dumps(counts))
