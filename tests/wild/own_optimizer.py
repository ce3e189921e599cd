# habit: a library has an optimizer class of its own and reads the loader's iterator by itself
# long
# truth laps: 12
# truth epochs: [4, 4, 4]
# truth validations: 3
# truth validation_samples: [16, 16, 16]
# truth samples: 4
# truth plan: {"batch": 4, "iterations": 4}
# truth notes: ["no optimizer of torch.optim stepped", "the plan was 3, but the loop made more steps"]
import torch
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.dataloader import _SingleProcessDataLoaderIter


class Batches:
    """Makes the iterator itself, so that DataLoader.__iter__ is never called."""

    def __init__(self, loader):
        self.loader = loader

    def __iter__(self):
        yield from _SingleProcessDataLoaderIter(self.loader)


class Momentum:
    def __init__(self, parameters):
        self.parameters = [(p, torch.zeros_like(p)) for p in parameters]

    @torch.no_grad()
    def step(self):
        for parameter, mean in self.parameters:
            parameter -= 0.01 * mean.mul_(0.9).add_(parameter.grad)
            parameter.grad = None


data = TensorDataset(torch.randn(16, 3))
train, held_out = (Batches(DataLoader(data, batch_size=size)) for size in (4, 8))
net = torch.nn.Linear(3, 1)
optimizer = Momentum(net.parameters())
for epoch in range(3):
    for (x,) in train:
        net(x).square().mean().backward()
        optimizer.step()
    net.eval()
    for (x,) in held_out:
        with torch.no_grad():
            net(x)
    net.train()
