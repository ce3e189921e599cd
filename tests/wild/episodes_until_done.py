# habit: episodes that end early, with a step of the optimizer for each step in the world (reinforcement learning)
# long
# truth laps: 129
# truth epochs: 0
# truth validations: 0
# truth samples: 0
# truth plan: {"steps": null, "epochs": null}
# truth notes: ["the rounds of 10 make between"]
import torch

net = torch.nn.Linear(3, 1)
sgd = torch.optim.SGD(net.parameters(), lr=0.1)
for episode in range(10):
    for moment in range(200):
        sgd.zero_grad()
        net(torch.randn(4, 3)).square().mean().backward()
        sgd.step()
        if moment == 10 + episode ** 2 % 7:
            break
