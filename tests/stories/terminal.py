"""Runs commands of a story on a terminal, and says what stays on it."""

import pytest

from conftest import HANGS
from wide_lines import written_on_terminal

pyte = pytest.importorskip("pyte", reason="the package python3-pyte is missing")


class Terminal:
    """Runs commands of a story on a terminal."""

    def __init__(self, story, columns):
        self.story, self.columns = story, columns

    def run(self, *arguments, seconds=HANGS, env=None):
        """Returns the exit code, the bytes that were written, and the lines that stay."""
        code, written = written_on_terminal(self.story, self.columns, *arguments, seconds=seconds, env=env)
        screen = pyte.HistoryScreen(self.columns, 50, history=10000, ratio=1)
        stream = pyte.ByteStream(screen)
        stream.feed(written)
        history = ["".join(line[i].data for i in range(self.columns)) for line in
                   screen.history.top]
        return code, written, [line.rstrip() for line in history + list(screen.display)]
