"""Computes the suite's dropout in Python, bit by bit: suite/programs/common/dropout.cc and random.h."""

import torch
from torch import nn

GOLDEN = 0x9E3779B97F4A7C15
MASK64 = (1 << 64) - 1
STEPS = 65536


def mix64(x):
    """Returns SplitMix64's bijection of a Python integer."""
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & MASK64
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & MASK64
    return x ^ (x >> 31)


def mix_seeds(a, b, c=0):
    """Returns the seed of one stream for each combination."""
    mixed = mix64((a + GOLDEN) & MASK64)
    mixed = mix64((mixed + b + GOLDEN) & MASK64)
    return mix64((mixed + c + GOLDEN) & MASK64)


def mask(shape, probability, seed, call):
    """Returns the factors for a contiguous tensor of this shape at call number 0, 1, ..."""
    count = int(torch.Size(shape).numel())
    stream = mix_seeds(seed, call)
    drop_below = round(probability * STEPS)
    kept = 1 / (1 - drop_below / STEPS)
    values = []
    for draw in range((count + 3) // 4):
        bits = mix64((stream + draw * GOLDEN) & MASK64)
        for _ in range(4):
            values.append(0.0 if (bits & 0xFFFF) < drop_below else kept)
            bits >>= 16
    return torch.tensor(values[:count], dtype=torch.float64).view(shape)


class SuiteDropout(nn.Module):
    """Is a network's dropout number 1, 2, ... after its seed_dropout(seed)."""

    def __init__(self, probability, seed, number):
        super().__init__()
        self.probability, self.seed, self.calls = probability, mix_seeds(seed, number), 0

    def forward(self, x):
        factors = mask(x.shape, self.probability, self.seed, self.calls)
        self.calls += 1
        return x * factors.to(x.dtype)


def use_suite_dropout(network, seed):
    """Replaces PyTorch's masks with the suite's, in the order of the layers. Returns their
    number."""
    number = 0
    for name, module in list(network.named_children()):
        if isinstance(module, nn.Dropout):
            number += 1
            if module.p > 0:
                setattr(network, name, SuiteDropout(module.p, seed, number))
    return number
