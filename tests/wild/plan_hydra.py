# habit: hydra makes the settings, one of which has no value, and the command line changes one
# needs: hydra
# arguments: train.num_epochs=2 hydra.run.dir=. hydra.output_subdir=null
# truth laps: 4
# truth epochs: [2, 2]
# truth validations: 0
# truth samples: 8
# truth plan: {"epochs": 2, "iterations": 2}
# truth from: "cfg.train.num_epochs"
from dataclasses import dataclass, field

import hydra
import torch
from hydra.core.config_store import ConfigStore
from omegaconf import MISSING
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Train:
    data: str = MISSING
    num_epochs: int = 9


@dataclass
class Settings:
    train: Train = field(default_factory=Train)


ConfigStore.instance().store(name="settings", node=Settings)


@hydra.main(version_base=None, config_name="settings")
def main(cfg):
    loader = DataLoader(TensorDataset(torch.randn(16, 3)), batch_size=8)
    net = torch.nn.Linear(3, 1)
    sgd = torch.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(cfg.train.num_epochs):
        for (x,) in loader:
            sgd.zero_grad()
            net(x).square().mean().backward()
            sgd.step()


main()
