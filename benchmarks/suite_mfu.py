# Measures the FLOP/s of each workload as a share of the machine's matrix-product peak. It has no
# goal.
#
# It needs the workloads. A sample's training counts as 3 times its forward pass (gradients of the
# inputs and of the weights), and a multiply-add as 2 FLOP: what --describe lists, times 6. The peak
# is that of the fastest square fp32 matrix product of the same PyTorch on as many threads. The last
# line is the highest share.
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from common import ROOT, mean_interval, print_figure

sys.path.insert(0, str(ROOT / "suite" / "programs" / "python"))
import suite  # noqa: E402

PEAK = r"""
import json, sys, time
import torch

torch.set_num_threads(int(sys.argv[1]))
best = {}
for size in (256, 512, 1024, 2048, 3072, 4096):
    a, b, c = (torch.rand(size, size) for _ in range(3))
    torch.mm(a, b, out=c)
    times = []
    for _ in range(max(5, min(200, int(3e10 / size ** 3)))):
        begin = time.perf_counter()
        torch.mm(a, b, out=c)
        times.append(time.perf_counter() - begin)
    best[size] = 2 * size ** 3 / sorted(times)[len(times) // 4]
print(json.dumps(best))
"""


def peak_flops(python, threads):
    """Returns the FLOP/s of each size by the lower quartile of its times."""
    output = subprocess.run([python, "-W", "ignore", "-c", PEAK, str(threads)], check=True,
                            stdout=subprocess.PIPE).stdout
    rates = json.loads(output)
    for size, rate in rates.items():
        print(f"matrix product of {size:>4}: {rate / 1e9:7.1f} GFLOP/s")
    return max(rates.values())


def flops_per_sample(folder, workload):
    return 6 * sum(layer["multiply_adds"] for layer in suite.describe(folder, workload)["layers"])


def measure(folder, workload, options, scratch):
    """Returns the FLOP/s of each round."""
    batch = options.batch or workload.batch
    samples = suite.samples_to_time(workload, batch)
    data = scratch / workload.maker
    if not data.exists():
        suite.make_data(folder, workload, data, samples, 64)
    program = suite.Program(folder, workload, data, batch, options.threads)
    steps = suite.choose_steps(program, samples // batch)
    flops = flops_per_sample(folder, workload) * batch
    return [flops / program.seconds_per_step(*steps) for _ in range(options.rounds)]


def main():
    parser = argparse.ArgumentParser(prog="./bench suite-mfu")
    parser.add_argument("build")
    parser.add_argument("workloads", nargs="*", help="all by default")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--batch", type=int, help="instead of each workload's own")
    options = parser.parse_intermixed_args()
    folder = pathlib.Path(options.build) / "workloads"
    python = suite.torch_python(suite.library_folder(f"{folder}/mnist-mlp"),
                                [sys.executable, "python3"])
    if python is None:
        raise SystemExit("suite-mfu: no Python at hand has the programs' PyTorch")
    peak = peak_flops(python, options.threads)
    highest = 0
    with tempfile.TemporaryDirectory() as scratch:
        for name in options.workloads or suite.WORKLOADS:
            workload = suite.WORKLOADS[name]
            if missing := suite.missing_programs(folder, workload):
                print(f"{name}: not built: {', '.join(missing)}")
                continue
            rates = measure(folder, workload, options, pathlib.Path(scratch))
            low, mean, high = (100 * rate / peak for rate in mean_interval(rates))
            highest = max(highest, mean)
            print(f"{name:18} {flops_per_sample(folder, workload) / 1e6:8.1f} MFLOP a sample "
                  f"{sum(rates) / len(rates) / 1e9:7.1f} GFLOP/s, {mean:5.1f} % of the peak "
                  f"({low:.1f} to {high:.1f})", flush=True)
    print_figure("suite-mfu", highest, "% of the peak")


main()
