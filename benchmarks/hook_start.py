# Measures what the hook adds to the start of an interpreter that imports no framework. Goal: at
# most 5 ms.
#
# Starts with and without the hook alternate; the figure is the difference of the medians. The line
# above it is the same for interpreters that may not keep compiled modules (PYTHONDONTWRITEBYTECODE,
# as in many containers).
import os
import shutil
import statistics
import sys
import tempfile

from common import ROOT, print_figure, seconds_of

ROUNDS = 60


def hooked_environment(folder, plain):
    """Copies the hook as lapcast unpacks it. Returns the environment of a hooked program."""
    hook = f"{folder}/hook"
    shutil.copytree(ROOT / "python/hook", hook, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "python/lapcast", f"{hook}/lapcast",
                    ignore=shutil.ignore_patterns("__pycache__"))
    return {**plain, "PYTHONPATH": hook, "LAPCAST_LOG_DIR": folder}


def more_ms(plain, hooked):
    """Returns (start in ms, additional ms with the hook)."""
    command = [sys.executable, "-c", "pass"]
    seconds_of(command, env=hooked)  # the first start compiles
    without, with_hook = [], []
    for _ in range(ROUNDS):
        without.append(seconds_of(command, env=plain))
        with_hook.append(seconds_of(command, env=hooked))
    start = statistics.median(without)
    return 1e3 * start, 1e3 * (statistics.median(with_hook) - start)


plain = {key: value for key, value in os.environ.items()
         if not key.startswith(("PYTHON", "LAPCAST"))}
plain_uncompiled = {**plain, "PYTHONDONTWRITEBYTECODE": "1"}
with tempfile.TemporaryDirectory() as folder:
    _, uncompiled = more_ms(plain_uncompiled, {**hooked_environment(folder, plain),
                                               "PYTHONDONTWRITEBYTECODE": "1"})
with tempfile.TemporaryDirectory() as folder:
    start, more = more_ms(plain, hooked_environment(folder, plain))
print(f"an interpreter starts in {start:.1f} ms; where compiled modules are not kept, the hook adds "
      f"{uncompiled:.2f} ms")
print_figure("hook-start", more, "ms")
