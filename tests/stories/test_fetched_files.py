"""Tests what `fetch` copies of a program's files, and what a hostile machine tries to copy."""

import os
import shutil
import stat

import pytest

import sshd
from conftest import eventually
from sshd import fleet_entry

FLEET = fleet_entry("remote", price="0.36")

PROGRAM = r"""
cd "$LAPCAST_RUN_DIR" && umask 000 && mkdir -p open/deep locked inner
echo results >results && chmod 0640 results
echo tool >tool && chmod 06755 tool
echo all >open/all && chmod 0666 open/all
echo dark >dark && chmod 0000 dark
echo in >locked/in && chmod 0500 locked
chmod 01777 open && chmod 02775 open/deep && chmod 0777 .
ln -s results good; ln -s ../results inner/up; ln -s "$HOME/shared" absolute
ln -s ../../../outside out; ln -s inner/../../../outside roundabout
mkfifo pipe
printf 'x' >"$(printf 'odd\033[31mname\nline')"
ln -s /etc "$(printf 'bad\033[31mlink')"
"$LAPCAST" lap iteration 8; "$LAPCAST" lap iteration 8
"""


def offload(story, program=PROGRAM):
    story.fleet(FLEET)
    ended = story.lapcast("offload", "--json", "--to", "remote", "fleet.toml", "--", "env",
                          f"LAPCAST={os.environ['LAPCAST']}", "sh", "-c", program).ok()
    run = ended.json["offloaded"]["id"]
    story.lapcast("attach", run).ok()
    return run


def mode_of(path):
    return stat.S_IMODE(path.lstat().st_mode)


def test_q_harmful_files_are_not_fetched(story, remote):
    fetched = story.lapcast("fetch", offload(story), "--into", "home").ok()
    home = story.work / "home"
    assert {str(path.relative_to(home)) for path in home.rglob("*")} == {
        "results", "tool", "open", "open/all", "open/deep", "dark", "locked", "locked/in", "inner",
        "inner/up", "good", "odd\033[31mname\nline"}
    modes = {"": 0o700, "results": 0o640, "tool": 0o755, "open": 0o755, "open/all": 0o644,
             "open/deep": 0o755, "dark": 0o400, "locked": 0o700}
    assert {path: mode_of(home / path) for path in modes} == modes
    assert os.readlink(home / "good") == "results" and (home / "tool").read_text() == "tool\n"
    [warning] = [line for line in fetched.err.splitlines() if "warning" in line]
    assert warning.startswith("lapcast: warning: 5 left on the machine (links that lead out of the folder, ")
    for name in ("absolute", "out", "roundabout", "pipe", "bad"):
        assert name in warning
    assert b"\x1b" not in fetched.err_bytes


def test_q_a_local_link_is_not_written_through(story, remote):
    """The link is one that an earlier lapcast copied, or that the program made at first."""
    outside = story.folder / "outside"
    outside.mkdir()
    (outside / "x").write_text("mine\n")
    home = story.work / "home"
    home.mkdir(mode=0o750)
    (home / "sub").symlink_to(outside)
    run = offload(story, 'mkdir "$LAPCAST_RUN_DIR/sub"; echo new >"$LAPCAST_RUN_DIR/sub/x"; '
                         '"$LAPCAST" lap iteration 8')
    story.lapcast("fetch", run, "--into", "home").ok()
    assert (outside / "x").read_text() == "mine\n"
    assert (home / "sub" / "x").read_text() == "new\n" and not (home / "sub").is_symlink()
    assert mode_of(home) == 0o750  # the user's own folder keeps its mode


def test_a_training_is_fetched_after_its_folder_can_no_longer_be_sent(story, remote):
    run = offload(story, '"$LAPCAST" lap iteration 8; echo 1 >"$LAPCAST_RUN_DIR/results"')
    with open(story.work / "huge", "wb") as huge:
        huge.truncate(3 << 30)  # a sparse file without blocks
    assert "ended" in story.lapcast("jobs").ok().out
    story.lapcast("fetch", run, "--into", "home").ok()
    assert (story.work / "home" / "results").read_text() == "1\n"


