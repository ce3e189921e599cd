"""A vision transformer of timm with Accelerate and accumulated gradients."""

import argparse

import timm
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader, Dataset

import truth
from device import IMITATED

parser = argparse.ArgumentParser()
parser.add_argument("-b", "--batch-size", type=int, default=64)
parser.add_argument("--epochs", type=int, default=4)
parser.add_argument("--model", default="vit_tiny_patch16_224")
parser.add_argument("--samples", type=int, default=6400)
args = parser.parse_args()


class Pictures(Dataset):
    kept = torch.randint(0, 255, (64, 3, 224, 224), dtype=torch.uint8)

    def __len__(self):
        return args.samples

    def __getitem__(self, i):
        return self.kept[i % 64].float() / 255, i % 1000


accelerator = Accelerator(cpu=IMITATED, mixed_precision="no" if IMITATED else "bf16",
                          gradient_accumulation_steps=2)
model = timm.create_model(args.model, num_classes=1000)
optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
loader = DataLoader(Pictures(), args.batch_size, shuffle=True, num_workers=4)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
for epoch in range(args.epochs):
    for x, y in loader:
        with accelerator.accumulate(model):
            loss = torch.nn.functional.cross_entropy(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        truth.step(int(accelerator.sync_gradients))
    print(f"epoch {epoch + 1}/{args.epochs} loss {loss.item():.3f}", flush=True)
