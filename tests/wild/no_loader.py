# habit: a loop without a loader, evaluated by hand every five steps (graph networks)
# long
# truth laps: 15
# truth epochs: 0
# truth validations: 3
# truth samples: 0
# truth plan: {"steps": 15, "epochs": null}
# truth from: "15"
import time

import torch

x, y = torch.randn(20, 4), torch.randn(20, 1)
net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
adam = torch.optim.Adam(net.parameters())
for i in range(15):
    time.sleep(0.01)
    adam.zero_grad()
    torch.nn.functional.mse_loss(net(x), y).backward()
    adam.step()
    if i % 5 == 4:
        net.eval()
        with torch.no_grad():
            net(x)
        net.train()
