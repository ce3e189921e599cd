# Measures the CPU time of emitter and supervisor as a share of the probed program's, and the A/B
# wall ratio.
# It needs the workloads mnist-cnn and make-digits. Goal: at most 0.1 %.
#
# A: mnist-cnn by itself; B: the same under `lapcast probe`, observed to its end. The two alternate.
import json
import math
import re
import statistics
import subprocess
import sys
import tempfile

from common import cpu_of, mean_interval, print_figure, seconds_of

build = sys.argv[1]
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 6
steps = int(sys.argv[3]) if len(sys.argv) > 3 else 300


def emitter_ns():
    """Returns the cost of one reported lap, as ./bench lap-emit measures it."""
    output = subprocess.run([f"{build}/benchmarks/bench-lap-emit"], check=True, text=True,
                            stdout=subprocess.PIPE).stdout
    return float(re.search(r"lap-emit: ([0-9.]+) ns", output).group(1))


with tempfile.TemporaryDirectory() as folder:
    subprocess.run([f"{build}/workloads/make-digits", "--out", f"{folder}/digits", "--train", "4096",
                    "--test", "128"], check=True, stdout=subprocess.DEVNULL)
    program = [f"{build}/workloads/mnist-cnn", "--data", f"{folder}/digits", "--batch", "64",
               "--steps", str(steps)]
    # This precision is never reached, so the program runs to its end.
    probe = [f"{build}/lapcast", "--store", f"{folder}/runs.db", "--quiet", "--json", "probe",
             "--precision", "0.0001%", "--budget", "10m", "--", *program]
    cpu_of(program)
    ratios, supervisor, trained, laps = [], [], [], 0
    for _ in range(rounds):
        wall_alone = seconds_of(program)
        total, output, code = cpu_of(probe)
        run = json.loads(subprocess.run(
            [f"{build}/lapcast", "--store", f"{folder}/runs.db", "export", "last"], check=True,
            stdout=subprocess.PIPE).stdout)
        usage = run["usage"]
        own = usage["user_s"] + usage["system_s"]
        supervisor.append(max(0.0, total - own))
        trained.append(own)
        laps = steps
        ratios.append((run["ended_ns"] - run["started_ns"]) * 1e-9 / wall_alone)
    emitted = laps * emitter_ns() * 1e-9
low, mid, high = (math.exp(x) for x in mean_interval([math.log(ratio) for ratio in ratios]))
print(f"wall time observed / alone: {mid:.4f} (95 %: {low:.4f} to {high:.4f}), {rounds} pairs")
print(f"supervisor {1e3 * statistics.median(supervisor):.1f} ms (its start and the store included), "
      f"emitter {1e3 * emitted:.4f} ms, program {statistics.median(trained):.2f} s of CPU time")
overhead = (statistics.median(supervisor) + emitted) / statistics.median(trained)
print_figure("probe-overhead", 100 * overhead, "%")
