"""A small transformer on random tokens: iterations, torch.compile, accumulated gradients, and a
validation every so often, the first one before the first step."""

import argparse

import torch
from torch import nn
from torch.nn import functional as F

import truth
from device import IMITATED, WHERE, compiled, place

parser = argparse.ArgumentParser()
parser.add_argument("--batch_size", type=int, default=16)
parser.add_argument("--block_size", type=int, default=256)
parser.add_argument("--max_iters", type=int, default=400)
parser.add_argument("--eval_interval", type=int, default=100)
parser.add_argument("--gradient_accumulation_steps", type=int, default=2)
parser.add_argument("--n_layer", type=int, default=6)
parser.add_argument("--n_embd", type=int, default=512)
parser.add_argument("--vocabulary", type=int, default=20000)
parser.add_argument("--compile", type=int, default=1)
args = parser.parse_args()


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.before_attention, self.before_mlp = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, width // 32, 32).transpose(1, 2)
                   for part in self.qkv(self.before_attention(x)).split(width, 2))
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).reshape(batch, length, width))
        return x + self.mlp(self.before_mlp(x))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.token = nn.Embedding(args.vocabulary, args.n_embd)
        self.position = nn.Embedding(args.block_size, args.n_embd)
        self.blocks = nn.ModuleList(Block(args.n_embd) for _ in range(args.n_layer))
        self.norm = nn.LayerNorm(args.n_embd)
        self.head = nn.Linear(args.n_embd, args.vocabulary, bias=False)

    def forward(self, x, y):
        hidden = self.token(x) + self.position(torch.arange(x.shape[1], device=x.device))
        for block in self.blocks:
            hidden = block(hidden)
        return F.cross_entropy(self.head(self.norm(hidden)).flatten(0, 1), y.flatten())


data = torch.randint(0, args.vocabulary, (200_000,))


def get_batch():
    starts = torch.randint(len(data) - args.block_size - 1, (args.batch_size,)).tolist()
    x, y = (torch.stack([data[s + shift:s + shift + args.block_size] for s in starts])
            for shift in (0, 1))
    return x.to(WHERE), y.to(WHERE)


model = place(Transformer())
optimizer = torch.optim.AdamW(model.parameters(), 3e-4, fused=not IMITATED)
run = compiled(model) if args.compile else model


@torch.no_grad()
def estimate_loss():
    model.eval()
    with truth.validation(), torch.autocast(WHERE.type, torch.bfloat16):
        losses = [run(*get_batch()).item() for _ in range(4)]
    model.train()
    return sum(losses) / len(losses)


iter_num = 0
while iter_num < args.max_iters:
    print(f"step {iter_num}: val loss {estimate_loss():.4f}", flush=True)
    with truth.training():
        for _ in range(min(args.eval_interval, args.max_iters - iter_num)):
            for _ in range(args.gradient_accumulation_steps):
                with torch.autocast(WHERE.type, torch.bfloat16):
                    loss = run(*get_batch()) / args.gradient_accumulation_steps
                loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
            truth.step()
            iter_num += 1
