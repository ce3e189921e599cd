"""Tests probes on machines reached by ssh: what is sent, what goes wrong, and that nothing is
lost."""

import json
import os
import random
import shutil
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

import sshd
from conftest import HANGS, eventually
from sshd import fleet_entry

pytestmark = pytest.mark.skipif(bool(sshd.why_not_here()), reason=sshd.why_not_here())


def sweep(story, *machines, options=("--max-laps", 15), program=None, top=""):
    fleet = story.fleet(top + "".join(machines))
    program = program or story.trainer("--laps", 1000, "--lap-ms", 10)
    return ["sweep", fleet.name, "--json", *options, "--", *program]


def again(story, command, code=0):
    return story.lapcast("sweep", "fleet.toml", "--again", *command[2:]).ok(code)


def outcomes(ended):
    return {row["machine_type"]: row["outcome_text"] for row in ended.rows("probes")}


def probed(story):
    return Counter(run["machine_type"]["name"] for run in story.export()
                   if run["outcome"]["kind"] not in ("interrupted", "not-started"))


def bare_tools(story):
    """Returns a PATH with the programs of every system, but no rsync."""
    tools = story.folder / "tools"
    tools.mkdir()
    for tool in ("sh", "mkdir", "cat", "chmod", "mv", "rm", "find", "uname", "wc"):
        (tools / tool).symlink_to(shutil.which(tool))
    return tools


