"""Batches that grow until the GPU's memory is out: the outcome says so, and the peak before."""


def batches(session):
    if session.imitated:
        return [64, 4096]
    return [64, 256, 1024, 4096, 16384] if session.whole else [64, 16384]


def run(session):
    options = ["--size", 8, "--width", 2, "--samples", 8192, "--epochs", 2, "--workers", 0] \
        if session.imitated else ["--size", 224, "--dtype", "fp32", "--samples", 65536, "--workers", 4]
    peaks, outcome = [], ""
    for batch in batches(session):
        done = session.probe("--max-laps", 6, "--budget", "25s",
                             program=session.program("conv", "--batch", batch, *options))
        probed = session.show()
        outcome = probed["run"]["outcome_text"]
        peak = probed["run"].get("peak_device_memory_bytes")
        if done.code != 0:
            break
        session.check(peak, f"batch {batch}: its peak is known")
        peaks.append(peak or 0)
        session.figure(f"batch {batch}: peak MiB", round((peak or 0) / 2**20))
    session.check(done.code != 0 and "out of GPU memory" in outcome and f"batch {batch}" in outcome,
                  f"the outcome says that the GPU's memory is out at batch {batch}: {outcome}")
    session.check(peaks == sorted(set(peaks)), "a larger batch has a higher peak")
