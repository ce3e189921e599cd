"""`probe --tune`: the settings of the GPU are tried; equal settings stay equal."""


def run(session):
    program = session.program("conv", "--epochs", 200, "--dtype", "fp32")
    if session.imitated:
        program = session.queued("--lap-ms", 20, "--epochs", 50)
    settings = "all" if session.whole else "precision"
    budget = "10m" if session.imitated else f"{session.seconds(40, 300)}s"
    tuned = session.lapcast("probe", "--json", "--tune", settings, "--search-budget", budget, "--repeats",
                            1 if session.imitated else session.seconds(2, 3), "--", *program)
    session.check(tuned.code == 0, f"the search ends: exit status {tuned.code}")
    rows = tuned.json.get("tuning", []) + tuned.json.get("tuning_changing", [])
    tried = [row.get("settings") or {} for row in rows if row.get("laps")]
    session.check(any("precision" in setting for setting in tried),
                  f"a precision was tried, among {len(rows)} rows")
    for row in rows:
        name = " ".join(f"{key}={value}" for key, value in (row.get("settings") or {}).items())
        session.figure(f"{name or 'default'}: time over the default's", row.get("time_ratio"))
    if session.whole:
        equal_settings(session, program)


def equal_settings(session, program):
    """A variable that nothing reads has two equal values."""
    tuned = session.lapcast("probe", "--json", "--try", "NOTHING_READS_THIS=1,2", "--search-budget", "60s",
                            "--repeats", 2, "--", *program).json
    ratios = [row["time_ratio"] for row in tuned.get("tuning", []) if row.get("time_ratio")]
    if session.check(len(ratios) >= 2, "equal settings were measured"):
        session.figure("longest over shortest time of equal settings", max(ratios) / min(ratios),
                       (lambda ratio: ratio <= 1.04, "<= 1.04"))