HOSTILE_RSYNC = r"""#!/usr/bin/env python3
# Acts as rsync, but its sender runs $HOME/evil, which sends files that lapcast did not request.
import os, sys
RSYNC = "@RSYNC@"
if "--sender" not in sys.argv or not os.path.exists(os.environ["HOME"] + "/evil"):
    os.execv(RSYNC, ["rsync", *sys.argv[1:]])
given = b""
while not given.endswith(b"\0\0"):  # --protect-args: the arguments come on stdin
    byte = os.read(0, 1)
    if not byte:
        sys.exit(1)
    given += byte
given = [text.decode() for text in given.rstrip(b"\0").split(b"\0")]
options = [option.replace("s", "", 1) if option.startswith("-s") else option for option in sys.argv[1:]]
options += given[1:given.index(".")]
exec(open(os.environ["HOME"] + "/evil").read())
"""


@pytest.fixture
def hostile(story):
    if sshd.why_not_here():
        pytest.skip(sshd.why_not_here())
    sshd.raise_loopback()
    tools = story.folder / "tools"
    tools.mkdir()
    (tools / "rsync").write_text(HOSTILE_RSYNC.replace("@RSYNC@", shutil.which("rsync")))
    (tools / "rsync").chmod(0o755)
    network = sshd.Network(story.folder / "network")
    story.environment |= network.environment
    yield network.machine("remote", path=f"{tools}:{os.environ['PATH']}")
    network.stop()


# Each script replaces the sender, in a folder with a file `x` two levels up, and is followed by what
# lapcast reports. RENAME sends a file zz/zz/x and changes zz in the stream.
RENAME = """
import subprocess
os.makedirs("zz/zz"); open("zz/zz/x", "w").write("evil"); os.symlink(os.environ["HOME"], "aa")
sender = subprocess.Popen([RSYNC, *options, ".", "./"], stdout=subprocess.PIPE)
while data := os.read(sender.stdout.fileno(), 65536):
    os.write(1, data.replace(b"zz", b"%s"))
"""
SEND = 'os.execv(RSYNC, ["rsync", *options, *%s])'
EVIL = {
    "names with ..": (RENAME % "..", "unsafe pathname"),
    "absolute names": (SEND % '["-R", ".", os.environ["HOME"] + "/x"]', "unsafe pathname"),
    "a link and a folder of one name": (RENAME % "aa", "its files are in"),
    "links out": ('os.symlink(os.environ["HOME"], "a"); os.symlink("../../x", "b"); '
                  + SEND % '[".", "./"]', "2 left on the machine"),
    "no rsync at all": ('os.write(1, b"\\x1b]0;owned\\x07" * 100000)', "rsync with remote failed"),
    "floods": ('\nwhile True: os.write(1, b"\\0" * 65536)', "remote"),
    "ends at once": ("sys.exit(0)", "the link to remote broke"),
}


@pytest.mark.parametrize("evil", EVIL.values(), ids=EVIL)
def test_q_a_hostile_machine_writes_nothing_outside_the_folder(story, hostile, evil):
    evil, said = evil
    run = offload(story, '"$LAPCAST" lap iteration 8; echo 1 >"$LAPCAST_RUN_DIR/results"')
    deep = hostile.home / "a" / "b"
    deep.mkdir(parents=True)
    (hostile.home / "x").write_text("mine\n")
    (hostile.home / "evil").write_text(f"os.chdir({str(deep)!r})\n{evil}\n")
    into = story.work / "results" / "deep"
    into.parent.mkdir()
    before = {path for path in story.work.rglob("*")}
    fetched = story.lapcast("fetch", run, "--into", "results/deep")
    assert said in fetched.err, fetched
    assert b"\x1b" not in fetched.err_bytes and len(fetched.err) < 2000
    new = {path for path in story.work.rglob("*")} - before - {into}
    assert all(into in path.parents for path in new), new
    assert not [path for path in new if path.is_symlink()]
    assert (hostile.home / "x").read_text() == "mine\n"
    assert {path.name for path in hostile.home.iterdir()} >= {"x", "a"}
    assert not (hostile.home / "zz").exists() and not (hostile.home / "aa").exists()
    # Nothing is lost: an honest rsync copies the results.
    if fetched.code != 0:
        (hostile.home / "evil").unlink()
        story.lapcast("fetch", run, "--into", "results/deep").ok()
        assert (into / "results").read_text() == "1\n"
    assert eventually(lambda: hostile.runs() == [])
