# habit: a `while` with a counter and a limit, both with names of its own
# truth laps: 11
# truth epochs: 0
# truth validations: 0
# truth samples: 0
# truth plan: {"steps": 11}
# truth from: "limit"
import torch

net = torch.nn.Linear(3, 1)
sgd = torch.optim.SGD(net.parameters(), lr=0.1)
done, limit = 0, 11
while done < limit:
    x = torch.randn(4, 3)
    sgd.zero_grad()
    net(x).square().mean().backward()
    sgd.step()
    done += 1
