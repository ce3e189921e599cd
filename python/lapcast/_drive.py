"""Drives the lapcast binary, and gives what it prints as JSON as plain objects. It computes nothing
by itself: every number is the one that the command line shows."""

from __future__ import annotations

import copy
import html
import json
import signal
import subprocess
import threading
from typing import TYPE_CHECKING, overload

SCHEMA = 1  # of the JSON that this module reads
INTERRUPTED = 130  # the exit code of a lapcast that Ctrl-C ended

if TYPE_CHECKING:
    import os
    from types import FrameType
    from typing import (Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, TypeVar,
                        Union)

    AnyTable = TypeVar("AnyTable", bound="Table")
    Option = Union[None, bool, str, int, float, Sequence[Union[str, int, float]]]
    Row = Dict[str, Any]


class LapcastError(RuntimeError):
    """Says what lapcast refused or could not do; `code` is its exit code (docs/reference.md)."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text or f"lapcast ended with exit code {code}")
        self.code = code


class Interval:
    """Holds a number with its 95 % interval. The unit is in the name of the attribute that holds
    it, such as `seconds`."""

    def __init__(self, mid: float, low: float, high: float) -> None:
        self.mid, self.low, self.high = mid, low, high

    def __repr__(self) -> str:
        return f"{self.mid:.4g} ({self.low:.4g} to {self.high:.4g})"


class Table:
    """Holds a table of lapcast: its rows are dictionaries whose keys have the units in them, such
    as time_s and cost_usd (docs/reference.md). A slice of it is a table, too. A notebook shows it as a
    table; to_pandas() makes a data frame of it. `best` has the best rows of a ranking:
    best["cost"], best["time"]."""

    def __init__(self, document: Row, name: str) -> None:
        self.name = name
        self.rows: List[Row] = document[name]
        self.notes: List[str] = [note["text"] for note in document["notes"] if note["about"] == name]
        self.best: Dict[str, Row] = document.get("best", {})

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Table: ...
    def __getitem__(self, index: Union[int, slice]) -> Union[Row, Table]:
        return _part(self, index) if isinstance(index, slice) else self.rows[index]

    def __repr__(self) -> str:
        return "\n".join([*self._answer(), f"{self.name}: {len(self.rows)} rows", *self.notes])

    def to_pandas(self) -> Any:
        """Returns a data frame; each setting is a column of its own, such as settings.batch."""
        import pandas

        return pandas.json_normalize(self.rows)

    def _answer(self) -> List[str]:
        return [f"best by {by}: {row['machine_type']} {_shown(row['settings'])}".rstrip()
                for by, row in self.best.items()]

    def _repr_html_(self) -> str:
        keys = [key for key in (self.rows[0] if self.rows else {})
                if any(row[key] not in (None, "", {}) for row in self.rows)]
        answer = "".join(f"<b>{html.escape(line)}</b><br>" for line in self._answer())
        notes = "".join(f"<br>{html.escape(note)}" for note in self.notes)
        return (f"{answer}{html.escape(self.name)}"
                f"{_html_rows(keys, [[row[key] for key in keys] for row in self.rows])}"
                f"<small>{notes}</small>")


class StoredRun(dict["str", "Any"]):
    """Is a row of runs()."""

    def laps(self) -> Table:
        """Returns every raw lap."""
        return _laps(self["run"])

    def show(self, **options: Option) -> Run:
        """Returns the run with its forecast, as show() does."""
        return show(self["run"], **options)


class Runs(Table):
    """Holds the rows of runs(), each a StoredRun."""

    def __iter__(self) -> Iterator[StoredRun]:
        return map(StoredRun, self.rows)

    @overload
    def __getitem__(self, index: int) -> StoredRun: ...
    @overload
    def __getitem__(self, index: slice) -> Runs: ...
    def __getitem__(self, index: Union[int, slice]) -> Union[StoredRun, Runs]:
        return _part(self, index) if isinstance(index, slice) else StoredRun(self.rows[index])


class Run:
    """Holds a run with its forecast; `seconds` and `usd` are None where there is none. `document`
    has all that lapcast says of it (docs/reference.md)."""

    def __init__(self, document: Row) -> None:
        self.document = document
        self.id: str = document["run"]["id"]
        self.seconds = _interval(document["forecast"], "time_s")
        self.usd = _interval(document["forecast"], "cost_usd")

    def laps(self) -> Table:
        """Returns every raw lap."""
        return _laps(self.id)

    def __repr__(self) -> str:
        return f"run {self.id}: {self.seconds} s" + (f", {self.usd} USD" if self.usd else "")

    def _repr_html_(self) -> str:
        run, forecast = self.document["run"], self.document["forecast"]
        values = [self.id, run["program"], run["outcome"], self.seconds, self.usd, forecast["reason"]]
        return _html_rows(["run", "program", "outcome", "seconds", "usd", "reason"], [values])


def probe(program: Sequence[str], **options: Option) -> Run:
    """Runs a program for a few laps and forecasts its whole training. The options are those of
    `lapcast probe`: probe(["python3", "train.py"], price=1.2, epochs=20). The first Ctrl-C stops
    the program; the forecast is then from the laps so far."""
    return Run(_call("probe", [], options, program))


def sweep(program: Sequence[str], fleet: Optional[str] = None, **options: Option) -> Table:
    """Probes a program on every machine of a fleet file, or on this one, with every setting;
    returns a row for each probe: sweep(["python3", "train.py", "--batch", "{batch}"], batch=[64,
    128])."""
    document = _call("sweep", [fleet] if fleet else [], options, program, fine=(0, 1))
    return Table(document, "probes" if "probes" in document else "race")


def rank(**options: Option) -> Table:
    """Ranks the candidates of the newest sweep of this folder, best first. `best` has the cheapest
    and the fastest: rank(by="time", max_cost=20).best["time"]."""
    return Table(_call("rank", [], options), "candidates")


def runs(**options: Option) -> Runs:
    """Returns the stored runs, the newest last: runs(here=True, since="2026-11-20")[-1].laps()."""
    return Runs(_call("runs", [], options), "runs")


def show(run: str = "last", **options: Option) -> Run:
    """Returns a stored run with its forecast, for another length if asked: show(id, epochs=90)."""
    return Run(_call("show", [run], options))


class StoreFrames:
    """Holds a store as pandas data frames, each read when it is first asked for. Their columns are
    the keys of the command's JSON (docs/reference.md); each setting is a column such as
    settings.batch."""

    def __init__(self, options: Dict[str, Option]) -> None:
        self._options = options
        self._frames: Dict[str, Any] = {}

    @property
    def runs(self) -> Any:
        """Is a data frame with a row for each run, the newest last."""
        return self._frame("runs", self._run_rows)

    @property
    def laps(self) -> Any:
        """Is a data frame with every raw lap; its first column, run, is the id of the lap's run."""
        return self._frame("laps", self._lap_rows)

    @property
    def candidates(self) -> Any:
        """Is a data frame of the ranking: of the sweep that was asked for, else of all runs. It is
        empty where nothing can be ranked."""
        return self._frame("candidates", self._candidate_rows)

    def __repr__(self) -> str:
        return f"lapcast store: {len(self.runs)} runs"

    def _frame(self, name: str, rows: Callable[[], List[Row]]) -> Any:
        if name not in self._frames:
            import pandas

            self._frames[name] = pandas.json_normalize(rows())
        return self._frames[name]

    def _run_rows(self) -> List[Row]:
        rows: List[Row] = _call("runs", [], {**self._options, "newest": 0})["runs"]
        return rows

    def _lap_rows(self) -> List[Row]:
        options: Dict[str, Option] = {"store": self._options.get("store"), "laps": True,
                                      "alone": True}
        return [{"run": run, **lap} for run in self.runs.get("run", [])
                for lap in _call("show", [run], options).get("laps", [])]

    def _candidate_rows(self) -> List[Row]:
        options = {**self._options, "all": self._options["sweep"] is None}
        try:
            rows: List[Row] = _call("rank", [], options, fine=(0, 1))["candidates"]
        except LapcastError as error:
            if error.code != 1:
                raise
            return []
        return rows


