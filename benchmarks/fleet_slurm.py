# Measures the time that a probe through Slurm takes in addition to the same probe locally, s. Goal:
# at most 3.
#
# A: a sweep over this machine alone; B: the same over a node of a Slurm cluster of one node, which
# the tests' kit starts on this machine (needs root, and Debian's munge, slurmctld, slurmd and
# slurm-client). The two alternate; the program's folder and lapcast have been sent before.
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from common import ROOT, print_figure

sys.path.insert(0, str(ROOT / "tests/stories"))
from slurm_cluster import Node, Partition, SlurmCluster, why_not  # noqa: E402

build = pathlib.Path(sys.argv[1]).resolve()
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 9

FLEET = """
[prices]
as_of = "2026-11-01"
source = "none"
[[machine]]
name = "it"
price = "0"
"""
# The program makes twenty laps of a little work each and reports them with the shell command.
PROGRAM = ["sh", "-c", 'for i in $(seq 20); do sleep 0.02; "$0" lap i 8; done', build / "lapcast"]


def seconds_of_sweep(folder, fleet, environment):
    file = folder / "work" / "fleet.toml"
    file.write_text(fleet)
    begin = time.perf_counter()
    ended = subprocess.run([build / "lapcast", "--quiet", "sweep", file.name, "--again", "--",
                            *PROGRAM], cwd=folder / "work", text=True,
                           env=os.environ | environment | {"HOME": str(folder),
                                                           "LAPCAST_STORE": str(folder / "runs.db")},
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if ended.returncode != 0:
        raise SystemExit(f"the sweep failed:\n{ended.stdout}")
    return time.perf_counter() - begin


def spread(values):
    return f"{statistics.median(values):.2f} s ({min(values):.2f} to {max(values):.2f})"


reason = why_not()
if reason:
    raise SystemExit(f"bench fleet-slurm: no cluster can be started here: {reason}")
here, slurm = [], []
with tempfile.TemporaryDirectory() as name, \
        SlurmCluster([Node("node", cpus=os.cpu_count())], [Partition("all")]) as cluster:
    folder = pathlib.Path(name)
    (folder / "work").mkdir()
    for _ in range(rounds + 1):
        here.append(seconds_of_sweep(folder, FLEET, {}))
        slurm.append(seconds_of_sweep(folder, FLEET + "[machine.slurm]\n", cluster.environment))
del here[0], slurm[0]  # the first probes send lapcast and the folder
print(f"here {spread(here)}, through Slurm {spread(slurm)}, {rounds} pairs; medians, lowest, highest")
extra = [through - alone for through, alone in zip(slurm, here)]
print(f"more: {spread(extra)}")
print_figure("fleet-slurm", statistics.median(extra), "s")
