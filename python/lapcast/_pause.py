"""Lets an observer suspend the program while its devices have nothing to do (docs/lap-log.md).

The observer puts a file `pause` with a number into the folder of the logs. Between two laps the
program waits for its devices, answers with a file, and stays there until the request is gone."""

from __future__ import annotations

import os
import time
from time import monotonic_ns

from lapcast._report import report
from lapcast._hook import tell
from lapcast._log import log, log_folder, rank_and_world

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

LOOK_S = 0.001  # between two checks whether the pause has ended
LOOKS = 5000  # after so many checks without being suspended, the observer is gone

class Pause:
    """Answers the requests of an observer from now on. drain() waits for the devices of this
    process, and returns whether all their work is done."""

    def __init__(self, drain: Callable[[], bool]) -> None:
        self._drain = drain
        self._answered = ""  # the number of the last request
        tell("pause")
        report.between_laps.add(self.look)

    def look(self) -> None:
        """Answers a request that is new. A process of a distributed run does not, because its
        device waits for those of the others."""
        request = _request()
        if not request or request == self._answered or rank_and_world()[1] > 1 or not self._drain():
            return
        self._answered = request
        if log.enabled and _write(f"{log_folder()}/paused.{request}.{os.getpid()}", monotonic_ns()):
            _stay(request)


def _stay(request: str) -> None:
    for _ in range(LOOKS):  # the clock goes on while the program is suspended
        if _request() != request:
            return
        time.sleep(LOOK_S)


def _request() -> str:
    """Returns the number of the request, or "" for none."""
    try:
        fd = os.open(f"{log_folder()}/pause", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        text = os.read(fd, 16).decode("ascii", "replace").strip()
    except OSError:
        return ""
    finally:
        os.close(fd)
    return text if text.isdecimal() else ""


def _write(path: str, at: int) -> bool:
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except OSError:
        return False
    try:
        os.write(fd, f"{at}\n".encode())
    except OSError:
        return False
    finally:
        os.close(fd)
    return True
