# habit: a step of the optimizer every fourth step in the world, after a warm-up (DQN)
# long
# truth laps: 15
# truth epochs: 0
# truth validations: 0
# truth samples: 0
# truth plan: {"steps": 15}
# truth from: "80"
import torch

net = torch.nn.Linear(3, 1)
sgd = torch.optim.SGD(net.parameters(), lr=0.1)
for moment in range(80):
    x = torch.randn(4, 3)
    if moment >= 20 and moment % 4 == 0:
        sgd.zero_grad()
        net(x).square().mean().backward()
        sgd.step()
