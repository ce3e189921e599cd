"""Trains an autoencoder as a Lightning module.

    python lightning_autoencoder.py [--epochs 12] [--batch 64] [--samples 12000]

The data are synthetic: points of a curved surface in 256 dimensions.
"""

import argparse

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class Autoencoder(L.LightningModule):
    def __init__(self, inputs=256, hidden=768, code=8):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, hidden),
                                     nn.ReLU(), nn.Linear(hidden, code))
        self.decoder = nn.Sequential(nn.Linear(code, hidden), nn.ReLU(), nn.Linear(hidden, hidden),
                                     nn.ReLU(), nn.Linear(hidden, inputs))

    def reconstruction_loss(self, batch):
        (x,) = batch
        return nn.functional.mse_loss(self.decoder(self.encoder(x)), x)

    def training_step(self, batch, batch_idx):
        loss = self.reconstruction_loss(batch)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.reconstruction_loss(batch), prog_bar=True)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


def make_points(number):
    hidden = torch.rand(number, 4)
    return TensorDataset(torch.sin(hidden @ torch.randn(4, 256) * 3))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--samples", type=int, default=12000)
    args = parser.parse_args()
    L.seed_everything(0, verbose=False)

    points = make_points(args.samples)
    train, validation = random_split(points, [0.9, 0.1])
    trainer = L.Trainer(max_epochs=args.epochs, logger=False, enable_progress_bar=False,
                        enable_model_summary=False)
    trainer.fit(Autoencoder(), DataLoader(train, batch_size=args.batch, shuffle=True),
                DataLoader(validation, batch_size=args.batch))
    print(f"val_loss {trainer.callback_metrics['val_loss'].item():.4f}")


if __name__ == "__main__":
    main()
