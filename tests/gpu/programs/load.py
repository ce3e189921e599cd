"""Keeps the device busy with products of matrices for some seconds."""

import argparse
import time

import torch

import truth
from device import IMITATED, WHERE, place

parser = argparse.ArgumentParser()
parser.add_argument("--seconds", type=float, default=15)
parser.add_argument("--size", type=int, default=8192)
args = parser.parse_args()

size = 64 if IMITATED else args.size
network = place(torch.nn.Linear(size, size, bias=False)).to(torch.bfloat16)
optimizer = torch.optim.SGD(network.parameters(), 1e-3)
x = torch.randn(size, size, device=WHERE, dtype=torch.bfloat16)
begin = time.monotonic()
while time.monotonic() - begin < args.seconds:
    with truth.training():
        for _ in range(20):
            optimizer.zero_grad()
            loss = sum(network(x).mean() for _ in range(8))
            loss.backward()
            optimizer.step()
            truth.step()
