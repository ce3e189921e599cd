#!/usr/bin/env python3
"""Writes web/sample.json: made data that fills every chart of the report. Nothing was measured.

Usage: web/make_sample.py
"""
import json
import math
import pathlib
import random

from preview import WEB, packed
from sample_papers import papers, repeats
from sample_tables import (EPOCHS, PROGRAM, at, compare, energy, deadline_costs, epochs,
    explanation, race, soak, spot, suite, verify)

MACHINES = {  # name: CPU, price per hour, seconds of an epoch at batch 64, spread
    "c7-small": ("AMD EPYC 7R32", 0.0215, 410, 0.035),
    "c7-large": ("AMD EPYC 9R14", 0.085, 118, 0.022),
    "g5-xlarge": ("AMD EPYC 7R32, NVIDIA A10G", 1.006, 27, 0.030),
    "p4-single": ("Intel Xeon 8275CL, NVIDIA A100", 3.06, 12.4, 0.045),
    "lab-desk": ("Intel Core i9-13900K, NVIDIA RTX 4090", 0.35, 40, 0.08),
}
BILL = {"boot": 0.02, "preparation": 0.01, "data in": 0.02, "training": 0.7, "checkpoints": 0.03,
        "lost work": 0.02, "restarts": 0.01, "licence": 0.02, "storage": 0.015, "snapshots": 0.005,
        "egress": 0.02, "tax": 0.1, "rounding up": 0.03}
BATCHES = {32: (1.42, 0.934), 64: (1.0, 0.931), 128: (0.84, 0.922), 256: (0.79, 0.905)}


def candidates():
    """Returns the choices, cheapest first, with plausible odds, and their bills."""
    rows = []
    for name, (_, price, epoch, spread) in MACHINES.items():
        for batch, (factor, accuracy) in BATCHES.items():
            if name == "c7-small" and batch == 256:
                continue
            time = 40 + EPOCHS * epoch * factor * (1 + 0.04 * math.sin(batch + len(name)))
            low, high = time * (1 - spread), time * (1 + spread * 1.1)
            bill = math.ceil((time + 45) / 60) * 60
            rows.append({
                "ranking": 1, "rank": 0, "machine_type": name, "where": "here",
                "settings": {"batch": batch}, "offer": None, "epochs": EPOCHS, "conditions": None,
                "time_s": time, "time_s_low": low, "time_s_high": high,
                "cost_usd": price * bill / 3600, "cost_usd_low": price * bill * (1 - spread) / 3600,
                "cost_usd_high": price * bill * (1 + spread * 1.1) / 3600, "score": None,
                "accuracy": accuracy, "price_usd_per_hour": price, "price_as_of": "2026-11-01",
                "price_source": "made up", "run": f"{0x3f0c8a00 + 7919 * len(rows):012x}",
                "bill": bill})
    rows.sort(key=lambda row: row["cost_usd"])
    cheapest, fastest = rows[0]["cost_usd"], min(row["time_s"] for row in rows)
    bills = []
    for i, row in enumerate(rows):
        row["rank"] = i + 1
        row["relative_time"] = row["time_s"] / fastest
        row["relative_cost"] = row["cost_usd"] / cheapest
        row["pareto"] = all(other is row or other["time_s"] > row["time_s"]
                            or other["cost_usd"] > row["cost_usd"] for other in rows)
        row["p_cheapest"] = [0.83, 0.11, 0.05, 0.01][i] if i < 4 else 0.0
        row["p_fastest"] = {1.0: 0.94}.get(row["relative_time"], 0.06 if row["relative_time"] < 1.1
            else 0)
        billed_usd = row["price_usd_per_hour"] * row.pop("bill") / 3600
        lines = [{"what": what, "usd": billed_usd * share} for what, share in BILL.items()]
        bills.append({"rank": i + 1, "lines": lines, "total_usd": row["cost_usd"]})
    return rows, bills


