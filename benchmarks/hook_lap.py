# Measures one iteration reported from Python, with its share of writing it. Goal: at most 0.6 us.
#
# A round has a thousand iterations, with as many writes of the buffer as in a real run (every 100
# ms), so the figure includes the formatting. The time of the empty loop is subtracted.
import os
import pathlib
import statistics
import sys
import tempfile
import time

from common import ROOT, print_figure

ROUNDS, LAPS = 400, 1000


def loop_ns(function):
    """Returns the ns per call in each round."""
    times = []
    for _ in range(ROUNDS):
        begin = time.perf_counter_ns()
        for _ in range(LAPS):
            function()
        times.append((time.perf_counter_ns() - begin) / LAPS)
    return times


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LAPCAST_LOG_DIR"] = folder
        sys.path.insert(0, str(ROOT / "python"))
        from lapcast._log import log
        from lapcast._report import report

        report.take("bench", report.LOOP)
        iteration = report.iteration
        empty = statistics.median(loop_ns(lambda: None))
        clock = statistics.median(loop_ns(time.perf_counter)) - empty
        times = []
        for _ in range(ROUNDS):
            begin = time.perf_counter_ns()
            for _ in range(LAPS):
                iteration("bench", 128)
            log.write(time.monotonic_ns())
            times.append((time.perf_counter_ns() - begin) / LAPS)
        only_log = list(pathlib.Path(folder).glob("laps.*.log"))[0]
        lines = sum(line.endswith(b" i 128\n") for line in only_log.open("rb"))
        assert lines == ROUNDS * LAPS, f"{lines} laps in the log"
    print(f"time.perf_counter by itself: {clock / 1e3:.3f} us")
    print(f"fastest round {min(times) / 1e3:.3f}, slowest {max(times) / 1e3:.3f} us an iteration")
    print_figure("hook-lap", statistics.median(times) / 1e3, "us")


main()
