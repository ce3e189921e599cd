# habit: two `while` in each other, the outer one over epochs, the inner one over the rows by the batch
# long
# truth laps: 55
# truth epochs: 0
# truth validations: 0
# truth samples: 0
# truth plan: {"steps": 55, "epochs": null}
# truth from: "len_rows_-x-5"
import torch

net = torch.nn.Linear(3, 1)
sgd = torch.optim.SGD(net.parameters(), lr=0.1)
rows = torch.randn(42, 3)
era = 0
while era < 5:
    at = 0
    while at < len(rows):
        x = rows[at:at + 4]
        at += 4
        sgd.zero_grad()
        net(x).square().mean().backward()
        sgd.step()
    era += 1
