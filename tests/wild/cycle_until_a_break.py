# habit: one loop over an endless cycle, which a break ends at a number with a name of its own
# truth laps: 7
# truth epochs: 0
# truth validations: 0
# truth samples: 2
# truth plan: {"steps": 7, "epochs": null}
# truth from: "enough"
import torch
from torch.utils.data import DataLoader, TensorDataset

def cycle(loader):
    while True:
        yield from loader


loader = DataLoader(TensorDataset(torch.randn(80, 3)), batch_size=2)
net = torch.nn.Linear(3, 1)
sgd = torch.optim.SGD(net.parameters(), lr=0.1)
enough = 7
for i, (x,) in enumerate(cycle(loader)):
    if i >= enough:
        break
    sgd.zero_grad()
    net(x).square().mean().backward()
    sgd.step()
