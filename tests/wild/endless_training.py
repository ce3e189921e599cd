# habit: a training that never ends by itself, until its user presses Ctrl-C
# truth laps: 14
# truth epochs: [4, 4, 4]
# truth validations: 3
# truth validation_samples: [8, 8, 8]
# truth samples: 4
# truth plan: {"epochs": null, "steps": null, "iterations": 4}
import itertools
import os
import signal

import torch
from torch.utils.data import DataLoader, TensorDataset

train = DataLoader(TensorDataset(torch.randn(16, 3)), batch_size=4, shuffle=True)
held_out = DataLoader(TensorDataset(torch.randn(8, 3)), batch_size=8)
net = torch.nn.Linear(3, 1)
sgd = torch.optim.SGD(net.parameters(), lr=0.1)
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    for epoch in itertools.count():
        for i, (x,) in enumerate(train):
            sgd.zero_grad()
            net(x).square().mean().backward()
            sgd.step()
            if epoch == 3 and i == 1:
                os.kill(os.getpid(), signal.SIGINT)  # stands for the user
        with torch.no_grad():
            for (rows,) in held_out:
                net(rows)
except KeyboardInterrupt:
    print("stopped by hand")
