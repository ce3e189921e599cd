"""Trains a network of the suite in Python, as users write it, once per line of input.

    train_reference.py WORKLOAD FILE --samples N --batch N --threads N

FILE is a step that the program recorded with --write-step; its samples, repeated, are the training
set. For each line on stdin ("WARMUP STEPS") it trains that many batches of a DataLoader and prints
the wall and CPU seconds per step, from the end of the last warm-up step to the end of the last
step.
"""

import argparse
import sys
import time

import torch
from torch.utils.data import DataLoader, TensorDataset

import reference_networks as reference


def training_set(file, samples, threads):
    """Keeps the set in memory as tensors, so that the DataLoader decodes nothing."""
    torch.set_num_threads(threads)
    tensors = torch.load(file, weights_only=True)
    inputs, labels = tensors["inputs"].contiguous(), tensors["labels"]
    repeats = -(-samples // len(inputs))
    return TensorDataset(inputs.repeat(repeats, *[1] * (inputs.dim() - 1))[:samples],
                         labels.repeat(repeats)[:samples])


class Trainer:
    """Runs the usual loop and adds up loss and accuracy, as the suite's programs do."""

    def __init__(self, workload, samples, batch):
        training = reference.TRAININGS[workload]
        self.network, self.objective = training.network(), training.objective
        self.optimizer = training.optimizer(
            [p for p in self.network.parameters() if p.requires_grad])
        self.samples, self.batch = samples, batch
        self.loss = self.correct = 0

    def step(self, inputs, labels):
        self.optimizer.zero_grad()
        outputs = self.network(inputs)
        loss = self.objective(outputs, inputs, labels)
        loss.backward()
        self.optimizer.step()
        self.loss += loss.item() * len(inputs)
        if outputs.dim() == 2:
            self.correct += (outputs.argmax(1) == labels).sum().item()

    def seconds_per_step(self, warmup, steps):
        loader = DataLoader(self.samples, batch_size=self.batch, shuffle=True)
        begin = number = 0  # wall and CPU time
        for number, (inputs, labels) in enumerate(loader, 1):
            self.step(inputs, labels)
            if number == warmup:
                begin = time.perf_counter(), time.process_time()
            if number == warmup + steps:
                break
        assert number == warmup + steps, "too few samples"
        end = time.perf_counter(), time.process_time()
        return [(after - before) / steps for after, before in zip(end, begin)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("workload", choices=reference.TRAININGS)
    parser.add_argument("file")
    for name in ("samples", "batch", "threads"):
        parser.add_argument(f"--{name}", type=int, required=True)
    options = parser.parse_args()
    torch.manual_seed(1)
    samples = training_set(options.file, options.samples, options.threads)
    trainer = Trainer(options.workload, samples, options.batch)
    for line in sys.stdin:
        warmup, steps = map(int, line.split())
        print(*trainer.seconds_per_step(warmup, steps), flush=True)


if __name__ == "__main__":
    main()
