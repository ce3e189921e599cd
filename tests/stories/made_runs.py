"""Makes runs with laps of exact times, to be imported: nothing is measured."""

import copy
import json
import pathlib

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden" / "stories"
[TEMPLATE] = [run for run in map(json.loads, (GOLDEN / "runs.jsonl").read_text().splitlines())
              if run["id"] == "000000000009"]


def made_run(number, kind, batch, epochs, laps, begun_s, machine="small", price="0.1", step_s=0,
             outcome=None):
    """Returns a run of so many epochs; laps(epoch, lap) are the seconds of each of its 4 laps."""
    run = copy.deepcopy(TEMPLATE)
    started = begun_s * 10**9
    run |= {"id": f"{number:012x}", "kind": kind, "settings": {"batch": str(batch)},
            "plan": dict(run["plan"], epochs=0), "started_ns": started,
            "started_at": f"2026-11-20T12:{number % 60:02}:00Z",
            "outcome": outcome or {"kind": "ended"}}
    run["machine_type"] = dict(run["machine_type"], name=machine)
    run["price"] = dict(run["price"], name=machine, machine_type=machine, usd_per_hour=price,
                        billing_step_ns=step_s * 10**9)
    run.pop("stop_sent_ns", None)
    now = 50_000_000
    lines = [f"lapcast-laps 1\n0 hello clock={started} wall=1790000000.0 pid=1 host=box"]
    for epoch in range(1, epochs + 1):
        lines.append(f"{now} epoch-begin {epoch}")
        for lap in range(4):
            now += int(laps(epoch, lap) * 1e9)
            lines.append(f"{now} i 64")
        lines.append(f"{now} epoch-end {epoch}")
    run["lap_logs"] = ["\n".join(lines) + "\n"]
    run["ended_ns"] = started + now + 1_000_000
    return run
