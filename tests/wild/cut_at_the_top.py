# habit: each epoch is broken off at the top of the body, after a batch was fetched that is not used
# truth laps: 12
# truth epochs: [3, 3, 3]
# truth validations: 4
# truth samples: 4
# truth plan: {"epochs": 4, "iterations": 3}
# truth from: "rounds"
import torch
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.randn(40, 3)), batch_size=4)
net = torch.nn.Linear(3, 1)
sgd = torch.optim.SGD(net.parameters(), lr=0.1)
held_out = DataLoader(TensorDataset(torch.randn(8, 3)), batch_size=4)
rounds, most = 4, 3
for _round in range(rounds):
    net.train()
    for i, (x,) in enumerate(loader):
        if i >= most:
            break
        sgd.zero_grad()
        net(x).square().mean().backward()
        sgd.step()
    net.eval()
    with torch.no_grad():
        for i, (x,) in enumerate(held_out):
            if i >= 1:
                break
            net(x)
