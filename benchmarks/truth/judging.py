"""Judges what lapcast said of recorded sweeps by the real runs that it had not seen."""

import contextlib
import dataclasses
import datetime
import json
import math
import pathlib
import random
import sqlite3
import statistics
import subprocess
import tempfile

from common import ran_seconds, settings_text
from truth.recording import unpack


LEAST_OTHERS = 4  # real runs of a candidate that an oracle needs


class JudgedSweep:
    """Holds what `rank` says of a recorded sweep from its probes alone, and the real runs; and what
    it says where the store has the probes of earlier sweeps on the same machine, too."""

    def __init__(self, build, packed, earlier):
        self.name = packed.name.split(".")[0]
        with tempfile.TemporaryDirectory() as folder:
            store = pathlib.Path(folder) / "all.db"
            unpack(packed, store)
            self.machine, self.real = real_runs(build, store)
            probes = store.rename(pathlib.Path(folder) / "probes.db")
            with contextlib.closing(sqlite3.connect(probes)) as database:
                database.execute("DELETE FROM runs WHERE kind = 'full'")
                self.sweep = database.execute("SELECT id FROM sweeps").fetchone()[0]
                database.commit()
            self.by_time = self.ranked(build, probes, "--by", "time")
            self.by_cost = self.ranked(build, probes, "--by", "cost")
            self.undisturbed = self.ranked(build, probes, "--conditions", "undisturbed")
            # From its own laps alone, a run varies by a prior of 2 % between moments.
            self.fixed_prior = self.ranked(build, probes, "--alone")
            self.earlier = [each for each in earlier if each.machine == self.machine]
            for each in self.earlier:
                add_probes(probes, each.packed, folder)
            self.learned = self.by_time
            self.learned_by_cost = self.by_cost
            if self.earlier:
                self.learned = self.ranked(build, probes, "--by", "time")
                self.learned_by_cost = self.ranked(build, probes, "--by", "cost")
        self.packed = packed

    def ranked(self, build, store, *options):
        done = subprocess.run([f"{build}/lapcast", "--store", store, "--json", "rank", "--sweep",
                               self.sweep, *options], stdout=subprocess.PIPE)
        rows = json.loads(done.stdout)["candidates"] if done.returncode == 0 else []
        return {(row["machine_type"], settings_text(row["settings"])): row for row in rows}


def add_probes(store, packed, folder):
    """Adds the probes of an earlier recorded sweep to a store, before all that it has."""
    other = pathlib.Path(folder) / "earlier.db"
    unpack(packed, other)
    with contextlib.closing(sqlite3.connect(store)) as database:
        database.execute("ATTACH ? AS earlier", (str(other),))
        for table, wanted in (("runs", "kind <> 'full'"), ("sweeps", "TRUE")):
            # The first column is seq. Those that a later schema added are left as they begin.
            columns = [row[1] for row in database.execute(f"PRAGMA earlier.table_info({table})")]
            rest = ", ".join(columns[1:])
            first = database.execute(f"SELECT min(seq) FROM {table}").fetchone()[0]
            database.execute(f"INSERT INTO {table} (seq, {rest}) SELECT seq + ?, {rest} FROM "
                             f"earlier.{table} WHERE {wanted}", (first - 10_000,))
        database.commit()
    other.unlink()


def real_runs(build, store):
    """Returns what tells the machine from others, and the seconds of all real runs by candidate."""
    text = subprocess.run([f"{build}/lapcast", "--store", store, "export"], check=True,
                          stdout=subprocess.PIPE).stdout
    real, machine = {}, ""
    for line in text.splitlines():
        run = json.loads(line)
        machine = f"{run['machine']['cpu_model']}, {run['machine']['isa']}, {booted(run)}"
        if run["kind"] == "full" and run["outcome"]["kind"] == "ended":
            name = (run["machine_type"]["name"], settings_text(run["settings"]))
            real.setdefault(name, []).append(ran_seconds(run))
    return machine, real


def booted(run):
    """Returns the hour in which the machine was started, or, of the first recordings, whose clock
    begins with the sweep, the day."""
    started = datetime.datetime.fromisoformat(run["started_at"].removesuffix("Z"))
    since = datetime.timedelta(seconds=run["started_ns"] / 1e9)
    at = started - since
    return f"{at:%Y-%m-%d}" if since.total_seconds() < 600 else f"{at:%Y-%m-%d %H}h"


def score(low, high, real):
    """Returns the interval score at 95 % (Gneiting and Raftery 2007, eq. 43)."""
    return high - low + 40 * max(0, low - real) + 40 * max(0, real - high)


def quantile(values, p):
    values = sorted(values)
    at = p * (len(values) - 1)
    below = math.floor(at)
    return values[below] + (at - below) * (values[min(below + 1, len(values) - 1)] - values[below])


