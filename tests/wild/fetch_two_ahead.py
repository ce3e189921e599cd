# habit: a generator keeps two batches ahead of the training and asks for none at the end
# long
# truth laps: 15
# truth epochs: [5, 5, 5]
# truth validations: 3
# truth samples: [8, 8, 8, 8, 3, 8, 8, 8, 8, 3, 8, 8, 8, 8, 3]
# truth plan: {"iterations": 5, "batch": 8, "train": 35}
from collections import deque

import torch
from torch.utils.data import DataLoader, TensorDataset


def ahead(loader, most=2):
    ready = deque()
    for batch in loader:
        ready.append(batch)
        if len(ready) > most:
            yield ready.popleft()
    yield from ready


data = TensorDataset(torch.randn(35, 3))
train, held_out = DataLoader(data, batch_size=8), DataLoader(data, batch_size=35)
net = torch.nn.Linear(3, 1)
sgd = torch.optim.SGD(net.parameters(), lr=0.01)
for epoch in range(3):
    for (x,) in ahead(train):
        sgd.zero_grad()
        net(x).square().mean().backward()
        sgd.step()
    with torch.inference_mode():
        for (x,) in held_out:
            net(x)
