# Measures the whole process of `lapcast --version`, of `lapcast --help` and of `lapcast runs` on an
# empty store, median of 50 each; the figure is the largest. Goal: at most 3 ms.
#
# --version is answered before the commands are made; the others make all of them.
import os
import statistics
import subprocess
import sys
import tempfile
import time

from common import print_figure


def once(*command):
    null = os.open(os.devnull, os.O_WRONLY)
    begin = time.perf_counter()
    pid = os.posix_spawn(command[0], command, os.environ,
                         file_actions=[(os.POSIX_SPAWN_DUP2, null, 1)])
    _, status = os.waitpid(pid, 0)
    elapsed = time.perf_counter() - begin
    os.close(null)
    if status != 0:
        raise SystemExit(f"{' '.join(command)} failed")
    return 1e3 * elapsed


def median_of(*command):
    once(*command)  # warms up
    times = sorted(once(*command) for _ in range(50))
    median = statistics.median(times)
    name = " ".join(os.path.basename(word) for word in command)
    print(f"{name}: median {median:.2f} ms, fastest {times[0]:.2f}, slowest {times[-1]:.2f} of 50")
    return median


def make_empty_store(lapcast):
    """Makes a store without a run: the only one is taken out again."""
    subprocess.run([lapcast, "--quiet", "watch", "--", "true"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run([lapcast, "runs", "rm", "last"], check=True, stdout=subprocess.DEVNULL)


lapcast = f"{sys.argv[1]}/lapcast"
with tempfile.TemporaryDirectory() as folder:
    os.environ["LAPCAST_STORE"] = f"{folder}/lapcast.db"
    make_empty_store(lapcast)
    medians = [median_of(lapcast, *words) for words in (["--version"], ["--help"], ["runs"])]
median_of("/bin/true")
print_figure("startup", max(medians), "ms")
