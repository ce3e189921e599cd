"""Runs commands of a story on a terminal, and says what stays on it."""

import pytest

from conftest import HANGS
from wide_lines import written_on_terminal

pyte = pytest.importorskip("pyte", reason="the package python3-pyte is missing")


class Screen(pyte.Screen):
    """Keeps the lines that leave it at the top; pyte's own screen with a history takes twice as long."""

    def __init__(self, columns, lines):
        self.left = []
        super().__init__(columns, lines)

    def index(self):
        top, bottom = self.margins or (0, self.lines - 1)
        if self.cursor.y == bottom:
            self.left.append(self.text(top))
        super().index()

    def text(self, row):
        line = self.buffer[row]
        return "".join(line[column].data for column in range(self.columns)).rstrip()


class Terminal:
    """Runs commands of a story on a terminal."""

    def __init__(self, story, columns):
        self.story, self.columns = story, columns

    def run(self, *arguments, seconds=HANGS, env=None):
        """Returns the exit code, the bytes that were written, and the lines that stay."""
        code, written = written_on_terminal(self.story, self.columns, *arguments, seconds=seconds, env=env)
        screen = Screen(self.columns, 50)
        pyte.ByteStream(screen).feed(written)
        return code, written, screen.left + [screen.text(row) for row in range(screen.lines)]