@dataclasses.dataclass
class Judged:
    """Holds how intervals did on single real runs."""

    share: float  # of the runs inside
    low: float  # of the share's 95 % interval, by a bootstrap over sweeps
    high: float
    score: float  # mean interval score of ln(time); nan where too few real runs are known
    oracle: float  # that of somebody who knows the quantiles of the other real runs


def judged_intervals(sweeps, rows_of, reals_of, of=None):
    """Judges the rows that rows_of(sweep) returns for the sweeps `of` (all), by the real runs that
    reals_of(sweep) returns; an oracle knows the others on the same machine. Returns None without
    any."""
    shares, ours, oracle = [], [], []
    for sweep in of or sweeps:
        inside = []
        for name, row in rows_of(sweep).items():
            low, high = float(row["time_s_low"]), float(row["time_s_high"])
            for real in reals_of(sweep).get(name, []):
                inside.append(low <= real <= high)
                others = [math.log(each) for other in sweeps if other.machine == sweep.machine
                          for each in reals_of(other).get(name, []) if each is not real]
                if len(others) < LEAST_OTHERS:
                    continue
                ours.append(score(math.log(low), math.log(high), math.log(real)))
                oracle.append(score(quantile(others, 0.025), quantile(others, 0.975),
                                    math.log(real)))
        if inside:
            shares.append(inside)
    if not shares:
        return None
    everything = [each for inside in shares for each in inside]
    generator = random.Random(1)
    resampled = []
    for _ in range(2000):
        drawn = [each for _ in shares for each in generator.choice(shares)]
        resampled.append(sum(drawn) / len(drawn))
    return Judged(sum(everything) / len(everything), quantile(resampled, 0.025),
                  quantile(resampled, 0.975), statistics.mean(ours) if ours else math.nan,
                  statistics.mean(oracle) if oracle else math.nan)


@dataclasses.dataclass
class Case:
    """Holds one stated chance of being the best, and whether that was right."""

    chance: float
    right: bool  # within 1 % of the best
    is_pick: bool


def reals_by_machine(sweeps):
    """Returns the seconds of all real runs, by machine and candidate."""
    reals = {}
    for sweep in sweeps:
        of_machine = reals.setdefault(sweep.machine, {})
        for name, seconds in sweep.real.items():
            of_machine.setdefault(name, []).extend(seconds)
    return reals


def called_shares(sweeps):
    """Returns a case for each candidate, objective and sweep. The chances concern means over
    moments, so the truth is the mean over the real runs of all the sweeps on the machine."""
    reals = reals_by_machine(sweeps)
    cases = []
    for sweep in sweeps:
        means = {name: statistics.mean(runs) for name, runs in reals[sweep.machine].items()}
        for rows, key, rate in ((sweep.by_time, "p_fastest", lambda row: 1),
                                (sweep.by_cost, "p_cheapest", usd_per_second)):
            values = {name: means[name] * rate(row) for name, row in rows.items() if name in means}
            if not values:
                continue
            best = min(values.values())
            pick = max(values, key=lambda name: float(rows[name][key]))
            cases += [Case(float(rows[name][key]), value <= 1.01 * best, name == pick)
                      for name, value in values.items()]
    return cases


def usd_per_second(row):
    return float(row["cost_usd"]) / float(row["time_s"])


def log_and_brier(cases):
    """Returns the mean log and Brier scores of the chances, and of the base rate for all."""
    base = sum(case.right for case in cases) / len(cases)
    least = 1 / 2000  # chances come from a thousand draws, so that 0 means fewer than one of them

    def log_score(case, chance):
        chance = min(max(chance, least), 1 - least)
        return -math.log(chance if case.right else 1 - chance)

    def brier(case, chance):
        return (chance - case.right) ** 2

    return {name: (statistics.mean(score(case, case.chance) for case in cases),
                   statistics.mean(score(case, base) for case in cases))
            for name, score in (("log score", log_score), ("Brier score", brier))}


def regrets(sweep):
    """Returns (regret of the pick, regret of who knew the means of one half of the real runs) by
    time and by cost; the other half of the runs measures both."""
    result = []
    for rows, rate in ((sweep.by_time, lambda row: 1), (sweep.by_cost, usd_per_second)):
        names = [name for name in rows if len(sweep.real.get(name, [])) >= 2]
        if not names:
            continue
        known, judge = {}, {}
        for name in names:
            runs = [seconds * rate(rows[name]) for seconds in sweep.real[name]]
            known[name] = statistics.mean(runs[:len(runs) // 2])
            judge[name] = statistics.mean(runs[len(runs) // 2:])
        best = min(judge.values())
        pick = min(names, key=lambda name: int(rows[name]["rank"]))
        result.append((judge[pick] / best - 1, judge[min(known, key=known.get)] / best - 1))
    return result
