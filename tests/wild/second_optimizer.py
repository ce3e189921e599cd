# habit: L-BFGS after Adam on the same parameters, both made at the start (physics-informed networks)
# truth laps: 43
# truth epochs: 0
# truth validations: 0
# truth samples: 0
# truth plan: {"steps": 43, "epochs": null}
# truth phases: ["LBFGS"]
# truth from: "3"
import torch


class Informed:
    def __init__(self):
        self.x = torch.rand(100, 1)
        self.net = torch.nn.Sequential(torch.nn.Linear(1, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
        self.adam = torch.optim.Adam(self.net.parameters())
        self.lbfgs = torch.optim.LBFGS(self.net.parameters(), max_iter=20)

    def loss(self):
        return ((self.net(self.x) - torch.sin(6 * self.x)) ** 2).mean()

    def closure(self):
        self.lbfgs.zero_grad()
        loss = self.loss()
        loss.backward()
        return loss

    def train(self, iterations):
        for i in range(iterations):
            self.adam.zero_grad()
            self.loss().backward()
            self.adam.step()
        for i in range(3):
            self.lbfgs.step(self.closure)


Informed().train(40)
