"""Trains a Lightning module with validation after each epoch, a sanity check and checkpoints."""
import json
import os
import tempfile

import lightning as L
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from torch.utils.data import DataLoader, TensorDataset

counts = {"laps": 0, "samples": 0, "epochs": 0, "validations": 0, "checkpoints": 0, "losses": [],
          "validation_samples": [90, 90], "metrics": ["loss", "val_loss"],
          "plan": {"epochs": 2, "iterations": 6, "batch": 16, "train": 90, "validation": 90}}


class Regression(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(8, 1)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = torch.nn.functional.mse_loss(self.net(x), y)
        counts["laps"] += 1
        counts["samples"] += len(x)
        counts["losses"].append(loss.item())
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", torch.nn.functional.mse_loss(self.net(x), y))

    def on_train_epoch_end(self):
        counts["epochs"] += 1

    def on_validation_epoch_end(self):
        counts["validations"] += not self.trainer.sanity_checking

    def on_save_checkpoint(self, checkpoint):
        counts["checkpoints"] += 1

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)


L.seed_everything(1, verbose=False)
x = torch.randn(90, 8)
data = TensorDataset(x, x.sum(1, keepdim=True))
with tempfile.TemporaryDirectory() as folder:
    trainer = L.Trainer(max_epochs=2, default_root_dir=folder, logger=False, accelerator="cpu",
                        enable_progress_bar=False, enable_model_summary=False,
                        callbacks=[ModelCheckpoint(dirpath=folder, save_top_k=-1)])
    trainer.fit(Regression(), DataLoader(data, batch_size=16, shuffle=True),
                DataLoader(data, batch_size=32))
with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
    json.dump(counts, out)
