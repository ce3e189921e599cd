# Measures the worst regret of a race's pick against full runs, over four workloads on one machine.
# It needs the workloads. Goal: at most 2 %.
#
#   ./bench race-regret [WORKLOAD ...]
#
# Each workload is raced for the plan that its program then runs to the end on every machine type,
# twice. The mean of both runs is the truth, and their difference is printed beside the regret.
import statistics
import sys
import tempfile

from common import RaceTrial, print_figure, raced_workloads, ran_seconds


def full_runs(trial):
    """Runs every candidate to its end, twice. Returns real times by machine type, and prices per
    hour."""
    times, prices = {}, {}
    for _ in range(2):
        trial.tables("full", "verify", "--all", "--again")
    for run in trial.runs("full"):
        if run["kind"] != "full" or run["outcome"]["kind"] != "ended":
            continue
        machine = run["machine_type"]["name"]
        times.setdefault(machine, []).append(ran_seconds(run))
        prices[machine] = float(run["price"]["usd_per_hour"])
    return times, prices


def main(build, names):
    print("| workload | pick | regret | chance that it is wrong, as the race said | two runs differ by |"
          "\n" + "|---" * 5 + "|")
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for name in raced_workloads(names):
            trial = RaceTrial(build, name, folder, demo=True)
            raced = trial.sweep("full", "--race")
            times, prices = full_runs(trial)
            value = {"time": {machine: statistics.mean(t) for machine, t in times.items()}}
            value["cost"] = {machine: t * prices[machine] for machine, t in value["time"].items()}
            spread = statistics.median(abs(t[0] - t[1]) / statistics.mean(t) for t in times.values())
            for row in raced["picks"]:
                by = value[row["by"]]
                regret = by[row["machine_type"]] / min(by.values()) - 1
                worst = max(worst, regret)
                print(f"| {name} | {row['by']}: {row['candidate']} | {100 * regret:.2f} % | "
                      f"{100 * float(row['chance_wrong']):.1f} % | {100 * spread:.1f} % |", flush=True)
    print_figure("race-regret", 100 * worst, "%")


main(sys.argv[1], sys.argv[2:])
