# habit: stages with numbers of epochs of their own, from a list
# long
# truth laps: 36
# truth epochs: [4, 4, 4, 4, 4, 4, 4, 4, 4]
# truth validations: 0
# truth samples: 5
# truth plan: {"epochs": null, "iterations": 4}
import torch
from torch.utils.data import DataLoader, TensorDataset

net = torch.nn.Linear(3, 1)
sgd = torch.optim.SGD(net.parameters(), lr=0.1)
loader = DataLoader(TensorDataset(torch.randn(20, 3)), batch_size=5)
for eras in [2, 3, 4]:
    for era in range(eras):
        for (x,) in loader:
            sgd.zero_grad()
            net(x).square().mean().backward()
            sgd.step()
