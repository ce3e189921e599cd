# Measures the time that a probe over loopback ssh takes in addition to the same probe locally:
# connection, checks, start, result and removal included. Goal: at most 0.6 s.
#
# A: `lapcast sweep` with one machine, this one; B: the same with a host of an sshd of the benchmark
# over a new connection, with lapcast and the program's folder already sent; C: over the connection
# that the previous sweep left. They alternate.
import pathlib
import statistics
import subprocess
import sys
import tempfile
import os

from common import ROOT, mean_interval, print_figure, seconds_of

sys.path.insert(0, str(ROOT / "tests" / "stories"))
import sshd

build = pathlib.Path(sys.argv[1]).resolve()
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 9
LAPS, LAP = 25, 0.02

PROGRAM = f'i=0; while [ $i -lt 1000 ]; do "$1" lap iteration 1; sleep {LAP}; i=$((i + 1)); done'
FLEET = '[prices]\nas_of = "2026-11-01"\nsource = "none"\n[[machine]]\nname = "m"\nprice = "1"\n'


def close_connection(network):
    for socket in pathlib.Path(network.sockets, "lapcast").glob("[0-9a-f]*"):
        subprocess.run(["ssh", "-F", network.config, "-o", f"ControlPath={socket}", "-O", "exit",
                        "box"], stderr=subprocess.DEVNULL)


reason = sshd.why_not_here()
if reason:
    raise SystemExit(f"fleet-ssh: {reason}")
with tempfile.TemporaryDirectory() as folder:
    work = pathlib.Path(folder, "work")
    work.mkdir()
    (work / "train.sh").write_text(PROGRAM)
    network = sshd.Network(pathlib.Path(folder, "network"))
    try:
        network.machine("box")
        for name, host in (("here", ""), ("there", 'host = "box"\n')):
            pathlib.Path(folder, f"{name}.toml").write_text(FLEET + host)
        environment = os.environ | network.environment | {"LAPCAST_STORE": f"{folder}/runs.db"}

        def sweep(name):
            return seconds_of([build / "lapcast", "--quiet", "sweep", f"{folder}/{name}.toml",
                               "--again", "--precision", "0.0001%", "--max-laps", str(LAPS), "--",
                               "sh", "train.sh", build / "lapcast"], cwd=work, env=environment,
                              stderr=subprocess.DEVNULL)

        sweep("here")
        first = sweep("there")
        here, new, shared = [], [], []
        for _ in range(rounds):
            here.append(sweep("here"))
            close_connection(network)
            new.append(sweep("there"))
            shared.append(sweep("there"))
    finally:
        network.stop()

local = statistics.median(here)
print(f"{rounds} rounds of {LAPS} laps; the same probe on this machine takes {local:.3f} s (median)")
print(f"the first time, lapcast and program being sent: {first - local:+.3f} s")
print(f"over the connection that is still open: {statistics.median(shared) - local:+.3f} s")
low, mid, high = mean_interval([there - here for there, here in zip(new, here)])
print(f"over a new connection: {mid:+.3f} s on average (95 %: {low:.3f} to {high:.3f})")
print_figure("fleet-ssh", statistics.median(new) - local, "s")
