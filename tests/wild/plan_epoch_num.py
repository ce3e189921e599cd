# habit: `epoch_num` is the number of planned epochs, `epoch` the present one
# truth laps: 12
# truth epochs: [4, 4, 4]
# truth validations: 0
# truth samples: 4
# truth plan: {"epochs": 3, "iterations": 4}
# truth from: "epoch_num"
# long
import torch
from torch.utils.data import DataLoader, TensorDataset

epoch_num = 3
net = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
loader = DataLoader(TensorDataset(torch.randn(16, 3)), batch_size=4)
epoch = 0
while epoch < epoch_num:
    for (x,) in loader:
        optimizer.zero_grad()
        net(x).square().mean().backward()
        optimizer.step()
    epoch += 1
