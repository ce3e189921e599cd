# habit: no loader: batches are slices of a tensor, cut by a range with a step; an evaluation by hand after each epoch
# truth laps: 15
# truth epochs: 0
# truth validations: 3
# truth samples: 0
# truth plan: {"steps": 15}
# truth from: "x.size_0_-by-batch_size-x-rounds"
import torch

x, y, rounds, batch_size = torch.randn(40, 3), torch.randn(40, 1), 3, 8
net = torch.nn.Linear(3, 1)
adam = torch.optim.Adam(net.parameters())


def train():
    net.train()
    for n, i in enumerate(range(0, x.size(0), batch_size)):
        adam.zero_grad()
        torch.nn.functional.mse_loss(net(x[i:i + batch_size]), y[i:i + batch_size]).backward()
        adam.step()


for _round in range(1, rounds + 1):
    train()
    net.eval()
    with torch.no_grad():
        torch.nn.functional.mse_loss(net(x[:10]), y[:10])
