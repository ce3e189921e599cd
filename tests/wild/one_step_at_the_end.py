# habit: epochs over a loader, then a single call of another optimizer, which evaluates the whole set many times
# long
# truth laps: 11
# truth epochs: [5, 5]
# truth validations: 0
# truth samples: [8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 0]
# truth plan: {"steps": 11, "epochs": null}
# truth phases: ["LBFGS"]
import torch
from torch.utils.data import DataLoader, TensorDataset

x, y = torch.randn(40, 4), torch.randn(40, 1)
net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters())
for epoch in range(2):
    for inputs, targets in DataLoader(TensorDataset(x, y), batch_size=8):
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(net(inputs), targets).backward()
        optimizer.step()
optimizer = torch.optim.LBFGS(net.parameters(), max_iter=100, line_search_fn="strong_wolfe")


def closure():
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(net(x), y)
    loss.backward()
    return loss


optimizer.step(closure)
