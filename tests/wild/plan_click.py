# habit: click's group takes the number of epochs, and the command that trains has another name for it
# needs: click
# arguments: --epochs 2 train
# truth laps: 4
# truth epochs: [2, 2]
# truth validations: 0
# truth samples: 8
# truth plan: {"epochs": 2, "iterations": 2}
# truth from: "click.epochs"
# long
import click
import torch
from torch.utils.data import DataLoader, TensorDataset

chosen = {}


@click.group()
@click.option("--epochs", default=9)
def program(epochs):
    chosen["rounds"] = epochs


@program.command()
def train():
    loader = DataLoader(TensorDataset(torch.randn(16, 3)), batch_size=8)
    net = torch.nn.Linear(3, 1)
    sgd = torch.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(chosen["rounds"]):
        for (x,) in loader:
            sgd.zero_grad()
            net(x).square().mean().backward()
            sgd.step()


program()
