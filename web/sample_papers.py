"""Makes the parts of the sample about repeated runs and about figures of papers: made numbers with
something for every kind of chart."""
import itertools
import math

MACHINES = {"small": 210.0, "fast-gpu": 88.0, "dear-gpu-with-a-long-name": 86.0}


def repeats(dice):
    names = [f"{machine} batch=128" for machine in MACHINES]
    rows, values, times = [], [], []
    for group, (machine, mean) in enumerate(MACHINES.items(), 1):
        mine = [mean * dice.gauss(1, 0.03) for _ in range(10)]
        times.append(mine)
        values.append({"group": group, "run": f"{0xd00d00 + 100 * group:012x}",
            "time_s": 1.3 * mean, "warm_up": True})
        values += [{"group": group, "run": f"{0xd00d00 + 100 * group + i:012x}", "time_s": time,
            "warm_up": False} for i, time in enumerate(mine, 1)]
        rows.append({"number": group, "machine_type": machine, "settings": {"batch": 128}, "n": 10,
            "warm_ups": 1, "time_s": sum(mine) / 10, "baseline": group == 1})
    tests = [{"metric": metric, "a": names[a], "b": names[b], "p": p / 2, "adjusted_p": p,
        "effect_size": 3.1, "differs": p < 0.05} for metric in ("time", "accuracy", "test-time")
        for (a, b), p in zip(itertools.combinations(range(3), 2), (1e-12, 3e-11, 0.31))]
    return [{"schema": 1, "command": "repeat", "notes": [], "repeats": rows, "repeat_tests": tests,
        "names": names, "values": values}]


def chart(kind, figure, shows, x, y, unit, series):
    return {"paper": "malta", "figure": figure, "shows": shows, "caption": "Paper: table 4.1, "
        "section 4.2. Yours: runs to their end in the store.", "kind": kind, "x": x,
        "y": y, "unit": unit, "series": [{"name": name, "own": name.startswith("yours"),
            "points": points} for name, points in series.items()]}


def papers():
    batches = (256, 512, 1024, 2048)
    line = lambda base: [{"x": batch, "y": base * (1 + 100 / batch), "deviation": base / 10}
        for batch in batches]
    cost = lambda base: [{"x": base * (1 + 100 / batch), "y": 4 / base, "label": f"batch={batch}"}
        for batch in batches]
    grows = lambda start, step: [{"x": n, "y": start + step * n} for n in (5, 10, 20)]
    bars = lambda names, base: [{"x": 0, "y": base + i, "label": name}
        for i, name in enumerate(names)]
    charts = [
        chart("lines", "4.3", "runtime against batch size", "batch size", "time", "s",
            {"paper: p2.xlarge": line(150.0), "yours: this-machine": line(4000.0)}),
        chart("cost-time", "4.6", "cost against runtime", "time", "cost", "s",
            {"paper: p2.xlarge": cost(150.0), "yours: this-machine": cost(90.0)}),
        chart("epochs", "5.4", "simulated time against epochs", "epochs", "time", "s",
            {"paper: p2.xlarge": grows(5.0, 9.0), "paper: p3.8xlarge": grows(70.0, 2.0)}),
        chart("bars", "2", "speed-ups", "x one thread", "", "ratio",
            {"paper": bars(["Server GPU", "Colab GPU"], 18.0), "yours": bars(["yours: GPU"], 40.0)}),
        chart("stacks", "7-9", "stages", "time", "", "s", {
            "train": bars(["paper: CPU", "paper: GPU", "yours: cpu"], 38.0),
            "evaluate": bars(["paper: CPU", "paper: GPU", "yours: cpu"], 2.0)}),
        chart("boxes", "6.1", "training time per platform", "", "time", "s",
            {"paper": bars(["P100", "V100"], 45.0), "yours": [{"x": 0, "y": 60 + math.sin(i),
                "label": "yours: this-machine"} for i in range(9)]}),
    ]
    figures = [{"paper": each["paper"], "figure": each["figure"], "place": "section 4.2",
        "shows": each["shows"], "drawn_from": "table 4.1", "with_own_runs": True,
        "command": "lapcast suite run seismic-fcn", "note": None} for each in charts]
    return {"schema": 1, "command": "report", "notes": [], "figures": figures, "charts": charts}
