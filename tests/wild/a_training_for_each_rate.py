# habit: a training for each rate in a list, without a variable for its epochs
# long
# truth laps: 16
# truth epochs: [4, 4, 4, 4]
# truth validations: 0
# truth samples: 5
# truth plan: {"epochs": 4, "iterations": 4}
# truth from: "2-x-_0.1_0.01_"
# truth notes: ["two training loops in one script"]
import torch
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.randn(20, 3)), batch_size=5)
for rate in [0.1, 0.01]:
    net = torch.nn.Linear(3, 1)
    sgd = torch.optim.SGD(net.parameters(), lr=rate)
    for era in range(2):
        for (x,) in loader:
            sgd.zero_grad()
            net(x).square().mean().backward()
            sgd.step()
