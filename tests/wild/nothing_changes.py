# habit: gradients without a training (attributions, attacks): the hook says what it saw
# truth laps: 0
# truth epochs: 0
# truth validations: 0
# truth samples: []
# truth notes: ["no optimizer step was seen, so there are no laps; seen: optimizers 0, loaders 1"]
import torch
from torch.utils.data import DataLoader, TensorDataset

net = torch.nn.Linear(3, 1)
for (x,) in DataLoader(TensorDataset(torch.randn(300, 3)), batch_size=1):
    x.requires_grad_(True)
    net(x).sum().backward()
