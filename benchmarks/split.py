# Kills `lapcast suite split nqueens` while four hosts count a board in pieces, and cuts a training over five sessions. It
# needs the program nqueens. Each host is an sshd in a network namespace of its own behind a link of 1 Gbit/s, on this
# machine, which needs root, sshd and iproute2. Of 20 kills of the board (or as many as are asked for) at random moments 14 are
# of a solver, three of lapcast on a host, and three of the command itself, which then starts again. Goals: the count of
# N = 17 is exact, with each piece counted once; all runs together did at most 1.1 times the work of one count, by their
# laps and by their CPU time; and nothing is left on the hosts.
# The training (`offload --sessions`, on three of the hosts in turn) is cut four times at random moments: twice its program is
# killed, once the worker process and once the recorder of lapcast on the host; the command is killed once, too. Goals:
# its laps and its result are those of the same training without a cut; its cost is the sum of the bills of its runs, each at
# its host's price, computed here from the store; its energy, where it is known, is the sum of its sessions', each with the power of its host;
# the lost work is said, in laps and seconds, as the store's laps have it, and is no more than the laps between two checkpoints
# for each cut; and nothing is left on the hosts.
import json
import math
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


# The training: laps of some 20 ms, with a checkpoint after each epoch. Its state is a chain of hashes, so that a lap which
# is left out or done twice changes the result.
EPOCHS, LAPS = 50, 20
TRAIN = f"""import hashlib, json, os, pathlib, sys
import lapcast
out = pathlib.Path(os.environ["LAPCAST_RUN_DIR"])
epoch, state = json.loads(pathlib.Path(sys.argv[2]).read_text()) if len(sys.argv) > 2 else (0, "start")
while epoch < {EPOCHS}:
    for lap in range({LAPS}):
        for _ in range(20000):
            state = hashlib.sha256(state.encode()).hexdigest()
        lapcast.iteration(1)
    epoch += 1
    (out / "new").write_text(json.dumps([epoch, state]))
    (out / "new").rename(out / f"epoch-{{epoch}}")
"""
PRICES = {"one": 3600, "two": 7200, "three": 10800}  # dollars an hour: whole dollars for each second
CUTS = ["program", "program", "worker", "recorder", "command"]


def parent_of(pid):
    return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])


class CutTraining:
    def __init__(self, folder, network):
        self.folder = folder / "training"
        self.folder.mkdir()
        self.machines = [machine for machine in network.machines if machine.name in PRICES]
        (self.folder / "train.py").write_text(TRAIN)
        fleet = '[prices]\nas_of = "2026-11-01"\nsource = "none"\n' + "".join(
            sshd.fleet_entry(name, price=str(price)) for name, price in PRICES.items())
        (folder / "training.toml").write_text(fleet)
        self.environment = os.environ | network.environment | {
            "LAPCAST_STORE": f"{folder}/training.db", "XDG_CACHE_HOME": f"{folder}/cache", "TMPDIR": str(folder)}
        self.random = random.Random(4)

    def start(self, again=()):
        command = [build / "lapcast", "--quiet", "offload", "--json", "../training.toml", "--sessions", ",".join(PRICES),
                   "--resume-flag", "--from {checkpoint}", "--checkpoints", "epoch-*", *again, "--", sys.executable,
                   "train.py"]
        self.process = subprocess.Popen(command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE)

    def ended(self):
        out, _ = self.process.communicate()
        if self.process.returncode != 0:
            raise SystemExit(f"split: the training ended with exit code {self.process.returncode}")
        return json.loads(out)

    def result(self, training):
        return (self.folder / f"lapcast-{training['id']}" / f"epoch-{EPOCHS}").read_text()

    def cut(self, kind, cut_before):
        """Kills a process of that kind, 1 to 3.5 s after a session began that is not in `cut_before`."""
        while not (programs := set(processes_of(self.machines, "python")) - cut_before):
            if self.process.poll() is not None:
                raise SystemExit("split: the training ended before it was cut as often as it should be")
            time.sleep(0.01)
        time.sleep(self.random.uniform(1, 3.5))
        [program] = programs
        worker = parent_of(program)
        victim = {"program": program, "worker": worker, "recorder": parent_of(worker), "command": self.process.pid}[kind]
        os.kill(victim, signal.SIGKILL)
        if kind == "command":
            self.process.communicate()
            self.start()
        else:
            cut_before |= programs

    def runs(self):
        exported = subprocess.run([build / "lapcast", "export"], env=self.environment, check=True,
                                  stdout=subprocess.PIPE).stdout
        return {run["id"]: run for run in map(json.loads, exported.decode().splitlines())}


