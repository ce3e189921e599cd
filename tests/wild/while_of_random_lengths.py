# habit: each epoch is a `while` over the rows with lengths drawn at random; eval() without no_grad, and a save at the end (awd-lstm)
# truth laps: 95
# truth epochs: 0
# truth validations: 4
# truth samples: 0
# truth plan: {"steps": 95, "epochs": null}
# truth from: "args.upper_limit"
import argparse
import random
import tempfile

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--upper-limit", type=int, default=4)
args = parser.parse_args()
random.seed(0)
rows, held_out = torch.randn(200, 5, 3), torch.randn(900, 5, 3)
net = torch.nn.Linear(3, 1)
sgd = torch.optim.SGD(net.parameters(), lr=0.1)


def evaluate(data):
    net.eval()
    for at in range(0, data.size(0) - 1, 9):
        net(data[at:at + 9])


def train():
    batch, at = 0, 0
    while at < rows.size(0) - 1 - 1:
        length = max(5, int(random.gauss(9, 2)))
        net.train()
        sgd.zero_grad()
        net(rows[at:at + length]).square().mean().backward()
        sgd.step()
        batch += 1
        at += length


for epoch in range(1, args.upper_limit + 1):
    train()
    evaluate(held_out)
    if epoch == 2:
        sgd = torch.optim.ASGD(net.parameters(), lr=0.1)
with tempfile.TemporaryFile() as file:
    torch.save(net.state_dict(), file)
    file.seek(0)
    net.load_state_dict(torch.load(file))
