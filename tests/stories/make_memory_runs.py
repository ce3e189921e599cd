"""Writes tests/golden/pages/memory.jsonl, the runs of docs/memory.md: made ones, of a program on a GPU with 16 GB
and on two CPUs. Nothing is measured."""

import copy
import json
import pathlib

from made_runs import GOLDEN, TEMPLATE

GIB = 1 << 30


def run_of(number, sweep, machine, batch, samples, lap_s, price, outcome=None):
    """samples(batch, second): the lines of the sampler's log besides the laps."""
    run = copy.deepcopy(TEMPLATE)
    started = (1000 + 10 * number) * 10**9
    run |= {"id": f"{number:012x}", "sweep": sweep, "settings": {"batch": str(batch)},
            "program": ["python3", "train.py", "--batch-size", "{batch}", "--epochs", "20"],
            "started_ns": started, "started_at": f"2026-11-28T12:{number % 60:02}:00Z",
            "outcome": outcome or {"kind": "ended"}}
    run["machine"] |= {"memory_bytes": 32 * GIB}
    run["machine_type"] = {"name": machine, "cpus": [], "environment": {}}
    run["price"] |= {"name": machine, "machine_type": machine, "usd_per_hour": price}
    run.pop("stop_sent_ns", None)
    hello = f"clock={started} wall=1790000000.0 host=box"
    laps = [f"lapcast-laps 1\n0 hello {hello} pid=1", f"1000 plan epochs=20 iterations=12 batch={batch} train={12 * batch}"]
    load = [f"lapcast-laps 1\n0 hello {hello} pid=2 emitter=lapcast-load/1"]
    now = 0
    for lap in range(0 if outcome else 12):
        now += int(lap_s * 1e9)
        laps.append(f"{now} i {batch}")
        load += [f"{now} {line}" for line in samples(lap)]
    run["usage"]["peak_rss_bytes"] = 1 * GIB
    run["lap_logs"] = ["\n".join([*laps, *(f"{now} {line}" for line in samples(-1))]) + "\n", "\n".join(load) + "\n"]
    run["ended_ns"] = started + now + 1_000_000
    return run


def on_gpu(number, batch):
    allocator, driver = int((1.9 + 0.151 * batch) * GIB), int((3.1 + 0.189 * batch) * GIB)

    def samples(lap):
        if lap < 0:
            return [f"device-memory {allocator}"]
        return [f"load 500000000 memory={2 * GIB}",
                f"gpu 0 busy=97 memory={driver} of={16 * GIB} program=1 program-memory={driver}"]

    return run_of(number, "5eeb00000048", "gpu-16gb", batch, samples, 0.05 + 0.004 * batch, "0.5")


def on_cpus(number, batch, fits=True):
    used = int((0.6 + 0.11 * batch) * GIB)
    lack = {"kind": "crashed", "exit_status": 0, "signal": 9, "out_of_main_memory": {
        "message": "lapcast ended it when it wanted more than 30.1 GiB, 95 % of what was free", "batch": str(batch),
        "peak_bytes": int(29.8 * GIB)}}
    run = run_of(number, "5eeb00000049", "two-cpus", batch, lambda lap: [f"load 500000000 memory={used}"] if lap >= 0 else [],
                 0.1 + 0.02 * batch, "0.1", None if fits else lack)
    run["usage"]["peak_rss_bytes"] = used if fits else int(29.8 * GIB)
    return run


runs = [on_gpu(0x480, 16), on_gpu(0x481, 48), on_cpus(0x490, 8), on_cpus(0x491, 32), on_cpus(0x492, 256),
        on_cpus(0x493, 384, fits=False)]
(GOLDEN.parent / "pages" / "memory.jsonl").write_text("".join(json.dumps(run) + "\n" for run in runs))
