# Kills lapcast while it rents, over a fake cloud that refuses, lies, loses answers and never boots. Each
# sweep over two machines has up to five troubles at random moments: the coordinator, a worker, the keeper, an
# adapter, or lapcast on a machine is killed, cloud and machines do not answer for some seconds, or the clock is
# moved by a minute; a command that was killed starts again, until it ends. Half of the troubles come in a cloud
# with tokens and deadlines, half in one with neither. It needs the fake trainer, and for the clock Debian's
# faketime; it needs the benchmark dynamic-lapcast. Goals: no machine is alive 60 s after its deadline, no lease is gone with a living machine, no
# machine is without a line in the ledger, no search costs more than its budget, no probe is lost or doubled.
import collections
import concurrent.futures
import itertools
import json
import os
import pathlib
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

from common import ROOT

sys.path.insert(0, str(ROOT / "tests" / "stories"))
from conftest import enter_own_network
from rented import FakeCloud, fakecloud

build = pathlib.Path(sys.argv[1]).resolve()
wanted = int(sys.argv[2]) if len(sys.argv) > 2 else 60
AT_ONCE, A_SWEEP, TERM, BUDGET = 6, 5, 30, 0.02
FAULTS = [("create", "capacity", .08), ("create", "quota", .03), ("create", "created_but_error", .2),
          ("create", "answer_lost", .1), ("create", "never_boots", .1), ("create", "boot_fails", .05),
          ("list", "empty", .06), ("list", "error", .05), ("delete", "lies", .15), ("delete", "error", .05)]
VICTIMS = ["coordinator", "worker", "keeper", "adapter", "agent"]
# A program that is linked statically asks the kernel for the time, past every library.
CLOCK = build / "benchmarks/lapcast-dynamic"
FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"
TROUBLES = VICTIMS + ["network"] + ["clock"] * (CLOCK.exists() and pathlib.Path(FAKETIME).exists())
OFFERS = [{"type": name, "price": price, "boot": 0.5, "zones": ["north-a", "north-b"]}
          for name, price in (("small", 0.10), ("large", 0.40))]
FLEET = f'[rent]\nmax_time = "{TERM}s"\nboot_limit = "10s"\n' + "".join(
    f'[[machine]]\nname = "{name}"\nprice = "{price}"\n[machine.rent]\nby = "fakecloud"\ntype = "{name}"\n'
    f'zones = ["north-a", "north-b"]\n' for name, price in (("small", "0.10"), ("large", "0.40")))


def processes():
    """Yields (pid, parent, command line, HOME) of all processes."""
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            home = [word for word in (entry / "environ").read_bytes().split(b"\0") if word.startswith(b"HOME=")]
            parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, IndexError):
            continue
        yield int(entry.name), parent, b" ".join(words), b"".join(home)


def victims_of(kind, process, cloud, home):
    if kind == "coordinator":
        return [process.pid]
    found = []
    for pid, parent, line, home_of in processes():
        ours = home_of == f"HOME={home}".encode()
        if kind == "worker" and parent == process.pid and b"sweep" in line and ours:
            found.append(pid)
        if kind == "keeper" and ours and line.startswith(b"lapcast keeper"):
            found.append(pid)
        if kind == "adapter" and ours and b"lapcast-rent-fakecloud" in line:
            found.append(pid)
        if kind == "agent" and str(cloud.root).encode() in home_of and b"agent" in line:
            found.append(pid)
    return found


def kill_one(kind, process, cloud, home):
    """Kills one process of that kind, and says whether there was one."""
    for victim in victims_of(kind, process, cloud, home)[:1]:
        try:
            os.kill(victim, signal.SIGKILL)
            return True
        except ProcessLookupError:
            pass
    return False


