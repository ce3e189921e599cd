# Measures how commands slow down as a store grows: medians in turn over stores of 500, 5,000 and
# 50,000 runs. Each store has 20 programs, probes of 200 laps, one run to the end in ten, a sweep of
# 20 candidates and, where it fits, one of 500. Goals, at 50,000 runs against 500: `show` of the newest
# run at most 30 ms more, `rank` of the sweep of 20 at most 300 ms more, a probe's forecast (the whole
# `lapcast probe` of a program that ends at once) at most 30 ms more; at 50,000 runs: `export` at
# least 5,000 runs/s and 0.8 times as fast as at 5,000, `rank` and `report` of the sweep of 500 at
# most 1 s each; and at most 200 MB of memory for each of these. With the options --cpu, CPU time is
# compared instead of wall time (on a machine with other work), and with --lapcast FILE another
# lapcast is measured.
import argparse
import json
import os
import pathlib
import random
import sqlite3
import statistics
import subprocess
import tempfile
import time

from common import ROOT

SIZES = (500, 5_000, 50_000)
PROGRAMS, LAPS, SMALL, LARGE, ROUNDS = 20, 200, 20, 500, 5
SWEEP_OF_20, SWEEP_OF_500 = "20aaaaaaaaaa", "500aaaaaaaaa"
COLUMNS = ("id, sweep, kind, machine_type, settings, program, started_at, outcome, has_laps, wall_s,"
           " usd_per_hour, lapcast_version, record_bytes, record, folder")


def lap_log(generator, lap_ns, at=300_000_000):
    """Returns the log of one epoch of 200 laps, which begins at `at` ns, and when it ends."""
    lines = ["lapcast-laps 1", "0 hello clock=1000000000 wall=1790000000.0 pid=1 rank=0 world=1 "
             "host=box emitter=lap.h/1", f"1000 plan epochs=1 iterations={LAPS} batch=64 "
             f"train={64 * LAPS}", f"{at} epoch-begin 1"]
    for _ in range(LAPS):
        at += int(lap_ns * generator.gauss(1, 0.03))
        lines.append(f"{at} i 64")
    lines.append(f"{at} epoch-end 1")
    return "\n".join(lines) + "\n", at


def id_of(number):
    return f"{number * 2654435761 % 2**48:012x}"


def row_of(template, number, sweep, candidate):
    """Returns a row of the table of runs; a candidate is one of 25 machine types and a batch size."""
    generator = random.Random(number)
    machine, size = (candidate % 25, 16 + candidate // 25) if sweep else (number % 3, 16)
    log, end_ns = lap_log(generator, int(4e6 * (1 + machine / 10) * (1 + size / 100)))
    name, program = f"gpu-{machine}", f"./train-{number % PROGRAMS if not sweep else 0}"
    full = not sweep and number // PROGRAMS % 10 == 0
    kind, outcome = ("full", {"kind": "ended"}) if full else ("probe", {
        "kind": "budget-spent", "which": "time budget of 60 s"})
    price = template["price"] | {"name": name, "machine_type": name,
                                 "usd_per_hour": f"{3 / (1 + machine / 12):.4f}"}
    begun = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1_700_000_000 + 60 * number))
    run = template | {
        "id": id_of(number), "sweep": sweep, "kind": kind,
        "settings": {"batch": str(size)}, "program": [program, "--batch", "{batch}"], "price": price,
        "machine_type": {"name": name, "cpus": [], "environment": {}}, "outcome": outcome,
        "machine": template["machine"] | {"host": name},
        "lap_logs": [log], "started_ns": 900_000_000, "ended_ns": 1_100_000_000 + end_ns,
        "started_at": begun, "working_dir": f"/home/user/{number % PROGRAMS}"}
    line = json.dumps(run, separators=(",", ":"))
    return (run["id"], sweep, kind, name, f"batch={size}", f"{program} --batch {size}", begun,
            "ended" if full else "budget spent: time budget of 60 s", 1,
            (run["ended_ns"] - run["started_ns"]) * 1e-9, price["usd_per_hour"], "0.1.0", len(line),
            line.encode(), run["working_dir"])


def rows_of(template, count):
    """Yields the runs of a store; the two sweeps are in its middle."""
    large = LARGE if count > 2 * LARGE else 0
    begin = (count - SMALL - large) // 2
    for number in range(count):
        at = number - begin
        if 0 <= at < SMALL:
            yield row_of(template, number, SWEEP_OF_20, at)
        elif SMALL <= at < SMALL + large:
            yield row_of(template, number, SWEEP_OF_500, at - SMALL)
        else:
            yield row_of(template, number, "", 0)


