"""Provides what the stories share: lapcast as a user runs it, in its own folder, and the checks
that must hold after every story."""

import ctypes
import functools
import json
import os
import pty
import re
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import zlib
from pathlib import Path

import pytest

import json_schema
import rented
import sshd
from fake_suite import Suite

GOLDEN = Path(__file__).resolve().parent.parent / "golden" / "stories"
CLONE_NEWNET = 0x40000000
OWN_NETWORK = False  # this process is in a network namespace that it made


def pytest_configure():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # shells ignore it for what runs behind them
    for name in ("LAPCAST", "FAKE_TRAINER"):
        if not os.access(os.environ.get(name, ""), os.X_OK):
            raise pytest.UsageError(f"{name} has to name the program; ctest sets it")
    global OWN_NETWORK
    OWN_NETWORK = enter_own_network()


def enter_own_network():
    """Gives the calling thread, and the processes that it starts, its own network namespace. The
    locks on CPUs are names in it, so the stories wait for no measurement on this machine, and no
    measurement waits for them. Returns False where this is not allowed (it needs root); stories
    then take longer."""
    entered = ctypes.CDLL(None).unshare(CLONE_NEWNET) == 0
    if entered:
        sshd.raise_loopback()
    return entered


# Lets lapcast not see, and not tell, what others do on this machine.
UNAWARE_OF_OTHERS = {"LAPCAST_LOAD_SAMPLES": "off"}


OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
OF_PROGRAMS = set(OPTION.findall((Path(__file__).parent.parent / "fake_trainer.cc").read_text()))


@functools.cache
def options_of(*words):
    """Returns the options that the help of lapcast, or of its command of these words, names. A second
    word that is not a command's counts for nothing."""
    for command in (words, words[:1]):
        asked = subprocess.run([os.environ["LAPCAST"], *command, "--help"], stdin=subprocess.DEVNULL,
                               capture_output=True, text=True)
        if asked.returncode == 0:
            return set(OPTION.findall(asked.stdout))
    return set()


def unknown_recommendations(arguments, folder, out, err):
    """Returns the options that lapcast recommends, but which neither the command has that ran, nor one
    that the line names before the user's program, nor stand in what the user gave: arguments, and
    files of the folder. Lapcast's own lines on stderr count, and those on stdout that name a command
    of lapcast, without comments of fleet files, which name Slurm's options."""
    arguments = [str(argument) for argument in arguments]
    given = [file.read_text(errors="replace") for name in arguments
             if len(name) < 256 and (file := folder / name).suffix == ".toml" and file.is_file()]
    words = [word for word in arguments if re.fullmatch("[a-z][a-z-]*", word)]
    known = OF_PROGRAMS | options_of() | options_of(*words[:2]) | set(OPTION.findall(" ".join(arguments + given)))
    if words[:1] in (["help"], ["man"], ["completion"], ["export"]) or "--help" in arguments:
        out = ""
    unknown = set()
    for line in re.findall("^lapcast: .*", err, re.M) + re.findall(r"^(?!#).*\blapcast [a-z]+ .*", out, re.M):
        named = re.findall(r"lapcast ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?", line)
        recommended = set(OPTION.findall(re.sub(" -- .*|'--[^']*'", "", line)))  # not a value such as '--from {x}'
        unknown |= recommended - known.union(*(options_of(*filter(None, words)) for words in named))
    return unknown


class Ended:
    """Holds the result of a command."""

    def __init__(self, code, out, err):
        self.code, self.out_bytes, self.err_bytes = code, out, err
        self.out, self.err = out.decode("utf-8", "replace"), err.decode("utf-8", "replace")

    def __repr__(self):
        return f"exit code {self.code}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"

    def ok(self, code=0):
        assert self.code == code, self
        return self

    def refused(self, code, text):
        """Checks that the command ended with one clear line on stderr and nothing on stdout."""
        assert self.code == code, self
        lines = self.err.splitlines()
        assert len(lines) == 1 and lines[0].startswith("lapcast: "), self
        assert text in lines[0], self
        assert self.out == "", self
        return self

    @functools.cached_property
    def json(self):
        """Is the object of --json, which has the documented schema."""
        document = json.loads(self.out)
        assert json_schema.errors_of(document) == []
        return document

    def rows(self, table):
        assert isinstance(self.json.get(table), list), f"no rows {table}: {self}"
        return self.json[table]

    def notes(self, table):
        return [note["text"] for note in self.json["notes"] if note["about"] == table]

    def part(self, name):
        """Returns a part of the forecast of `show` or `probe`."""
        [row] = [row for row in self.rows("parts") if row["part"] == name]
        return row


