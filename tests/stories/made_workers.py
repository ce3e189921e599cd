"""Makes runs of one training on several workers, with laps of exact times, to be imported: nothing is
measured."""

import copy

from made_runs import TEMPLATE


def run_on_workers(number, workers, lap_s, *, batch=32, global_batch=False, samples=50000, laps=60, nodes=1,
                   price=None, slowest=1.02, settings=()):
    """Returns a run of `workers` processes, each with its own log. The last rank's laps are `slowest` times as
    long, and all wait for them. `batch` is that of a worker, or of all where it is global. `settings` are more of them."""
    run = copy.deepcopy(TEMPLATE)
    started = 1000 * 10**9
    own = batch // workers if global_batch else batch
    program = ["torchrun", "--nproc-per-node", "{workers}", "train.py", "--batch", "{batch}"]
    run |= {"id": f"{number:012x}", "kind": "probe", "program": program,
            "settings": {"batch": str(batch), "workers": str(workers), **dict(settings)},
            "plan": dict(run["plan"], epochs=0), "started_ns": started, "sweep": "",
            "started_at": f"2026-11-28T12:{number % 60:02}:00Z",
            "outcome": {"kind": "enough", "rule": f"{laps} steady laps within 1 %"}}
    run["machine_type"] = dict(run["machine_type"], name="8xA5000")
    run.pop("stop_sent_ns", None)
    if price:
        run["price"] = dict(run["price"], name="8xA5000", machine_type="8xA5000", usd_per_hour=price,
                            billing_step_ns=10**9)
    else:
        run.pop("price", None)
    run["lap_logs"] = []
    for rank in range(workers):
        now = 20 * 10**9
        lines = [f"lapcast-laps 1\n0 hello clock={started} wall=1790000000.0 pid={rank + 1} rank={rank} "
                 f"world={workers} host=box{rank * nodes // workers} emitter=python/1",
                 f"0 plan epochs=90 iterations={-(-samples // (own * workers))} batch={own} train={samples}",
                 f"{now} epoch-begin 1"]
        for lap in range(laps):
            wobble = 1 + 0.01 * ((lap * 7) % 5 - 2) / 2
            late = slowest if rank == workers - 1 else 1
            end = now + int(lap_s * wobble * 1e9)
            lines.append(f"{end - int((slowest - late) * 1e6)} i {own}")
            now = end
        run["lap_logs"].append("\n".join(lines) + "\n")
    run["ended_ns"] = started + now + 1_000_000
    return run
