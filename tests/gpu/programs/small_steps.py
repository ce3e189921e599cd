"""A small network whose step takes a millisecond or less, without a loader: bound by the host. With
--graph the same step is captured as a CUDA graph and replayed."""

import argparse

import torch
from torch import nn

import truth
from device import IMITATED, WHERE, place

parser = argparse.ArgumentParser()
parser.add_argument("--batch", type=int, default=128)
parser.add_argument("--epochs", type=int, default=10)
parser.add_argument("--steps-per-epoch", type=int, default=1500)
parser.add_argument("--graph", action="store_true")
args = parser.parse_args()

x = torch.randn(args.batch * 64, 784, device=WHERE)
y = torch.randint(0, 10, (args.batch * 64,), device=WHERE)
network = place(nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(),
                              nn.Linear(256, 10)))
optimizer = torch.optim.Adam(network.parameters(), 1e-3, capturable=args.graph and not IMITATED)
loss_of = nn.CrossEntropyLoss()
static_x, static_y = x[:args.batch].clone(), y[:args.batch].clone()


def step(batch, labels):
    optimizer.zero_grad()
    loss = loss_of(network(batch), labels)
    loss.backward()
    optimizer.step()
    return loss


if args.graph:
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step(static_x, static_y)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        static_loss = step(static_x, static_y)

for epoch in range(args.epochs):
    with truth.training():
        for i in range(args.steps_per_epoch):
            k = i % 64 * args.batch
            if args.graph:
                static_x.copy_(x[k:k + args.batch])
                static_y.copy_(y[k:k + args.batch])
                graph.replay()
                loss = static_loss
            else:
                loss = step(x[k:k + args.batch], y[k:k + args.batch])
            truth.step()
    print(f"epoch {epoch + 1}/{args.epochs} loss {loss.item():.4f}", flush=True)
