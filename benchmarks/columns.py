# Runs each command of lapcast with each of its options once and counts the lines that are wider than 80
# columns, break an id or have escapes on a dumb terminal. Goal: 0.
#
# Commands, options and kinds of values are those of `lapcast man`; tests/stories/wide_lines.py has a value for
# each kind, and makes what commands are run over: a store with short names and one with long names. Each command
# runs on a terminal of 80 columns, on one that is dumb, and through a pipe with COLUMNS=80; so does each help and
# each page. What runs programs does so over the long names only. Arguments: the first words of the commands that
# are run. It needs the fake trainer.
import os
import pathlib
import sys
import tempfile

from common import ROOT, print_figure

build = pathlib.Path(sys.argv[1]).resolve()
os.environ |= {"LAPCAST": str(build / "lapcast"), "FAKE_TRAINER": str(build / "tests/fake_trainer")}
sys.path.insert(0, str(ROOT / "tests" / "stories"))
from conftest import Story, enter_own_network
from wide_lines import MODES, Attempts, Store

enter_own_network()  # nothing waits for what others measure
words = " ".join(sys.argv[2:])
wrong, runs, refused = 0, 0, {}


def run(store, command):
    """Runs a command in all modes; counts and prints its wrong lines, and keeps its error where it is refused."""
    global wrong, runs
    runs += 1
    for mode in MODES:
        code, written, lines = store.run(command, mode)
        if lines:
            print(f"{mode}: {len(lines)} lines, the widest of {max(map(len, lines))} columns: lapcast {command}")
            print("".join(f"    {line}\n" for line in lines), end="", flush=True)
        wrong += len(lines)
        if code == 2:
            refused[command] = " ".join(written.decode().split())


for long in (False, True):
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Story(pathlib.Path(folder)), long)
        attempts = Attempts(store)
        for command in attempts.stored + long * (attempts.running + attempts.helps):
            if command.startswith(words):
                run(store, command)
for line in attempts.left_out:
    print(f"left out: {line}")
for command, message in refused.items():
    print(f"refused: lapcast {command}\n    {message}")
print(f"{runs} commands, {len(refused)} of them refused, in {len(MODES)} ways each")
print_figure("columns", wrong, "lines")
