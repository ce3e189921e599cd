# habit: endless loaders of its own; the length is a product of two attributes (nnU-Net v2)
# truth laps: 15
# truth epochs: 0
# truth validations: 3
# truth samples: 0
# truth plan: {"steps": 15, "epochs": null}
# truth from: "self.per_round-x-self.rounds"
import torch


class Endless:
    def __next__(self):
        return torch.randn(2, 3)


class Trainer:
    def __init__(self):
        self.rounds, self.per_round = 3, 5
        self.net = torch.nn.Linear(3, 1)
        self.sgd = torch.optim.SGD(self.net.parameters(), lr=0.1)
        self.batches = Endless()

    def step(self, x):
        self.sgd.zero_grad()
        self.net(x).square().mean().backward()
        self.sgd.step()

    def run(self):
        for _ in range(self.rounds):
            self.net.train()
            [self.step(next(self.batches)) for _ in range(self.per_round)]
            self.net.eval()
            with torch.no_grad():
                self.net(next(self.batches))


Trainer().run()
