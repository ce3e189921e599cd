# habit: epochs with one optimizer, then epochs with another one on the same batches
# long
# truth laps: 25
# truth epochs: [5, 5, 5, 5, 5]
# truth validations: 0
# truth samples: 8
# truth plan: {"epochs": 5, "iterations": 5, "batch": 8, "train": 40}
# truth phases: ["LBFGS"]
import torch
from torch.utils.data import DataLoader, TensorDataset

net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
adam = torch.optim.Adam(net.parameters())
lbfgs = torch.optim.LBFGS(net.parameters(), max_iter=5)
loader = DataLoader(TensorDataset(torch.randn(40, 4), torch.randn(40, 1)), batch_size=8)
for epoch in range(3):
    for x, y in loader:
        adam.zero_grad()
        torch.nn.functional.mse_loss(net(x), y).backward()
        adam.step()
for epoch in range(2):
    for x, y in loader:
        def closure():
            lbfgs.zero_grad()
            loss = torch.nn.functional.mse_loss(net(x), y)
            loss.backward()
            return loss
        lbfgs.step(closure)
