# habit: two numbers of epochs, one of them from the parser and one of the function that trains
# arguments: --num-epochs 7
# truth laps: 6
# truth epochs: [2, 2, 2]
# truth validations: 0
# truth samples: 8
# truth plan: {"epochs": 3}
# truth from: "n_epochs"
# truth notes: ["the program has two numbers of epochs: n_epochs is 3 and opt.num_epochs is 7"]
import argparse

import torch
from torch.utils.data import DataLoader, TensorDataset


def train(loader, n_epochs):
    net = torch.nn.Linear(3, 1)
    sgd = torch.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(n_epochs):
        for (x,) in loader:
            sgd.zero_grad()
            net(x).square().mean().backward()
            sgd.step()


parser = argparse.ArgumentParser()
parser.add_argument("--num-epochs", type=int, default=1)
opt = parser.parse_args()
train(DataLoader(TensorDataset(torch.randn(16, 3)), batch_size=8), n_epochs=3)
