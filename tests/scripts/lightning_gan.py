"""Trains a GAN in Lightning: two optimizers stepped by hand, on a stream of unknown length."""
# long
import json
import os

import lightning as L
import torch

counts = {"laps": 0, "samples": 0, "epochs": 0, "validations": 0,
          "plan": {"epochs": 2, "batch": 8}}


class Stream(torch.utils.data.IterableDataset):
    def __iter__(self):
        for _ in range(44):
            yield torch.randn(4)


class Gan(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.generator = torch.nn.Linear(2, 4)
        self.critic = torch.nn.Linear(4, 1)

    def training_step(self, real, batch_idx):
        first, second = self.optimizers()
        fake = self.generator(torch.randn(len(real), 2))
        loss = self.critic(fake.detach()).mean() - self.critic(real).mean()
        second.zero_grad()
        self.manual_backward(loss)
        second.step()
        if batch_idx % 2 == 0:
            first.zero_grad()
            self.manual_backward(-self.critic(fake).mean())
            first.step()
        counts["laps"] += 1
        counts["samples"] += len(real)

    def on_train_epoch_end(self):
        counts["epochs"] += 1

    def configure_optimizers(self):
        return (torch.optim.Adam(self.generator.parameters()),
                torch.optim.Adam(self.critic.parameters()))


L.seed_everything(1, verbose=False)
L.Trainer(max_epochs=2, logger=False, accelerator="cpu", enable_checkpointing=False,
          enable_progress_bar=False, enable_model_summary=False
          ).fit(Gan(), torch.utils.data.DataLoader(Stream(), batch_size=8))
with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
    json.dump(counts, out)
