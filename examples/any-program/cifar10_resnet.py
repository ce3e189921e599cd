"""Trains a small residual network on CIFAR-10 in plain PyTorch.

    python cifar10_resnet.py --data FOLDER [--epochs 8] [--batch 64] [--images 4000]

FOLDER holds the binary version of CIFAR-10 (data_batch_1.bin ... test_batch.bin: for each image one
byte of label and 3 x 32 x 32 bytes of red, green and blue). If it does not exist, random images in
the same format are written to it, so that the example runs without a download.
"""

import argparse
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

IMAGE_BYTES = 1 + 3 * 32 * 32


def write_random_cifar(folder, images):
    """Writes ten kinds of random images: the label decides which corner of the image is bright."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(0)
    for name, number in (("data_batch_1.bin", images), ("test_batch.bin", images // 5)):
        labels = random.integers(0, 10, number, dtype=np.uint8)
        pixels = random.integers(0, 128, (number, 3, 32, 32), dtype=np.uint8)
        for image, label in zip(pixels, labels):
            image[label % 3, 8 * (label // 3) : 8 * (label // 3) + 8] += 100
        records = np.concatenate([labels[:, None], pixels.reshape(number, -1)], axis=1)
        (folder / name).write_bytes(records.tobytes())


def read_cifar(files):
    records = np.concatenate([np.fromfile(file, dtype=np.uint8) for file in files])
    records = records.reshape(-1, IMAGE_BYTES)
    images = torch.from_numpy(records[:, 1:].reshape(-1, 3, 32, 32).astype(np.float32) / 255 - 0.5)
    return TensorDataset(images, torch.from_numpy(records[:, 0].astype(np.int64)))


class Block(nn.Module):
    """Is two convolutions with a shortcut around them."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)
        self.first_norm = nn.BatchNorm2d(outputs)
        self.second = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.second_norm = nn.BatchNorm2d(outputs)
        self.around = nn.Sequential()
        if stride != 1 or inputs != outputs:
            self.around = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False),
                                        nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = F.relu(self.first_norm(self.first(x)))
        return F.relu(self.second_norm(self.second(y)) + self.around(x))


def make_resnet(width=8):
    """Returns a ResNet of 8 layers: three stages of one block."""
    return nn.Sequential(
        nn.Conv2d(3, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
        Block(width, width, 1), Block(width, 2 * width, 2), Block(2 * width, 4 * width, 2),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4 * width, 10))


def accuracy_of(model, loader, device):
    model.eval()
    right = 0
    with torch.no_grad():
        for images, labels in loader:
            predicted = model(images.to(device)).argmax(dim=1)
            right += (predicted == labels.to(device)).sum().item()
    return right / len(loader.dataset)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, default=Path("cifar-10-batches-bin"))
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--images", type=int, default=4000, help="where none are in the folder")
    args = parser.parse_args()
    torch.manual_seed(0)

    if not list(args.data.glob("data_batch_*.bin")):
        write_random_cifar(args.data, args.images)
    train = DataLoader(read_cifar(sorted(args.data.glob("data_batch_*.bin"))),
                       batch_size=args.batch, shuffle=True)
    test = DataLoader(read_cifar([args.data / "test_batch.bin"]), batch_size=args.batch)

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = make_resnet().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for images, labels in train:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(images.to(device)), labels.to(device))
            loss.backward()
            optimizer.step()
            total += loss.item() * len(images)
        print(f"epoch {epoch + 1}: loss {total / len(train.dataset):.3f}, "
              f"accuracy {accuracy_of(model, test, device):.3f}")
        torch.save(model.state_dict(), "resnet.pt")


if __name__ == "__main__":
    main()
