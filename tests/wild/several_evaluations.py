# habit: several evaluations within an epoch, by hand, whose samples nobody counts
# long
# truth laps: 18
# truth epochs: [9, 9]
# truth validations: 6
# truth validation_samples: [0, 0, 0, 0, 0, 0]
# truth samples: 2
import torch
from torch.utils.data import DataLoader, TensorDataset

x = torch.randn(18, 3)
train = DataLoader(TensorDataset(x), batch_size=2)
net = torch.nn.Linear(3, 1)
sgd = torch.optim.SGD(net.parameters(), lr=0.01)
for epoch in range(2):
    for i, (rows,) in enumerate(train, start=1):
        sgd.zero_grad()
        net(rows).square().mean().backward()
        sgd.step()
        if i % 3 == 0:
            net.eval()
            with torch.no_grad():
                net(x)
            net.train()
