"""Trains without a DataLoader a GAN, then a second model; both exist until the end."""
# long
import json
import os

import torch
from torch import nn

counts = {"laps": 0, "losses": [], "notes": ["two training loops in one script"]}
torch.manual_seed(1)
x = torch.randn(64, 4)
generator, critic, model = nn.Linear(2, 4), nn.Linear(4, 1), nn.Linear(4, 1)
of_generator = torch.optim.SGD(generator.parameters(), lr=0.01)
of_critic = torch.optim.SGD(critic.parameters(), lr=0.01)
optimizer = torch.optim.Adam(model.parameters())
for step in range(30):
    fake = generator(torch.randn(8, 2))
    of_critic.zero_grad()
    (critic(fake.detach()).mean() - critic(x).mean()).backward()
    of_critic.step()
    of_generator.zero_grad()
    loss = -critic(fake).mean()
    loss.backward()
    of_generator.step()
    counts["laps"] += 1
    counts["losses"].append(loss.item())
for step in range(40):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward()
    optimizer.step()
    counts["laps"] += 1
    counts["losses"].append(loss.item())
with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
    json.dump(counts, out)
