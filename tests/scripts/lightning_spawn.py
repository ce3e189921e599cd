"""Trains in Lightning on two processes that it spawns; every rank reports its own half."""
# long
import json
import os

import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset

counts = {"laps": 10, "samples": 80, "epochs": 2, "validations": 2, "ranks": 2,
          "validation_samples": [20, 20],
          "plan": {"epochs": 2, "iterations": 5, "batch": 16, "train": 80, "validation": 40}}


class Regression(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(8, 1)

    def training_step(self, batch, batch_idx):
        x, y = batch
        return torch.nn.functional.mse_loss(self.net(x), y)

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", torch.nn.functional.mse_loss(self.net(x), y), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)


if __name__ == "__main__":
    L.seed_everything(1, verbose=False)
    x = torch.randn(80, 8)
    data = TensorDataset(x, x.sum(1, keepdim=True))
    trainer = L.Trainer(max_epochs=2, accelerator="cpu", devices=2, strategy="ddp_spawn",
                        logger=False, enable_checkpointing=False, enable_progress_bar=False,
                        enable_model_summary=False)
    trainer.fit(Regression(), DataLoader(data, batch_size=8),
                DataLoader(TensorDataset(x[:40], x[:40, :1]), batch_size=10))
    with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
        json.dump(counts, out)
