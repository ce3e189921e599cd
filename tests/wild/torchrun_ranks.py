# habit: torchrun starts two processes that share the data set; the plan is that of one process
# run: -m torch.distributed.run --standalone --nproc-per-node=2
# arguments: --epochs 2
# truth laps: 10
# truth epochs: [5, 5]
# truth validations: 0
# truth samples: 4
# truth ranks: 2
# truth plan: {"epochs": 2, "iterations": 5, "batch": 8, "train": 40}
# truth from: "args.epochs"
import argparse

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=1)
args = parser.parse_args()
dist.init_process_group("gloo")
data = TensorDataset(torch.randn(40, 3))
loader = DataLoader(data, batch_size=4, sampler=DistributedSampler(data))
net = DistributedDataParallel(torch.nn.Linear(3, 1))
sgd = torch.optim.SGD(net.parameters(), lr=0.01)
for epoch in range(args.epochs):
    loader.sampler.set_epoch(epoch)
    for (x,) in loader:
        sgd.zero_grad()
        net(x).square().mean().backward()
        sgd.step()
dist.destroy_process_group()
