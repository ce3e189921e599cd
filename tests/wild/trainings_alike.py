# habit: a training with a new optimizer in each round of a loop, all alike; settings in a dict with attributes
# truth laps: 24
# truth epochs: 0
# truth validations: 0
# truth samples: 0
# truth plan: {"steps": 24, "epochs": null}
# truth from: "int_len_examples_/5_-x-args.passes-x-self.args.numIters"
import torch


class dotdict(dict):
    __getattr__ = dict.__getitem__


args = dotdict(passes=2)


class Coach:
    def __init__(self, settings):
        self.net, self.args = torch.nn.Linear(3, 1), settings

    def train(self, examples):
        optimizer = torch.optim.Adam(self.net.parameters())
        for epoch in range(args.passes):
            for _ in range(int(len(examples) / 5)):
                optimizer.zero_grad()
                self.net(examples[torch.randint(len(examples), (5,))]).square().mean().backward()
                optimizer.step()

    def learn(self):
        for i in range(1, self.args.numIters + 1):
            self.train(torch.randn(22, 3))


Coach(dotdict(numIters=3)).learn()
