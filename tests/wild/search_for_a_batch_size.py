# habit: accelerate's search for a batch size that fits: two attempts fail, the third one trains
# long
# needs: accelerate
# truth laps: 8
# truth epochs: [4, 4]
# truth validations: 0
# truth samples: 2
# truth plan: {"epochs": 2, "iterations": 4, "batch": 2}
# truth from: "num_epochs"
import torch
from accelerate.utils import find_executable_batch_size
from torch.utils.data import DataLoader, TensorDataset


@find_executable_batch_size(starting_batch_size=8)
def train(batch_size, num_epochs=2):
    loader = DataLoader(TensorDataset(torch.randn(8, 3)), batch_size=batch_size)
    net = torch.nn.Linear(3, 1)
    sgd = torch.optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(num_epochs):
        for i, (x,) in enumerate(loader):
            if batch_size > 2 and (i > 0 or epoch > 0):
                raise RuntimeError("CUDA out of memory. Tried to allocate 20.00 MiB")
            sgd.zero_grad()
            net(x).square().mean().backward()
            sgd.step()


train()
