# Measures how far `lapcast suite memory` is off: its estimate against what a training really took.
# Goal: within 15 % at three batch sizes for each workload.
#
# It needs the workloads. Each training makes three steps with a quarter of its batch, with its batch
# and with four times its batch (lapcast suite memory --measure). What it took is the peak of the
# process's resident memory above that before the network was built. The last line is the largest
# error.
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from common import ROOT, print_figure

sys.path.insert(0, str(ROOT / "suite" / "programs" / "python"))
import suite  # noqa: E402

STEPS = 3
FACTORS = (0.25, 1, 4)


def measure(build, workload, batch, data, scratch, options):
    """Returns the rows memory and memory_used of one measurement."""
    command = [f"{build}/lapcast", "suite", "memory", workload.name, "--batch", str(batch),
               "--samples", str(STEPS * batch), "--data", str(data), "--measure", "--json",
               "--store", str(scratch / f"{workload.name}-{batch}.db")]
    if options.threads:
        command += ["--threads", str(options.threads)]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE,
                            env=dict(os.environ, LAPCAST_SUITE_DIR=f"{build}/workloads")).stdout
    tables = json.loads(output)
    return tables["memory"], tables["memory_used"][0]


def main():
    parser = argparse.ArgumentParser(prog="./bench suite-memory")
    parser.add_argument("build")
    parser.add_argument("workloads", nargs="*", help="all by default")
    parser.add_argument("--threads", type=int, help="all CPUs by default")
    options = parser.parse_intermixed_args()
    build = pathlib.Path(options.build).resolve()
    largest = 0
    print(f"{'workload':18} {'batch':>6} {'framework':>10} {'estimate':>10} {'measured':>10}  error")
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        for name in options.workloads or suite.WORKLOADS:
            workload = suite.WORKLOADS[name]
            if missing := suite.missing_programs(build / "workloads", workload):
                print(f"{name}: not built: {', '.join(missing)}")
                continue
            data = scratch / name
            suite.make_data(build / "workloads", workload, data,
                            round(STEPS * max(FACTORS) * workload.batch), 64)
            for factor in FACTORS:
                batch = round(factor * workload.batch)
                memory, used = measure(build, workload, batch, data, scratch, options)
                largest = max(largest, abs(used["error"]))
                print(f"{name:18} {batch:>6} {memory['framework_bytes'] / 1e6:>7.1f} MB "
                      f"{memory['total_bytes'] / 1e6:>7.1f} MB {used['training_bytes'] / 1e6:>7.1f} MB "
                      f"{100 * used['error']:>+5.1f} %", flush=True)
    print_figure("suite-memory", 100 * largest, "%")


main()
