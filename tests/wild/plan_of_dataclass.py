# habit: the parser of Hugging Face makes a dataclass, whose default has another name in the loop
# needs: transformers
# arguments: --num_train_epochs 2
# truth laps: 4
# truth epochs: [2, 2]
# truth validations: 0
# truth samples: 8
# truth plan: {"epochs": 2, "iterations": 2}
# truth from: "argparse.num_train_epochs"
from dataclasses import dataclass

import torch
from torch.utils.data import DataLoader, TensorDataset
from transformers import HfArgumentParser


@dataclass
class Training:
    num_train_epochs: int = 9
    learning_rate: float = 0.01


(chosen,) = HfArgumentParser(Training).parse_args_into_dataclasses()
rounds = chosen.num_train_epochs
net = torch.nn.Linear(3, 1)
sgd = torch.optim.SGD(net.parameters(), lr=chosen.learning_rate)
loader = DataLoader(TensorDataset(torch.randn(16, 3)), batch_size=8)
for _ in range(rounds):
    for (x,) in loader:
        sgd.zero_grad()
        net(x).square().mean().backward()
        sgd.step()