def is_alive(pid, journal=""):
    """Returns False also for a zombie, and for another process with the same number: one that is not a
    trainer, or one with another journal."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
        return state != "Z" and b"fake_trainer" in command and os.fsencode(journal) in command
    except OSError:
        return False


def workers_of(pid):
    """Returns the processes that lapcast forked: its supervisors."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(child) for child in file.read().split()]
    except OSError:
        return []


# Seconds after which something hangs. No outcome of a story depends on them.
HANGS = 600


def eventually(condition, seconds=HANGS):
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def has_laps(story):
    """Returns whether a program under observation on this machine has reported some 100 laps."""
    return any(log.stat().st_size > 2000 for log in
               story.temporary.glob("lapcast-run-*/laps/laps.*.log"))


class Story:
    """Is a folder with a store, a journal of the fake trainer, and a place for run folders."""

    def __init__(self, folder):
        self.folder = folder
        self.work = folder / "work"
        self.temporary = folder / "tmp"
        self.store = folder / "store" / "lapcast.db"
        self.journal_file = folder / "journal"
        self.may_leave_run_folders = False
        for path in (self.work, self.temporary):
            path.mkdir()
        self.environment = {
            # A shim of pyenv before Python takes longer than most programs of the stories.
            "PATH": f"{os.path.dirname(sys.executable)}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(folder),
            "TMPDIR": str(self.temporary),
            "LAPCAST_STORE": str(self.store),
            "LAPCAST_CATALOG": str(folder / "catalog"),
            "LC_ALL": "C",
        }
        # No time budget decides how many laps a probe sees, unless a story gives one.
        (folder / ".config").mkdir()
        (folder / ".config" / "lapcast.toml").write_text('budget = "24h"\n')

    def start(self, *arguments, env=None, **options):
        """Starts lapcast as the leader of a process group, as a shell does."""
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                   "stderr": subprocess.PIPE, "cwd": self.work, "start_new_session": True} | options
        return subprocess.Popen([os.environ["LAPCAST"], *map(str, arguments)],
                                env=self.environment | (env or {}), **options)

    def lapcast(self, *arguments, env=None, timeout=HANGS, input=None, **options):
        if input is not None:
            options["stdin"] = subprocess.PIPE
        process = self.start(*arguments, env=env, **options)
        try:
            out, err = process.communicate(input, timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            pytest.fail(f"lapcast {' '.join(map(str, arguments))} did not end in {timeout} s")
        ended = Ended(process.returncode, out or b"", err or b"")
        assert not unknown_recommendations(arguments, self.work, ended.out, ended.err), ended
        return ended

    def trainer(self, *options):
        return [os.environ["FAKE_TRAINER"], "--journal", self.journal_file, *map(str, options)]

    def probe(self, *options, program=None, **more):
        """Runs `lapcast probe OPTIONS -- PROGRAM`, by default with a trainer with short laps."""
        program = program or self.trainer("--laps", 1000, "--lap-ms", 5)
        return self.lapcast("probe", *options, "--", *program, **more)

    def resumable(self):
        """Returns a program of six epochs that writes a file epoch-N after each and continues after
        the one that `--from` names. Without that it waits for its end after the third epoch. The
        file `calls` lists its command lines."""
        program = self.work / "train.sh"
        program.write_text("""#!/bin/sh
echo "$@" >>"$LAPCAST_RUN_DIR/calls"
n=1
[ "$2" ] && n=$(($(cat "$2") + 1))
while [ $n -le 6 ]; do
  "$LAPCAST" lap epoch-begin $n; for i in 1 2 3; do "$LAPCAST" lap iteration 8; sleep 0.1; done
  "$LAPCAST" lap epoch-end $n
  echo $n >"$LAPCAST_RUN_DIR/epoch-$n"; n=$((n + 1))
  while [ $n = 4 ] && [ -z "$2" ]; do sleep 0.05; done
done
""")
        program.chmod(0o700)
        return ["env", f"LAPCAST={os.environ['LAPCAST']}", "./train.sh"]

    def resumed(self, results):
        """Checks the stored run of resumable(), which was cut off once and continued from a
        checkpoint."""
        calls = (results / "calls").read_text().splitlines()
        assert len(calls) == 2 and calls[0] == "" and calls[1].startswith("--from /"), calls
        assert {path.name for path in results.glob("epoch-*")} == {f"epoch-{n}" for n in range(1, 7)}
        [stored] = self.export()
        assert any("went on from epoch-" in warning for warning in stored["warnings"])
        return stored

    def fleet(self, text, name="fleet.toml"):
        file = self.work / name
        file.write_text('[prices]\nas_of = "2026-11-01"\nsource = "a story"\n' + text)
        return file

    def journal(self, event=None):
        if not self.journal_file.exists():
            return []
        lines = [json.loads(line) for line in self.journal_file.read_text().splitlines()]
        return [line for line in lines if event in (None, line["event"])]

    def runs(self, *options):
        return self.lapcast("runs", "--json", *options).ok().rows("runs")

    def export(self, *options):
        text = self.lapcast("export", *options).ok().out
        return [json.loads(line) for line in text.splitlines()]

    def run_folders(self):
        return sorted(self.temporary.glob("lapcast-run-*"))

    def living(self):
        pids = [line["pid"] for line in self.journal()]
        pids += [line["child"] for line in self.journal("child")]
        return sorted({pid for pid in pids if is_alive(pid, self.journal_file)})

    def check_store(self):
        database = sqlite3.connect(self.store)
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        database.close()


def said_on_a_terminal(story, text, *arguments):
    """Runs lapcast until it says the text, as progress that is shown on a terminal only; then
    interrupts it."""
    terminal, its_end = pty.openpty()
    process = story.start(*arguments, stderr=its_end)
    os.close(its_end)
    said = b""
    while text not in said:
        assert select.select([terminal], [], [], HANGS)[0], said
        said += os.read(terminal, 4096)
    os.kill(process.pid, signal.SIGINT)
    process.communicate(timeout=HANGS)
    os.close(terminal)
    assert process.returncode == 130


def as_imported(exported):
    """Returns what a store exports after importing that export: the same, with the mark of an
    import."""
    return exported.replace('"imported_from":"",', '"imported_from":"","imported":true,')


def as_measured(story):
    """Removes the mark of an import from every run in the store, as if it had been measured
    here."""
    database = sqlite3.connect(story.store)
    for seq, record in database.execute("SELECT seq, record FROM runs").fetchall():
        line = record if isinstance(record, bytes) else record.encode()
        run = json.loads(zlib.decompress(line) if line[:1] == b"x" else line)
        run.pop("imported", None)
        line = json.dumps(run).encode()
        database.execute("UPDATE runs SET record_bytes = ?, record = ? WHERE seq = ?",
                         (len(line), zlib.compress(line), seq))
    database.commit()
    database.close()


@pytest.fixture
def story(tmp_path):
    story = Story(tmp_path)
    yield story
    left_alive = not eventually(lambda: not story.living(), 60) and story.living()
    for pid in left_alive or []:
        os.kill(pid, signal.SIGKILL)
    assert not left_alive, "something of the program is left running"
    if not story.may_leave_run_folders:
        assert story.run_folders() == []


@pytest.fixture
def suite(story):
    return Suite(story, ["mnist-mlp", "mnist-cnn", "nn-twins", "nqueens", "mask-rcnn", "make-digits",
                         "make-io-observations"])


def no_escapes(text):
    """Returns True when a terminal would show all of the text as plain lines."""
    return not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]", text)


