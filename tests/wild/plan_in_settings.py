# habit: the length is in nested settings, and the trainer is a class in whose method the loop runs
# truth laps: 8
# truth epochs: [4, 4]
# truth validations: 0
# truth samples: 4
# truth plan: {"epochs": 2, "iterations": 4}
# truth from: "self.config.train.num_epochs"
from dataclasses import dataclass, field

import torch
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Train:
    num_epochs: int = 2
    lr: float = 0.1


@dataclass
class Config:
    train: Train = field(default_factory=Train)


class Trainer:
    def __init__(self, config):
        self.config = config
        self.net = torch.nn.Linear(3, 1)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=config.train.lr)

    def step(self, x):
        self.optimizer.zero_grad()
        self.net(x).square().mean().backward()
        self.optimizer.step()

    def fit(self, loader):
        for _ in range(self.config.train.num_epochs):
            for (x,) in loader:
                self.step(x)


Trainer(Config()).fit(DataLoader(TensorDataset(torch.randn(16, 3)), batch_size=4))
