"""Makes the tables of the sample that are not of one run: checks of forecasts, a race,
availability, the suite, learning curves and a comparison. make_sample.py puts them together."""
import datetime
import math

PROGRAM = "python3 train.py --data cifar10 --batch {batch} --epochs 30"
EPOCHS = 30
START = datetime.datetime(2026, 11, 20, 8, 0, tzinfo=datetime.timezone.utc)


def at(seconds):
    return (START + datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def verify(dice, rows):
    verified, real = [], []
    for row in rows[:12]:
        mean = row["time_s"] * dice.gauss(1.0, 0.025)
        runs = [mean * dice.gauss(1, 0.012) for _ in range(3)]
        mean = sum(runs) / 3
        common = {"machine_type": row["machine_type"], "settings": row["settings"],
            "epochs": EPOCHS}
        inside = row["time_s_low"] <= mean <= row["time_s_high"]
        verified.append({**common, "forecast_s": row["time_s"], "forecast_s_low": row["time_s_low"],
            "forecast_s_high": row["time_s_high"],
                         "runs": 3, "real_s": mean, "error": row["time_s"] / mean - 1,
                             "inside": inside, "accuracy": row["accuracy"]})
        real += [{**common, "run": f"{0xabc000 + len(real) + i:012x}", "started_at": at(9000),
            "real_s": value, "error": row["time_s"] / value - 1,
                  "inside": row["time_s_low"] <= value <= row["time_s_high"]} for i,
                      value in enumerate(runs)]
    inside = sum(row["inside"] for row in real)
    return {"verified": verified, "real_runs": real, "errors": {"median_absolute_error": 0.019,
        "inside_95": inside, "known": len(real)}, "regret": {}}


def race(rows):
    timeline, begin = [], 0
    alive, length = rows[:], 20
    for number in (1, 2, 3, 4):
        kept = alive[: max(2, len(alive) // 2)]
        for row in alive:
            stays = row in kept or number == 4
            reason = f"95 % interval of its cost lies above that of {rows[0]['machine_type']}"
            out = "" if stays else reason
            timeline.append({"machine_type": row["machine_type"], "settings": row["settings"],
                "run": row["run"], "round": number,
                             "begin_s": begin, "end_s": begin + length, **({"out_reason": out}
                                 if out else {})})
            begin += length + 1.5
        alive, length = kept, 2 * length
    took = timeline[-1]["end_s"]
    return {"race": [], "timeline": timeline, "picks": [{"by": "cost", "run": rows[0]["run"],
        "machine_type": rows[0]["machine_type"], "settings": rows[0]["settings"], "candidate": "",
        "time_s": 1, "cost_usd": 1, "chance_wrong": 0.17, "expected_regret": 0.004}],
            "search_cost": [{"search": "race", "time_s": took, "cost_usd": 0.09,
                "race_share": None}, {"search": "plain-probes", "time_s": 2.6 * took,
                "cost_usd": 0.22, "race_share": 0.41},
                            {"search": "all-to-the-end", "time_s": 61 * took, "cost_usd": 6.1,
                                "race_share": 0.015}]}


def soak(dice):
    sessions, lengths = [], {}
    for machine, device, mean in (("colab", "T4", 3.1), ("spot-eu", "A10G", 9.5)):
        hour = 0.0
        while hour < 24 * 9:
            length = min(23.9, dice.expovariate(1 / mean) + 0.2)
            wait = dice.expovariate(1 / 1.4)
            fate = "cut" if dice.random() < 0.8 else "stopped by the user"
            sessions.append({"machine": machine, "device": device, "begin": at(3600 * hour),
                "end": at(3600 * (hour + length)), "length_s": 3600 * length,
                             "hour_of_day": int(hour + 8) % 24, "fate": fate, "wait_s": 3600 * wait,
                                 "work": 100})
            lengths.setdefault((machine, device), []).append(length)
            hour += length + wait
    survival, hours, availability = [], [], []
    for (machine, device), values in lengths.items():
        values.sort()
        for i, value in enumerate(values):
            share = 1 - (i + 1) / len(values)
            half = 1.96 * math.sqrt(share * (1 - share) / len(values))
            survival.append({"machine": machine, "device": device, "time_s": 3600 * value,
                "at_risk": len(values) - i, "ended": 1, "share": share,
                             "share_low": max(0, share - half), "share_high": min(1, share + half)})
        hours += [{"machine": machine, "device": device, "hour": hour, "held_s": 3600 * 6,
            "wanted_s": 3600 * 9,
            "availability": 0.68 + 0.22 * math.sin((hour - 3) / 24 * 6.28) - (0.1
            if machine == "colab" else 0)} for hour in range(24)]
        availability.append({"machine": machine, "device": device, "sessions": len(values),
            "cut": int(0.8 * len(values)), "median_session_s": 3600 * values[len(values) // 2],
                             "median_wait_s": 3500, "held_s": 3600 * sum(values),
                                 "wanted_s": 3600 * 216, "availability": sum(values) / 216,
                                 "refusals": 3})
    waits = [{**row, "time_s": row["time_s"] / 4} for row in survival]
    return {"availability": availability, "sessions": sessions, "session_survival": survival,
        "wait_survival": waits, "hours": hours}


def explanation(rows):
    """Returns what each but the first would need, of price, training time or epochs."""
    return [{"ranking": 1, "rank": row["rank"], "machine_type": row["machine_type"],
        "settings": row["settings"], "offer": None,
        "price_usd_per_hour": row["price_usd_per_hour"],
        "needed_price_usd_per_hour": row["price_usd_per_hour"] / row["relative_cost"],
        "training_s": row["time_s"], "needed_training_s": row["time_s"] / row["relative_cost"] - 40
            if row["relative_cost"] < 9 else None,
        "epochs": EPOCHS, "needed_epochs": math.floor(EPOCHS / row["relative_cost"]) or None}
            for row in rows[1:]]


def deadline_costs(rows):
    """Returns the cheapest choice by deadline, with a way of paying for each machine."""
    terms = {"c7-small": "spot", "c7-large": "on-demand", "g5-xlarge": "on-demand",
             "p4-single": "reserved", "lab-desk": "owned"}
    steps = []
    for way in ("on-demand", "owned", "spot", "reserved"):
        mine = [row for row in rows if terms[row["machine_type"]] == way]
        best = math.inf
        for row in sorted(mine, key=lambda row: row["time_s"]):
            if row["cost_usd"] >= best:
                continue
            best = row["cost_usd"]
            steps.append({"ranking": 1, "terms": way, "machine_type": row["machine_type"],
                "settings": row["settings"], "offer": None, "deadline_s": row["time_s_high"],
                "cost_usd": best, "risk": 0.05, "wanted_s": 14400})
    return steps


def energy(rows):
    """Returns time, money and energy of the choices, with the front of all three."""
    watts = {"c7-small": 40, "c7-large": 180, "g5-xlarge": 350, "p4-single": 500, "lab-desk": 550}
    table = []
    for row in rows:
        kwh = watts[row["machine_type"]] * row["time_s"] / 3.6e6
        table.append({"ranking": 1, "rank": row["rank"], "machine_type": row["machine_type"],
            "settings": row["settings"], "offer": None, "time_s": row["time_s"],
            "cost_usd": row["cost_usd"], "energy_kwh": kwh, "energy_kwh_low": 0.6 * kwh,
            "energy_kwh_high": 1.5 * kwh, "co2e_g": 381 * kwh, "energy_source": "predicted"})
    keys = ("time_s", "cost_usd", "energy_kwh")
    for row in table:
        row["pareto"] = not any(all(other[key] <= row[key] for key in keys)
            and any(other[key] < row[key] for key in keys) for other in table)
    return table


def spot(dice):
    """Returns a trace of spot machines and a training of 24 h on it."""
    trace, steps, now, left = [], [], 0.0, 24 * 3600.0
    def step(what, seconds):
        steps.append({"what": what, "begin_s": now, "end_s": now + seconds, "checkpoints": 0})
        return now + seconds
    while left > 0:
        begin, end = now, now + dice.expovariate(1 / 9000) + 900
        now = step("restart" if steps else "boot", 300)
        while now + 1860 < end and left > 0:
            now = step("work", min(1800, left))
            left -= 1800
            now = step("checkpoint", 60)
        if left > 0:
            now = step("lost work", end - now)
        trace.append({"what": "there", "begin_s": begin, "end_s": now})
        if left > 0:
            now = step("waiting", dice.expovariate(1 / 3600) + 60)
            trace.append({"what": "absent", "begin_s": trace[-1]["end_s"], "end_s": now})
    return {"trace": trace, "steps": steps, "checkpoint_intervals": [{"method": "as requested",
        "interval_s": 1800}], "spot_forecast": {"time_s": 1.1 * now, "time_s_low": 0.8 * now,
        "time_s_high": 1.9 * now, "cost_usd": 31.2}}


def suite():
    workloads = [("mnist-cnn", 64, 38, 20400), ("mnist-lstm", 128, 122, 9800), ("mnist-autoencoder",
        32, 61, 28500), ("seismic-fcn", 64, 540, 940), ("resnet50", 64, 7300, 212)]
    runs = [{"workload": name, "settings": {"batch": batch}, "runs": 5, "time_s": time,
        "time_s_low": time * 0.98, "time_s_high": time * 1.02, "samples_per_second": rate,
             "lap_s": batch / rate, "accuracy": 0.97, "val_loss": 0.1,
                 "cost_usd": time / 3600 * 0.34, "relative_half_width": 0.02, "set": "a1"} for name,
                 batch, time, rate in workloads]
    boards = [{"n": n, "mode": mode, "runs": 5, "solutions": 1, "as_known": True, "nodes": 1e9,
        "time_s": 2.0, "million_nodes_per_second": speed * (1 + 0.02 * (n - 14)), "speed_up": up,
        "speed_up_over_cores": up / 8, "reason": None}
              for n in (14, 15, 16, 17) for mode, speed, up in (("scalar", 118, 1), ("avx2", 402,
                  3.4), ("8 threads", 2710, 23.0))]
    stages = [{"network": network, "device": device, "runs": 5, "data_load_s": 2.1,
        "data_pre_process_s": 1.2, "compile_s": 0.8, "train_s": train, "evaluate_s": train / 9,
        "total_s": train * 1.3}
              for network, train_cpu in (("embryo-cnn", 210), ("embryo-resnet", 640)) for device,
                  train in (("CPU", train_cpu), ("GPU", train_cpu / 9))]
    return {"suite_runs": runs, "boards": boards, "board_averages": [], "stages": stages,
            "speed_ups": [{"network": network, "device": "GPU", "train_speed_up_percent": gain,
                "evaluate_speed_up_percent": gain * 0.8} for network, gain in (("embryo-cnn", 884),
                ("embryo-resnet", 912))]}


def epochs(rows):
    fans, table = [], []
    for i, row in enumerate(rows[:3]):
        value = lambda epoch: 0.93 - 0.01 * i - 0.55 * math.exp(-epoch / (4 + i))
        seen = 12
        fans.append({"run": row["run"], "metric": "val_accuracy", "target": 0.9,
            "points": [{"epoch": e, "value": value(e) + 0.006 * math.sin(9 * e + i)}
            for e in range(1, seen + 1)]})
        table.append({"run": row["run"], "program": PROGRAM, "machine_type": row["machine_type"],
            "settings": row["settings"], "seen_epochs": seen, "best": value(seen),
                      "epochs": 11.6 + 4 * i, "epochs_low": 10.2 + 3 * i,
                          "epochs_high": 14.5 + 6 * i, "reached": i == 0,
                          "chance_reached": 0.995 - 0.2 * i, "within_epochs": 30,
                          "real_epochs": None})
    return {"epochs": table, "fans": fans}


def compare(dice):
    values = [{"set": side, "run": f"{0xc0ffee00 + i + 100 * (side == 'B'):012x}",
        "value": dice.gauss(0.0421 if side == "A" else 0.0389, 0.0009)} for side in "AB"
        for i in range(14)]
    sets = []
    for side, name in (("A", "before: torch 2.7"), ("B", "after: torch 2.8, channels_last")):
        mine = [row["value"] for row in values if row["set"] == side]
        mean = sum(mine) / len(mine)
        deviation = math.sqrt(sum((value - mean) ** 2 for value in mine) / (len(mine) - 1))
        half = 2.16 * deviation / math.sqrt(len(mine))
        sets.append({"side": side, "set": name, "runs_of": "g5-xlarge", "n": len(mine),
            "mean": mean, "mean_low": mean - half, "mean_high": mean + half, "sd": deviation,
            "min": min(mine), "max": max(mine)})
    return {"sets": sets, "values": values, "metric": "lap_s", "unit": "s",
            "comparison": {"metric": "lap_s", "unit": "s", "larger_is_better": False,
                "gain": 0.0762, "difference": 0.0032, "t": 9.4, "degrees_of_freedom": 25.8,
                "p": 7.1e-10, "effect_size": 3.5}}
