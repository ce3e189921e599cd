"""The network of the suite's mnist-cnn, in Python, with the data on the device: prints the
milliseconds of a step in its fastest epoch."""

import argparse

import torch
from torch import nn

import truth
from device import WHERE, place

parser = argparse.ArgumentParser()
parser.add_argument("--batch", type=int, default=128)
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--samples", type=int, default=60000)
args = parser.parse_args()

x = torch.rand(args.samples, 1, 28, 28, device=WHERE)
y = torch.randint(0, 10, (args.samples,), device=WHERE)
network = place(nn.Sequential(
    nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2),
    nn.Dropout(0.25), nn.Flatten(), nn.Linear(9216, 128), nn.ReLU(), nn.Dropout(0.5),
    nn.Linear(128, 10)))
optimizer = torch.optim.Adadelta(network.parameters())
loss_of = nn.CrossEntropyLoss()
for epoch in range(args.epochs):
    with truth.training():
        order = torch.randperm(args.samples, device=WHERE)
        total, right = torch.zeros((), device=WHERE), torch.zeros((), device=WHERE)
        for indices in order.split(args.batch):
            picture, label = x[indices], y[indices]
            optimizer.zero_grad()
            output = network(picture)
            loss = loss_of(output, label)
            loss.backward()
            optimizer.step()
            total += loss.detach()
            right += (output.argmax(1) == label).sum()
            truth.step()
    print(f"epoch {epoch + 1}/{args.epochs} loss {loss.item():.4f}", flush=True)
steps = -(-args.samples // args.batch)
print(f"ms_per_step {min(truth.seconds()) / steps * 1e3:.5f}", flush=True)
