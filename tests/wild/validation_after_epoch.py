# habit: laps that are enough long before the first validation, which comes after the epoch
# truth laps: 160
# truth epochs: [80, 80]
# truth validations: 2
# truth validation_samples: [32, 32]
# truth samples: 4
# truth plan: {"epochs": 2, "iterations": 80}
# truth probe_validations: 1
import time

import torch
from torch.utils.data import DataLoader, TensorDataset

num_epochs = 2
train = DataLoader(TensorDataset(torch.randn(320, 3)), batch_size=4, shuffle=True)
held_out = DataLoader(TensorDataset(torch.randn(32, 3)), batch_size=8)
net = torch.nn.Linear(3, 1)
sgd = torch.optim.SGD(net.parameters(), lr=0.01)
for epoch in range(num_epochs):
    net.train()
    for (x,) in train:
        sgd.zero_grad()
        net(x).square().mean().backward()
        time.sleep(0.02)
        sgd.step()
    net.eval()
    with torch.no_grad():
        for (x,) in held_out:
            net(x)
            time.sleep(0.02)