def read_store(store: Union[None, str, os.PathLike[str]] = None, *,
               sweep: Optional[str] = None) -> StoreFrames:
    """Returns the runs, laps and candidates of a store as pandas data frames; without a file, of
    the one that the command uses. With a sweep (its name, its id or the first digits), only of that
    one: read_store(sweep="nightly").laps.groupby("run").lap_s.median()."""
    frames = StoreFrames({"store": None if store is None else str(store), "sweep": sweep})
    frames.runs  # so that a problem with the store is reported now
    return frames


def _call(command: str, words: Sequence[str], options: Dict[str, Option],
          program: Sequence[str] = (), fine: Sequence[int] = (0,)) -> Row:
    from lapcast.__main__ import binary

    found = binary()
    if found is None:
        raise LapcastError(127, "there is no lapcast binary beside this Python, nor on the PATH")
    line = [found, "--json", "--quiet", command, *words, *_words_of(options)]
    if program:
        line += ["--", *program]
    code, out, err = _output_of(line)
    if (code not in fine and not (code == INTERRUPTED and out)) or (code != 0 and not out):
        raise LapcastError(code, err.decode("utf-8", "replace").strip())
    document: Row = json.loads(out)
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema != SCHEMA:
        raise LapcastError(code, f"{found} prints JSON of schema {schema}, and this module "
                           f"reads schema {SCHEMA}: install the same version of both")
    return document


