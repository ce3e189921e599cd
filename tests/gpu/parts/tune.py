"""`probe --tune`: the settings of the GPU are tried, first where it is the limit; equal settings stay
equal."""

import json


def run(session):
    program = session.program("conv", "--epochs", 200, "--dtype", "fp32")
    if session.imitated:
        program = session.queued("--lap-ms", 20, "--epochs", 50)
    settings = "all" if session.whole else "wait,precision"
    budget = "10m" if session.imitated else f"{session.seconds(40, 300)}s"
    tuned = session.lapcast("probe", "--json", "--tune", settings, "--search-budget", budget, "--repeats",
                            1 if session.imitated else session.seconds(2, 3), "--", *program)
    session.check(tuned.code == 0, f"the search ends: exit status {tuned.code}")
    rows = tuned.json.get("tuning", []) + tuned.json.get("tuning_changing", [])
    tried = [row.get("settings") or {} for row in rows if row.get("laps")]
    session.check(any("precision" in setting for setting in tried),
                  f"a precision was tried, among {len(rows)} rows")
    what_comes_first(session, tuned.json["tuned"].get("gpu_busy_share"))
    for row in rows:
        name = " ".join(f"{key}={value}" for key, value in (row.get("settings") or {}).items())
        session.figure(f"{name or 'default'}: time over the default's", row.get("time_ratio"))
    if session.whole:
        equal_settings(session, program)


def what_comes_first(session, busy):
    """A GPU that is busy is the limit: what changes its work is tried before what the host does."""
    session.figure("GPU busy with the default, a share", busy)
    runs = [json.loads(line) for line in session.lapcast("export").out.splitlines()]
    of_gpu, of_host = ([run["started_at"] for run in runs if names & set(run.get("settings", {}))]
                       for names in ({"precision", "layout", "compile"},
                                     {"threads", "malloc", "wait", "isa", "workers"}))
    if busy is not None and busy >= 0.895 and of_gpu and of_host:
        session.check(max(of_gpu) <= min(of_host), "settings of a busy GPU are tried before the host's")


def equal_settings(session, program):
    """A variable that nothing reads has two equal values."""
    tuned = session.lapcast("probe", "--json", "--try", "NOTHING_READS_THIS=1,2", "--search-budget", "60s",
                            "--repeats", 2, "--", *program).json
    ratios = [row["time_ratio"] for row in tuned.get("tuning", []) if row.get("time_ratio")]
    if session.check(len(ratios) >= 2, "equal settings were measured"):
        session.figure("longest over shortest time of equal settings", max(ratios) / min(ratios),
                       (lambda ratio: ratio <= 1.04, "<= 1.04"))
