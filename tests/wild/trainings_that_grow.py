# habit: a training with a new optimizer for each round of self-play, whose examples grow; settings in a dict with attributes (alpha-zero)
# truth laps: 48
# truth epochs: 0
# truth validations: 0
# truth samples: 5
# truth plan: {"steps": null, "epochs": null}
# truth notes: ["batch_count is 8 and was 4 in an earlier round: how many steps the later ones of args.epochs-x-self.args.numIters make"]
import torch


class dotdict(dict):
    def __getattr__(self, name):
        return self[name]


args = dotdict(epochs=2, batch_size=5)


class Wrapper:
    def __init__(self):
        self.net = torch.nn.Linear(3, 1)

    def train(self, examples):
        optimizer = torch.optim.Adam(self.net.parameters())
        for epoch in range(args.epochs):
            self.net.train()
            batch_count = int(len(examples) / args.batch_size)
            for _ in range(batch_count):
                optimizer.zero_grad()
                self.net(examples[torch.randint(len(examples), (5,))]).square().mean().backward()
                optimizer.step()


class Coach:
    def __init__(self, wrapper, settings):
        self.wrapper, self.args, self.history = wrapper, settings, []

    def learn(self):
        for i in range(1, self.args.numIters + 1):
            self.history.append(torch.randn(20, 3))
            self.wrapper.train(torch.cat(self.history))


Coach(Wrapper(), dotdict(numIters=3)).learn()
