"""Writes the lap log of this process in the format of docs/lap-log.md.

Nothing in this module raises, prints or waits. When the file cannot be written, reporting stops.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Tuple, Union

EMITTER = "python/1"
WRITE_NS = 100_000_000  # A killed program loses at most the laps of this time.
LONGEST_BUFFER = 16384  # entries, two per event
MOST_SAMPLES = 2147483647
MOST_COUNT = 10**18 - 1
MOST_TIME = 10**18 - 1
NAME = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._/-")
LONGEST_NAME = 64
LONGEST_NOTE = 400
RANKS = (
    ("RANK", "WORLD_SIZE"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
    ("SLURM_PROCID", "SLURM_NTASKS"),
)


def log_folder() -> str:
    """Returns the folder that LAPCAST_LOG_DIR names, or ""."""
    return os.environ.get("LAPCAST_LOG_DIR", "")


def name_of(text: object) -> str:
    """Returns TEXT as a name of the format: other characters become `_` and the rest is cut off."""
    name = "".join([c if c in NAME else "_" for c in str(text)[:LONGEST_NAME]])
    return name or "_"


def note_of(text: object) -> str:
    """Returns TEXT as the text of a note: printable ASCII, at most 400 characters."""
    return "".join([c if " " <= c <= "~" else "?" for c in str(text)[:LONGEST_NOTE]]).strip() or "?"


def count_of(number: Any, most: int = MOST_COUNT) -> int:
    """Returns NUMBER as a count of the format, or 0 when it is not one."""
    try:
        return min(max(int(number), 0), most)
    except (TypeError, ValueError, OverflowError):
        return 0


def _count_in_environment(name: str) -> int:
    text = os.environ.get(name, "")
    return int(text) if text.isdecimal() and text.isascii() and len(text) <= 5 else -1


def _initialised_rank() -> Optional[Tuple[int, int]]:
    """Returns the rank that torch.distributed was given, for processes started without one."""
    distributed = sys.modules.get("torch.distributed")
    try:
        if distributed and distributed.is_available() and distributed.is_initialized():
            return distributed.get_rank(), distributed.get_world_size()
    except Exception:
        pass
    return None


def rank_and_world() -> Tuple[int, int]:
    """Returns the rank of this process and the world size; (0, 1) when it runs alone."""
    for rank_name, world_name in RANKS:
        rank, world = _count_in_environment(rank_name), _count_in_environment(world_name)
        if 0 <= rank < world <= 32767:
            return rank, world
    return _initialised_rank() or (0, 1)


class LapLog:
    """Is the log of this process. Use the one object `log`.

    `buffer` holds two entries for each event: its time (CLOCK_MONOTONIC, ns) and its content, which
    is an int for a lap: its samples, or their complement when its work was only queued. It is a
    pair for the later end of a lap, its number and that time; for any other event it is the text of
    the line after the time. ONE call of `buffer.extend` adds both, so that threads and signal
    handlers cannot separate them. The list itself is never replaced. `laps` counts the laps.
    `first_lines` returns what is written after the hello, at time 0.
    """

    __slots__ = ("buffer", "laps", "due", "enabled", "first_lines", "_fd", "_file", "_pid", "_start", "_last",
                 "_bye", "_watching", "_writing", "_at_end")

    def __init__(self) -> None:
        self.buffer: List[Union[int, str, Tuple[int, int]]] = []
        self.enabled = bool(log_folder())
        self.first_lines: Callable[[], List[str]] = list
        self._watching = False
        self._at_end: List[Callable[[], None]] = []
        self._forget()

    def _forget(self) -> None:
        self.due = 0  # an event at or after this time writes the buffer
        self.laps = 0
        self._fd = -1
        self._file: Tuple[int, int] = (0, 0)
        self._pid = 0
        self._start = 0
        self._last = 0
        self._bye = False
        self._writing = False

    def event(self, text: str, at: int = 0, write: bool = True) -> None:
        """Adds a line that is not a lap: `metric loss 0.5`. AT: its time, now when 0."""
        if not self.enabled:
            return
        now = time.monotonic_ns()
        self.buffer.extend((at or now, text))
        if write or now >= self.due or self._bye:
            self.write(now)

    def untimed(self, text: str, begin: int = 0) -> None:
        """Adds a line without a time of its own. It gets the time of the event before it, so that
        an event that is reported later than it happened can keep its time. Before the first event
        of the log the line waits for that event. begin: if not 0, the line is written at once, and
        a log that has not begun begins at this time."""
        if not self.enabled:
            return
        self.buffer.extend((begin if not self._pid and not self.buffer else 0, text))
        self._watch_the_end()
        if begin or self._bye:
            self.write(time.monotonic_ns())

    def ended(self, lap: int, at: int) -> None:
        """Reports that the work of lap number LAP ended at the time AT. It is written with the next
        lap."""
        if self.enabled:
            self.buffer.extend((at, (lap, at)))

    def write(self, now: int) -> None:
        """Writes the buffer in one appending write if the file system accepts it at once."""
        # Another thread, or the code that a signal handler interrupted, is writing.
        if self._writing:
            return
        self._writing = True
        try:
            self.due = 0 if self._bye else now + WRITE_NS
            entries: List[Any] = self.buffer[:]
            first = self._start or next(filter(None, entries[0::2]), 0)
            if not first:
                return  # There are only lines that wait for the first event.
            self.due = 0 if self._bye else now + WRITE_NS
            del self.buffer[: len(entries)]
            if self.enabled and entries and (self._pid or self._begin(first)):
                self._append(self._lines(entries))
        except Exception:
            self.stop()
        finally:
            self._writing = False

    def stop(self) -> None:
        """Stops reporting from this process."""
        self.enabled = False
        self.due = 0  # the next write drops later events
        del self.buffer[:]

    def bye(self) -> None:
        """Reports that the process ends by itself. Does not begin a log when nothing was
        reported."""
        functions, self._at_end = self._at_end, []
        for function in functions:
            function()
        if self.enabled and (self._pid or self.buffer) and not self._bye:
            self._bye = True
            self.event("bye")

    def _lines(self, entries: List[Any]) -> bytes:
        times, codes, start = entries[0::2], entries[1::2], self._start
        if times[0] < self._last or times != sorted(times):
            times = self._in_order(times)
        self._last = times[-1]
        ends = {  # of the lines; most laps have the same number of samples
            c: f" {c}\n" if c.__class__ is str
            else f" ended {c[0]} {max(c[1] - start, 0)}\n" if c.__class__ is tuple
            else f" i {c}\n" if c >= 0 else f" q {~c}\n"
            for c in set(codes)
        }
        lines = [f"{t - start}{ends[c]}" for t, c in zip(times, codes)]
        return "".join(lines).encode("ascii", "replace")

    def _in_order(self, times: List[int]) -> List[int]:
        last, ordered = self._last, []
        for moment in times:
            last = max(last, moment)
            ordered.append(last)
        return ordered

    def _append(self, data: bytes) -> None:
        file = os.fstat(self._fd)
        if os.getpid() != self._pid or (file.st_dev, file.st_ino) != self._file:
            self.stop()  # the program closed the descriptor, or forked without Python
            return
        while data:
            data = data[os.write(self._fd, data) :]

    def _begin(self, first_time: int) -> bool:
        """Creates the file and writes the hello at the first event of this process."""
        self._pid = os.getpid()
        self._fd = self._create()
        file = os.fstat(self._fd)
        self._file = (file.st_dev, file.st_ino)
        self._start = self._last = first_time
        self._append(self._hello().encode("ascii", "replace"))
        self._watch_the_end()
        return True

    def _hello(self) -> str:
        wall_ns = time.time_ns() - (time.monotonic_ns() - self._start)
        rank, world = rank_and_world()
        return (
            f"lapcast-laps 1\n0 hello clock={self._start} "
            f"wall={wall_ns // 10**9}.{wall_ns % 10**9 // 1000:06d} pid={self._pid} "
            f"rank={rank} world={world} host={name_of(os.uname().nodename)} emitter={EMITTER}\n"
            + "".join([f"0 {line}\n" for line in self.first_lines()])
        )

    def _create(self) -> int:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
        for attempt in range(1000):
            number = f".{attempt}" if attempt else ""
            try:
                fd = os.open(f"{log_folder()}/laps.{self._pid}{number}.log", flags, 0o600)
            except FileExistsError:
                continue
            return _above_standard_streams(fd)
        raise OSError("no free name")

    def at_end(self, function: Callable[[], None]) -> None:
        """Makes FUNCTION (which must not raise) be called before the bye, in forked children
        too."""
        self._at_end.append(function)
        self._watch_the_end()

    def _watch_the_end(self) -> None:
        """Watches the end of the process, and of a child of multiprocessing, which skips atexit."""
        if not self._watching:
            import atexit

            atexit.register(self.bye)
            self._watching = True
        util: Any = sys.modules.get("multiprocessing.util")
        process: Any = sys.modules.get("multiprocessing.process")
        if util and process and process.parent_process() is not None:
            util.Finalize(None, self.bye, exitpriority=-1000)

    def after_fork(self) -> None:
        """Resets a forked child: the buffer and the file are the parent's."""
        if self._fd >= 0:
            try:
                os.close(self._fd)
            except OSError:
                pass
        del self.buffer[:]
        self._forget()


def _above_standard_streams(fd: int) -> int:
    """Moves FD above the standard streams, which the program may have closed."""
    if fd > 2:
        return fd
    import fcntl

    higher = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 3)
    os.close(fd)
    return higher


def plan_line(fields: Dict[str, Any]) -> str:
    """Returns the line of a plan without the fields that are not known (0)."""
    return "plan" + "".join(f" {key}={value}" for key, value in fields.items() if value)


log = LapLog()
