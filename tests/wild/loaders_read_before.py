# habit: the loaders are read before the training, which cuts its batches out of a tensor, and ends
# where a remainder does
# long
# truth laps: 20
# truth epochs: 0
# truth validations: 0
# truth samples: 0
# truth notes: ["no epoch was seen, because the steps use no batch of a loader, and the program tells neither how many steps it makes nor the samples of one; seen: optimizers 1, loaders 2. Add --steps N, or before the loop: import lapcast; lapcast.plan(steps=N)"]
import torch
from torch.utils.data import DataLoader, TensorDataset

sources = [DataLoader(TensorDataset(torch.randn(40, 3)), batch_size=8) for _ in range(2)]
x = torch.cat([rows for loader in sources for (rows,) in loader])
net = torch.nn.Linear(3, 1)
sgd = torch.optim.SGD(net.parameters(), lr=0.01)
i = 0
while True:
    i += 1
    sgd.zero_grad()
    net(x[torch.randint(80, (8,))]).square().mean().backward()
    sgd.step()
    if not i % 20:
        break
