# Measures whether `lapcast sweep --batch auto` finds the largest batch that fits, in how many probes,
# and how many processes the kernel kills meanwhile.
# Goals: exact to one step in all of five programs, 6 probes at most, no kill.
#
# It needs the workloads mnist-mlp and mnist-cnn. Root makes a control group (version 1) with a limit of
# memory for each program, and lapcast runs in it. Three programs are in Python: one whose memory grows
# with its batch, one whose start takes more than its small batches do, and one with small samples. Whether a
# batch fits is known from its peak without a limit: the largest must be below what lapcast lets a program
# take, and the next size above it. The last line is the number of goals that are met.
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from common import ROOT, print_figure

sys.path.insert(0, str(ROOT / "suite" / "programs" / "python"))
import suite  # noqa: E402

MB = 1_000_000
GROUP = pathlib.Path("/sys/fs/cgroup/memory") / f"bench-{os.getpid()}"
TRAINER = ROOT / "tests" / "stories" / "memory_trainer.py"
MOST_PROBES = 6


def trainer(*options):
    return [sys.executable, TRAINER, "--laps", 60, "--batch", "{batch}", *options]


def programs(build, scratch):
    """Yields the name, the limit in bytes and the command of each program."""
    yield "grows evenly", 400 * MB, trainer("--fixed", 40 * MB, "--each", 2 * MB)
    yield "a start of 250 MB", 600 * MB, trainer("--floor", 250 * MB, "--each", MB)
    yield "small samples", 300 * MB, trainer("--fixed", 100 * MB, "--each", 50_000)
    for name, limit in (("mnist-mlp", 500 * MB), ("mnist-cnn", 900 * MB)):
        workload = suite.WORKLOADS[name]
        if suite.missing_programs(build / "workloads", workload):
            print(f"{name}: not built")
            continue
        data = scratch / f"data-{name}"
        suite.make_data(build / "workloads", workload, data, 60_000, 64)
        yield name, limit, [build / "workloads" / name, "--data", data, "--batch", "{batch}", "--threads", 1,
                            "--epochs", 3]


def lapcast(build, store, *arguments, group=None):
    """Returns what lapcast prints with --json; in a control group if there is one."""
    command = [f"{build}/lapcast", "--store", str(store), "--quiet", "--json", *map(str, arguments)]
    if group:
        command = ["/bin/sh", "-c", 'echo $$ >"$0/cgroup.procs" && exec "$@"', str(group), *command]
    done = subprocess.run(command, stdout=subprocess.PIPE, cwd=store.parent)
    if done.returncode not in (0, 1):
        raise SystemExit(f"lapcast {arguments[0]} ended with exit code {done.returncode}")
    return json.loads(done.stdout)


def kills():
    return int((GROUP / "memory.oom_control").read_text().split("oom_kill ")[1])


def peak(build, store, command, batch):
    """Returns the most memory that the program takes with a batch, without a limit."""
    filled = [str(part).replace("{batch}", str(batch)) for part in command]
    run = lapcast(build, store, "probe", "--max-laps", 12, "--", *filled)["run"]
    share, machine = run["memory_share"], lapcast(build, store, "machine")["machine"]
    return share * min(machine["memory_bytes"], machine["memory_limit_bytes"] or machine["memory_bytes"])


def main():
    parser = argparse.ArgumentParser(prog="./bench batch-search")
    parser.add_argument("build")
    build = pathlib.Path(parser.parse_args().build).resolve()
    try:
        GROUP.mkdir()
        (GROUP / "memory.limit_in_bytes").write_text("8G")
    except OSError as error:
        raise SystemExit(f"no figure: no control group with a limit of memory can be made: {error}")
    exact, most, count = 0, 0, 0
    print(f"{'program':20} {'limit':>8} {'largest':>8} {'tried':>28} {'probes':>7} {'kills':>6}  exact")
    try:
        with tempfile.TemporaryDirectory() as scratch:
            scratch = pathlib.Path(scratch)
            for name, limit, command in programs(build, scratch):
                (GROUP / "memory.limit_in_bytes").write_text(str(limit))
                store = scratch / f"{count}.db"
                before = kills()
                rows = lapcast(build, store, "sweep", "--batch", "auto", "--max-laps", 20, "--", *command,
                               group=GROUP)["batches"]
                largest = max((row["batch"] for row in rows if row["fits"]), default=0)
                following = next(size for size in sorted(2 ** k * f for k in range(24) for f in (2, 3))
                                 if size > largest)
                own = int((GROUP / "memory.usage_in_bytes").read_text())
                fits = peak(build, scratch / "peaks.db", command, largest) if largest else 0
                above = peak(build, scratch / "peaks.db", command, following)
                is_exact = 0 < fits <= 0.97 * limit and above > 0.92 * (limit - own)
                exact += is_exact
                most = max(most, len(rows))
                count += 1
                tried = " ".join(str(row["batch"]) + ("" if row["fits"] else "!") for row in rows)
                print(f"{name:20} {limit / MB:>5.0f} MB {largest:>8} {tried:>28} {len(rows):>7} "
                      f"{kills() - before:>6}  {'yes' if is_exact else 'no'} "
                      f"({fits / MB:.0f} and {above / MB:.0f} MB)", flush=True)
            all_kills = kills()
    finally:
        (GROUP / "memory.limit_in_bytes").write_text("-1")
        GROUP.rmdir()
    goals = [exact == count == 5, most <= MOST_PROBES, all_kills == 0]
    print(f"{exact} of {count} exact to one step, {most} probes at most, {all_kills} kills by the kernel")
    print_figure("batch-search", sum(goals), f"of {len(goals)} goals met")


main()
