# habit: a `while` with a comparison around batches of an endless loader, microbatches, and saves between laps (diffusion)
# truth laps: 12
# truth epochs: [5, 5]
# truth validations: 0
# truth samples: 8
# truth plan: {"steps": 12, "iterations": 5}
# truth from: "self.num_steps"
import os
import tempfile

import torch
from torch.utils.data import DataLoader, TensorDataset


class TrainLoop:
    def __init__(self, data, num_steps):
        self.data, self.num_steps = data, num_steps
        self.step = self.anneal_steps = 0
        self.net = torch.nn.Linear(4, 1)
        self.opt = torch.optim.AdamW(self.net.parameters())

    def run(self, folder):
        while (not self.anneal_steps or self.step < self.anneal_steps) and self.step < self.num_steps:
            (batch,) = next(self.data)
            self.opt.zero_grad()
            for i in range(0, len(batch), 2):
                self.net(batch[i:i + 2]).square().mean().backward()
            self.opt.step()
            if self.step % 6 == 0:
                torch.save(self.net.state_dict(), os.path.join(folder, "net.pt"))
            self.step += 1


def endless(loader):
    while True:
        yield from loader


loader = DataLoader(TensorDataset(torch.randn(40, 4)), batch_size=8)
with tempfile.TemporaryDirectory() as folder:
    TrainLoop(endless(loader), 12).run(folder)
