# habit: each epoch is one step on all data, in a function of its own; argparse knows the epochs
# arguments: --epochs 12
# truth laps: 12
# truth epochs: 0
# truth validations: 12
# truth samples: 0
# truth plan: {"steps": 12, "epochs": null}
# truth from: "args.epochs"
import argparse
import time

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=200)
args = parser.parse_args()
nodes = torch.randn(30, 4)
net = torch.nn.Linear(4, 2)
adam = torch.optim.Adam(net.parameters())


def train():
    net.train()
    adam.zero_grad()
    net(nodes).square().mean().backward()
    time.sleep(0.01)
    adam.step()


@torch.no_grad()
def test():
    net.eval()
    return net(nodes).mean().item()


for epoch in range(1, args.epochs + 1):
    train()
    test()