def seconds_of(run):
    return (run["ended_ns"] - run["started_ns"]) * 1e-9


def laps_of(run):
    return len(re.findall(r"^\d+ i 1$", "".join(run["lap_logs"]), re.M))


def goal_of_energy(whole, rows):
    """Returns whether the energy is that of all sessions, each with one power for a host, as a list; an empty one where
    the power of this machine is not known."""
    if any(row["energy_kwh"] is None for row in rows):
        print("the energy is not known: no table has this machine's power, and it has no counters")
        return []
    watts = {}
    for row in rows:
        watts.setdefault(row["machine_type"], []).append(row["energy_kwh"] / row["time_s"])
    return [math.isclose(whole["energy_kwh"], sum(row["energy_kwh"] for row in rows), rel_tol=1e-9) and all(
        math.isclose(min(values), max(values), rel_tol=1e-6) for values in watts.values())]


def cut_training(folder, network):
    """Returns which of its goals a training over five sessions met."""
    training = CutTraining(folder, network)
    training.start()
    uncut = training.ended()["training"]
    training.start(["--again"])
    cuts, cut_before = random.Random(11).sample(CUTS, len(CUTS)), set()
    for kind in cuts:
        training.cut(kind, cut_before)
    answer = training.ended()
    whole, rows, runs = answer["training"], answer["training_sessions"], training.runs()
    of_rows = [(row, runs[row["run"]]) for row in rows]
    bills = sum(PRICES[row["machine_type"]] // 3600 * math.ceil(seconds_of(run)) for row, run in of_rows)
    all_laps = sum(laps_of(run) for _, run in of_rows)
    left = [path for machine in training.machines for path in machine.runs()]
    print(f"a training of {uncut['laps']} laps over {whole['sessions']} sessions, cut by {', '.join(cuts)}: {whole['laps']} laps "
          f"and {whole['lost_laps']} done twice ({all_laps} in the store); {whole['time_s']:.1f} s, "
          f"{whole['lost_s']:.1f} s of it lost work; {whole['cost_usd']} dollars, the bills of its runs {bills}; "
          f"left: {left or 'nothing'}")
    return [whole["sessions"] == 5 and whole["laps"] == uncut["laps"] == EPOCHS * LAPS
            and training.result(whole) == training.result(uncut),
            float(whole["cost_usd"]) == bills == sum(float(row["cost_usd"]) for row in rows),
            *goal_of_energy(whole, rows),
            whole["lost_laps"] == all_laps - uncut["laps"] and 0 < whole["lost_laps"] <= 4 * LAPS
            and 0 < whole["lost_s"] < whole["time_s"],
            not left]


def killed_board(folder, network):
    """Returns which of its goals a board that is counted in pieces met."""
    begin = time.monotonic()
    split = KilledSplit(folder, network)
    kills = sum(split.kill(kind) for kind in kinds())
    code, answer = split.ended()
    seconds = time.monotonic() - begin
    board, pieces = answer["split"], answer["split_pieces"]
    by_laps = split.work() / PIECES
    by_cpu = (board["cpu_s"] + board["lost_cpu_s"]) / board["cpu_s"]
    left = split.left()
    print(f"N = {N} in {PIECES} pieces on {board['machines']} hosts: {board['solutions']} solutions, {board['tries']} runs, "
          f"{seconds:.0f} s, {board['cpu_s']:.1f} s of CPU time")
    print("killed: " + ", ".join(f"{kind} {count}" for kind, count in split.killed.items()))
    print(f"work of all runs over that of one count: {by_laps:.3f} by laps, {by_cpu:.3f} by CPU time; left: {left or 'nothing'}")
    exact = (code == 0 and kills == KILLS and board["solutions"] == SOLUTIONS
             and len({piece["run"] for piece in pieces}) == PIECES)
    return [exact, max(by_laps, by_cpu) <= 1.1, not left]


if reason := sshd.why_not_here():
    raise SystemExit(f"split: {reason}")
with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    network = sshd.Network(folder / "network")
    try:
        goals = killed_board(folder, network) + cut_training(folder, network)
    finally:
        network.stop()
print(f"split: {sum(goals)} of {len(goals)} goals met")
