# habit: an endless cycle over a loader, a number of updates of four batches each
# long
# truth laps: 6
# truth epochs: 0
# truth validations: 0
# truth samples: 8
# truth plan: {"steps": 6, "epochs": null}
# truth from: "updates"
import torch
from torch.utils.data import DataLoader, TensorDataset

def cycle(loader):
    while True:
        yield from loader


loader = DataLoader(TensorDataset(torch.randn(80, 3)), batch_size=2)
net = torch.nn.Linear(3, 1)
sgd = torch.optim.SGD(net.parameters(), lr=0.1)
batches = cycle(loader)
updates = 6
for update in range(updates):
    for _ in range(4):
        (x,) = next(batches)
        (net(x).square().mean() / 4).backward()
    sgd.step()
    sgd.zero_grad()
