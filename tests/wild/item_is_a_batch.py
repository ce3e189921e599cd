# habit: an item of the data set is a batch, which a collate_fn takes out; a `while` counts the epochs, the
# rate's scheduler wraps the optimizer, the gradients of embeddings are sparse (DLRM, recommenders)
# truth laps: 24
# truth epochs: [12, 12]
# truth validations: 4
# truth validation_samples: [96, 96, 96, 96]
# truth samples: 32
# truth plan: {"epochs": 2, "iterations": 12, "batch": 32, "train": null}
# truth from: "args.nepochs"
import argparse

import torch
from torch.optim.lr_scheduler import LRScheduler
from torch.utils.data import DataLoader, Dataset


class PolicyScheduler(LRScheduler):
    def get_lr(self):
        return [rate * min(1, self._step_count / 5) for rate in self.base_lrs]


class Batches(Dataset):
    def __init__(self, batches, size):
        self.batches, self.size = batches, size

    def __len__(self):
        return self.batches

    def __getitem__(self, i):
        offsets = [torch.arange(self.size)] * 4
        rows = [torch.randint(0, 50, (self.size,)) for _ in range(4)]
        return torch.rand(self.size, 13), offsets, rows, torch.rand(self.size, 1).round()


def only_item(items):
    dense, offsets, rows, clicked = items[0]
    return dense, torch.stack(offsets), rows, clicked


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.tables = torch.nn.ModuleList(torch.nn.EmbeddingBag(50, 8, mode="sum", sparse=True) for _ in range(4))
        self.top = torch.nn.Linear(4 * 8 + 13, 1)

    def forward(self, dense, offsets, rows):
        found = [table(rows[k], offsets[k]) for k, table in enumerate(self.tables)]
        return self.top(torch.cat([dense, *found], dim=1))


parser = argparse.ArgumentParser()
parser.add_argument("--nepochs", type=int, default=2)
args = parser.parse_args()
train = DataLoader(Batches(12, 32), batch_size=1, collate_fn=only_item)
test = DataLoader(Batches(3, 32), batch_size=1, collate_fn=only_item)
net = Network()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
scheduler = PolicyScheduler(optimizer)
k = 0
while k < args.nepochs:
    for j, (dense, offsets, rows, clicked) in enumerate(train):
        loss = torch.nn.functional.binary_cross_entropy_with_logits(net(dense, offsets, rows), clicked)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        if (j + 1) % 6 == 0:
            for dense, offsets, rows, clicked in test:
                with torch.no_grad():
                    net(dense, offsets, rows)
    k += 1