def laps_of(dice, lap_s, count):
    """Returns packed laps and their marks: warm-up, validations, stalls and a level shift."""
    gap, time, marks, now = [], [], [], 6.2
    waiting = 6.2
    for i in range(count):
        if i and i % 160 == 0:
            marks.append({"kind": "validation", "begin_s": now, "end_s": now + 9 * lap_s,
                          "text": f"epoch {i // 160}"})
            marks.append({"kind": "epoch", "begin_s": now, "end_s": now,
                "text": f"end of epoch {i // 160}"})
            waiting = 9 * lap_s
            if i % 480 == 0:
                marks.append({"kind": "checkpoint", "begin_s": now + waiting,
                    "end_s": now + waiting + 4 * lap_s,
                              "text": "44 MB"})
                waiting += 4 * lap_s
            now += waiting
        lap = lap_s * (1 + 2.4 * math.exp(-i / 4)) * dice.gauss(1, 0.022)
        if 0.62 * count < i < 0.74 * count:
            lap *= 1.11
        if dice.random() < 0.003:
            lap += 7 * lap_s
            marks.append({"kind": "stall", "begin_s": now, "end_s": now + lap,
                "text": "8 times a lap"})
        gap.append(waiting * 1e9)
        time.append(lap * 1e9)
        waiting = lap_s * 0.004
        now += lap + waiting
        if i == 14:
            marks.insert(0, {"kind": "warm-up", "begin_s": 6.2, "end_s": now - waiting,
                "text": "15 laps"})
        if i in (int(0.62 * count), int(0.74 * count)):
            marks.append({"kind": "level-shift", "begin_s": now, "end_s": now, "text": "+11 %"
                if i < 0.7 * count else "-10 %"})
    packed_laps = packed({"gap_ns": gap, "time_ns": time, "samples": [64] * count,
                          "phase": [0] * count, "queued": [0] * count})
    return packed_laps, marks, now


def load_of(dice, end_s):
    count = 300
    span = end_s / count
    busy = [(1.4 if 0.62 < i / count < 0.74 else 0.1) + 0.05 * dice.random() for i in range(count)]
    return packed({"at_ns": [span * 1e9] * count, "span_ns": [span * 1e9] * count,
                   "run_ns": [span * 1e9 * dice.gauss(3.7, 0.08) for _ in range(count)],
                   "others_ns": [span * 1e9 * value for value in busy],
                   "steal_ns": [span * 1e9 * max(0, dice.gauss(0.03, 0.03)) for _ in range(count)]})


def gpu_load_of(dice, end_s):
    count = 120
    return packed({"at_ns": [end_s / count * 1e9] * count, "gpu": [0] * count,
                   "busy_percent": [round(min(100, max(0, dice.gauss(82, 6))))
                                    for _ in range(count)],
                   "memory_bytes": [min(i, 10) * 2 * 2**30 for i in range(count)],
                   "memory_total_bytes": [40 * 2**30] * count})


