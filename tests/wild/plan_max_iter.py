# habit: counted in iterations, `--max_iter` of them, over a loader whose end is never reached; every
# ten of them a part of the other loader is evaluated in eval(), with gradients on
# arguments: --max_iter 30
# truth laps: 30
# truth epochs: 0
# truth validations: 3
# truth validation_samples: [6, 6, 6]
# truth samples: 4
# truth plan: {"steps": 30, "epochs": null}
# truth from: "args.max_iter"
# long
import argparse

import torch
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--max_iter", type=int, default=50000)
parser.add_argument("--times", type=int, default=3)
args = parser.parse_args()
pairs = DataLoader(TensorDataset(torch.randn(4000, 3)), batch_size=4, shuffle=True)
held_out = DataLoader(TensorDataset(torch.randn(40, 3)), batch_size=2)
net = torch.nn.Linear(3, 1)
adam = torch.optim.Adam(net.parameters())
net.train()
for iteration, (x,) in enumerate(pairs, 1):
    adam.zero_grad()
    net(x).square().mean().backward()
    adam.step()
    if iteration % 10 == 0:
        net.eval()
        for _, (rows,) in zip(range(args.times), held_out):
            net(rows).square().mean()
        net.train()
    if iteration == args.max_iter:
        break
