# habit: L-BFGS until its closure has counted the evaluations, in a list as closures can change it (style transfer)
# long
# truth laps: 16
# truth epochs: 0
# truth validations: 0
# truth samples: 0
# truth plan: {"steps": 16}
# truth from: "num_steps"
import torch

torch.manual_seed(1)
picture = torch.rand(1, 1, 16, 16, requires_grad=True)
wanted = torch.rand(1, 1, 16, 16)
net = torch.nn.Sequential(torch.nn.Conv2d(1, 8, 5), torch.nn.Tanh(), torch.nn.Conv2d(8, 8, 5))
net.requires_grad_(False)
num_steps = 300
run = [0]
optimizer = torch.optim.LBFGS([picture], tolerance_grad=0, tolerance_change=0)
while run[0] <= num_steps:
    def closure():
        optimizer.zero_grad()
        loss = ((net(picture) - net(wanted)) ** 2).sum()
        loss.backward()
        run[0] += 1
        return loss
    optimizer.step(closure)
