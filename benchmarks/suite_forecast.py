# Measures throughput, forecast error and regret of every workload of the suite as a table.
# It needs the workloads. Each one is probed on four machine types of this machine and then run to
# the end on each.
#
#   ./bench suite-forecast [WORKLOAD ...]
#
# The plans are shortened so that a full run takes some seconds to half a minute. The last line is
# the median forecast error over all workloads and types.
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

from common import ROOT, print_figure, regret

FLEET = ROOT / "examples/four-types.toml"
TYPES = ["2c-avx512", "2c-avx2", "1c-avx512", "1c-avx2"]  # in the order of the file

# Lists the maker with its sizes, and the program with the plan that is forecast and run.
DIGITS = ["make-digits", "--train", "12000", "--test", "2000"]
WORKLOADS = {
    "mnist-mlp": (DIGITS, ["--epochs", "20"]),
    "mnist-cnn3": (DIGITS, ["--epochs", "2"]),
    "mnist-rnn": (DIGITS, ["--epochs", "5"]),
    "mnist-lstm": (DIGITS, ["--epochs", "2"]),
    "mnist-autoencoder": (DIGITS, ["--epochs", "2", "--samples", "6000"]),
    "mnist-cnn": (DIGITS, ["--epochs", "2", "--samples", "5000", "--val-samples", "1000"]),
    "seismic-fcn": (["make-seismic", "--train", "8192", "--test", "212"], ["--epochs", "2"]),
    "cifar10-resnet50": (["make-cifar10", "--train", "640", "--test", "128"],
                         ["--epochs", "2", "--batch", "64", "--learning-rate", "0.02"]),
    "embryo-cnn": (["make-embryos", "--frames", "80", "--embryos", "10"],
                   ["--epochs", "2", "--batch", "60", "--samples", "480", "--val-samples", "120"]),
    "nn-twins": (["make-io-observations"], ["--epochs", "50"]),
    "rnn-sa": (["make-reviews", "--train", "1280", "--test", "140"],
               ["--epochs", "2", "--batch", "64"]),
    "ic-dr": (["make-retinas", "--images", "80", "--size", "640x480", "--grades", "even",
               "--shards", "128"],
              ["--size", "128", "--epochs", "2", "--batch", "8", "--samples", "32",
               "--val-samples", "8"]),
    "mask-rcnn": (None, ["--sizes", "443x760", "--short-side", "200", "--long-side", "320",
                         "--proposals", "100", "--repeats", "20"]),
    "nqueens": (None, ["--n", "16", "--algorithm", "paper"]),
}


def json_of(*command):
    """Returns the object that a lapcast command prints as JSON."""
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def throughputs(lapcast):
    """Returns samples per second of the steady laps of each full run, by machine type."""
    found = {}
    for run in json_of(*lapcast, "runs", "--kind", "full")["runs"]:
        profile = json_of(*lapcast, "show", run["run"]).get("profile")
        if profile:
            found[run["machine_type"]] = profile["samples_per_second"]
    return found


def measure(build, name, folder):
    """Returns the rows of `lapcast verify` for one workload, with the throughput of each run."""
    maker, plan = WORKLOADS[name]
    workloads = pathlib.Path(build) / "workloads"
    lapcast = [f"{build}/lapcast", "--store", f"{folder}/{name}.db", "--quiet", "--json"]
    arguments = plan
    if maker:
        data = f"{folder}/{maker[0]}"
        if not pathlib.Path(data).exists():
            subprocess.run([workloads / maker[0], "--out", data, *maker[1:]], check=True,
                           stdout=subprocess.DEVNULL)
        arguments = ["--data", data, *plan]
    swept = subprocess.run([*lapcast, "sweep", FLEET, "--budget", "20s", "--",
                            workloads / name, *arguments], stdout=subprocess.PIPE)
    if swept.returncode not in (0, 1):
        raise SystemExit(f"{name}: the sweep ended with exit code {swept.returncode}")
    rows = json_of(*lapcast, "verify", "--all")["verified"]
    rates = throughputs(lapcast)
    for row in rows:
        row["rate"] = rates[row["machine_type"]]
    return sorted(rows, key=lambda row: TYPES.index(row["machine_type"]))


def row_text(name, rows):
    errors = [100 * abs(float(row["error"])) for row in rows]
    by_cost, cheapest = regret(rows, "forecast_cost_usd", "real_cost_usd")
    by_time, fastest = regret(rows, "forecast_s", "real_s")
    rates = " / ".join(f"{float(row['rate']):,.0f}" for row in rows)
    times = " / ".join(f"{float(row['real_s']):.1f}" for row in rows)
    return (f"| {name} | {rates} | {times} | {statistics.median(errors):.1f} | {max(errors):.1f} | "
            f"{sum(bool(row['inside']) for row in rows)} of {len(rows)} | "
            f"{cheapest['machine_type']} | {100 * by_cost:.1f} | "
            f"{fastest['machine_type']} | {100 * by_time:.1f} |", errors)


def main(build, names):
    unknown = [name for name in names if name not in WORKLOADS]
    if unknown:
        raise SystemExit(f"no such workload: {', '.join(unknown)}; there are {', '.join(WORKLOADS)}")
    errors = []
    with tempfile.TemporaryDirectory() as folder:
        for number, name in enumerate(names or WORKLOADS):
            rows = measure(build, name, folder)
            if number == 0:
                types = " / ".join(row["machine_type"] for row in rows)
                print(f"| workload | samples/s: {types} | run to the end, s | median error, % | largest, % | "
                      "inside the interval | cheapest by forecast | its regret, % | "
                      "fastest by forecast | its regret, % |\n" + "|---" * 10 + "|")
            text, workload_errors = row_text(name, rows)
            print(text, flush=True)
            errors += workload_errors
    print_figure("suite-forecast", statistics.median(errors), "%")


main(sys.argv[1], sys.argv[2:])
