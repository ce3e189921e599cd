# habit: two processes of Accelerate share the data set
# long
# needs: accelerate
# run: -m torch.distributed.run --standalone --nproc-per-node=2
# truth laps: 10
# truth epochs: [5, 5]
# truth validations: 2
# truth validation_samples: [20, 20]
# truth samples: 4
# truth ranks: 2
# truth plan: {"epochs": 2, "iterations": 5, "batch": 8, "train": 40}
# truth from: "num_epochs"
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader, TensorDataset

num_epochs = 2
data = TensorDataset(torch.randn(40, 3))
accelerator = Accelerator(cpu=True)
net = torch.nn.Linear(3, 1)
net, optimizer, train, held_out = accelerator.prepare(
    net, torch.optim.AdamW(net.parameters()), DataLoader(data, batch_size=4, shuffle=True),
    DataLoader(data, batch_size=10))
for epoch in range(num_epochs):
    net.train()
    for (x,) in train:
        accelerator.backward(net(x).square().mean())
        optimizer.step()
        optimizer.zero_grad()
    net.eval()
    for (x,) in held_out:
        with torch.no_grad():
            accelerator.gather(net(x))
accelerator.end_training()