def run_of(dice, row, i, full):
    """Returns a run with all that `lapcast show --json` says of it, and its laps."""
    epoch = (row["time_s"] - 40) / EPOCHS
    lap_s = epoch * 0.9 / 160
    laps, marks, end_s = laps_of(dice, lap_s, 1800 if full else 400)
    whole = row["time_s"]
    run = {
        "run": {"id": row["run"], "sweep": "3f0c8a91d2e4", "program": PROGRAM.replace("{batch}",
            str(row["settings"]["batch"])),
                "settings": row["settings"], "machine_type": row["machine_type"],
                "cpu_model": MACHINES[row["machine_type"]][0], "host": None, "place": None,
                "outcome": "ended" if full else "enough", "outcome_text": "ended with exit status 0"
                    if full else "enough: 385 steady laps within 0.4 %",
                "kind": "full" if full else "probe", "started_at": at(600 * i), "imported": False,
                "wall_time_s": end_s + 2, "used_cpus": 3.71, "peak_memory_bytes": 1843200000,
                    "lost_to_others_share": 0.012},
        "profile": {"laps": laps["count"], "start": "cold", "init_s": 6.2,
            "first_lap_s": 3.4 * lap_s, "warm_up_laps": 15,
                    "steady_laps": laps["count"] - 19, "independent_laps": 212.4, "stalls": 4,
                        "lap_median_s": lap_s,
                    "lap_s": lap_s * 1.003, "lap_s_low": lap_s * 0.999, "lap_s_high": lap_s * 1.007,
                    "samples_per_lap": row["settings"]["batch"],
                        "samples_per_second": row["settings"]["batch"] / lap_s},
        "forecast": {"time_s": whole, "time_s_low": row["time_s_low"],
            "time_s_high": row["time_s_high"],
                     "cost_usd": row["cost_usd"], "epochs": EPOCHS},
        "parts": [{"part": part, "time_s": whole * share, "share": share, "how": how} for part,
            share, how in
                  [("init", 0.02, "measured"), ("warm-up", 0.01, "measured"), ("laps", 0.86,
                      "measured"),
                   ("validation", 0.07, "measured"), ("epoch overhead", 0.01, "measured"),
                   ("checkpoints", 0.025, "measured"), ("tear-down", 0.005, "assumed")]],
        "laps": laps, "phases": ["-"], "marks": marks,
    }
    if full:
        run["load"] = load_of(dice, end_s)
        run["gpu_load"] = gpu_load_of(random.Random(41), end_s)
        run["power"] = [{"part": part, "time_s": time_s, "gpu_w": watts, "gpu_kwh": watts * time_s / 3.6e6}
                        for part, time_s, watts in
                        [("idle GPUs", 2.1, 78), ("start-up", 6.2, 112), ("training", end_s - 6.2, 655)]]
        run["gpu_set_up"] = [{"gpu": 0, "model": "NVIDIA A100-SXM4-40GB", "driver": "550.54.15",
            "cuda": "12.4", "power_limit_w": 400, "top_clock_mhz": 1410, "ecc": "on", "mig": "off",
            "pcie": "generation 4, 16 lanes", "compute_mode": "shared"}]
        run["effects"] = [{"effect": "level shift",
            "what": "laps 1117 to 1332 took 11 % longer, while other programs used 1.4 CPUs",
            "time_s": 22, "share": 0.01, "forecast": "counted as run-to-run variation"}]
        run["forecasts"] = [{"elapsed_s": end_s * share,
            "total_s": end_s * (1 + 0.12 * (0.3 - share) / (1 + 4 * share)),
                             "total_s_low": end_s * (1 - 0.25 * (1 - share) ** 2),
                             "total_s_high": end_s * (1 + 0.33 * (1 - share) ** 2)}
                            for share in [0.02 + 0.049 * step for step in range(20)]]
        run["metrics"] = [{"name": name, "at_s": end_s * epoch / 11, "epoch": epoch, "value": value}
                          for epoch in range(1, 12) for name, value in
                          [("val_accuracy", 0.93 - 0.5 * math.exp(-epoch / 3)), ("loss",
                              0.2 + 1.9 * math.exp(-epoch / 4))]]
    return run


def failed_run(i, machine, outcome, text):
    return {"run": {"id": f"{0xdead0000 + i:012x}", "sweep": "3f0c8a91d2e4", "program": PROGRAM,
        "settings": {"batch": 256},
                    "machine_type": machine, "outcome": outcome, "outcome_text": text,
                        "kind": "probe",
                    "started_at": at(600 * i), "imported": False, "wall_time_s": 11.8},
            "forecast": {"time_s": None, "reason": text}}


