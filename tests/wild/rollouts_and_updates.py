# habit: a counter of steps in the world ends the training; each 16 of them several updates follow
# long
# truth laps: 30
# truth epochs: 0
# truth validations: 0
# truth samples: 0
# truth plan: {"steps": 30, "epochs": null}
# truth from: "horizon_of_all"
import torch

net = torch.nn.Linear(3, 1)
sgd = torch.optim.SGD(net.parameters(), lr=0.1)


def learn(horizon_of_all, every, reuse):
    moment = 0
    while moment < horizon_of_all:
        for _ in range(1, 9):
            with torch.no_grad():
                net(torch.randn(3))
            moment += 1
            if moment % every == 0:
                for _ in range(reuse):
                    sgd.zero_grad()
                    net(torch.randn(every, 3)).square().mean().backward()
                    sgd.step()


learn(168, 16, 3)
