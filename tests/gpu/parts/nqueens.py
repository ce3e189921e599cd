"""N-Queens, built here with nvcc: counts, and the GPU against one thread, plain against plain."""

import os
import re
from pathlib import Path

from builder import build
from session import Skipped

COUNTS = {8: 92, 10: 724, 12: 14200, 14: 365596, 16: 14772512, 18: 666090624}


def program(session):
    if session.imitated:
        found = Path(os.environ.get("LAPCAST_SUITE_DIR", ".")) / "nqueens"
        if not found.exists():
            raise Skipped("nqueens is not built: -DLAPCAST_WORKLOADS=ON")
        return found
    session.needs("nvcc")
    return build(session, "suite/programs/nqueens", "nqueens-build", targets=["nqueens"]) / "nqueens"


def count(session, nqueens, n, algorithm, *options):
    """Returns the seconds of a count, which must be right; notes those that a GPU's kernels took."""
    done = session.run(nqueens, "--n", n, "--algorithm", algorithm, *options)
    found = re.search(r"^(\d+) solutions$", done.out, re.M)
    session.check(found and int(found[1]) == COUNTS[n],
                  f"{n} x {n}, {algorithm} {' '.join(map(str, options))}: {found and found[1]} solutions")
    took = re.search(r"^([\d.]+) s(?:, of which ([\d.]+) s in kernels)?$", done.out, re.M)
    if took[2]:
        session.figure(f"N={n}, {algorithm}: seconds in kernels", float(took[2]))
    return float(took[1])


def run(session):
    nqueens = program(session)
    device = ["--device", "cpu" if session.imitated else "cuda"]
    for n in (8, 10, 12) if session.imitated else (8, 12, 14, 16):
        for algorithm in ("paper", "fast"):
            count(session, nqueens, n, algorithm, *device)
    n = 14 if session.imitated else session.seconds(16, 18)
    on_gpu = min(count(session, nqueens, n, "paper", *device) for _ in range(2))
    on_thread = count(session, nqueens, n, "paper", "--device", "cpu", "--threads", 1)
    session.figure(f"N={n} on the GPU, s", on_gpu)
    # The start of a GPU's process is as long as a small board, so only the large one has a goal.
    goal = (lambda times: times >= 400, ">= 400") if n == 18 else None
    session.figure(f"N={n}: one thread over the GPU", on_thread / max(on_gpu, 1e-9), goal)
    session.probe("--price", "3.5", program=[nqueens, "--n", n, *map(str, device)])
    shown = session.show()
    session.check((shown.get("forecast") or {}).get("time_s"), "a probe has a forecast of its laps")