def _output_of(line: Sequence[str]) -> Tuple[int, bytes, bytes]:
    """Returns exit code, stdout and stderr of a lapcast. A terminal sends Ctrl-C (INT) to both
    processes. lapcast blocks it, and the first one is passed on as TERM, so that lapcast ends with
    what it has. After a second one, or where lapcast printed nothing, raises KeyboardInterrupt when
    lapcast has ended."""
    interrupts: List[int] = []

    def pass_on(number: int, frame: Optional[FrameType]) -> None:
        interrupts.append(number)
        process.terminate()

    listens = (threading.current_thread() is threading.main_thread()
               and signal.getsignal(signal.SIGINT) is signal.default_int_handler)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT] if listens else [])
    try:
        process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        if listens:
            signal.signal(signal.SIGINT, pass_on)
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        out, err = process.communicate()
    finally:
        if listens:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    if len(interrupts) > 1 or (interrupts and not out):
        raise KeyboardInterrupt
    return process.returncode, out, err


def _part(table: AnyTable, rows: slice) -> AnyTable:
    part = copy.copy(table)
    part.rows = table.rows[rows]
    return part


def _laps(run: str) -> Table:
    return Table(_call("show", [run], {"laps": True}), "laps")


def _words_of(options: Dict[str, Option]) -> Iterator[str]:
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            yield option
        elif isinstance(value, (list, tuple)):
            yield f"{option}={','.join(map(str, value))}"
        elif value is not None and value is not False:
            yield f"{option}={value}"


def _interval(row: Row, key: str) -> Optional[Interval]:
    if row[key] is None:
        return None
    return Interval(row[key], row[key + "_low"], row[key + "_high"])


def _html_rows(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    cells = [f"<th>{html.escape(key)}</th>" for key in head]
    lines = [[f"<td>{html.escape(_shown(value))}</td>" for value in row] for row in rows]
    return "<table>" + "".join(f"<tr>{''.join(line)}</tr>" for line in [cells, *lines]) + "</table>"


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"{name}={each}" for name, each in value.items())
    return f"{value:.4g}" if isinstance(value, float) else "" if value is None else str(value)
