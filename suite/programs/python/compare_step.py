"""Repeats in plain PyTorch the training steps that programs recorded with --write-step.

    compare_step.py WORKLOAD=FILE... [--seed N]

Prints a line of JSON for each: the largest difference of each kind of tensor. Those of outputs, loss and
gradients are divided by the largest number of the tensor; that of the weights after the step is
not. Images are channels last in memory, as in the suite: then convolutions round alike, and where
two pixels of a pooling window differ only by rounding, both programs choose the same one.
"""

import argparse
import json

import torch

import reference_networks as reference
import suite_dropout


def with_prefix(tensors, prefix):
    """Returns the tensors called PREFIX.NAME, by NAME."""
    return {name[len(prefix) + 1:]: tensor for name, tensor in tensors.items()
            if name.startswith(prefix + ".")}


def apart(ours, theirs):
    return (ours.double() - theirs.double()).abs().max().item()


def difference(ours, theirs):
    """Returns the largest difference divided by the largest number of the tensor."""
    largest = theirs.abs().max().item()
    return apart(ours, theirs) / largest if largest > 0 else apart(ours, theirs)


def compare(workload, tensors, seed):
    """Returns {quantity: difference} of one step."""
    training = reference.TRAININGS[workload]
    network = training.network().to(memory_format=torch.channels_last)
    reference.flatten_channels_last(network)
    reference.load_suite(network, with_prefix(tensors, "before"))
    # The masks are those of epoch 1.
    suite_dropout.use_suite_dropout(network, suite_dropout.mix_seeds(seed, 1))
    optimizer = training.optimizer([p for p in network.parameters() if p.requires_grad])
    inputs = tensors["inputs"]
    outputs = network(inputs)
    loss = training.objective(outputs, inputs, tensors["labels"])
    loss.backward()
    differences = {"outputs": difference(tensors["outputs"], outputs.detach()),
                   "loss": difference(tensors["loss"], loss.detach())}
    gradients = {name: p.grad for name, p in reference.suite_tensors(network).items()
                 if isinstance(p, torch.nn.Parameter)}
    for name, gradient in gradients.items():
        differences["gradient." + name] = difference(tensors["gradient." + name], gradient)
    optimizer.step()
    for name, tensor in reference.suite_tensors(network).items():
        differences["after." + name] = apart(tensors["after." + name], tensor.detach())
    expected = {name for name in tensors if name.startswith(("gradient.", "after."))}
    if expected != set(differences) - {"outputs", "loss"}:
        raise SystemExit(f"other tensors: {expected ^ set(differences)}")
    return differences


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("steps", nargs="+", metavar="WORKLOAD=FILE")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(1)
    for step in options.steps:
        workload, _, file = step.partition("=")
        tensors = torch.load(file, weights_only=True)
        print(json.dumps(compare(workload, tensors, options.seed)))


if __name__ == "__main__":
    main()
