# Trains on two replicas, a CPU each, against one on one CPU. It needs the workloads cifar10-resnet50 and make-cifar10.
# `./bench replicas [ROUNDS [BATCH [LAPS]]]` (5, 64, 8): in each round cifar10-resnet50 makes LAPS laps of BATCH samples a
# replica on one CPU, and on two with the gradients added up; then, with a quarter of the batch, of which exchanges are a
# larger share, four times as many laps on two CPUs with and without exchanges (`--exchange none`). A round takes about 45 s.
# Goals, by medians over the rounds: two replicas have at least 1.7 times the samples a second of one; and the share of a lap
# that lapcast says exchanges take is within 10 % of how much shorter laps are without them. Nothing else should run.
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from common import answer_of

build = pathlib.Path(sys.argv[1]).resolve()
ROUNDS, BATCH, LAPS = (int(sys.argv[i]) if len(sys.argv) > i else default for i, default in ((2, 5), (3, 64), (4, 8)))


class Round:
    """Holds what lapcast says of the laps of one round."""

    def __init__(self, folder, cpus):
        self.folder = folder
        self.one = self.probed(cpus[:1], BATCH, LAPS)
        self.two = self.probed(cpus, BATCH, LAPS, "--replicas", 2)
        small = max(1, BATCH // 4)
        self.small = self.probed(cpus, small, 4 * LAPS, "--replicas", 2)
        self.alone = self.probed(cpus, small, 4 * LAPS, "--replicas", 2, "--exchange", "none")

    def probed(self, cpus, batch, laps, *arguments):
        answer = answer_of(build / "lapcast", self.folder / "runs.db", "probe", "--cpus", ",".join(map(str, cpus)),
                           "--precision", "0.01%", "--max-laps", laps, "--", build / "workloads/cifar10-resnet50",
                           "--data", self.folder / "cifar10", "--batch", batch, "--val-samples", 10, *arguments)
        return answer["profile"]

    def speed_up(self):
        return self.two["samples_per_second"] / self.one["samples_per_second"]

    def share_said(self):
        return self.small["exchange_s"] / self.small["lap_s"]

    def shorter_without(self):
        return 1 - self.alone["lap_s"] / self.small["lap_s"]


cpus = sorted(os.sched_getaffinity(0))[:2]
if len(cpus) < 2:
    raise SystemExit("replicas: two CPUs are needed")
rounds = []
print("speed-up  samples/s of one, of two  exchanges said  laps shorter without")
with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    subprocess.run([build / "workloads/make-cifar10", "--out", folder / "cifar10", "--train",
                    str(2 * BATCH * (LAPS + 1)), "--test", "100"], check=True, stdout=subprocess.DEVNULL)
    for _ in range(ROUNDS):
        rounds.append(Round(folder, cpus))
        last = rounds[-1]
        print(f"{last.speed_up():8.3f}  {last.one['samples_per_second']:16.1f}  {last.two['samples_per_second']:6.1f}  "
              f"{last.share_said():14.1%}  {last.shorter_without():20.1%}", flush=True)
speed_up, said, shorter = (statistics.median(figure(each) for each in rounds)
                           for figure in (Round.speed_up, Round.share_said, Round.shorter_without))
error = abs(said / shorter - 1)
print(f"medians: speed-up {speed_up:.3f} with batch {BATCH}; with a quarter of it exchanges take {said:.2%} of a lap, and "
      f"laps without them are {shorter:.2%} shorter: off by {error:.0%}")
goals = [speed_up >= 1.7, error <= 0.1]
print(f"replicas: {sum(goals)} of {len(goals)} goals met")
