"""What lapcast samples of a GPU under load: how often, how busy, its memory and power; and the
driver's counter of energy against power x time."""

import statistics

from nvml import Gpu, Metered


def near(share, text):
    return (lambda value: abs(value - 1) <= share, text)


def run(session):
    session.needs_driver()
    seconds = 4 if session.imitated else session.seconds(8, 40)
    with Metered(Gpu()) as metered:
        done = session.watch(program=session.program("load", "--seconds", seconds))
    session.check(done.code == 0, f"the load ends: exit status {done.code}")
    if session.check(metered.by_counter is not None and metered.by_power is not None,
                     "the driver tells energy and power"):
        session.figure("energy by the counter over power x time", metered.by_counter / metered.by_power,
                       near(0.1, "1 within 10 %"))
    run_ = session.export()
    samples = run_.gpu_lines().get(0, [])
    if not session.check(samples, "the run's log has samples of the GPU"):
        return
    session.figure("samples of the whole run", len(samples))
    session.check(all(0 < s.get("memory", 0) <= s.get("of", 0) for s in samples), "each has its memory")
    powers = run_.load_fields("gpu-mw")
    if session.check(powers, "the run's log has the GPU's power"):
        session.figure("lapcast's mean power over the counter's",
                       statistics.mean(powers) / 1e3 / metered.by_counter, near(0.1, "1 within 10 %"))
    shown = session.show()
    if session.check(shown.get("gpus"), "`show` has a table of GPUs"):
        session.figure("busy", shown["gpus"][0]["mean_busy"], (lambda busy: busy >= 0.8, ">= 0.8"))
    rate_in_a_probe(session)


def rate_in_a_probe(session):
    """A probe is short, so it samples more often than a long run."""
    session.probe("--precision", "0.001%", "--budget", "4s", program=session.program("load", "--seconds", 60))
    times = [sample["time_s"] for sample in session.export().gpu_lines().get(0, [])]
    gaps = [after - before for before, after in zip(times, times[1:])]
    if session.check(gaps, "a probe has samples of the GPU"):
        session.figure("samples a second in a probe", 1 / statistics.median(gaps),
                       (lambda rate: rate >= 4, ">= 4"))
