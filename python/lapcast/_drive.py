"""Drives the lapcast binary, and gives what it prints as JSON as plain objects. It computes nothing
by itself: every number is the one that the command line shows."""

from __future__ import annotations

import html
import json
import subprocess

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, Iterator, List, NoReturn, Optional, Sequence, Union

    Option = Union[None, bool, str, int, float, Sequence[Union[str, int, float]]]
    Row = Dict[str, Any]


class LapcastError(RuntimeError):
    """Says what lapcast refused or could not do; `code` is its exit code (docs/exit-codes.md)."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text or f"lapcast ended with exit code {code}")
        self.code = code


class Interval:
    """Holds a number with its 95 % interval, in the unit that its name says."""

    def __init__(self, mid: float, low: float, high: float) -> None:
        self.mid, self.low, self.high = mid, low, high

    def __repr__(self) -> str:
        return f"{self.mid:.4g} ({self.low:.4g} to {self.high:.4g})"


class Table:
    """Holds a table of lapcast: its rows are dictionaries whose keys have the units in them, such as
    time_s and cost_usd. A notebook shows it as a table; to_pandas() makes a data frame of it."""

    def __init__(self, title: str, rows: List[Row], notes: List[str], answer: List[str]) -> None:
        self.title, self.rows, self.notes, self.answer = title, rows, notes, answer

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __getitem__(self, index: int) -> Row:
        return self.rows[index]

    def __repr__(self) -> str:
        return "\n".join([*self.answer, f"{self.title}: {len(self.rows)} rows", *self.notes])

    def to_pandas(self) -> Any:
        import pandas

        return pandas.DataFrame(self.rows)

    def _repr_html_(self) -> str:
        keys = [key for key in (self.rows[0] if self.rows else {})
                if any(row[key] not in (None, "") for row in self.rows)]
        head = "".join(f"<th>{html.escape(key)}</th>" for key in keys)
        body = "".join("<tr>" + "".join(f"<td>{_shown(row[key])}</td>" for key in keys) + "</tr>"
                       for row in self.rows)
        answer = "".join(f"<b>{html.escape(line)}</b><br>" for line in self.answer)
        notes = "".join(f"<br>{html.escape(note)}" for note in self.notes)
        return (f"{answer}{html.escape(self.title)}<table><tr>{head}</tr>{body}</table>"
                f"<small>{notes}</small>")


class Run:
    """Holds a probe with its forecast; `seconds` and `usd` are None where there is none."""

    def __init__(self, tables: List[Table]) -> None:
        self.tables = tables
        self.id = tables[0].title.split()[-1]
        total = next((row for table in tables if table.title.startswith("Forecast:")
                      for row in table if row["part"] == "total"), None)
        self.seconds = _interval(total, "time_s")
        self.usd = _interval(total, "cost_usd")

    def laps(self) -> Table:
        """Returns every raw lap."""
        return _table("Raw laps", _call("show", [self.id], {"laps": True}))

    def __repr__(self) -> str:
        return f"run {self.id}: {self.seconds} s" + (f", {self.usd} USD" if self.usd else "")


def probe(program: Sequence[str], **options: Option) -> Run:
    """Runs a program for a few laps and forecasts its whole training. The options are those of
    `lapcast probe`: probe(["python3", "train.py"], price=1.2, epochs=20)."""
    return Run(_call("probe", [], options, program))


def sweep(program: Sequence[str], fleet: Optional[str] = None, **options: Option) -> Table:
    """Probes a program on every machine of a fleet file, or on this one, with every setting; returns
    a row for each probe: sweep(["python3", "train.py", "--batch", "{batch}"], batch=[64, 128])."""
    return _call("sweep", [fleet] if fleet else [], options, program, fine=(0, 1))[0]


def rank(**options: Option) -> Table:
    """Ranks the candidates of the newest sweep of this folder, best first. `answer` names the
    cheapest and the fastest: rank(by="time", max_cost=20)."""
    return _call("rank", [], options)[0]


def runs(**options: Option) -> Table:
    """Returns the stored runs, the newest last: runs(here=True, since="2026-11-20")."""
    return _call("runs", [], options)[0]


def show(run: str = "last", **options: Option) -> Run:
    """Returns a stored run with its forecast, for another length if asked: show(id, epochs=90)."""
    return Run(_call("show", [run], options))


def _call(command: str, words: Sequence[str], options: Dict[str, Option],
          program: Sequence[str] = (), fine: Sequence[int] = (0,)) -> List[Table]:
    from lapcast.__main__ import binary

    found = binary()
    if found is None:
        raise LapcastError(127, "there is no lapcast binary beside this Python, nor on the PATH")
    line = [found, "--json", "--quiet", command, *words, *_words_of(options)]
    if program:
        line += ["--", *program]
    done = subprocess.run(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    if done.returncode not in fine:
        raise LapcastError(done.returncode, done.stderr.decode("utf-8", "replace").strip())
    return [Table(each["title"], each["rows"], each["notes"], each["answer"])
            for each in json.loads(done.stdout)]


def _words_of(options: Dict[str, Option]) -> Iterator[str]:
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            yield option
        elif isinstance(value, (list, tuple)):
            yield f"{option}={','.join(map(str, value))}"
        elif value is not None and value is not False:
            yield f"{option}={value}"


def _interval(row: Optional[Row], key: str) -> Optional[Interval]:
    if row is None or row.get(key) is None:
        return None
    return Interval(row[key], row[key + "_low"], row[key + "_high"])


def _table(title: str, tables: List[Table]) -> Table:
    return next(table for table in tables if table.title == title)


def _shown(value: Any) -> str:
    return html.escape(f"{value:.4g}" if isinstance(value, float) else str(value or ""))