class Network:
    """Cuts the network of a cloud: neither the provider nor its machines answer, and no packet arrives."""

    def __init__(self, cloud):
        self.server, self.lock = int((cloud.root / "pid").read_text()), threading.Lock()
        addresses = subprocess.run(["ip", "-4", "addr"], check=True, capture_output=True, text=True).stdout
        self.rule = ["to", re.search(r"10\.214\.\d+\.", addresses).group() + "0/24", "blackhole", "priority", "10"]

    def cut(self, seconds):
        with self.lock:
            os.kill(self.server, signal.SIGSTOP)
            subprocess.run(["ip", "rule", "add", *self.rule], check=True)
            time.sleep(seconds)
            subprocess.run(["ip", "rule", "del", *self.rule], check=True)
            os.kill(self.server, signal.SIGCONT)


class Sweep:
    """Is a sweep in a folder of its own, whose command can be started again and again."""

    def __init__(self, cloud, folder, number):
        self.work, self.home, self.clock = folder / f"sweep-{number}", folder / "home", folder / f"clock-{number}"
        self.work.mkdir()
        (self.work / "rent.toml").write_text(FLEET)
        self.clock.write_text("+0")
        self.environment = os.environ | {
            "HOME": str(self.home), "LAPCAST_STORE": str(self.work / "runs.db"), "FAKECLOUD": str(cloud.root),
            "XDG_STATE_HOME": "", "XDG_CONFIG_HOME": "", "LAPCAST_PATIENCE": "3s", "LAPCAST_LOAD_SAMPLES": "off"}
        program = build / "lapcast"
        if "clock" in TROUBLES:
            program = CLOCK
            self.environment |= {"LD_PRELOAD": FAKETIME, "FAKETIME_TIMESTAMP_FILE": str(self.clock),
                                 "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
        self.command = [program, "sweep", "rent.toml", "--search-budget", f"{BUDGET}USD", "--json", "--quiet",
                        "--precision", "0.0001%", "--max-laps", "60", "--", build / "tests/fake_trainer", "--journal",
                        self.work / "journal", "--laps", "9999", "--lap-ms", "30", "--seed", str(number)]
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, cwd=self.work, env=self.environment, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, start_new_session=True)

    def is_running(self):
        """Starts the command again if it was killed; a sweep that ended is over."""
        if self.process.poll() not in (None, 0, 1):
            self.start()
        return self.process.poll() is None

    def end(self):
        """Returns its probes by machine type."""
        while self.is_running():
            self.process.wait(timeout=600)
        if not (self.work / "runs.db").exists():
            return {}
        with sqlite3.connect(self.work / "runs.db") as store:
            return collections.Counter(name for name, in store.execute("SELECT machine_type FROM runs"))


def troubled_sweep(cloud, network, folder, number, luck, troubles):
    """Runs one sweep to its end with troubles on the way, counts them, and returns its probes."""
    sweep = Sweep(cloud, folder, number)
    for _ in range(A_SWEEP):
        until = time.monotonic() + luck.uniform(0.1, 4)
        while time.monotonic() < until and sweep.is_running():
            time.sleep(0.02)
        if not sweep.is_running():
            break
        for kind in luck.sample(TROUBLES, len(TROUBLES)):
            if kind == "network":
                network.cut(luck.uniform(1, 5))
            elif kind == "clock":
                sweep.clock.write_text(luck.choice(["+60", "-60", "+0"]))
            elif not kill_one(kind, sweep.process, cloud, sweep.home):
                continue  # no such process at this moment
            troubles[kind] += 1
            break
    return sweep.end()


def all_sweeps(cloud, folder, name, troubles):
    """Runs sweeps until there were enough troubles; returns the probes of each."""
    network, numbers = Network(cloud), itertools.count()

    def next_sweeps(_):
        probes = []
        while troubles.total() < (wanted + 1) // 2:
            number = next(numbers)
            probes.append(troubled_sweep(cloud, network, folder, number, random.Random(f"{name} {number}"), troubles))
        return probes

    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        return sum(pool.map(next_sweeps, range(AT_ONCE)), [])


