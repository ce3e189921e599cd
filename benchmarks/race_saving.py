# Measures the cost of races as a share of the plain sweeps', over four workloads on the types of
# one box.
# It needs the workloads. Goal: at most 50 %, and at most 2 % of running every candidate's full
# plan.
#
#   ./bench race-saving [WORKLOAD ...]
#
# Each workload is raced and then swept, with the same limits, for the plan of the suite. The figure
# is the cost of all races divided by that of all sweeps.
import sys
import tempfile

from common import RaceTrial, dollars, print_figure, raced_workloads


def main(build, names):
    print("| workload | race, USD | plain sweep, USD | share | every full plan, USD | share "
          "| out | probes |\n" + "|---" * 8 + "|")
    races = sweeps = 0.0
    shares = []
    with tempfile.TemporaryDirectory() as folder:
        for name in raced_workloads(names):
            trial = RaceTrial(build, name, folder, demo=False)
            epochs, samples, validation = trial.full_plan
            plan = ["--epochs", epochs, "--samples", samples, "--val-samples", validation]
            plan = [str(word) for word in plan]
            raced = trial.sweep("race", "--race", *plan)
            trial.sweep("plain", *plan)
            race, plain = dollars(trial.runs("race")), dollars(trial.runs("plain"))
            ranked = trial.tables("plain", "rank", "--same-epochs")["candidates"]
            everything = sum(row["cost_usd"] for row in ranked)
            out = sum(row["state"] == "out" for row in raced["race"])
            print(f"| {name} | {race:.6f} | {plain:.6f} | {100 * race / plain:.1f} % | "
                  f"{everything:.4f} | {100 * race / everything:.2f} % | {out} | "
                  f"{len(raced['race'])} |", flush=True)
            races, sweeps = races + race, sweeps + plain
            shares.append(race / everything)
    print(f"largest share of every candidate's full plan: {100 * max(shares):.2f} %")
    print_figure("race-saving", 100 * races / sweeps, "%")


main(sys.argv[1], sys.argv[2:])
