"""Tests that `watch` leaves a program as it is: its input, its keys, what it leaves behind and each
byte of its output. A probe gives no input and ends what is left."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from pathlib import Path

import pytest

from conftest import HANGS, UNAWARE_OF_OTHERS, eventually

try:
    import pyte
except ImportError:  # then the screen is not looked at
    pyte = None


def test_piped_input_passes_through(story):
    ended = story.lapcast("watch", "--", "cat", input=b"one\n\x00\xff two").ok()
    assert ended.out_bytes == b"one\n\x00\xff two"


def test_a_script_may_come_as_input(story):
    script = b"import sys\nprint('trained', sys.argv[1])\n"
    ended = story.lapcast("watch", "--", "/usr/bin/env", "python3", "-", "well", input=script).ok()
    assert ended.out == "trained well\n"


def test_a_probe_has_no_input(story):
    story.probe("--whole", program=["sh", "-c", "read line && exit 9; sleep 0.1"],
                input=b"one\n").ok()


class Keyboard:
    """Runs lapcast on a terminal of its own, in the foreground."""

    def __init__(self, story, *arguments, columns=80):
        self.main, side = pty.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

        def own_terminal():
            os.setsid()
            fcntl.ioctl(side, termios.TIOCSCTTY, 0)

        self.written = b""
        self.process = subprocess.Popen(
            [os.environ["LAPCAST"], *map(str, arguments)], stdin=side, stdout=side, stderr=side,
            cwd=story.work, env=story.environment | UNAWARE_OF_OTHERS, preexec_fn=own_terminal)
        os.close(side)

    def reads(self, text, times=1):
        """Waits until the text was written so often, or for the end where there is none."""
        end = time.monotonic() + HANGS
        while (text is None or self.written.count(text) < times) and time.monotonic() < end:
            if select.select([self.main], [], [], 0.1)[0]:
                try:
                    self.written += os.read(self.main, 65536)
                except OSError:  # the other side is closed
                    return text is None
        return text is not None and self.written.count(text) >= times

    def types(self, keys):
        os.write(self.main, keys)

    def ends(self):
        assert self.reads(None), self.written
        os.close(self.main)
        return self.process.wait(HANGS)


def test_a_program_reads_the_terminal(story):
    keyboard = Keyboard(story, "watch", "--quiet", "--", "sh", "-c",
                        'printf "name? "; read name; echo "hello $name"')
    assert keyboard.reads(b"name? "), keyboard.written
    keyboard.types(b"Ada\n")
    assert keyboard.ends() == 0 and b"hello Ada" in keyboard.written


@pytest.mark.parametrize("trap", ["", "trap : INT; ", "trap '' INT; ", "trap 'exit 1' INT; "],
                         ids=["default", "handled", "ignored", "exits"])
def test_ctrl_c_interrupts_the_run(story, trap):
    keyboard = Keyboard(story, "watch", "--quiet", "--", "sh", "-c",
                        trap + "echo begun; while :; do sleep 0.1; done")
    assert keyboard.reads(b"begun"), keyboard.written
    keyboard.types(b"\x03")
    assert keyboard.ends() == 130, keyboard.written
    [run] = story.export()
    assert run["outcome"]["kind"] == "interrupted"


def test_a_program_with_a_group_of_its_own_is_ended(story):
    script = "import os, time; os.setpgrp(); time.sleep(60)"
    keyboard = Keyboard(story, "watch", "--quiet", "--max-time", "1s", "--", "/usr/bin/env", "python3",
                        "-c", script)
    assert keyboard.ends() == 7, keyboard.written


def test_a_program_that_ends_its_group_does_not_end_lapcast(story):
    keyboard = Keyboard(story, "watch", "--quiet", "--", "bash", "-c",
                        "trap 'trap - TERM; kill 0' EXIT; sleep 60 & sleep 0.3")
    keyboard.ends()
    [run] = story.export()
    assert run["outcome"]["kind"] == "crashed", run["outcome"]


def test_ctrl_c_lets_a_program_save(story):
    keyboard = Keyboard(story, "watch", "--quiet", "--grace", "10m", "--", "sh", "-c",
                        "trap 'sleep 1; echo saved; exit 0' INT; trap 'echo cut; exit 1' TERM; "
                        "echo begun; while :; do sleep 0.1; done")
    assert keyboard.reads(b"begun"), keyboard.written
    keyboard.types(b"\x03")
    assert keyboard.ends() == 130, keyboard.written
    assert b"saved" in keyboard.written and b"cut" not in keyboard.written


LEAVES_A_HELPER = """
(while [ ! -e go ]; do sleep 0.05; done; echo uploaded; echo >uploaded) &
echo trained
exit $1
"""


@pytest.mark.parametrize("status", [0, 3])
def test_helpers_live_on_and_print_where_they_did(story, status):
    process = story.start("watch", "--", "sh", "-c", LEAVES_A_HELPER, "train", status)
    assert process.wait(HANGS) == (4 if status else 0)  # does not wait for the helper
    assert not (story.work / "uploaded").exists()
    (story.work / "go").touch()
    out, err = process.communicate(timeout=HANGS)
    assert out == b"trained\nuploaded\n" and b"killed" not in err
    assert (story.work / "uploaded").exists()


def test_helpers_live_on_without_the_quota(story, quota):
    process = story.start("watch", "--cpu-quota", "50%", "--", "sh", "-c", LEAVES_A_HELPER, "train",
                          0)
    assert process.wait(HANGS) == 0
    (story.work / "go").touch()
    assert eventually((story.work / "uploaded").exists, 20)
    process.communicate(timeout=HANGS)


def test_what_lapcast_ends_is_ended_as_a_whole(story):
    helper = "trap '' TERM; echo $$ >pid; while [ ! -e go ]; do sleep 0.05; done; echo >uploaded"
    process = story.start("watch", "--max-time", "10s", "--", "sh", "-c",
                          f'sh -c "{helper}" & exec sleep 600'.replace("$$", r"\$\$"))
    process.communicate(timeout=HANGS)
    assert process.returncode == 7
    pid = (story.work / "pid").read_text().strip()
    (story.work / "go").touch()
    assert eventually(lambda: not Path(f"/proc/{pid}").exists())
    assert not (story.work / "uploaded").exists()


@pytest.mark.parametrize("left, warning", [
    ("sleep 30 &", "the program left processes running, which were killed: sleep"),
    (": &", None),
], ids=["another-program", "gone-at-once"])
def test_a_probe_ends_helpers_and_says_so_where_it_matters(story, left, warning):
    ended = story.probe("--whole", program=["sh", "-c", f"sleep 0.1; {left}"]).ok()
    assert ("killed" in ended.err) == (warning is not None) and (warning or "") in ended.err


def test_workers_of_a_python_program_are_no_warning(story):
    script = story.work / "train.py"
    script.write_text("import os, time\nif os.fork():\n    os._exit(0)\ntime.sleep(60)\n")
    ended = story.probe("--whole", program=["/usr/bin/env", "python3", script]).ok()
    assert "killed" not in ended.err


BARS = """
import os, time
for n in range(41):
    while n == 20 and not os.path.exists("go"):
        time.sleep(0.02)
    bar = b"\\r%3d%%|" % (n * 5 // 2) + b"\\xe2\\x96\\x88" * (n // 4)
    os.write(2, bar + b"| %d/40 \\x1b[32m\\xff\\xc3\\x80\\x1b[0m" % n)
    time.sleep(0.05)
os.write(2, b"\\ndone \\x00\\x01\\n")
"""
# What lapcast writes around its live line, which is below an unfinished line or at a new one.
LIVE = re.compile(rb"\x1bD\x1b\[A\x1b7\x1b\[B\r\x1b\[K[^\x1b\n]*\x1b8|\x1b7\x1b\[B\r\x1b\[K\x1b8|"
                  rb"\r\x1b\[K[^\x1b\r\n]*(?=\r\x1b\[K)|\r\x1b\[K")


@pytest.mark.parametrize("columns", [80, 120])
def test_bars_and_the_live_line_do_not_mix(story, columns):
    script = story.work / "bars.py"
    script.write_text(BARS)
    python = ["/usr/bin/env", "python3", script]
    go = story.work / "go"
    go.touch()
    alone = subprocess.run(python, capture_output=True, check=True, cwd=story.work).stderr
    go.unlink()
    keyboard = Keyboard(story, "watch", "--", *python, columns=columns)
    assert keyboard.reads(b"so far", times=4), keyboard.written
    go.touch()
    assert keyboard.ends() == 0
    own, _ = LIVE.sub(b"", keyboard.written).split(b"\x1b[1mlapcast: ", 1)  # the end, in bold
    assert own.replace(b"\r\n", b"\n") == alone
    if pyte is None:
        return
    screen = pyte.Screen(columns, 24)
    pyte.ByteStream(screen).feed(keyboard.written)
    shown = [line.rstrip() for line in screen.display if line.strip()]
    assert shown[0].startswith("100%|" + 10 * "\u2588" + "| 40/40") and shown[1].startswith("done")
    assert shown[2].startswith("lapcast: ") and not any("so far" in line for line in shown), shown
