# habit: trange over the updates, whose bar has other words; batches come from a tensor
# needs: tqdm
# truth laps: 9
# truth epochs: 0
# truth validations: 0
# truth samples: 0
# truth plan: {"steps": 9}
# truth from: "9"
# long
import torch
from tqdm import trange

net = torch.nn.Linear(3, 1)
sgd = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in (bar := trange(9)):
    x = torch.randn(4, 3)
    sgd.zero_grad()
    net(x).square().mean().backward()
    sgd.step()
    bar.set_description("loss: 2.4 test_accuracy: 5.5%")
