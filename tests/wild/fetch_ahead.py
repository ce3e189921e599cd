# habit: the next batch is fetched before the present one is trained on (copies to a GPU overlap)
# truth laps: 15
# truth epochs: [5, 5, 5]
# truth validations: 3
# truth samples: [8, 8, 8, 8, 3, 8, 8, 8, 8, 3, 8, 8, 8, 8, 3]
# truth plan: {"iterations": 5, "batch": 8, "train": 35}
import torch
from torch.utils.data import DataLoader, TensorDataset


class Ahead:
    def __init__(self, loader):
        self.batches = iter(loader)
        self.ready = next(self.batches, None)

    def take(self):
        batch, self.ready = self.ready, next(self.batches, None)
        return batch


data = TensorDataset(torch.randn(35, 3))
train, held_out = DataLoader(data, batch_size=8), DataLoader(data, batch_size=35)
net = torch.nn.Linear(3, 1)
sgd = torch.optim.SGD(net.parameters(), lr=0.01)
for epoch in range(3):
    ahead = Ahead(train)
    while ahead.ready is not None:
        (x,) = ahead.take()
        sgd.zero_grad()
        net(x).square().mean().backward()
        sgd.step()
    with torch.inference_mode():
        for (x,) in held_out:
            net(x)
