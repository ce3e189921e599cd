# habit: resumed at an epoch; only the model was saved, and no name tells the epochs
# long
# truth laps: 20
# truth epochs: [10, 10]
# truth validations: 0
# truth samples: 2
# truth plan: {"epochs": 5, "iterations": 10, "done": 30}
# truth from: "last"
import io

import torch
from torch.utils.data import DataLoader, TensorDataset

net = torch.nn.Linear(3, 1)
file = io.BytesIO()
torch.save(net.state_dict(), file)
file.seek(0)
net.load_state_dict(torch.load(file))
loader = DataLoader(TensorDataset(torch.randn(20, 3)), batch_size=2)
sgd = torch.optim.SGD(net.parameters(), lr=0.1)
begin, last = 3, 5
for era in range(begin, last):
    for (x,) in loader:
        sgd.zero_grad()
        net(x).square().mean().backward()
        sgd.step()
