# habit: every step calls train() after its batch was fetched (supervised trainers of libraries)
# long
# truth laps: 12
# truth epochs: [4, 4, 4]
# truth validations: 3
# truth validation_samples: [16, 16, 16]
# truth samples: 4
import torch
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.randn(16, 3))
train, held_out = DataLoader(data, batch_size=4, shuffle=True), DataLoader(data, batch_size=8)
net = torch.nn.Linear(3, 1)
sgd = torch.optim.SGD(net.parameters(), lr=0.01)


def update(x):
    net.train()
    sgd.zero_grad()
    net(x).square().mean().backward()
    sgd.step()


def score(x):
    net.eval()
    with torch.no_grad():
        return net(x).mean()


for epoch in range(3):
    for (x,) in train:
        update(x)
    for (x,) in held_out:
        score(x)
