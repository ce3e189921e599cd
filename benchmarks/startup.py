# Measures `lapcast --version` as a whole process, median of 50. Goal: at most 3 ms.
import os
import statistics
import sys
import time

from common import print_figure


def once(program):
    null = os.open(os.devnull, os.O_WRONLY)
    begin = time.perf_counter()
    pid = os.posix_spawn(program, [program, "--version"], os.environ,
                         file_actions=[(os.POSIX_SPAWN_DUP2, null, 1)])
    os.waitpid(pid, 0)
    elapsed = time.perf_counter() - begin
    os.close(null)
    return 1e3 * elapsed


lapcast = f"{sys.argv[1]}/lapcast"
once(lapcast)  # warms up
times = sorted(once(lapcast) for _ in range(50))
print(f"lapcast --version: fastest {times[0]:.2f} ms, slowest {times[-1]:.2f} ms of 50")
floor = statistics.median(once("/bin/true") for _ in range(50))
print(f"/bin/true in the same way: median {floor:.2f} ms")
print_figure("startup", statistics.median(times), "ms")
