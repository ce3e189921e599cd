"""Trains in a hand-written loop with Accelerate: accumulated gradients, and a validation and a
saved state after each epoch."""
import json
import os
import tempfile

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader, TensorDataset

counts = {"laps": 0, "samples": 0, "epochs": 0, "validations": 0, "checkpoints": 0, "losses": [],
          "validation_samples": [90, 90, 90], "plan": {"iterations": 6, "batch": 16, "train": 90}}
torch.manual_seed(1)
x = torch.randn(90, 8)
data = TensorDataset(x, x.sum(1, keepdim=True))
model = torch.nn.Linear(8, 1)
accelerator = Accelerator(cpu=True, mixed_precision="bf16", gradient_accumulation_steps=2)
model, optimizer, train, test = accelerator.prepare(
    model, torch.optim.SGD(model.parameters(), lr=0.01),
    DataLoader(data, batch_size=8, shuffle=True), DataLoader(data, batch_size=32))
with tempfile.TemporaryDirectory() as folder:
    for epoch in range(3):
        model.train()
        for inputs, targets in train:
            with accelerator.accumulate(model):
                loss = torch.nn.functional.mse_loss(model(inputs), targets)
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
            counts["laps"] += accelerator.sync_gradients
            counts["samples"] += len(inputs)
            counts["losses"].append(loss.item())
        counts["epochs"] += 1
        model.eval()
        with torch.no_grad():
            for inputs, targets in test:
                accelerator.gather_for_metrics(model(inputs))
        counts["validations"] += 1
        accelerator.save_state(f"{folder}/{epoch}")
        counts["checkpoints"] += 1
with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
    json.dump(counts, out)
