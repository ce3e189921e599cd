"""Trains a small network to take noise out of pictures, in PyTorch as users write it."""

import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def block(inputs, outputs):
    return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs),
                         nn.ReLU())


class Denoiser(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.layers = nn.Sequential(block(3, width), block(width, width), block(width, width),
                                    nn.Conv2d(width, 3, 3, padding=1))

    def forward(self, noisy):
        return noisy - self.layers(noisy)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--samples", type=int, default=4096)
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--size", type=int, default=64, help="of a picture in pixels")
    args = parser.parse_args()
    torch.manual_seed(1)
    # Smooth pictures: few random numbers, enlarged.
    coarse = torch.rand(args.samples, 3, args.size // 8, args.size // 8)
    pictures = nn.functional.interpolate(coarse, size=(args.size, args.size), mode="bilinear")
    loader = DataLoader(TensorDataset(pictures), batch_size=args.batch_size, shuffle=True)
    model = Denoiser()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for (clean,) in loader:
            noisy = clean + 0.1 * torch.randn_like(clean)
            loss = nn.functional.mse_loss(model(noisy), clean)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(clean)
        print(f"epoch {epoch + 1}: loss {total / args.samples:.5f}")


if __name__ == "__main__":
    main()
