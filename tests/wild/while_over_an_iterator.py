# habit: a `while` takes the batches of each epoch from an iterator of the loader, several for each round (WGAN)
# long
# truth laps: 33
# truth epochs: [11, 11]
# truth validations: 0
# truth samples: [4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 2, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 2, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 2]
# truth plan: {"epochs": 3, "iterations": 11, "steps": null}
# truth from: "3"
import torch
from torch.utils.data import DataLoader, TensorDataset

net = torch.nn.Linear(3, 1)
sgd = torch.optim.SGD(net.parameters(), lr=0.1)
loader = DataLoader(TensorDataset(torch.randn(42, 3)), batch_size=4)
for era in range(3):
    batches, i = iter(loader), 0
    while i < len(loader):
        j = 0
        while j < 2 and i < len(loader):
            (x,) = next(batches)
            sgd.zero_grad()
            net(x).square().mean().backward()
            sgd.step()
            j += 1
            i += 1
