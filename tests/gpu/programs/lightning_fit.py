"""A small convolutional network with Lightning's Trainer."""

import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import truth
from device import IMITATED

try:
    import lightning
except ImportError:
    import pytorch_lightning as lightning

parser = argparse.ArgumentParser()
parser.add_argument("--batch_size", type=int, default=128)
parser.add_argument("--max_epochs", type=int, default=8)
parser.add_argument("--samples", type=int, default=6400)
args = parser.parse_args()


class Network(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, 64, 3, 2), nn.ReLU(), nn.Conv2d(64, 128, 3, 2),
                                    nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                                    nn.Linear(128, 10))

    def loss(self, batch):
        return nn.functional.cross_entropy(self.layers(batch[0]), batch[1])

    def training_step(self, batch, index):
        truth.step()
        return self.loss(batch)

    def validation_step(self, batch, index):
        self.log("val_loss", self.loss(batch))

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), 1e-3)


def loader(count, shuffle):
    return DataLoader(TensorDataset(torch.randn(count, 3, 64, 64), torch.randint(0, 10, (count,))),
                      args.batch_size, shuffle=shuffle)


trainer = lightning.Trainer(
    max_epochs=args.max_epochs, accelerator="cpu" if IMITATED else "gpu", devices=1, logger=False,
    precision="32-true" if IMITATED else "bf16-mixed", enable_checkpointing=False,
    enable_progress_bar=False)
trainer.fit(Network(), loader(args.samples, True), loader(args.samples // 8, False))
