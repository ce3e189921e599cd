"""A small network that trains with one habit of other people's programs."""

import argparse
import os
import socket

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import truth
from device import WHERE, compiled, place

HABITS = ("plain", "scaler", "streams", "no-grad", "compiled-step", "ddp", "fsdp", "lora")
parser = argparse.ArgumentParser()
parser.add_argument("--habit", choices=HABITS, default="plain")
parser.add_argument("--batch", type=int, default=64)
parser.add_argument("--epochs", type=int, default=4)
parser.add_argument("--samples", type=int, default=6400)
parser.add_argument("--width", type=int, default=1024)
args = parser.parse_args()


class LowRank(nn.Module):
    """Adds a trained matrix of low rank to a layer that stays as it is."""

    def __init__(self, layer, rank=8):
        super().__init__()
        self.layer = layer.requires_grad_(False)
        self.down = nn.Linear(layer.in_features, rank, bias=False)
        self.up = nn.Linear(rank, layer.out_features, bias=False)

    def forward(self, x):
        return self.layer(x) + self.up(self.down(x))


def one_rank():
    """Begins a process group of this process alone."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(free.getsockname()[1]),
                          RANK="0", WORLD_SIZE="1", LOCAL_RANK="0")
    torch.distributed.init_process_group("nccl" if WHERE.type == "cuda" else "gloo")


width = args.width
layers = [nn.Linear(128, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 10)]
if args.habit == "lora":
    layers = [LowRank(layer) if isinstance(layer, nn.Linear) else layer for layer in layers]
if args.habit in ("ddp", "fsdp"):
    one_rank()
    network = nn.Sequential(*layers).to(WHERE)
    if args.habit == "ddp":
        network = nn.parallel.DistributedDataParallel(network)
    else:
        from torch.distributed.fsdp import FullyShardedDataParallel

        network = FullyShardedDataParallel(network)
else:
    network = place(nn.Sequential(*layers))
trained = [parameter for parameter in network.parameters() if parameter.requires_grad]
optimizer = torch.optim.SGD(trained, 0.01)
loss_of = nn.CrossEntropyLoss()
half = torch.float16 if WHERE.type == "cuda" else torch.bfloat16
scaler = torch.amp.GradScaler(WHERE.type, enabled=args.habit == "scaler")
side = torch.cuda.Stream() if args.habit == "streams" else None
data = TensorDataset(torch.randn(args.samples, 128), torch.randint(0, 10, (args.samples,)))
loader = DataLoader(data, args.batch, shuffle=True)


def step(x, y, number):
    with torch.autocast(WHERE.type, half, enabled=args.habit == "scaler"):
        loss = loss_of(network(x), y)
    if args.habit == "scaler" and number % 7 == 3:
        loss = loss * float("inf")  # its gradients are not finite, so that the scaler skips the step
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    return loss


def plain_step(x, y):
    optimizer.zero_grad()
    loss = loss_of(network(x), y)
    loss.backward()
    optimizer.step()
    return loss


if args.habit == "compiled-step":
    whole_step = compiled(plain_step)
for epoch in range(args.epochs):
    with truth.training():
        for number, (x, y) in enumerate(loader):
            x, y = x.to(WHERE), y.to(WHERE)
            if args.habit == "compiled-step":
                loss = whole_step(x, y)
            elif args.habit == "streams":
                side.wait_stream(torch.cuda.current_stream())
                with torch.cuda.stream(side):
                    loss = step(x, y, number)
                torch.cuda.current_stream().wait_stream(side)
            else:
                loss = step(x, y, number)
            truth.step()
    if args.habit == "no-grad":
        with truth.validation(), torch.no_grad():
            for x, y in DataLoader(data, 256):
                network(x.to(WHERE)).argmax(1).sum().item()
    print(f"epoch {epoch + 1}/{args.epochs} loss {loss.item():.4f}", flush=True)
if torch.distributed.is_initialized():
    torch.distributed.destroy_process_group()
