# habit: a data loader of its own, from which each epoch takes as many batches; two optimizers
# long
# arguments: 30
# truth laps: 90
# truth epochs: 0
# truth validations: 0
# truth samples: 0
# truth plan: {"steps": 90, "epochs": null}
# truth from: "len_batches.data_//batch_size-x-epochs"
import sys
import time

import torch


class Batches:
    def __init__(self, samples):
        self.data = torch.randn(samples, 4)

    def take(self, count):
        return self.data[torch.randint(len(self.data), (count,))]


epochs = int(sys.argv[1])
batch_size = 8
batches = Batches(24)
made, judged = torch.nn.Linear(4, 4), torch.nn.Linear(4, 1)
makes = torch.optim.Adam(made.parameters())
judges = torch.optim.Adam(judged.parameters())
for epoch in range(epochs):
    for i in range(len(batches.data) // batch_size):
        batch = batches.take(batch_size)
        makes.zero_grad()
        judged(made(torch.randn(batch_size, 4))).square().mean().backward()
        time.sleep(0.005)
        makes.step()
        judges.zero_grad()
        (judged(batch) - 1).square().mean().backward()
        judges.step()
