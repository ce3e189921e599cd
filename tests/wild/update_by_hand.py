# habit: the parameters are updated by hand, without an optimizer or a loader
# long
# truth laps: 10
# truth epochs: 0
# truth validations: 0
# truth samples: 0
# truth plan: {"steps": 10}
# truth notes: ["no optimizer of torch.optim stepped"]
import time

import torch

x = torch.randn(16, 5)
net = torch.nn.Linear(5, 1)
for step in range(10):
    time.sleep(0.01)
    net.zero_grad()
    net(x).mean().backward()
    for parameter in net.parameters():
        parameter.data.add_(parameter.grad, alpha=-0.1)
