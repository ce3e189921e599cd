# habit: the parsed number of epochs ends up in a variable that is called otherwise
# arguments: --epochs 2
# truth laps: 4
# truth epochs: [2, 2]
# truth validations: 0
# truth samples: 8
# truth plan: {"epochs": 2, "iterations": 2}
# truth from: "argparse.epochs"
# long
import argparse

import torch
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=9)
rounds = parser.parse_args().epochs
net = torch.nn.Linear(3, 1)
sgd = torch.optim.SGD(net.parameters(), lr=0.01)
loader = DataLoader(TensorDataset(torch.randn(16, 3)), batch_size=8)
for _ in range(rounds):
    for (x,) in loader:
        sgd.zero_grad()
        net(x).square().mean().backward()
        sgd.step()
