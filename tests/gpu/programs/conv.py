"""A small residual network on random pictures: epochs, validation, mixed precision, loader workers."""

import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

import truth
from device import WHERE, place

parser = argparse.ArgumentParser()
parser.add_argument("--batch", type=int, default=64)
parser.add_argument("--epochs", type=int, default=6)
parser.add_argument("--samples", type=int, default=6400)
parser.add_argument("--dtype", default="bf16", choices=["fp32", "bf16"])
parser.add_argument("--size", type=int, default=128)
parser.add_argument("--width", type=int, default=64)
parser.add_argument("--workers", type=int, default=4)
args = parser.parse_args()


class Pictures(Dataset):
    def __init__(self, count):
        self.count = count
        self.kept = torch.randint(0, 255, (64, 3, args.size, args.size), dtype=torch.uint8)

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return self.kept[index % 64], index % 10


class Block(nn.Module):
    def __init__(self, width_in, width, stride):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(width_in, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width))
        self.shortcut = nn.Conv2d(width_in, width, 1, stride, bias=False)

    def forward(self, x):
        return torch.relu(self.layers(x) + self.shortcut(x))


def loader(count, train):
    workers = args.workers if train else args.workers // 2
    return DataLoader(Pictures(count), args.batch, shuffle=train, num_workers=workers,
                      pin_memory=WHERE.type == "cuda", persistent_workers=workers > 0,
                      drop_last=train)


w = args.width
network = place(nn.Sequential(
    Block(3, w, 2), Block(w, w, 1), Block(w, 2 * w, 2), Block(2 * w, 4 * w, 2),
    Block(4 * w, 8 * w, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8 * w, 10)))
optimizer = torch.optim.SGD(network.parameters(), 0.01, momentum=0.9)
loss_of = nn.CrossEntropyLoss()


def on_device(x, y):
    return x.to(WHERE, non_blocking=True).float().div_(255), y.to(WHERE, non_blocking=True)


def precision():
    return torch.autocast(WHERE.type, torch.bfloat16, enabled=args.dtype == "bf16")


training, validation = loader(args.samples, True), loader(max(args.samples // 8, 1), False)
for epoch in range(args.epochs):
    network.train()
    with truth.training():
        for x, y in training:
            x, y = on_device(x, y)
            with precision():
                loss = loss_of(network(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            truth.step()
    network.eval()
    right = 0
    with truth.validation(), torch.no_grad():
        for x, y in validation:
            x, y = on_device(x, y)
            with precision():
                right += (network(x).argmax(1) == y).sum().item()
    print(f"epoch {epoch + 1}/{args.epochs} loss {loss.item():.4f} right {right}", flush=True)
