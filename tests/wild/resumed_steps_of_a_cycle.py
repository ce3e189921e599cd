# habit: resumed at an iteration of many, without epochs or a loader
# truth laps: 8
# truth epochs: 0
# truth validations: 0
# truth samples: 0
# truth plan: {"steps": 20, "done": 12}
# truth from: "until"
import io

import torch

def earlier(steps):
    """Returns the checkpoint of an earlier run after so many steps."""
    sizes = {"weight": (1, 3), "bias": (1,)}
    zeros = [{"step": torch.tensor(float(steps)), "exp_avg": torch.zeros(size),
              "exp_avg_sq": torch.zeros(size)} for size in sizes.values()]
    adam = torch.optim.AdamW(torch.nn.Linear(3, 1).parameters()).state_dict()
    adam["state"] = dict(enumerate(zeros))
    file = io.BytesIO()
    torch.save({"net": {name: torch.zeros(size) for name, size in sizes.items()}, "adam": adam}, file)
    file.seek(0)
    return torch.load(file)


net = torch.nn.Linear(3, 1)
adam = torch.optim.AdamW(net.parameters())
state = earlier(12)
net.load_state_dict(state["net"])
adam.load_state_dict(state["adam"])
begin, until = 12, 20
for turn in range(begin, until):
    x = torch.randn(4, 3)
    adam.zero_grad()
    net(x).square().mean().backward()
    adam.step()
