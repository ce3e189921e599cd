# Measures the CPU time of the hook as a share of a PyTorch step of about 5 ms. Goal: at most 0.1 %.
#
# The step is a small network with Adam on batches of a DataLoader. The hook's share is measured on
# a loop over the same DataLoader and optimizer hooks without any work, in a process with the hook
# and in one without, where microseconds are visible. The line above the figure is the ratio of the
# wall times of the same training in both, which take turns.
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from common import ROOT, mean_interval, print_figure

STEPS, PAIRS = 200, 12
TRAIN = r"""
import json, sys, time
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

WIDTH = 832  # about 5 ms a step on one core
steps = int(sys.argv[1])
torch.set_num_threads(1)
torch.manual_seed(1)


class Nothing(torch.optim.SGD):
    def step(self, closure=None):
        pass


def seconds(width, batch, optimizer_class, count):
    # CPU seconds of COUNT steps; a width of 0: no work at all, only loader and optimizer.
    x = torch.randn(count * batch, max(width, 1))
    loader = DataLoader(TensorDataset(x), batch_size=batch)
    model = nn.Sequential(nn.Linear(max(width, 1), max(width, 1)), nn.ReLU(), nn.Linear(max(width, 1), 1))
    optimizer = optimizer_class(model.parameters(), lr=1e-4)
    wall, cpu = time.perf_counter(), time.process_time()
    for (inputs,) in loader:
        if width:
            optimizer.zero_grad()
            model(inputs).square().mean().backward()
        optimizer.step()
    return time.perf_counter() - wall, time.process_time() - cpu


seconds(WIDTH, 128, torch.optim.Adam, 20)
seconds(0, 1, Nothing, 100)
for line in sys.stdin:
    if line.strip() == "train":
        print(json.dumps(seconds(WIDTH, 128, torch.optim.Adam, steps)), flush=True)
    else:
        print(json.dumps(seconds(0, 1, Nothing, 20 * steps)), flush=True)
"""


class Trainer:
    """Is a process that trains when asked, hooked or not."""

    def __init__(self, folder, hooked):
        env = dict(os.environ, OMP_NUM_THREADS="1")
        if hooked:
            env.update(PYTHONPATH=str(ROOT / "python" / "hook"), LAPCAST_LOG_DIR=folder)
        self.process = subprocess.Popen([python(), "-c", TRAIN, str(STEPS)], env=env, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, what):
        """Returns (wall, CPU) seconds per step."""
        self.process.stdin.write(what + "\n")
        self.process.stdin.flush()
        count = STEPS if what == "train" else 20 * STEPS
        return [seconds / count for seconds in json.loads(self.process.stdout.readline())]


def python():
    """Returns the interpreter of the frameworks' environment, or this one."""
    folder = os.environ.get("LAPCAST_FRAMEWORKS", str(ROOT / "build" / "frameworks"))
    return f"{folder}/bin/python" if os.path.exists(f"{folder}/bin/python") else sys.executable


def main():
    with tempfile.TemporaryDirectory() as folder:
        alone, hooked = Trainer(folder, False), Trainer(folder, True)
        ratios, steps, nothing, hook = [], [], [], []
        for _ in range(PAIRS):
            one, other = alone.ask("train"), hooked.ask("train")
            ratios.append(math.log(other[0] / one[0]))
            steps.append(one[1])
            nothing.append(alone.ask("nothing")[1])
            hook.append(hooked.ask("nothing")[1])
        for trainer in (alone, hooked):
            trainer.process.stdin.close()
            trainer.process.wait()
        logs = [line for path in pathlib.Path(folder).iterdir() for line in path.open("rb")]
        laps = sum(b" i " in line for line in logs)
        assert laps >= PAIRS * STEPS, f"the hook reported {laps} laps"
    step = statistics.median(steps)
    cost = statistics.median(hook) - statistics.median(nothing)
    low, mid, high = (math.exp(x) for x in mean_interval(ratios))
    print(f"a step: {1e3 * step:.2f} ms of CPU time; the hook: {1e6 * cost:.2f} us, of the medians "
          f"(of the fastest {1e6 * (min(hook) - min(nothing)):.2f} us)")
    print(f"wall time hooked / not: {mid:.4f} (95 %: {low:.4f} to {high:.4f}), {PAIRS} pairs of "
          f"{STEPS} steps")
    print_figure("hook-step", 100 * cost / step, "%")


main()