def leases_of(folder):
    ledgers = list((folder / "home").rglob("leases.db"))
    if not ledgers:
        return {}
    with sqlite3.connect(ledgers[0]) as file:
        return {lease["id"]: lease for lease in
                (json.loads(record) for record, in file.execute("SELECT record FROM leases"))}


def tell_of_search(scope, cost, bill, leases, folder):
    """Prints what a search that cost too much rented, and what its ledger knew."""
    [ledger] = (folder / "home").rglob("leases.db")
    print(f"  a search cost {cost:.4f} USD:")
    for machine in bill["machines"]:
        lease = leases.get(machine["tags"].get("lapcast-lease"))
        if not lease or lease["scope"] != scope:
            continue
        print(f"    {machine['id']} {machine['cost']:.4f} USD, {machine['billed_seconds']} s, {machine['reason']}")
        with sqlite3.connect(ledger) as file:
            events = file.execute("SELECT at_ns, what FROM lease_events WHERE lease = ? ORDER BY at_ns", (lease["id"],))
            for at, what in events:
                print(f"      {at / 1e9 - machine['created']:7.1f} s {what[:150]}")


def judge(cloud, folder, probes, broken):
    """Ends what is left and counts what must not be."""
    cloud.heal()
    environment = os.environ | {"HOME": str(folder / "home"), "FAKECLOUD": str(cloud.root), "XDG_STATE_HOME": ""}
    before = len(cloud.alive())
    subprocess.run([build / "lapcast", "leases", "--end"], env=environment, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    end = time.monotonic() + TERM + 60
    while cloud.alive() and time.monotonic() < end:
        time.sleep(0.2)
    bill, leases = cloud.bill(), leases_of(folder)
    broken["machines alive 60 s after their deadline"] += len(bill["alive"])
    scopes = collections.Counter()
    for machine in bill["machines"]:
        lease = leases.get(machine["tags"].get("lapcast-lease"))
        broken["machines without a line in the ledger"] += lease is None
        broken["leases gone with a living machine"] += bool(
            lease and lease["state"] == "gone" and machine["id"] in bill["alive"])
        if lease:
            scopes[lease["scope"]] += machine["cost"]
    for scope, cost in scopes.items():
        if cost > BUDGET:
            broken["searches above their budget"] += 1
            tell_of_search(scope, cost, bill, leases, folder)
    broken["probes lost or doubled"] += sum(count != 1 for found in probes for count in
                                            (found.get("small", 0), found.get("large", 0)))
    print(f"  {len(bill['machines'])} machines, {before} alive when the kills stopped, {len(bill['alive'])} at the end; "
          f"{len(leases)} leases, {bill['cost']:.4f} USD")


reason = fakecloud.why_not()
if reason:
    raise SystemExit(f"rent-kills: {reason}")
enter_own_network()
GOALS = ["machines alive 60 s after their deadline", "leases gone with a living machine",
         "machines without a line in the ledger", "searches above their budget", "probes lost or doubled"]
broken = collections.Counter()
for name, traits in (("with tokens and deadlines", {}),
                     ("without either", {"tokens": False, "deadlines": False, "extends": False})):
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        adapters = folder / "home/.config/lapcast/rent"
        adapters.mkdir(parents=True)
        (adapters / "lapcast-rent-fakecloud").symlink_to(ROOT / "tests/fakecloud/lapcast-rent-fakecloud")
        cloud = FakeCloud(folder).start(offers=OFFERS, traits=traits, seed=1)
        try:
            for moment, kind, share in FAULTS:
                cloud.fault(moment, kind, share=share, left=-1)
            troubles = collections.Counter()
            probes = all_sweeps(cloud, folder, name, troubles)
            print(f"{len(probes)} sweeps {name}:", ", ".join(f"{kind} {n}" for kind, n in sorted(troubles.items())))
            judge(cloud, folder, probes, broken)
        finally:
            cloud.stop()
for goal in GOALS:
    print(f"{goal}: {broken[goal]}")
print(f"rent-kills: {sum(broken[goal] == 0 for goal in GOALS)} of {len(GOALS)} goals met")
