# Measures the CPU time that `watch` takes on a program that prints 1,000 lines a second, as a share of
# one CPU. Goal: at most 1 %.
#
# Lines of a usual form, of a form that is learned, and without a counter, in turn with lines that are
# passed on and not looked at (--whole), and a program that prints nothing. What lapcast itself used
# counts. The figure is that of the dearest lines.
import json
import statistics
import subprocess
import sys
import tempfile

from common import cpu_of, print_figure

build = sys.argv[1]
seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 20
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3

KINDS = {
    "none": "",
    "passed on": "step {n}/1000000 loss {loss:.4f} lr 3e-4",
    "usual": "step {n}/1000000 loss {loss:.4f} lr 3e-4",
    "learned": "2026/11/29 20:17:46 - trainer - Epoch(train)  [1][{n:6}/1000000]  lr: 9.05e-03  loss: {loss:.4f}",
    "others": "2026-11-29 20:17:46 INFO server: request {n} of client 17 took {loss:.4f} s, 200 OK",
}
PROGRAM = """
import sys, time
form, seconds = sys.argv[1], float(sys.argv[2])
begin = time.monotonic()
for n in range(1, int(1000 * seconds) + 1):
    if form:
        print(form.format(n=n, loss=1 / n), flush=True)
    time.sleep(max(0, begin + n / 1000 - time.monotonic()))
"""


def own_share(kind, store):
    """Returns the CPU time of lapcast itself by the program's wall time, and the laps that it counted."""
    whole = ["--whole"] if kind == "passed on" else []
    watch = [f"{build}/lapcast", "--store", store, "watch", *whole, "--", "/usr/bin/python3", "-c", PROGRAM,
             KINDS[kind], str(seconds)]
    total, _, _ = cpu_of(watch, stderr=subprocess.DEVNULL)
    run = json.loads(subprocess.run([f"{build}/lapcast", "--store", store, "export", "last"],
                                    check=True, stdout=subprocess.PIPE).stdout)
    program = run["usage"]["user_s"] + run["usage"]["system_s"]
    laps = sum(log.count("\n") for log in run["lap_logs"] if "lapcast-output" in log)
    return 100 * (total - program) / ((run["ended_ns"] - run["started_ns"]) * 1e-9), laps


shares = {kind: [] for kind in KINDS}
with tempfile.TemporaryDirectory() as folder:
    for number in range(rounds):
        for kind in KINDS:
            share, laps = own_share(kind, f"{folder}/{number}-{kind}.db")
            shares[kind].append(share)
            print(f"{kind}: {share:.2f} % of a CPU, {laps} lines in the lap log of the output")
for kind, values in shares.items():
    print(f"{kind}: {statistics.median(values):.2f} % ({min(values):.2f} to {max(values):.2f})")
print_figure("line-cost", max(statistics.median(values) for values in shares.values()), "%")
