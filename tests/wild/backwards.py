# habit: the loop counts down
# truth laps: 12
# truth epochs: [4, 4, 4]
# truth validations: 0
# truth samples: 5
# truth plan: {"epochs": 3, "iterations": 4}
# truth from: "3"
import torch
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.randn(20, 3)), batch_size=5)
net = torch.nn.Linear(3, 1)
sgd = torch.optim.SGD(net.parameters(), lr=0.1)
for left in reversed(range(3)):
    for (x,) in loader:
        sgd.zero_grad()
        net(x).square().mean().backward()
        sgd.step()
