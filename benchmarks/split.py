# Kills `lapcast suite split nqueens` while four hosts count a board in pieces. It needs the program nqueens. Each host is an
# sshd in a network namespace of its own behind a link of 1 Gbit/s, on this machine, which needs root, sshd and iproute2.
# Of 20 kills (or as many as are asked for) at random moments 14 are of a solver, three of lapcast on a host, and three of
# the command itself, which then starts again. Goals: the count of N = 17 is exact, with each piece counted once; all runs
# together did at most 1.1 times the work of one count, by their laps and by their CPU time; and nothing is left on the hosts.
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

from common import ROOT

sys.path.insert(0, str(ROOT / "tests" / "stories"))
import sshd  # noqa: E402

build = pathlib.Path(sys.argv[1]).resolve()
KILLS = int(sys.argv[2]) if len(sys.argv) > 2 else 20
N, SOLUTIONS, PIECES, HOSTS = 17, 95815104, 120, ("one", "two", "three", "four")
SHARES = {"solver": .7, "agent": .15, "command": .15}


def processes_of(machines, name):
    """Returns the processes of that program on the machines."""
    homes = [f"HOME={machine.home}\0".encode() for machine in machines]
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            environment = (entry / "environ").read_bytes() + b"\0"
            if (name in os.readlink(entry / "exe").rsplit("/", 1)[-1]
                    and any(home in environment for home in homes)):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def kinds():
    """Returns the kinds of all kills, in random order."""
    all_kinds = [kind for kind, share in SHARES.items() for _ in range(round(share * KILLS))]
    all_kinds = (all_kinds + ["solver"] * KILLS)[:KILLS]
    random.Random(17).shuffle(all_kinds)
    return all_kinds


class KilledSplit:
    def __init__(self, folder, network):
        self.machines = [network.machine(name, rate="1gbit") for name in HOSTS]
        self.folder = folder
        (folder / "fleet.toml").write_text('[prices]\nas_of = "2026-11-01"\nsource = "none"\n'
                                           + "".join(map(sshd.fleet_entry, HOSTS)))
        self.environment = os.environ | network.environment | {
            "LAPCAST_STORE": f"{folder}/runs.db", "LAPCAST_SUITE_DIR": f"{build}/workloads",
            "XDG_CACHE_HOME": f"{folder}/cache", "TMPDIR": str(folder)}
        self.random = random.Random(49)
        self.killed = {kind: 0 for kind in SHARES}
        self.start()

    def start(self):
        command = [build / "lapcast", "--quiet", "suite", "split", "nqueens", "fleet.toml", "--n", str(N), "--pieces",
                   str(PIECES), "--algorithm", "paper", "--threads", "1", "--json"]
        self.process = subprocess.Popen(command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def kill(self, kind):
        """Kills a process of that kind as soon as there is one. Returns False when the command ended first."""
        time.sleep(self.random.uniform(0.2, 1.2))
        while self.process.poll() is None:
            victims = {"solver": lambda: processes_of(self.machines, "nqueens"),
                       "agent": lambda: processes_of(self.machines, "lapcast"),
                       "command": lambda: [self.process.pid]}[kind]()
            if victims:
                try:
                    os.kill(self.random.choice(victims), signal.SIGKILL)
                except ProcessLookupError:
                    continue
                self.killed[kind] += 1
                if kind == "command":
                    self.process.communicate()
                    self.start()
                return True
            time.sleep(0.01)
        return False

    def ended(self):
        """Waits for the end. Returns the exit code and the answer."""
        out, err = self.process.communicate()
        print(err.decode(errors="replace"), end="", file=sys.stderr)
        return self.process.returncode, json.loads(out)

    def work(self):
        """Returns how many pieces all runs did together, by their laps."""
        exported = subprocess.run([build / "lapcast", "export"], env=self.environment, check=True,
                                  stdout=subprocess.PIPE).stdout
        pieces = 0
        for line in exported.decode().splitlines():
            log = "".join(json.loads(line)["lap_logs"])
            if steps := re.search(r" plan steps=(\d+)", log):
                pieces += len(re.findall(r"^\d+ i 1$", log, re.M)) / int(steps[1])
        return pieces

    def left(self):
        """Returns what is left on the hosts after at most ten seconds."""
        for _ in range(100):
            left = [path for machine in self.machines for path in machine.runs()] + [
                pid for name in ("nqueens", "lapcast") for pid in processes_of(self.machines, name)]
            if not left:
                break
            time.sleep(0.1)
        return left


if reason := sshd.why_not_here():
    raise SystemExit(f"split: {reason}")
with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    network = sshd.Network(folder / "network")
    try:
        begin = time.monotonic()
        split = KilledSplit(folder, network)
        kills = sum(split.kill(kind) for kind in kinds())
        code, answer = split.ended()
        seconds = time.monotonic() - begin
        board, pieces = answer["split"], answer["split_pieces"]
        by_laps = split.work() / PIECES
        by_cpu = (board["cpu_s"] + board["lost_cpu_s"]) / board["cpu_s"]
        left = split.left()
    finally:
        network.stop()
print(f"N = {N} in {PIECES} pieces on {board['machines']} hosts: {board['solutions']} solutions, {board['tries']} runs, "
      f"{seconds:.0f} s, {board['cpu_s']:.1f} s of CPU time")
print("killed: " + ", ".join(f"{kind} {count}" for kind, count in split.killed.items()))
print(f"work of all runs over that of one count: {by_laps:.3f} by laps, {by_cpu:.3f} by CPU time; left: {left or 'nothing'}")
exact = (code == 0 and kills == KILLS and board["solutions"] == SOLUTIONS
         and len({piece["run"] for piece in pieces}) == PIECES)
goals = [exact, max(by_laps, by_cpu) <= 1.1, not left]
print(f"split: {sum(goals)} of {len(goals)} goals met")
