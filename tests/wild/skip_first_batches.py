# habit: resumed within an epoch with accelerate.skip_first_batches
# long
# needs: accelerate
# truth laps: 14
# truth epochs: [4, 10]
# truth validations: 0
# truth samples: 2
# truth plan: {"epochs": 4, "iterations": 10, "done": 26}
# truth from: "num_train_epochs"
import io

import torch
from accelerate import Accelerator, skip_first_batches
from torch.utils.data import DataLoader, TensorDataset

def earlier(steps):
    """Returns the checkpoint of an earlier run after so many steps."""
    sizes = {"weight": (1, 3), "bias": (1,)}
    zeros = [{"step": torch.tensor(float(steps)), "exp_avg": torch.zeros(size),
              "exp_avg_sq": torch.zeros(size)} for size in sizes.values()]
    adam = torch.optim.AdamW(torch.nn.Linear(3, 1).parameters()).state_dict()
    adam["state"] = dict(enumerate(zeros))
    file = io.BytesIO()
    torch.save({"net": {name: torch.zeros(size) for name, size in sizes.items()}, "adam": adam}, file)
    file.seek(0)
    return torch.load(file)


loader = DataLoader(TensorDataset(torch.randn(20, 3)), batch_size=2)
net = torch.nn.Linear(3, 1)
adam = torch.optim.AdamW(net.parameters())
state = earlier(26)
net.load_state_dict(state["net"])
adam.load_state_dict(state["adam"])
accelerator = Accelerator(cpu=True)
net, adam, loader = accelerator.prepare(net, adam, loader)
first, num_train_epochs = 2, 4
for epoch in range(first, num_train_epochs):
    batches = skip_first_batches(loader, 6) if epoch == first else loader
    for (x,) in batches:
        adam.zero_grad()
        accelerator.backward(net(x).square().mean())
        adam.step()
