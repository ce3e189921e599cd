# Measures `lapcast report` over 500 runs of 2,000 laps, median ms of 5, and the size in MB.
# Goal: at most 1,000 ms and 12 MB.
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

from common import ROOT, print_figure, seconds_of

RUNS, EPOCHS, LAPS_OF_EPOCH = 500, 10, 200


def lap_log(random, lap_ns):
    """Returns the log of a training of ten epochs, each with a validation and a value of a metric;
    laps vary by 3 %, and one in 500 is a stall."""
    at = 300_000_000
    lines = ["lapcast-laps 1", "0 hello clock=1000000000 wall=1790000000.0 pid=1 rank=0 world=1 "
             "host=box emitter=lap.h/1", f"1000 plan epochs={2 * EPOCHS} iterations={LAPS_OF_EPOCH} "
             f"batch=64 train={64 * LAPS_OF_EPOCH} validation=1000"]
    for epoch in range(1, EPOCHS + 1):
        lines.append(f"{at} epoch-begin {epoch}")
        for _ in range(LAPS_OF_EPOCH):
            at += int(lap_ns * random.gauss(1, 0.03) * (5 if random.random() < 0.002 else 1))
            lines.append(f"{at} i 64")
            at += random.randint(2_000, 9_000)
        lines.append(f"{at} epoch-end {epoch}")
        lines.append(f"{at} validation-begin")
        at += 20 * lap_ns
        lines.append(f"{at} validation-end 1000")
        lines.append(f"{at} metric val_accuracy {1 - 0.5 / epoch:.4f}")
    return "\n".join(lines) + "\n", at


def run_of(template, number):
    """Returns a run as an export has it: 20 machine types with prices, and 25 learning rates."""
    generator = random.Random(number)
    machine, rate = divmod(number, 25)
    log, end_ns = lap_log(generator, int(4e6 * (1 + machine / 10) * (1 + rate / 100)))
    name = f"gpu-{machine}"
    price = template["price"] | {"name": name, "machine_type": name,
                                 "usd_per_hour": f"{3 / (1 + machine / 12):.4f}"}
    return template | {
        "id": f"{number + 1:012x}", "sweep": "5eeb", "kind": "probe", "settings": {"lr": f"0.{rate + 1:03}"},
        "program": ["./train", "--lr", "{lr}"], "price": price,
        "machine_type": {"name": name, "cpus": [], "environment": {}},
        "outcome": {"kind": "budget-spent", "which": "time budget of 60 s"}, "lap_logs": [log],
        "started_ns": 900_000_000, "ended_ns": 1_100_000_000 + end_ns}


def main(build):
    lapcast = f"{build}/lapcast"
    template = json.loads((ROOT / "tests/golden/stories/runs.jsonl").read_text().splitlines()[0])
    template.pop("stop_sent_ns", None)
    with tempfile.TemporaryDirectory() as folder:
        lines = (json.dumps(run_of(template, number)) for number in range(RUNS))
        export = pathlib.Path(folder, "runs.jsonl")
        export.write_text("\n".join(lines) + "\n")
        store = ["--store", f"{folder}/runs.db", "--quiet"]
        subprocess.run([lapcast, *store, "import", export], check=True, stdout=subprocess.DEVNULL)
        page = pathlib.Path(folder, "report.html")
        report = [lapcast, *store, "report", "--sweep", "5eeb", "-o", page]
        seconds_of(report)  # warms up
        times = sorted(seconds_of(report) for _ in range(5))
        print(f"a report over {RUNS} runs: {1e3 * times[0]:.0f} to {1e3 * times[-1]:.0f} ms")
        rank = statistics.median(seconds_of([lapcast, *store, "rank", "--sweep", "5eeb"]) for _ in range(3))
        print(f"lapcast rank over the same store: {1e3 * rank:.0f} ms")
        print_figure("report-write size", page.stat().st_size / 1e6, "MB")
        print_figure("report-write", 1e3 * statistics.median(times), "ms")


main(sys.argv[1])
