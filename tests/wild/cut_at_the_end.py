# habit: each epoch is broken off at the end of the body, after its last batch
# long
# truth laps: 12
# truth epochs: [3, 3, 3]
# truth validations: 0
# truth samples: 4
# truth plan: {"epochs": 4, "iterations": 3}
# truth from: "4"
import torch
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.randn(40, 3)), batch_size=4)
net = torch.nn.Linear(3, 1)
sgd = torch.optim.SGD(net.parameters(), lr=0.1)
for era in range(4):
    for i, (x,) in enumerate(loader):
        sgd.zero_grad()
        net(x).square().mean().backward()
        sgd.step()
        if i == 2:
            break
