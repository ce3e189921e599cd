"""Runs in Lightning a search for the learning rate, two epochs, and a Trainer that resumes up to
four."""
# long
import json
import os
import tempfile
import warnings

import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset

counts = {"laps": 0, "samples": 0, "epochs": 0, "validations": 0, "first_epoch": 1,
          "checkpoints": 5, "plan": {"epochs": 4, "iterations": 5, "batch": 16, "train": 80}}
warnings.simplefilter("ignore")
searching = False


class Regression(L.LightningModule):
    def __init__(self, lr=0.01):
        super().__init__()
        self.lr = lr
        self.net = torch.nn.Linear(8, 1)

    def training_step(self, batch, batch_idx):
        x, y = batch
        if not searching:
            counts["laps"] += 1
            counts["samples"] += len(x)
        return torch.nn.functional.mse_loss(self.net(x), y)

    def on_train_epoch_end(self):
        counts["epochs"] += not searching

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.lr)


def trainer_of(folder, epochs):
    return L.Trainer(max_epochs=epochs, default_root_dir=folder, logger=False, accelerator="cpu",
                     enable_progress_bar=False, enable_model_summary=False)


L.seed_everything(1, verbose=False)
x = torch.randn(80, 8)
train = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=16)
with tempfile.TemporaryDirectory() as folder:
    model, trainer = Regression(), trainer_of(folder, 2)
    searching = True
    L.pytorch.tuner.Tuner(trainer).lr_find(model, train, num_training=12, max_lr=0.05)
    searching = False
    trainer.fit(model, train)
    trainer.save_checkpoint(folder + "/last.ckpt")
    trainer_of(folder, 4).fit(Regression(), train, ckpt_path=folder + "/last.ckpt")
with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
    json.dump(counts, out)
