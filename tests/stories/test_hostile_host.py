"""Tests machines that answer with floods, nonsense and lies. lapcast must end with a row and a
reason in bounded memory, show no escape sequence, write nothing outside of its folders, and keep
other rows intact."""

import os
import resource
import signal
import sys
import time
from pathlib import Path

import pytest

import sshd
from conftest import HANGS, eventually, no_escapes
from sshd import fleet_entry

pytestmark = pytest.mark.skipif(bool(sshd.why_not_here()), reason=sshd.why_not_here())

SHELL = Path(__file__).with_name("hostile_shell.py")
PATIENCE = {"LAPCAST_PATIENCE": "6s"}
MOST_MEMORY = 3 << 29  # bytes of one process: a result may be long


def bounded():
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def hostile(remote, *modes, **how):
    for mode in modes:
        remote.network.machine(mode, shell=f"{sys.executable} {SHELL} {mode}", **how)
    return "".join(map(fleet_entry, ("remote", *modes)))


def lapcast(story, *arguments):
    ended = story.lapcast(*arguments, env=PATIENCE, preexec_fn=bounded)
    assert no_escapes(ended.out_bytes.replace(b"\n", b"")) and no_escapes(ended.err_bytes.replace(b"\n", b"")), ended
    return ended


def sweep(story, text):
    fleet = story.fleet(text)
    ended = lapcast(story, "sweep", fleet.name, "--json", "--max-laps", 5, "--", *story.trainer("--lap-ms", 2))
    rows = {row["machine_type"]: row["outcome_text"] for row in ended.ok(1).rows("probes")}
    assert rows.pop("remote").startswith("budget spent: 5 laps"), ended
    story.check_store()
    return rows


# Each answer is followed by the text of its row.
ANSWERS = {
    "garbage": "not JSON",
    "escapes": "its reason",
    "says-no": "AAAA",
    "not-lapcast": "usage: lapcast [-h]",
    "other-system": "Plan9 mips, and this lapcast runs on",
    "keeps-nothing": "does not keep what was sent to it",
    "lost": "ended without a result",
    "deep": "too deep",
    "other-run": "claims",
}
FLOODS = {
    "login-flood": "prints without end",
    "error-flood": "does not answer",
    "answer-without-line": "answers with a line that is too long",
    "no-line": "a line that is too long for a result",
    "many-values": "too many values",
}


def test_nonsense_is_a_row_with_a_reason(story, remote):
    rows = sweep(story, hostile(remote, *ANSWERS))
    for mode, reason in ANSWERS.items():
        assert reason in rows[mode], rows
    [lie] = [run for run in story.export() if "claims" in str(run["outcome"])]
    assert lie["machine_type"]["name"] == "other-run" and lie["place"] == "ssh other-run"
    assert lie["id"] != "0123456789ab" and lie["program"][0] == os.environ["FAKE_TRAINER"]
    assert lie["settings"] == {} and lie["working_dir"] == str(story.work) and lie["sweep"] != "feed"
    for command in (["runs"], ["show", lie["id"]], ["rank"], ["export"], ["forecast"]):
        lapcast(story, *command)


def test_floods_end_in_bounded_memory(story, remote):
    rows = sweep(story, hostile(remote, *FLOODS))
    for mode, reason in FLOODS.items():
        assert reason in rows[mode], rows


def test_fleet_check_trusts_no_answer(story, remote):
    modes = ("garbage", "escapes", "no-line", "endless", "login-flood", "error-flood")
    fleet = story.fleet(hostile(remote, *modes))
    ended = lapcast(story, "fleet", "check", fleet.name).ok(1)
    states = {row["machine"]: row["state"] for row in
              lapcast(story, "fleet", "check", fleet.name, "--json").ok(1).rows("fleet")}
    assert states.pop("remote") == "ready", ended
    assert set(states.values()) == {"not reached"}, ended
    for mode in modes:
        assert f"\n{mode}: " in ended.out, ended


def test_output_of_short_commands_is_bounded(story, remote):
    text = hostile(remote, "output-flood")
    fleet = story.fleet(text)
    ended = lapcast(story, "offload", "--to", "output-flood", fleet.name, "--", *story.trainer())
    assert ended.code == 6 and "output-flood answers without end" in ended.err, ended


def test_ctrl_c_works_whatever_a_machine_says(story, remote):
    fleet = story.fleet(hostile(remote, "endless"))
    running = story.start("sweep", fleet.name, "--json", "--max-laps", 5, "--", *story.trainer("--lap-ms", 2),
                          env=PATIENCE)
    assert eventually(lambda: len(story.runs() if story.store.exists() else []) == 1), "that of remote"
    running.send_signal(signal.SIGINT)
    time.sleep(1)  # Simultaneous signals of one kind count as one.
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=HANGS)
    assert running.returncode == 130 and no_escapes(err.replace(b"\n", b"")), (out, err)
    story.check_store()


def test_a_false_rsync_writes_nothing_locally(story, remote):
    tools = story.folder / "tools"
    tools.mkdir()
    rsync = tools / "rsync"
    rsync.write_text("#!/bin/sh\nhead -c 100000 /dev/urandom\nprintf '\\033[2Jwoe\\n' >&2\nexit 0\n")
    rsync.chmod(0o755)
    remote.network.machine("nonsense", path=f"{tools}:{os.environ['PATH']}")
    (story.work / "train.py").write_text("1\n")
    rows = sweep(story, hostile(remote) + fleet_entry("nonsense", name="n"))
    assert rows["n"].startswith("not started: "), rows


def test_fetch_writes_into_its_folder_only(story, remote):
    """The machine names another run folder, and its rsync sends other files."""
    fleet = story.fleet(hostile(remote))
    story.lapcast("offload", "--to", "remote", fleet.name, "--", *story.trainer("--laps", 3)).ok()
    [run] = remote.runs()
    assert eventually(lambda: (run / "record").exists() and b"\nR " in (run / "record").read_bytes())
    before = {path for path in story.folder.rglob("*") if remote.folder not in path.parents}
    tools = story.folder / "network" / "tools"
    tools.mkdir()
    loot = story.folder / "network" / "loot"
    (loot / "sub").mkdir(parents=True)
    (loot / "sub" / "file").write_text("x")
    (loot / "away").symlink_to(story.folder)
    rsync = tools / "rsync"
    # The sender is asked for one folder and sends another by names with "..".
    rsync.write_text(f"#!/bin/sh\ncd {loot}/sub && exec /usr/bin/rsync --server --sender -Rlogtpre.iLsfxCIvu . ../sub/file ../../loot/sub\n")
    rsync.chmod(0o755)
    remote.kill()
    login = remote.folder / "login.sh"
    login.write_text(login.read_text().replace("export PATH=", f"export PATH={tools}:", 1))
    remote.start()
    ended = story.lapcast("fetch", "last", "--into", "here", env=PATIENCE)
    assert no_escapes(ended.err_bytes.replace(b"\n", b"")), ended
    after = {path for path in story.folder.rglob("*") if remote.folder not in path.parents}
    outside = {path for path in after - before
               if story.work / "here" not in [path, *path.parents] and story.folder / "network" not in path.parents
               and story.store.parent != path.parent}
    assert not outside, (outside, ended)
    story.lapcast("cancel", "--forget", "last")
