"""Writes weights, pictures and outputs of torchvision's Inception v3 for the test that compares them.

    write_inception.py FILE

Any PyTorch with torchvision will do, such as Debian's python3-torchvision. The weights are random.
LAPCAST_INCEPTION=FILE makes InceptionV3.ComputesWhatTorchvisionDoes compare.
"""

import sys

import torch
from torchvision.models import Inception3


@torch.no_grad()
def main():
    torch.manual_seed(1)
    network = Inception3(num_classes=1000, aux_logits=True, init_weights=False)
    for module in network.modules():
        if isinstance(module, torch.nn.Conv2d):
            torch.nn.init.kaiming_normal_(module.weight)
        if isinstance(module, torch.nn.BatchNorm2d):
            module.running_mean.uniform_(-0.2, 0.2)
            module.running_var.uniform_(0.5, 1.5)
            module.bias.uniform_(-0.2, 0.2)
    tensors = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    # 299x299: the auxiliary head needs maps of 17x17.
    tensors["test.images"] = torch.rand(2, 3, 299, 299)
    tensors["test.logits"] = network.eval()(tensors["test.images"])
    tensors["test.auxiliary"] = network.train()(tensors["test.images"])[1]
    torch.save(tensors, sys.argv[1])


if __name__ == "__main__":
    main()
