# habit: a function that trains is called twice, each time with a model of its own and its own number of epochs
# long
# truth laps: 20
# truth epochs: [4, 4, 4, 4, 4]
# truth validations: 0
# truth samples: 5
# truth plan: {"epochs": null, "iterations": 4}
# truth notes: ["two training loops in one script", "epochs is 2, but another epoch has begun"]
import torch
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.randn(20, 3)), batch_size=5)


def train(epochs):
    net = torch.nn.Linear(3, 1)
    sgd = torch.optim.SGD(net.parameters(), lr=0.1)
    for era in range(epochs):
        for (x,) in loader:
            sgd.zero_grad()
            net(x).square().mean().backward()
            sgd.step()


train(2)
train(3)
