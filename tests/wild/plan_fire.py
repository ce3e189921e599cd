# habit: fire calls a function that takes every setting as a keyword
# long
# needs: fire
# arguments: --n_epochs 2
# truth laps: 4
# truth epochs: [2, 2]
# truth validations: 0
# truth samples: 8
# truth plan: {"epochs": 2, "iterations": 2}
# truth from: "kwargs.n_epochs"
import fire
import torch
from torch.utils.data import DataLoader, TensorDataset


def main(**kwargs):
    loader = DataLoader(TensorDataset(torch.randn(16, 3)), batch_size=8)
    net = torch.nn.Linear(3, 1)
    sgd = torch.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(kwargs["n_epochs"]):
        for (x,) in loader:
            sgd.zero_grad()
            net(x).square().mean().backward()
            sgd.step()


fire.Fire(main)
