"""Tests what people see on a terminal of 80 and of 120 columns: nothing is wider than it, and no
live line is left on it."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

import pytest

pyte = pytest.importorskip("pyte", reason="the package python3-pyte is missing")

WIDTHS = [80, 120]


class Terminal:
    """Runs commands of a story on a terminal."""

    def __init__(self, story, columns):
        self.story, self.columns = story, columns

    def run(self, *arguments, seconds=60):
        """Returns the exit code, the bytes that were written, and the lines that stay."""
        main, side = pty.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 50, self.columns, 0, 0))
        process = self.story.start(*arguments, stdin=subprocess.DEVNULL, stdout=side, stderr=side,
                                   env={"LC_ALL": "C.UTF-8", "TERM": "xterm"})
        os.close(side)
        written, end = b"", time.monotonic() + seconds
        while time.monotonic() < end:
            if not select.select([main], [], [], 0.1)[0]:
                continue
            try:
                data = os.read(main, 65536)
            except OSError:  # the other side is closed
                break
            if not data:
                break
            written += data
        os.close(main)
        code = process.wait(seconds)
        screen = pyte.HistoryScreen(self.columns, 50, history=10000, ratio=1)
        stream = pyte.ByteStream(screen)
        stream.feed(written)
        history = ["".join(line[i].data for i in range(self.columns)) for line in
                   screen.history.top]
        return code, written, [line.rstrip() for line in history + list(screen.display)]


def plain_lines(written):
    """Returns what was written between line ends, without colours and without what was erased."""
    text = re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"\r", written).decode()
    return [part for line in text.split("\n") for part in line.split("\r")]


def too_wide(written, columns):
    """Returns the lines that the terminal would break, but for messages, which are one line."""
    return [line for line in plain_lines(written)
            if len(line) > columns and not line.startswith("lapcast: ")]


@pytest.fixture
def swept(story):
    fleet = story.fleet("""
[[machine]]
name = "one-cpu-with-a-long-name"
price = "1.20"
cpus = "0"
[[machine]]
name = "half-a-cpu"
cpus = "0"
cpu_quota = "50%"
price = "0.60"
""")
    program = story.trainer("--laps", 400, "--lap-ms", 2, "--epochs", 4, "--batch", "{batch}")
    return story, ["sweep", fleet.name, "--batch", "64,128", "--rounds", 1, "--max-laps", 15, "--",
                   *program]


@pytest.mark.parametrize("columns", WIDTHS)
def test_every_table_fits_the_terminal_and_no_live_line_stays(swept, columns):
    story, sweep = swept
    terminal = Terminal(story, columns)
    code, written, shown = terminal.run(*sweep)
    assert code in (0, 1), written.decode()
    assert too_wide(written, columns) == []
    assert not any(re.search(r"probe \d/\d.* left|lap \d+: ", line) for line in shown), shown
    for arguments in (["rank"], ["rank", "--plot"], ["rank", "--by", "time"], ["rank", "--per-batch"],
                      ["verify", "--top", 1], ["runs"], ["sweeps"], ["show", "last"],
                      ["forecast", "last"], ["machine"], ["catalog"], ["suite"], ["jobs"],
                      ["rank", "--epochs", "1,2,5,10"]):
        _, written, _ = terminal.run(*arguments)
        assert written and too_wide(written, columns) == [], arguments


@pytest.mark.parametrize("columns", WIDTHS)
def test_a_probe_fits_the_terminal(story, columns):
    _, written, shown = Terminal(story, columns).run(
        "probe", "--price", "1.2", "--epochs", 20, "--samples", 640, "--", *story.trainer(
            "--laps", 400, "--lap-ms", 5, "--batch", 64))
    assert too_wide(written, columns) == []
    assert any(line.startswith("Time ") for line in shown), shown


@pytest.mark.parametrize("columns", WIDTHS)
@pytest.mark.parametrize("arguments", [[], ["help"], ["probe", "-h"], ["sweep", "--help"],
                                       ["help", "rank"], ["suite", "-h"], ["fleet", "init", "-h"]])
def test_help_fits_the_terminal(story, columns, arguments):
    code, written, _ = Terminal(story, columns).run(*arguments)
    assert code == 0 and too_wide(written, columns) == []
