"""Runs commands of a story on a terminal, and says what stays on it."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time

import pytest

from conftest import HANGS, UNAWARE_OF_OTHERS

pyte = pytest.importorskip("pyte", reason="the package python3-pyte is missing")


class Terminal:
    """Runs commands of a story on a terminal."""

    def __init__(self, story, columns):
        self.story, self.columns = story, columns

    def run(self, *arguments, seconds=HANGS, env=None):
        """Returns the exit code, the bytes that were written, and the lines that stay."""
        main, side = pty.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 50, self.columns, 0, 0))
        process = self.story.start(*arguments, stdin=subprocess.DEVNULL, stdout=side, stderr=side,
                                   env={"LC_ALL": "C.UTF-8", "TERM": "xterm"} | UNAWARE_OF_OTHERS |
                                   (env or {}))
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
