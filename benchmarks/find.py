# Measures what `lapcast find` loses against measuring every machine, over the types of one box and
# five programs: the mean regret of its picks, by the forecasts of a sweep over all types.
# It needs the workloads. Goal: at most 5 %, for at most 40 % of the money of the sweep.
#
#   ./bench find [PROGRAM ...]
#
# Each program is searched for and then swept, each with a store of its own, for the plan of the
# suite. The laps at home cost nothing: they are made on the machine at hand.
import statistics
import sys
import tempfile

from common import RACES, ROOT, RaceTrial, dollars, print_figure

DEMO = "demo-training"


class DemoTrial(RaceTrial):
    """Runs the training that lapcast itself carries, on one CPU."""

    def __init__(self, build, folder):
        self.lapcast, self.name, self.folder = f"{build}/lapcast", DEMO, folder
        self.full_plan = (2000, 0, 0)
        self.program = [self.lapcast, DEMO, "--batch", "32", "--epochs", "2000"]


def main(build, names):
    print("| program | pick | best | regret | probes | search, USD | sweep, USD | share |\n" + "|---" * 8 + "|")
    regrets, shares = [], []
    with tempfile.TemporaryDirectory() as folder:
        for name in names or [*RACES, DEMO]:
            trial = DemoTrial(build, folder) if name == DEMO else RaceTrial(build, name, folder, demo=False)
            options = ("--epochs", "--samples", "--val-samples")
            plan = [str(word) for pair in zip(options, trial.full_plan) for word in pair if pair[1]]
            found = trial.tables("find", "find", ROOT / "examples/one-box.toml", "--search-budget", "1USD",
                                 *plan, "--", *trial.program)
            trial.sweep("plain", *plan)
            ranked = {row["machine_type"]: row["cost_usd"] for row in trial.tables("plain", "rank")["candidates"]}
            pick, best = found["search"]["machine_type"], min(ranked, key=ranked.get)
            regrets.append(ranked[pick] / ranked[best] - 1)
            spent = dollars([run for run in trial.runs("find") if run.get("price")])
            everything = dollars(trial.runs("plain"))
            shares.append(spent / everything)
            print(f"| {name} | {pick} | {best} | {100 * regrets[-1]:.1f} % | {found['search']['probes']} | "
                  f"{spent:.6f} | {everything:.6f} | {100 * shares[-1]:.0f} % |", flush=True)
    print(f"share of the money of the sweeps: {100 * statistics.mean(shares):.0f} %")
    print_figure("find", 100 * statistics.mean(regrets), "%")


main(sys.argv[1], sys.argv[2:])