def one_cpu():
    return min(os.sched_getaffinity(0))


def mounted_disk(story, options):
    """Yields the folder of a small file system, for fixtures."""
    folder = story.folder / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"{options},mode=0700", "tmpfs", folder]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True).returncode != 0:
        pytest.skip("no small file system can be mounted here; root may")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


@pytest.fixture
def quota(story):
    """Skips the story where no CPU quota can be set."""
    if not story.lapcast("machine", "--json").ok().json["machine"]["cpu_quota_settable"]:
        pytest.skip("no CPU quota can be set here; root in the cpu control group may")


def ssh_machine(story, name, login=""):
    """Yields a machine of the tests that is reached by ssh under the name. login: commands that run at
    each login."""
    if sshd.why_not_here():
        pytest.skip(sshd.why_not_here())
    sshd.raise_loopback()
    network = sshd.Network(story.folder / "network")
    story.environment |= network.environment
    yield network.machine(name, login=login)
    network.stop()


@pytest.fixture
def network(story):
    """Makes machines that are reached by ssh: network.machine(NAME)."""
    if sshd.why_not_here():
        pytest.skip(sshd.why_not_here())
    network = sshd.Network(story.folder / "network")
    story.environment |= network.environment
    yield network
    network.stop()


@pytest.fixture
def remote(story):
    yield from ssh_machine(story, "remote")


@pytest.fixture
def cloud(story):
    """Is a fake cloud, to be started, from which lapcast rents as `fakecloud`. At the end of a story no
    machine may be left that costs money."""
    yield from rented.fake_cloud(story.folder, story.environment)


@pytest.fixture
def frozen(story):
    """Has the frozen runs of tests/golden in its store."""
    story.lapcast("import", GOLDEN / "runs.jsonl").ok()
    return story
