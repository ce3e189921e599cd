# Measures the CPU time of observing a step with tqdm, Keras, Lightning, torch.profiler and lapcast.
# Goal: ours least.
#
# One loop over a DataLoader, with almost no work, runs with each of them in turn, for many rounds
# in one process. The loop's own CPU time is subtracted in each round. It needs the frameworks'
# environment.
import math
import os
import statistics
import subprocess
import sys
import tempfile

from common import ROOT, frameworks_python, print_figure

STEPS, ROUNDS = 500, 60
OURS = ("lapcast, hook", "lapcast.laps")


class Hook:
    """Installs and removes the hook of plain PyTorch loops."""

    def __init__(self, torch):
        self.post_hooks = sys.modules["torch.optim.optimizer"]._global_optimizer_post_hooks
        places = [(torch.utils.data.DataLoader, "__iter__"),
                  (torch.utils.data.dataloader._BaseDataLoaderIter, "__next__")]
        before = [owner.__dict__[name] for owner, name in places]
        import lapcast  # attaches to torch, which is imported
        self.hooks = dict(self.post_hooks)
        self.changes = [(owner, name, old, owner.__dict__[name])
                        for (owner, name), old in zip(places, before)]
        self.leave()

    def enter(self):
        self.post_hooks.update(self.hooks)
        for owner, name, _, new in self.changes:
            setattr(owner, name, new)

    def leave(self):
        self.post_hooks.clear()
        for owner, name, old, _ in self.changes:
            setattr(owner, name, old)


def no_observer():
    pass


class Bench:
    """Holds the loop, and runs it with each of the observers."""

    def __init__(self, null):
        import torch

        self.null = null
        torch.set_num_threads(1)

        class Nothing(torch.optim.SGD):
            def step(self, closure=None):
                pass

        self.loader = torch.utils.data.DataLoader(
            torch.utils.data.TensorDataset(torch.zeros(STEPS, 1)), batch_size=1)
        self.optimizer = Nothing(torch.nn.Linear(1, 1).parameters(), lr=0.1)
        self.hook = Hook(torch)

    def loop(self, batches, after=no_observer):
        """Returns the CPU seconds of the loop; AFTER is called after each step."""
        import time

        step = self.optimizer.step
        begin = time.process_time()
        for _ in batches:
            step()
            after()
        return time.process_time() - begin

    def alone(self):
        return self.loop(self.loader)

    def tqdm(self):
        from tqdm import tqdm

        return self.loop(tqdm(self.loader, file=self.null))

    def keras(self):
        import keras

        bar = keras.utils.Progbar(STEPS, verbose=1)
        steps = iter(range(1, STEPS + 1))
        stdout, sys.stdout = sys.stdout, self.null
        try:
            return self.loop(self.loader, lambda: bar.update(next(steps), [("loss", 0.5)]))
        finally:
            sys.stdout = stdout

    def lightning(self):
        import lightning.pytorch as pl

        trainer = pl.Trainer(accelerator="cpu", logger=False, enable_checkpointing=False,
                             enable_progress_bar=False)
        timer = pl.callbacks.Timer(duration="00:01:00:00")
        timer.on_train_start(trainer, None)
        return self.loop(self.loader, lambda: timer.on_train_batch_end(trainer, None, None, None, 0))

    def profiler(self):
        from torch.profiler import ProfilerActivity, profile, schedule

        plan = schedule(wait=95, warmup=2, active=3)
        with profile(activities=[ProfilerActivity.CPU], schedule=plan) as profiler:
            return self.loop(self.loader, profiler.step)

    def ours(self):
        self.hook.enter()
        try:
            return self.loop(self.loader)
        finally:
            self.hook.leave()

    def explicit(self):
        import lapcast
        from lapcast._report import report

        try:
            return self.loop(lapcast.laps(self.loader, queued=False))
        finally:
            report._explicit.clear()  # otherwise only these calls could report laps


def measure():
    """Prints for each of them its name, then the us per step of each round."""
    with open(os.devnull, "w") as null:
        bench = Bench(null)
        peers = {"tqdm": bench.tqdm, "Keras progress bar": bench.keras,
                 "Lightning's Timer": bench.lightning, "torch.profiler, 3 of 100": bench.profiler,
                 OURS[0]: bench.ours, OURS[1]: bench.explicit}
        costs = {name: [] for name in peers}
        for round_number in range(-1, ROUNDS):
            for name, run in peers.items():
                cost = (run() - (bench.alone() + bench.alone()) / 2) / STEPS
                if round_number >= 0:  # the first round warms up
                    costs[name].append(1e6 * cost)
    for name, values in costs.items():
        print(name, *values, sep="\t")


def median_interval(values):
    """Returns the median of sorted values between the order statistics that contain it with 95 %
    (normal approximation of the binomial)."""
    middle, half = len(values) / 2, 0.98 * math.sqrt(len(values))
    return (values[max(math.floor(middle - half), 0)], statistics.median(values),
            values[min(math.ceil(middle + half), len(values) - 1)])


def laps_in(folder):
    return sum(line.split()[1:2] == [b"i"] for name in os.listdir(folder)
               for line in open(f"{folder}/{name}", "rb"))


def main():
    if sys.argv[1:] == ["measure"]:
        measure()
        return
    with tempfile.TemporaryDirectory() as folder:
        env = dict(os.environ, LAPCAST_LOG_DIR=folder, PYTHONPATH=str(ROOT / "python"),
                   KERAS_BACKEND="torch", OMP_NUM_THREADS="1", TF_CPP_MIN_LOG_LEVEL="3")
        command = [frameworks_python("hook-peers"), __file__, "measure"]
        output = subprocess.run(command, env=env, check=True, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, text=True).stdout
        laps = laps_in(folder)
    expected = len(OURS) * (ROUNDS + 1) * STEPS
    assert laps == expected, f"{laps} laps in the log, not {expected}"
    print(f"CPU time a step, median of {ROUNDS} rounds of {STEPS} steps in turn, us (95 % interval)")
    medians = {}
    for line in output.splitlines():
        name, *values = line.split("\t")
        low, medians[name], high = median_interval(sorted(float(value) for value in values))
        print(f"  {name:26} {medians[name]:8.2f}   ({low:.2f} to {high:.2f})")
    print_figure("hook-peers", medians[OURS[0]], "us")


main()