def make_store(lapcast, file, count):
    """Fills a store that lapcast itself made, of whatever schema, with measured runs."""
    runs = ROOT / "tests/golden/stories/runs.jsonl"
    subprocess.run([lapcast, "--store", file, "--quiet", "import", runs], check=True,
                   stdout=subprocess.DEVNULL)
    template = json.loads(runs.read_text().splitlines()[0])
    for key in ("stop_sent_ns", "metric", "patience"):
        template.pop(key, None)
    with sqlite3.connect(file) as database:
        database.execute("DELETE FROM runs")
        database.executemany(f"INSERT INTO runs ({COLUMNS}) VALUES ({','.join('?' * 15)})",
                             rows_of(template, count))
        for sweep in (SWEEP_OF_20, SWEEP_OF_500):
            database.execute(
                "INSERT INTO sweeps (id, key, created_at, fleet_file, description, finished) VALUES "
                "(?, ?, '2026-11-20T12:00:00Z', 'fleet.toml', '{\"program\":{\"train\":\"1\"}}', 1)",
                (sweep, sweep))
    database.close()


class Use:
    """Says what a command used: seconds (wall, or CPU of all its threads) and MB of memory."""

    def __init__(self, arguments, by_cpu):
        begin = time.perf_counter()
        process = subprocess.Popen([str(word) for word in arguments], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"{arguments} ended with exit code {process.returncode}")
        self.seconds = usage.ru_utime + usage.ru_stime if by_cpu else wall
        self.memory_mb = usage.ru_maxrss * 1024e-6


def commands_of(lapcast, folder, size):
    """Returns the commands by name. Export and the sweep of 500 are measured in the larger stores."""
    base = [lapcast, "--store", f"{folder}/{size}.db", "--quiet"]
    log = pathlib.Path(folder, "log")
    # The last run of the store as it was made: `probe` stores runs of a program of its own.
    commands = {"show": [*base, "show", id_of(size - 1)], "rank of 20": [*base, "rank", "--sweep", SWEEP_OF_20],
                "probe": [*base, "probe", "--", "sh", "-c",
                          f'cp {log} "$LAPCAST_LOG_DIR/laps.$$.log"; sleep 0.05']}
    if size > 500:
        commands["export"] = [*base, "export"]
    if size == SIZES[-1]:
        commands["rank of 500"] = [*base, "rank", "--sweep", SWEEP_OF_500]
        commands["report of 500"] = [*base, "report", "--sweep", SWEEP_OF_500, "-o", f"{folder}/p.html"]
    return commands


def measure(options, folder):
    """Returns the uses by command and size, measured in turn."""
    uses = {}
    for _ in range(options.rounds):
        for size in SIZES:
            for name, command in commands_of(options.lapcast, folder, size).items():
                uses.setdefault((name, size), []).append(Use(command, options.cpu))
    return uses


def judged(uses):
    """Prints each figure with its goal; returns how many goals there are, and how many are met."""
    results = []

    def seconds(name, size):
        return statistics.median(use.seconds for use in uses[name, size])

    def goal(what, value, unit, least=None, most=None):
        met = value >= least if least is not None else value <= most
        limit = f"at least {least:g}" if least is not None else f"at most {most:g}"
        print(f"{'met   ' if met else 'MISSED'} {what}: {value:.4g} {unit}, goal {limit} {unit}")
        results.append(met)

    small, middle, large = SIZES
    for name, most in (("show", 30), ("rank of 20", 300), ("probe", 30)):
        few, many = seconds(name, small), seconds(name, large)
        goal(f"{name}, {1e3 * few:.0f} ms at 500 and {1e3 * many:.0f} ms at 50,000: more",
             1e3 * (many - few), "ms", most=most)
    rates = {size: size / seconds("export", size) for size in (middle, large)}
    goal("export at 50,000", rates[large], "runs/s", least=5000)
    goal("export at 50,000 against 5,000", rates[large] / rates[middle], "times", least=0.8)
    for name in ("rank of 500", "report of 500"):
        goal(f"{name} at 50,000", seconds(name, large), "s", most=1)
    for name in commands_of("", "", large):
        goal(f"memory of {name} at 50,000", max(use.memory_mb for use in uses[name, large]), "MB",
             most=200)
    return results


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--lapcast")
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    options.lapcast = options.lapcast or f"{options.build}/lapcast"
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            make_store(options.lapcast, f"{folder}/{size}.db", size)
        pathlib.Path(folder, "log").write_text(lap_log(random.Random(1), 100_000, 1_000_000)[0])
        results = judged(measure(options, folder))
    print(f"store-scale: {sum(results)} of {len(results)} goals met")


if __name__ == "__main__":
    main()
