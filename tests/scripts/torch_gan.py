"""Trains a GAN with two optimizers: one lap per batch. Its samples are drawn in evaluation mode."""
# long
import json
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

counts = {"laps": 0, "samples": 0, "epochs": 0, "losses": [], "plan": {"iterations": 5, "batch": 16}}
torch.manual_seed(1)
loader = DataLoader(TensorDataset(torch.randn(80, 4)), batch_size=16, shuffle=True)
generator = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 4))
critic = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
of_generator = torch.optim.Adam(generator.parameters(), lr=1e-3)
of_critic = torch.optim.Adam(critic.parameters(), lr=1e-3)
for epoch in range(4):
    for i, (real,) in enumerate(loader):
        fake = generator(torch.randn(len(real), 2))
        of_critic.zero_grad()
        loss = critic(fake.detach()).mean() - critic(real).mean()
        loss.backward()
        of_critic.step()
        if i % 2 == 0:
            of_generator.zero_grad()
            (-critic(fake).mean()).backward()
            of_generator.step()
        counts["laps"] += 1
        counts["samples"] += len(real)
        counts["losses"].append(loss.item())
    counts["epochs"] += 1
with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
    json.dump(counts, out)