def sample():
    dice = random.Random(16)
    rows, bills = candidates()
    runs = [run_of(dice, row, i, i == 0) for i, row in enumerate(rows)]
    runs += [failed_run(30, "c7-small", "crashed",
        "failed with exit status 137: killed, out of memory"), failed_run(31, "p4-single",
        "not-started", "no quota in this region")]
    excluded = [{"ranking": 1, "machine_type": "c7-small", "settings": {"batch": 256},
        "offer": None, "reason": "no laps: failed with exit status 137: killed, out of memory"},
                {"ranking": 1, "machine_type": "h100-pod", "settings": None, "offer": "reserved-1y",
                    "reason": "no run was made on this machine type"}]
    best = {by: {**min(rows, key=lambda row: row[key]), "by": by} for by, key in (("cost",
        "cost_usd"), ("time", "time_s"))}
    rank = {"candidates": rows, "explanation": explanation(rows),
        "deadline_costs": deadline_costs(rows), "energy": energy(rows), "excluded": excluded, "best": best, "sweep": {"id": "3f0c8a91d2e4",
        "program": PROGRAM},
            "rankings": [{"ranking": 1, "by": "cost", "epochs": None, "batch_size": None,
                "candidates": len(rows), "excluded": 2, "expected_regret": 0.0042,
                          "probes": len(runs), "probes_cost_usd": 0.24, "trainings": len(rows),
                              "trainings_cost_usd": sum(row["cost_usd"] for row in rows)}],
            "crossovers": [{"ranking": 1, "epochs": 12, "machine_type_below": "c7-large",
                "settings_below": {"batch": 128}, "machine_type_from": "lab-desk",
                "settings_from": {"batch": 256}}],
            "times_by_epochs": [
                {key: row[key] for key in ("ranking", "machine_type", "settings", "offer", "run")}
                | {"epochs": epochs, "time_s": 40 + (row["time_s"] - 40) * epochs / EPOCHS}
                for row in rows
                for epochs in (1, *(round(share * EPOCHS) for share in (0.25, 0.5, 1, 1.5, 2)))],
            "notes": [{"about": "candidates", "kind": "note",
                "text": "prices: made up as of 2026-11-01"}]}
    return {
        "schema": 1, "kind": "report", "title": "Where to train the CIFAR-10 ResNet (sample)",
        "made": {"at": "2026-11-24T21:00:00Z", "lapcast": "0.1.0",
            "command": "lapcast report --compare before after -o report.html"},
        "rank": rank, "bills": bills, "verify": verify(dice, rows), "race": race(rows),
            "runs": runs, "compare": compare(dice),
        "soak": soak(dice), "spot": spot(random.Random(7)), "suite": suite(), "epochs": epochs(rows),
            "repeats": repeats(random.Random(8)), "papers": papers(),
        "machines": [{"name": name, "host": f"{name}.example", "cpu_model": cpu, "cpus": 8,
            "memory_bytes": 34359738368, "gpus": cpu.split(", ")[1:], "versions": {"torch": "2.8.0",
            "cuda": "12.6"}} for name, (cpu, *_) in MACHINES.items()],
        "prices": [{"offer": name, "usd_per_hour": price, "terms": "on demand, by the minute",
            "as_of": "2026-11-01", "source": "made up"} for name, (_, price,
            *_) in MACHINES.items()],
        "method": [{"name": "Steady laps",
            "text": "Laps after the warm-up, without stalls; their mean, and its "
                    "interval from the autocorrelation of the laps.",
            "constants": {"stall_factor": 4, "least_laps": 20}},
                   {"name": "Forecast",
                       "text": "Start, laps, validations, checkpoints and tear-down, each from "
                    "its own measurements, and the run-to-run variation.",
            "constants": {"run_to_run": 0.012}},
                   {"name": "Probability of being the best",
                       "text": "Each forecast is taken as a lognormal distribution; that of the "
                    "smallest is computed exactly over 1,024 cases.",
            "constants": {"cases": 1024}}],
        "repeat": [f"lapcast sweep fleet.toml --batch 32,64,128,256 --race -- {PROGRAM}",
            "lapcast rank --by cost"],
    }


def main():
    def rounded(value):
        if isinstance(value, float):
            return float(f"{value:.7g}")
        if isinstance(value, dict):
            return {key: rounded(each) for key, each in value.items()}
        return [rounded(each) for each in value] if isinstance(value, list) else value

    document = rounded(sample())
    # One line a run or table, so that a person can find and change things.
    parts = []
    for key, value in document.items():
        text = json.dumps(value)
        if key == "runs":
            text = "[\n" + ",\n".join("    " + json.dumps(run) for run in value) + "\n  ]"
        parts.append(f"  {json.dumps(key)}: {text}")
    pathlib.Path(WEB / "sample.json").write_text("{\n" + ",\n".join(parts) + "\n}\n")


if __name__ == "__main__":
    main()