def recorders(machine):
    """Returns the processes that record a run on a machine."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            environment = (process / "environ").read_bytes()
            command = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if f"HOME={machine.home}\0".encode() in environment and b"\0agent\0begin\0" in command:
            found.append(int(process.name))
    return found


# What is sent ------------------------------------------------------------------------------------


def test_a_sweep_over_ssh_sends_once_and_leaves_nothing(story, network):
    boxes = [network.machine(name) for name in ("one", "two")]
    (story.work / "train.py").write_text("print('hello')\n")
    (story.work / "lib").mkdir()
    (story.work / "lib" / "layers.py").write_text("# layers\n")
    for secret in (".env", "key.pem", ".git/config", "data/huge.bin"):
        (story.work / secret).parent.mkdir(exist_ok=True)
        (story.work / secret).write_text("secret\n")
    (story.work / ".lapcastignore").write_text("data/\n")
    command = sweep(story, fleet_entry("one"), fleet_entry("two"))
    ended = story.lapcast(*command).ok()
    assert all(text.startswith("budget spent: 15 laps") for text in outcomes(ended).values()), ended
    assert "one and two are the same hardware" in ended.err
    for box in boxes:
        sent = {str(path.relative_to(box.sent())) for path in box.sent().rglob("*")}
        assert sent == {"train.py", "lib", "lib/layers.py", ".lapcastignore", "fleet.toml"}
        assert box.runs() == []
        assert box.cache().stat().st_mode & 0o777 == 0o700
        assert eventually(lambda box=box: not recorders(box))
    runs = {run["machine_type"]["name"]: run for run in story.export()}
    for name, run in runs.items():
        assert run["place"] == f"ssh {name}"
        assert [step["what"] for step in run["preparation"]] == ["send lapcast", "send program"]
        assert run["lap_logs"] and run["machine"]["threads"] > 0

    # Without changes nothing is sent. After a file less and a file more, only these change.
    received = boxes[0].sent().with_name(boxes[0].sent().name + ".received")
    before = received.stat().st_mtime_ns
    (boxes[0].sent() / "checkpoint").write_text("of the program\n")
    again(story, command)
    assert received.stat().st_mtime_ns == before
    assert all(run["preparation"] == [] for run in story.export()[2:])
    shutil.rmtree(story.work / "lib")
    (story.work / "new.py").write_text("# new\n")
    again(story, command)
    sent = {str(path.relative_to(boxes[0].sent())) for path in boxes[0].sent().rglob("*")}
    assert sent == {"train.py", "new.py", ".lapcastignore", "fleet.toml", "checkpoint"}


def test_arguments_arrive_as_they_are_in_every_login_shell(story, network):
    shells = [shell for shell in map(shutil.which, ("sh", "bash", "zsh", "fish", "tcsh")) if shell]
    evil = ["", "two words", "it's", '"', "$(touch broken)", "`touch broken`", "a\\b", "!!", "*", "~",
            "line\nbreak", "; touch broken", "-n", "\u00e4\u20ac", "{run_dir}x", "#", "%s", "\t"]
    show = ["python3", "-c", "import json, os, sys; "
            "open(sys.argv[1], 'a').write(json.dumps([os.environ['FAKE_NAME'], sys.argv[2:]]) + '\\n')"]
    seen = story.folder / "seen"
    machines = []
    for shell in shells:
        name = Path(shell).name
        network.machine(name, shell=shell)
        machines.append(fleet_entry(name, f'[machine.environment]\nFAKE_NAME = "it\'s {name}"\n'))
    story.lapcast(*sweep(story, *machines, program=[*show, str(seen), *evil])).ok(1)
    arrived = dict(json.loads(line) for line in seen.read_text().splitlines())
    assert set(arrived) == {f"it's {Path(shell).name}" for shell in shells}
    for name, arguments in arrived.items():
        run_dir = arguments[evil.index("{run_dir}x")]
        assert run_dir.endswith("/runx") and run_dir.startswith("/")
        assert [a for a in arguments if a != run_dir] == [a for a in evil if a != "{run_dir}x"]
    assert not list(story.folder.rglob("broken"))


def test_data_and_set_up_are_done_once(story, network):
    box = network.machine("box")
    (story.work / "digits").mkdir()
    (story.work / "digits" / "train.bin").write_bytes(b"\0" * 100_000)
    top = '[[data]]\npath = "digits"\nsize = "100 kB"\nsource = "send"\n'
    top += '[[data]]\npath = "fetched/x"\nsource = "setup"\n'
    machine = fleet_entry("box", "setup = \"[ -e set-up.log ] || { mkdir fetched; echo 1 > fetched/x; }; "
                    "echo $(ls digits) >> set-up.log\"")
    command = sweep(story, top + machine)
    story.lapcast(*command).ok()
    run = story.export()[-1]
    assert [step["what"] for step in run["preparation"]] == [
        "send lapcast", "send program", "send data", "set-up"]
    assert run["preparation"][2]["bytes"] > 0
    again(story, command)
    assert (box.sent() / "set-up.log").read_text() == "train.bin\n"
    assert story.export()[-1]["preparation"] == []
    # Missing data that the second set-up does not fetch are a reason, not a crash of the program.
    shutil.rmtree(box.sent() / "fetched")
    ended = again(story, command, 1)
    assert "fetched/x is not on the machine, nor did the set-up fetch it" in outcomes(ended)["box"]
    assert (box.sent() / "set-up.log").read_text() == "train.bin\ntrain.bin\n"


def test_a_set_up_that_fails_says_how(story, network):
    network.machine("box")
    machine = fleet_entry("box", 'setup = "echo no such package; exit 3"')
    ended = story.lapcast(*sweep(story, machine)).ok(1)
    assert "the set-up command failed with exit status 3: no such package" in outcomes(ended)["box"]


# Machines that are not as they should be ---------------------------------------------------------


def test_each_unreachable_machine_is_a_row_with_its_fix(story, network):
    network.machine("good", login="echo Welcome!; echo 'lapcast- is not the marker'")
    network.machine("stranger", known=False)
    network.machine("password", options=["PubkeyAuthentication no", "PasswordAuthentication yes"])
    network.machine("exits", login="echo go away >&2; exit 1")
    changed = network.machine("changed")
    changed.kill()
    changed.new_host_key()
    changed.start()
    tools = bare_tools(story)
    network.machine("bare", path=tools)
    (story.folder / "other-uname").write_text("#!/bin/sh\necho Linux sparc64\n")
    (story.folder / "other-uname").chmod(0o755)
    shutil.copytree(tools, story.folder / "sparc-tools", symlinks=True)
    (story.folder / "sparc-tools" / "uname").unlink()
    (story.folder / "sparc-tools" / "uname").symlink_to(story.folder / "other-uname")
    network.machine("sparc", path=story.folder / "sparc-tools")
    names = ("good", "stranger", "password", "exits", "changed", "bare", "sparc")
    ended = story.lapcast(*sweep(story, *map(fleet_entry, names))).ok(1)
    said = outcomes(ended)
    assert said["good"].startswith("budget spent: 15 laps")
    fixes = {"stranger": "the host key of stranger is not known yet; connect once by hand",
             "password": "set up a key: ssh-copy-id password",
             "exits": "the login of exits ends before it runs a command: go away",
             "changed": "the host key of changed is not the one that is known",
             "bare": "bare lacks rsync; install it, such as",
             "sparc": "sparc is Linux sparc64, and this lapcast runs on"}
    for name, fix in fixes.items():
        assert said[name].startswith("not started: ") and fix in said[name], said[name]
    assert probed(story) == {"good": 1}


def test_a_full_disk_is_a_reason(story, network):
    if os.geteuid() != 0:
        pytest.skip("only root may mount a small file system")
    box = network.machine("box")
    (box.home / ".cache").mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m,mode=700", "tmpfs",
                              box.home / ".cache"], stderr=subprocess.DEVNULL)
    if mounted.returncode != 0:
        pytest.skip("no file system can be mounted here")
    try:
        ended = story.lapcast(*sweep(story, fleet_entry("box"))).ok(1)
        assert "the disk of box is full; free some space on it" in outcomes(ended)["box"]
        assert list((box.cache() / "bin").glob("*")) == []
    finally:
        subprocess.run(["umount", "-l", box.home / ".cache"], check=True)


def test_the_whole_home_is_never_sent(story, network):
    network.machine("box")
    story.environment["HOME"] = str(story.work)
    ended = story.lapcast(*sweep(story, fleet_entry("box"))).ok(1)
    assert "lapcast does not send" in outcomes(ended)["box"]


# When something breaks ---------------------------------------------------------------------------


def test_a_link_that_drops_is_made_again(story, network):
    box = network.machine("box")
    go_on = story.folder / "go-on"
    process = story.start(*sweep(story, fleet_entry("box"), options=("--max-laps", 120)), "--until", go_on)
    assert eventually(lambda: story.journal("held"))
    box.break_links()
    go_on.touch()
    out, err = process.communicate(timeout=HANGS)
    assert process.returncode == 0, err
    assert probed(story) == {"box": 1} and len(story.journal("start")) == 1
    assert box.runs() == []


def test_sshd_and_lapcast_killed_then_the_same_command_again(story, network):
    boxes = {name: network.machine(name) for name in ("one", "two")}
    command = sweep(story, *map(fleet_entry, boxes), options=("--max-laps", 100))
    process = story.start(*command)
    assert eventually(lambda: len(story.journal("start")) == 2)
    time.sleep(0.3)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    boxes["one"].kill()
    boxes["one"].start()
    ended = story.lapcast(*command).ok()
    assert len(story.journal("start")) == 2, "a probe that went on meanwhile was begun again"
    assert probed(story) == {"one": 1, "two": 1}, ended
    assert all(box.runs() == [] for box in boxes.values())
    story.check_store()


@pytest.mark.parametrize("seed", range(int(os.environ.get("LAPCAST_KILLS", "2"))))
def test_kills_at_random_moments_lose_repeat_and_leave_nothing(story, network, seed):
    random_moments = random.Random(seed)
    boxes = {name: network.machine(name) for name in ("one", "two")}
    fleet = story.fleet("".join(map(fleet_entry, boxes)))
    command = ["sweep", fleet.name, "--batch", "32,64", "--max-laps", "40", "--json", "--",
               *story.trainer("--laps", 1000, "--lap-ms", 10, "--batch", "{batch}")]
    for _ in range(3):
        process = story.start(*command)
        time.sleep(random_moments.uniform(0.05, 1.2))
        victim = random_moments.choice(["lapcast", "links", "sshd", "all"])
        box = random_moments.choice(list(boxes.values()))
        if victim in ("links", "all"):
            box.break_links()
        if victim in ("sshd", "all"):
            box.kill()
            box.start()
        if victim in ("lapcast", "all"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            time.sleep(0.2)
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    story.lapcast(*command).ok()
    done = Counter((run["machine_type"]["name"], run["settings"]["batch"]) for run in story.export())
    assert done == {(name, batch): 1 for name in boxes for batch in ("32", "64")}
    assert len(story.journal("start")) == 4, "a probe was begun twice"
    assert all(box.runs() == [] for box in boxes.values())
    assert all(eventually(lambda box=box: not recorders(box)) for box in boxes.values())
    story.check_store()


def test_ctrl_c_stops_the_remote_program(story, network):
    box = network.machine("box")
    process = story.start(*sweep(story, fleet_entry("box")), "--until", story.folder / "never")
    assert eventually(lambda: story.journal("held"))
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=HANGS)
    assert process.returncode == 130
    assert eventually(lambda: not story.living()) and eventually(lambda: not recorders(box))
    assert box.runs() == []


def test_laps_of_a_machine_that_was_switched_off_are_saved(story, network):
    box = network.machine("box")
    process = story.start(*sweep(story, fleet_entry("box"), options=("--precision", "0.001%")),
                          "--until", story.folder / "never", "--until-lap", 40)
    assert eventually(lambda: story.journal("held") and recorders(box))
    box.kill()  # as in a power failure: the server, the recorder and the program
    for pid in recorders(box) + story.living():
        subprocess.run(["kill", "-KILL", str(pid)], stderr=subprocess.DEVNULL)
    box.start()
    out, err = process.communicate(timeout=HANGS)
    assert process.returncode == 0, err
    [run] = story.export()
    assert run["outcome"]["kind"] == "budget-spent" and "switched off" in run["outcome"]["which"]
    assert len(run["lap_logs"]) == 2 and run["ended_ns"] > run["started_ns"] > 0
    assert box.runs() == []


# fleet check -------------------------------------------------------------------------------------


def test_fleet_check_says_what_each_machine_is_and_lacks(story, network):
    box = network.machine("box", login="echo Welcome!")
    network.machine("off").kill()
    network.machine("bare", path=bare_tools(story))
    fleet = story.fleet('[[machine]]\nname = "here"\nprice = "1"\n' + fleet_entry("box") + fleet_entry("off")
                        + fleet_entry("bare") + fleet_entry("box", 'cpus = "4000"', name="box 4000"))
    ended = story.lapcast("fleet", "check", fleet.name, "--json").ok(1)
    rows = {row["machine"]: row for row in ended.rows("fleet")}
    assert {name: row["state"] for name, row in rows.items()} == {
        "here": "ready", "box": "ready", "off": "not reached", "bare": "lacks something",
        "box 4000": "lacks something"}
    assert rows["box"]["latency_s"] > 0 and rows["box"]["link_mbit_per_s"] > 1
    assert abs(rows["box"]["clock_offset_s"]) < 1 and rows["box"]["threads"] == os.cpu_count()
    notes = "\n".join(ended.notes("fleet"))
    assert "off: no ssh server answers on off; is it running" in notes
    assert "box is the same hardware as here: keep one of them" in notes
    assert "bare lacks rsync: sudo apt install rsync" in notes
    assert "box 4000 lacks what it asks for: CPU 4000 cannot be used here" in notes
    found = {row["place"]: row for row in ended.rows("machines")}
    assert found["ssh box"]["cpu"] and found["ssh box"]["memory_bytes"] > 1 << 20
    assert box.runs() == []

    only = story.fleet(fleet_entry("box"), name="only.toml")
    story.lapcast("fleet", "check", only.name).ok()


def test_fleet_check_measures_the_link(story, network):
    network.machine("slow", rate="40mbit")
    fleet = story.fleet(fleet_entry("slow"))
    ended = story.lapcast("fleet", "check", fleet.name, "--json").ok()
    [row] = ended.rows("fleet")
    assert 0 < row["link_mbit_per_s"] < 44, row  # a busy machine may measure less, never more
    assert [(each["place"], each["host"]) for each in ended.rows("machines")] == [("ssh slow", "slow")]
