# habit: the length is an absl flag that only a method reads; the flag's default counts
# long
# needs: absl
# arguments: --lr 0.1
# truth laps: 6
# truth epochs: [2, 2, 2]
# truth validations: 0
# truth samples: 8
# truth plan: {"epochs": 3, "iterations": 2}
# truth from: "flags.FLAGS.num_epochs"
import torch
from absl import app, flags
from torch.utils.data import DataLoader, TensorDataset

flags.DEFINE_integer("num_epochs", 3, "passes over the data")
flags.DEFINE_float("lr", 0.01, "learning rate")


class Training:
    def __init__(self):
        self.rounds = flags.FLAGS.num_epochs
        self.net = torch.nn.Linear(3, 1)
        self.sgd = torch.optim.SGD(self.net.parameters(), lr=flags.FLAGS.lr)

    def run(self, loader):
        for _ in range(self.rounds):
            for (x,) in loader:
                self.sgd.zero_grad()
                self.net(x).square().mean().backward()
                self.sgd.step()


def main(_):
    Training().run(DataLoader(TensorDataset(torch.randn(16, 3)), batch_size=8))


app.run(main)
