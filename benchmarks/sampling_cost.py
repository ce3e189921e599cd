# Measures the CPU time of all samples of the machine's load as a share of the probed program's.
# It needs the workloads mnist-cnn and make-digits. Goal: at most 0.1 %.
#
# Probes with and without samples alternate; what lapcast itself used is compared.
import json
import os
import statistics
import subprocess
import sys
import tempfile

from common import cpu_of, mean_interval, print_figure

build = sys.argv[1]
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 8
steps = int(sys.argv[3]) if len(sys.argv) > 3 else 300


def own_and_program(probe, store, samples):
    """Returns the CPU time of lapcast itself and that of the program, in seconds."""
    total, _, _ = cpu_of(probe, env=os.environ | {"LAPCAST_LOAD_SAMPLES": samples})
    run = json.loads(subprocess.run([f"{build}/lapcast", "--store", store, "export", "last"],
                                    check=True, stdout=subprocess.PIPE).stdout)
    program = run["usage"]["user_s"] + run["usage"]["system_s"]
    return total - program, program


with tempfile.TemporaryDirectory() as folder:
    subprocess.run([f"{build}/workloads/make-digits", "--out", f"{folder}/digits", "--train", "4096",
                    "--test", "128"], check=True, stdout=subprocess.DEVNULL)
    store = f"{folder}/runs.db"
    # This precision is never reached, so the program runs to its end.
    probe = [f"{build}/lapcast", "--store", store, "--quiet", "--json", "probe", "--precision",
             "0.0001%", "--budget", "10m", "--", f"{build}/workloads/mnist-cnn", "--data",
             f"{folder}/digits", "--batch", "64", "--steps", str(steps)]
    differences, programs = [], []
    for _ in range(rounds):
        with_samples, program = own_and_program(probe, store, "on")
        without, other_program = own_and_program(probe, store, "off")
        differences.append(with_samples - without)
        programs += [program, other_program]
low, _, high = mean_interval(differences)
program = statistics.mean(programs)
print(f"lapcast used {1e3 * statistics.median(differences):.1f} ms more with samples (mean, 95 %: "
      f"{1e3 * low:.1f} to {1e3 * high:.1f}) beside {program:.2f} s of the program's CPU time")
print_figure("sampling-cost", 100 * statistics.median(differences) / program, "%")
