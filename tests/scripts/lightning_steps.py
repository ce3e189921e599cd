"""Trains in Lightning under its old name: max_steps, validated every 4 batches, accumulation,
bf16."""
# long
import json
import os
import warnings

import pytorch_lightning as pl
import torch
from torch.utils.data import DataLoader, TensorDataset

counts = {"laps": 0, "samples": 0, "epochs": 0, "validations": 0,
          "validation_samples": [90, 90, 90],
          "plan": {"steps": 7, "iterations": 6, "batch": 16, "train": 90, "validation": 90}}
warnings.simplefilter("ignore")


class Regression(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(8, 1)

    def training_step(self, batch, batch_idx):
        x, y = batch
        counts["samples"] += len(x)
        return torch.nn.functional.mse_loss(self.net(x), y)

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", torch.nn.functional.mse_loss(self.net(x), y))

    def optimizer_step(self, *args, **kwargs):
        super().optimizer_step(*args, **kwargs)
        counts["laps"] += 1

    def on_train_epoch_end(self):
        counts["epochs"] += self.trainer.global_step < 7  # the last epoch is not whole

    def on_validation_epoch_end(self):
        counts["validations"] += 1

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)


pl.seed_everything(1, verbose=False)
x = torch.randn(90, 8)
data = TensorDataset(x, x.sum(1, keepdim=True))
trainer = pl.Trainer(max_steps=7, val_check_interval=4, accumulate_grad_batches=2, logger=False,
                     precision="bf16-mixed", accelerator="cpu", num_sanity_val_steps=0,
                     enable_checkpointing=False, enable_progress_bar=False,
                     enable_model_summary=False)
trainer.fit(Regression(), DataLoader(data, batch_size=8), DataLoader(data, batch_size=45))
with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
    json.dump(counts, out)
