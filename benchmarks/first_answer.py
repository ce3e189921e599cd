# Measures the seconds from the first lap of a training to the first forecast on the screen, for
# laps of 50 ms. Goal: at most 3.
#
# lapcast runs on a terminal, whose live line tells it. The figure is the median for `probe`; the
# lines above it are those of both commands. Start-up, of the program and its imports, is not
# counted. It needs the frameworks' environment, $LAPCAST_FRAMEWORKS.
import fcntl
import os
import pathlib
import pty
import re
import statistics
import subprocess
import sys
import tempfile
import termios
import time

from common import frameworks_python, print_figure

ROUNDS = 7
# Each lap repeats its work so often that it takes 50 ms.
PROGRAM = """
import sys, time
import torch

torch.set_num_threads(1)
model = torch.nn.Linear(256, 256)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x = torch.randn(256, 256)

def work():
    optimizer.zero_grad()
    model(x).square().mean().backward()

for _ in range(20):
    work()
begin = time.perf_counter()
for _ in range(50):
    work()
repeats = max(1, round(0.05 * 50 / (time.perf_counter() - begin)))
with open(sys.argv[1], "w") as first:
    first.write(str(time.monotonic()))
for step in range(int(sys.argv[3])):
    for _ in range(repeats):
        work()
    optimizer.step()
"""
# What tells a forecast of the whole training: a live line, or the answer.
FORECASTS = {"probe": rb"forecast \d|Time  ", "watch": rb"left \(\d"}


def seconds_until(lapcast, command, folder):
    """Returns the time from the first lap until the forecast of the command is on the screen."""
    program, first = f"{folder}/train.py", pathlib.Path(folder, "first")
    pathlib.Path(program).write_text(PROGRAM)
    terminal, end = pty.openpty()
    environment = dict(os.environ, LAPCAST_STORE=f"{folder}/store.db", TERM="xterm", NO_COLOR="1")
    running = subprocess.Popen([lapcast, command, "--", frameworks_python("first-answer"), program,
                                first, "--steps", "2000"], stdin=end, stdout=end, stderr=end,
                               env=environment, start_new_session=True,
                               preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
    os.close(end)
    screen = b""
    try:
        while not re.search(FORECASTS[command], screen):
            try:
                screen += os.read(terminal, 65536)
            except OSError:  # it ended
                shown = screen.decode(errors="replace")
                raise SystemExit(f"{command} showed no forecast:\n{shown}")
        return time.monotonic() - float(first.read_text())
    finally:
        running.terminate()
        running.wait()
        os.close(terminal)


def main(lapcast):
    seconds = {command: [] for command in FORECASTS}
    for _ in range(ROUNDS):
        for command in FORECASTS:
            with tempfile.TemporaryDirectory() as folder:
                seconds[command].append(seconds_until(lapcast, command, folder))
    for command, values in seconds.items():
        print(f"{command}: median {statistics.median(values):.2f} s, {min(values):.2f} to "
              f"{max(values):.2f}")
    print_figure("first-answer", statistics.median(seconds["probe"]), "s")


main(f"{sys.argv[1]}/lapcast")
