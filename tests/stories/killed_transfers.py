"""Makes transfers whose processes are killed, for test_many_kills.py."""

import time
from contextlib import suppress
from pathlib import Path

import sshd
from conftest import HANGS
from killed_work import KilledWork
from transfers import WAYS

PREPARE = """#!/bin/sh
# Writes each file of the folder $1 twice, in a row, into the folder $2; a file that must not be there is an error.
cd "$1" && for file in * .[!.]*; do
  [ -e "$file" ] || continue
  case $file in *.raw) ;; *) echo "$file is not a file of the data set" >&2; exit 3 ;; esac
  sleep 0.0$(($$ % 5)); cat "$file" "$file" >"$2/$file" || exit 1
done
"""


class KilledTransfers(KilledWork):
    """Prepares and sends a data set again and again, each time another way and to an empty folder."""

    def __init__(self, folder, seed):
        super().__init__(folder, seed)
        self.eyes = {f"{number:03}.raw": self.random.randbytes(500 + 50 * number) for number in range(60)}
        (self.story.work / "eyes").mkdir()
        for name, data in self.eyes.items():
            (self.story.work / "eyes" / name).write_bytes(data)
        program = self.story.work / "prepare.sh"
        program.write_text(PREPARE)
        program.chmod(0o755)
        self.finished = 0

    def processes(self, kind, coordinator):
        """Returns the processes that prepare, those that run them, or those that send to another machine."""
        if kind == "worker":
            return [pid for pid, name in sshd.descendants(coordinator) if name != "rsync"]
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                words = (process / "cmdline").read_bytes()
                inside = str(self.story.folder).encode() in words + str((process / "cwd").readlink()).encode()
                if inside and (b"prepare.sh" in words.split(b"\0")[1] if kind == "program" else
                               words.startswith(b"rsync") and b"transfers" in words):
                    found.append(int(process.name))
        return found

    def kill(self, kind, coordinator):
        with suppress(OSError, IndexError):
            pids = [coordinator] if kind == "coordinator" else self.processes(kind, coordinator)
            self.kill_process(kind, self.random.choice(pids))

    def content(self, target):
        return {str(path.relative_to(target)): path.read_bytes() for path in target.rglob("*") if path.is_file()}

    def next(self):
        """Makes one transfer; all commands but the last one meet a kill."""
        way, self.finished = WAYS[self.finished % len(WAYS)], self.finished + 1
        is_remote = self.random.random() < 0.5
        target = (self.remote.home if is_remote else self.story.folder) / f"target-{self.finished}"
        command = ["transfer", "run", "eyes", "--to", f"remote:{target.name}" if is_remote else target, "--way", way,
                   "--piece", "4", "--workers", "2", "--json", "--", "./prepare.sh", "{in}", "{out}"]
        wanted = {name: 2 * data for name, data in self.eyes.items()}
        arrived, code = {}, None
        for kills in range(self.random.randint(1, 4)):
            process = self.story.start(*command)
            time.sleep(self.random.uniform(0, 1.2))
            self.kill(self.random.choice(["coordinator", "worker", "program", "sending"]), process.pid)
            _, err = process.communicate(timeout=HANGS)
            code = process.returncode
            assert code in (0, 1, 4, 6, -9), (kills, err)
            now = self.content(target)
            assert arrived.items() <= now.items(), (way, is_remote, kills)
            arrived = now
            if code == 0:
                break
        while code != 0:  # what was lost with a killed program may need a second time
            ended = self.story.lapcast(*command)
            assert ended.code in (0, 1), ended
            code = ended.code
        assert self.content(target) == wanted, (way, is_remote)
        assert not list((self.story.folder / "store" / "transfers").iterdir())
