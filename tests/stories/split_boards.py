"""Provides boards of the fake solver that are counted in pieces."""

from contextlib import suppress
from pathlib import Path

from fake_suite import values
from sshd import fleet_entry

HERE = '[[machine]]\nname = "{name}"\nprice = "1"\n'
PIECES = 6


class Split:
    """Counts a board of the fake solver on machines that share its journal."""

    def __init__(self, story, suite):
        self.story, self.suite = story, suite
        self.go = story.folder / "go"

    def fleet(self, *hosts, here=(), entries=(), **environment):
        """Writes a fleet file of hosts, names of this machine, and further entries. Its programs wait for the file `go`
        if it is not there when they start."""
        own = {"FAKE_JOURNAL": self.suite.journal_file, "FAKE_UNTIL": self.go} | environment
        text = "[machine.environment]\n" + "".join(f'{name} = "{value}"\n' for name, value in own.items())
        machines = [*map(fleet_entry, hosts), *(HERE.format(name=name) for name in here), *entries]
        self.story.fleet("".join(machine + text for machine in machines))

    def command(self, *options, n=10):
        # All hosts are this machine: without --no-wait each would wait until no other one measures.
        return ["suite", "split", "nqueens", "fleet.toml", "--n", n, "--pieces", PIECES, "--no-wait", "--json", *options]

    def run(self, *options, n=10):
        return self.story.lapcast(*self.command(*options, n=n))

    def text(self, *options):
        """Returns the same command as people type it, ended."""
        return self.story.lapcast(*(word for word in self.command(*options) if word != "--json"))

    def started(self):
        """Returns the piece of each start of the solver."""
        return [values(line["arguments"])["--piece"] for line in self.suite.journal("nqueens")]

    def pids(self):
        return [line["pid"] for line in self.suite.journal("nqueens")]

    def alive(self):
        found = []
        for pid in self.pids():
            with suppress(OSError):
                if b"nqueens" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    found.append(pid)
        return found


def counted(ended, n=10, solutions=724):
    """Checks a whole count, and returns its rows of pieces."""
    sum_of, rows = ended.json["split"], ended.rows("split_pieces")
    assert sum_of["n"] == n and sum_of["solutions"] == sum_of["known_solutions"] == solutions
    assert sum_of["as_known"] is True and sum_of["counted"] == sum_of["pieces"] == len(rows) == PIECES
    assert sum(row["solutions"] for row in rows) == solutions
    assert [row["piece"] for row in rows] == list(range(1, PIECES + 1))
    assert len({row["run"] for row in rows}) == PIECES and all(row["reason"] is None for row in rows)
    assert sum(row["tries"] for row in rows) == sum_of["tries"]
    return rows
