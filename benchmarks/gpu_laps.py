# Measures laps on a GPU: stored runs of a card, and probes, rounds, tunings and sweeps of programs
# whose work is queued on an imitated one. It needs the benchmark gpu-laps-stored.
#
#   ./bench gpu-laps DIR [--sweeps N]
#
# DIR has runs.jsonl, as for gpu-laps-stored, whose goals are counted here, too, and which ends with
# exit code 3 where it has none. The imitated device (tests/queued_device.py) takes laps of a known length from a queue
# of three, so each mean lap can be compared with the truth, and four candidates that differ by their
# name alone are equal. The machine should be quiet: a host that is late empties the queue. The last
# line is the count of goals met.
import argparse
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

from common import ROOT, answer_of

QUEUED = ROOT / "tests" / "queued_device.py"
SMALL_STEPS = ("--steps-per-epoch", "1500", "--epochs", "4", "--lap-ms", "4")
FLEET = """[prices]
as_of = "2026-11-01"
source = "an imitation"
[[machine]]
name = "box"
price = "1"
"""


class Goals:
    """Counts goals, and prints each with its figure."""

    def __init__(self):
        self.met = self.all = 0

    def add(self, what, figure, unit, most):
        met = figure <= most
        print(f"{what}: {figure:.3g}{unit} (goal: at most {most:g}{unit}){'' if met else ', missed'}",
              flush=True)
        self.count(met, 1)

    def count(self, met, of):
        self.met += met
        self.all += of


class Trial:
    """Runs lapcast with a store of its own in a folder."""

    def __init__(self, build, folder, name):
        self.lapcast = pathlib.Path(build, "lapcast").resolve()
        self.folder, self.store = folder, folder / f"{name}.db"
        (folder / "fleet.toml").write_text(FLEET)

    def json(self, *arguments):
        return answer_of(self.lapcast, self.store, *arguments, cwd=self.folder,
                         stderr=subprocess.DEVNULL)

    def watched(self, *program):
        """Runs a program to its end, and returns what lapcast shows of it."""
        subprocess.run([self.lapcast, "--store", self.store, "--quiet", "watch", "--", *program],
                       cwd=self.folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return self.json("show", "last")

    def sweep(self, lap_ms):
        return self.json("sweep", "fleet.toml", "--set", "seed=1,2,3,4", "--",
                         *queued(lap_ms, "--name", "{seed}"))["probes"]


def queued(lap_ms, *more):
    """Returns the program whose laps take so long, for a training of about ten minutes."""
    laps = max(10, round(30_000 / lap_ms))
    return [sys.executable, QUEUED, "--lap-ms", lap_ms, "--laps", laps, "--epochs", 20, *more]


def judge_means(build, folder, goals):
    """Compares mean laps with those that the device takes."""
    worst = dict.fromkeys(("a probe", "rounds", "a tuning"), 0.0)
    for lap_ms in (5, 80, 500):
        trial = Trial(build, folder, f"means-{lap_ms}")
        laps = {"a probe": [trial.json("probe", "--", *queued(lap_ms))["profile"]["lap_s"]],
                "rounds": [row["lap_s"] for row in trial.sweep(lap_ms)]}
        tuning = trial.json("probe", "--tune", "threads,wait", "--repeats", "1", "--", *queued(lap_ms))
        laps["a tuning"] = [trial.json("show", row["run"])["profile"]["lap_s"]
                            for row in tuning["tuning"]]
        for where, means in laps.items():
            errors = [1000 * mean / lap_ms - 1 for mean in means]
            print(f"  {where}, laps of {lap_ms} ms, {len(means)} runs: mean lap off by "
                  f"{100 * min(errors):+.3f} to {100 * max(errors):+.3f} %", flush=True)
            worst[where] = max(worst[where], *map(abs, errors))
    for where, error in worst.items():
        goals.add(f"imitated device: mean lap in {where}, largest error", 100 * error, " %", 2)


def judge_sureness(build, folder, sweeps, goals):
    """Sweeps four equal candidates again and again, and counts how often one is called the best."""
    highest = []
    for number in range(sweeps):
        trial = Trial(build, folder, f"equal-{number}")
        trial.sweep(80)
        highest.append(max(max(row["p_cheapest"], row["p_fastest"])
                           for row in trial.json("rank")["candidates"]))
    print(f"  {sweeps} sweeps of four equal candidates: the highest chance is "
          f"{100 * statistics.median(highest):.0f} % in the median, {100 * max(highest):.0f} % at most",
          flush=True)
    goals.add("imitated device: sweeps that call one of four equal candidates more than 60 % sure",
              sum(chance > 0.6 for chance in highest), "", 0)


def judge_small_steps(build, folder, goals):
    """Forecasts loops without a loader, by hand and as a replayed graph, and runs them to the end."""
    errors = []
    for how in ("--no-loader", "--graph"):
        trial = Trial(build, folder, f"small{how}")
        program = [sys.executable, QUEUED, how, *SMALL_STEPS]
        forecast = trial.json("probe", "--", *program)["forecast"]
        real = trial.watched(*program)["run"]["wall_time_s"]
        error = abs(forecast["time_s"] / real - 1) if forecast["time_s"] else float("inf")
        print(f"  {how[2:]}: forecast {forecast['time_s']} s, real {real:.1f} s", flush=True)
        errors.append(error)
    goals.add("imitated device: loops without a loader, largest error of the forecast",
              100 * max(errors), " %", 10)


def judge_events(build, folder, goals):
    """Measures what the hook's events add to steps of 5 ms, five times, under the hook."""
    (folder / "events.py").write_text(f"import sys; sys.path.append({str(QUEUED.parent)!r})\n"
                                      "import queued_device\n"
                                      "open('share', 'w').write(str(queued_device.share_of_events()))\n")
    shares = []
    for _ in range(5):
        Trial(build, folder, "events").watched(sys.executable, "events.py")
        shares.append(float((folder / "share").read_text()))
    print("  events, of a step of 5 ms: " + ", ".join(f"{100 * share:.3f}" for share in shares) + " %")
    goals.add("imitated device: events, of a step of 5 ms, median", 100 * statistics.median(shares), " %",
              0.05)


def main():
    parser = argparse.ArgumentParser(prog="./bench gpu-laps")
    parser.add_argument("build")
    parser.add_argument("stored", nargs="?", default=".", help="the folder with runs.jsonl")
    parser.add_argument("--sweeps", type=int, default=20, help="of four equal candidates")
    options = parser.parse_args()
    goals = Goals()
    stored = subprocess.run([f"{options.build}/benchmarks/bench-gpu-laps-stored", options.stored],
                            text=True, stdout=subprocess.PIPE)
    print(stored.stdout, end="", flush=True)
    if stored.returncode != 0:
        raise SystemExit(stored.returncode)
    counts = re.search(r"^gpu-laps-stored: (\d+) of (\d+) goals met$", stored.stdout, re.M)
    goals.count(*map(int, counts.groups()))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        judge_means(options.build, folder, goals)
        judge_sureness(options.build, folder, options.sweeps, goals)
        judge_small_steps(options.build, folder, goals)
        judge_events(options.build, folder, goals)
    print(f"gpu-laps: {goals.met} of {goals.all} goals met")


main()
