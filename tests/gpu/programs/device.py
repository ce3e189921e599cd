"""Chooses the device that these programs train on: the first GPU, or an imitation of one where
LAPCAST_GPU_IMITATION is set."""

import os

import torch

IMITATED = bool(os.environ.get("LAPCAST_GPU_IMITATION"))
WHERE = torch.device("cpu" if IMITATED else "cuda")
if IMITATED:
    import imitated_device

    imitated_device.attach()


def compiled(function):
    """Returns the function compiled, except on an imitation, whose parameters no compiler can trace."""
    return function if IMITATED else torch.compile(function)


def place(network):
    """Moves a network to the device and returns it."""
    return imitated_device.place(network) if IMITATED else network.to(WHERE)
