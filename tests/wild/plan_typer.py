# habit: typer's callback takes the number of epochs, and the command that trains has another name for it
# long
# needs: typer
# arguments: --epochs 2 train
# truth laps: 4
# truth epochs: [2, 2]
# truth validations: 0
# truth samples: 8
# truth plan: {"epochs": 2, "iterations": 2}
# truth from: "click.epochs"
import torch
import typer
from torch.utils.data import DataLoader, TensorDataset

program = typer.Typer()
chosen = {}


@program.callback()
def choose(epochs: int = 9):
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
