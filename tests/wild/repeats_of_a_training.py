# habit: the whole training is made three times, each time with a new model
# truth laps: 24
# truth epochs: [4, 4, 4, 4, 4, 4]
# truth validations: 0
# truth samples: 5
# truth plan: {"epochs": 6, "iterations": 4}
# truth from: "args.train_epochs-x-args.itr"
# truth notes: ["two training loops in one script"]
import argparse

import torch
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--itr", type=int, default=3)
parser.add_argument("--train_epochs", type=int, default=2)
args = parser.parse_args()
for trial in range(args.itr):
    loader = DataLoader(TensorDataset(torch.randn(20, 3)), batch_size=5)
    net = torch.nn.Linear(3, 1)
    sgd = torch.optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(args.train_epochs):
        for (x,) in loader:
            sgd.zero_grad()
            net(x).square().mean().backward()
            sgd.step()
