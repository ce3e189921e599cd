# habit: an ordinary loader with a sampler that never ends; nothing happens between epochs
# long
# truth laps: 12
# truth epochs: [5, 5]
# truth validations: 0
# truth samples: 2
import torch
from torch.utils.data import DataLoader, Sampler, TensorDataset


class Endless(Sampler):
    def __init__(self, size):
        self.size = size

    def __iter__(self):
        while True:
            yield from torch.randperm(self.size).tolist()

    def __len__(self):
        return self.size


batches = iter(DataLoader(TensorDataset(torch.randn(10, 3)), batch_size=2, sampler=Endless(10)))
net = torch.nn.Linear(3, 1)
sgd = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(12):
    (x,) = next(batches)
    sgd.zero_grad()
    net(x).square().mean().backward()
    sgd.step()
