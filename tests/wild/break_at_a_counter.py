# habit: `while True` that a break ends at a number (nanoGPT, with other names)
# truth laps: 11
# truth epochs: 0
# truth validations: 0
# truth samples: 0
# truth plan: {"steps": 11}
# truth from: "last"
import torch

net = torch.nn.Linear(3, 1)
sgd = torch.optim.SGD(net.parameters(), lr=0.1)
turn, last = 0, 11
while True:
    x = torch.randn(4, 3)
    sgd.zero_grad()
    net(x).square().mean().backward()
    sgd.step()
    turn += 1
    if turn >= last:
        break
