# habit: a plan in steps; the loss is estimated every eight steps, before the first one too
# truth laps: 24
# truth epochs: 0
# truth validations: 3
# truth samples: 0
# truth plan: {"steps": 24}
# truth from: "max_iters"
import time

import torch

max_iters, eval_interval = 24, 8
tokens = torch.randn(100, 6)
net = torch.nn.Sequential(torch.nn.Linear(6, 6), torch.nn.Dropout(0.1), torch.nn.Linear(6, 1))
adamw = torch.optim.AdamW(net.parameters())


def batch():
    return tokens[torch.randint(100, (4,))]


@torch.no_grad()
def estimate_loss():
    net.eval()
    losses = [net(batch()).square().mean().item() for _ in range(3)]
    time.sleep(0.01)
    net.train()
    return sum(losses) / len(losses)


for iteration in range(max_iters):
    if iteration % eval_interval == 0:
        estimate_loss()
    for micro_step in range(2):
        net(batch()).square().mean().backward()
    adamw.step()
    adamw.zero_grad()
