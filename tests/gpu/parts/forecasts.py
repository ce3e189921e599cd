"""Programs that are probed and then run to their end: is the real time inside the interval, and how
far off is the middle? And a sweep of batch sizes and types: what does the pick lose?"""

import statistics


def programs(session):
    if session.imitated:
        return [("conv", (), session.program("conv", "--epochs", 3, "--samples", 640, "--size", 16, "--width", 4,
                                             "--workers", 0))]
    if not session.whole:
        return [("conv", (), session.program("conv", "--epochs", 5))]
    return [
        ("conv", (), session.program("conv", "--epochs", 20)),
        ("small_steps", (), session.program("small_steps", "--epochs", 12), "--steps", 18000),
        ("CUDA graph", (), session.program("small_steps", "--graph", "--epochs", 20), "--steps", 30000),
        ("gpt", (), session.program("gpt", "--max_iters", 400)),
        ("hf_trainer", ("transformers",), session.program("hf_trainer")),
        ("lightning_fit", ("lightning",), session.program("lightning_fit"))]


def probe_and_run(session, name, command, *options):
    """Returns the error and whether it was inside, of each real run."""
    probed = session.probe("--price", "3.5", *options, program=command).json
    forecast = probed["forecast"]
    if not session.check(forecast["time_s"], f"{name}: there is a forecast: {forecast['reason'] or 'yes'}"):
        return []
    found = []
    for _ in range(session.seconds(1, 2)):
        done = session.run(*command)
        if session.check(done.code == 0, f"{name}: runs to its end"):
            error = forecast["time_s"] / done.seconds - 1
            inside = forecast["time_s_low"] <= done.seconds <= forecast["time_s_high"]
            session.figure(f"{name}: forecast {forecast['time_s']:.1f} s "
                           f"({forecast['time_s_low']:.1f}-{forecast['time_s_high']:.1f}), real",
                           round(done.seconds, 2))
            found.append((error, inside))
    return found


def sweep(session):
    """Sweeps batch sizes and types, verifies all, and judges the pick."""
    program = session.program("conv", "--batch", "{batch}", "--dtype", "{dtype}", "--epochs", session.seconds(4, 6))
    if session.imitated:
        program = session.queued("--batch", "{batch}", "--name", "{dtype}", "--lap-ms", 20, "--epochs", 6)
    batches, types = ("32,128,400", "fp32,bf16") if session.whole else ("64,256", "bf16")
    swept = session.lapcast("sweep", "--json", "--batch", batches, "--set", f"dtype={types}",
                            "--price", "3.5", "--", *program)
    wanted = len(batches.split(",")) * len(types.split(","))
    session.check(swept.code == 0 and len(swept.json["probes"]) == wanted,
                  f"the sweep probed {wanted} candidates: exit status {swept.code}")
    verified = session.lapcast("verify", "--all", "--json").json
    session.check(verified["errors"]["known"] == wanted, f"all {wanted} ran to their end")
    for row in verified["verified"]:
        session.figure(f"sweep: error of {row['settings']}", row["error"])
    session.figure("sweep: median error", verified["errors"]["median_absolute_error"],
                   (lambda error: error <= 0.06, "<= 0.06"))
    session.figure("sweep: regret by time", verified["regret"]["time"]["regret"],
                   (lambda regret: regret <= 0.03, "<= 0.03"))


def run(session):
    found = []
    for name, modules, command, *options in programs(session):
        if not session.lacks(name, *modules):
            found += probe_and_run(session, name, command, *options)
    outside = sum(not inside for _, inside in found)
    session.figure("real runs outside their interval", outside, (lambda count: count <= 1, "<= 1"))
    session.figure("median error of the forecasts",
                   statistics.median(abs(error) for error, _ in found) if found else None,
                   (lambda error: error <= 0.06, "<= 0.06"))
    sweep(session)
