# Measures how far `lapcast suite memory` is off at batch sizes that its line has not seen.
# Goal: within 15 % of each peak.
#
# It needs the workloads. Each training makes three steps with a quarter, a half, all and four times
# its batch (of the two that take most memory a quarter of these). Each batch in turn is left out: the
# line through the other three forecasts it. "of training" is the error relative to the peak less the
# memory before the network was built, of which LibTorch takes 113 MB. "needed" is the least deviation, as
# a share of the mean peak, whose interval holds the peak: kLeastMemoryDeviation is the most that was
# needed, rounded up to a percent. The last line is the largest error relative to the peak.
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

from common import ROOT, print_figure

sys.path.insert(0, str(ROOT / "suite" / "programs" / "python"))
import suite  # noqa: E402

FACTORS = (0.25, 0.5, 1, 4)
STEPS = 3


class Memory:
    """Asks `lapcast suite memory`, which measures each batch of a workload once."""

    def __init__(self, build, workload, scratch, threads):
        self.batches = [round(f * workload.batch / (4 if workload.second else 1)) for f in FACTORS]
        data = scratch / f"data-{workload.name}"
        suite.make_data(build / "workloads", workload, data, STEPS * self.batches[-1], 64)
        self.command = [f"{build}/lapcast", "--store", str(scratch / f"{workload.name}.db"), "suite", "memory",
                        workload.name, "--data", str(data), "--json"]
        if threads:
            self.command += ["--threads", str(threads)]
        self.environment = dict(os.environ, LAPCAST_SUITE_DIR=f"{build}/workloads")

    def ask(self, batches, at=()):
        command = [*self.command, "--batch", ",".join(map(str, batches))]
        if at:
            command += ["--at", ",".join(map(str, at))]
        return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE,
                                         stderr=subprocess.DEVNULL, env=self.environment).stdout)

    def judged(self):
        """Returns for each batch its row of memory_used, and of memory_forecast by the others."""
        used = self.ask(self.batches)["memory_used"]
        for i, row in enumerate(used):
            others = self.batches[:i] + self.batches[i + 1:]
            yield used, row, self.ask(others, [row["batch"]])["memory_forecast"][0]


def needed_deviation(used, row, error):
    """Returns which deviation the line of the other rows needs so that its interval holds the row's peak,
    as a share of their mean peak."""
    others = [other for other in used if other is not row]
    mean = sum(other["batch"] for other in others) / len(others)
    spread = sum((other["batch"] - mean) ** 2 for other in others)
    peak = sum(other["peak_memory_bytes"] for other in others) / len(others)
    return abs(error) / (1.96 * peak * math.sqrt(1 + 1 / len(others) + (row["batch"] - mean) ** 2 / spread))


def main():
    parser = argparse.ArgumentParser(prog="./bench suite-memory")
    parser.add_argument("build")
    parser.add_argument("workloads", nargs="*", help="all by default")
    parser.add_argument("--threads", type=int, help="all CPUs by default")
    options = parser.parse_intermixed_args()
    build = pathlib.Path(options.build).resolve()
    errors, of_training, needed, inside = [], [], [], 0
    print(f"{'workload':18} {'batch':>6} {'forecast':>10} {'peak':>10}   error  of training  inside  needed")
    for name in options.workloads or suite.WORKLOADS:
        if missing := suite.missing_programs(build / "workloads", suite.WORKLOADS[name]):
            print(f"{name}: not built: {', '.join(missing)}")
            continue
        with tempfile.TemporaryDirectory() as scratch:
            memory = Memory(build, suite.WORKLOADS[name], pathlib.Path(scratch), options.threads)
            for used, row, forecast in memory.judged():
                peak = row["peak_memory_bytes"]
                error = forecast["estimate_bytes"] - peak
                is_inside = forecast["estimate_bytes_low"] <= peak <= forecast["estimate_bytes_high"]
                errors.append(error / peak)
                of_training.append(error / row["training_bytes"])
                needed.append(needed_deviation(used, row, error))
                inside += is_inside
                print(f"{name:18} {row['batch']:>6} {forecast['estimate_bytes'] / 1e6:>7.1f} MB "
                      f"{peak / 1e6:>7.1f} MB {100 * errors[-1]:>+5.1f} % {100 * of_training[-1]:>+9.1f} %  "
                      f"{'yes' if is_inside else 'no':>6} {100 * needed[-1]:>5.2f} %", flush=True)
    print(f"{inside} of {len(errors)} peaks are in their interval, a deviation of {100 * max(needed):.2f} % was "
          f"needed; largest error of what a training took: {100 * max(map(abs, of_training)):.1f} %")
    print_figure("suite-memory", 100 * max(map(abs, errors)), "%")


main()
