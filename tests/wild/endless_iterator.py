# habit: one iterator that never ends serves all epochs, with a validation after each of them
# long
# truth laps: 18
# truth epochs: [6, 6, 6]
# truth validations: 3
# truth samples: 4
# truth plan: {"iterations": 6, "batch": 4}
import torch
from torch.utils.data import DataLoader, TensorDataset


class Forever:
    def __init__(self, batches):
        self.batches = batches

    def __iter__(self):
        while True:
            yield from self.batches


class KeptLoader(DataLoader):
    """Starts its workers once, as loaders of detection libraries do."""

    def __init__(self, data, **options):
        super().__init__(data, **options)
        self.__dict__["batch_sampler"] = Forever(self.batch_sampler)
        self.kept = super().__iter__()

    def __len__(self):
        return len(self.batch_sampler.batches)

    def __iter__(self):
        return (next(self.kept) for _ in range(len(self)))


data = TensorDataset(torch.randn(24, 3))
train, held_out = KeptLoader(data, batch_size=4, shuffle=True), DataLoader(data, batch_size=12)
net = torch.nn.Linear(3, 1)
sgd = torch.optim.SGD(net.parameters(), lr=0.01)
for epoch in range(3):
    for (x,) in train:
        sgd.zero_grad()
        net(x).square().mean().backward()
        sgd.step()
    with torch.no_grad():
        for (x,) in held_out:
            net(x)
