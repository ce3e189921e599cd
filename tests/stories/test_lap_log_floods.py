"""Tests that lapcast reads any lap log in little memory, keeps the laps, and names what it did not
keep."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PEAK = Path(__file__).resolve().parent / "peak_memory.py"
MOST_MIB = 100  # in addition to what the laps need

# `out` is a log of valid laps, `bad` another one with a valid hello, `folder` where they are.
PROGRAM = """
import os, time
folder = os.environ["LAPCAST_LOG_DIR"]
hello = "lapcast-laps 1\\n0 hello clock=%d wall=1 pid=1\\n" % time.monotonic_ns()
out = open(os.path.join(folder, "laps.1.log"), "w")
out.write(hello + "".join("%d i 8\\n" % (i * 1000) for i in range(1, 51)))
out.flush()
bad = open(os.path.join(folder, "laps.2.log"), "wb", buffering=1 << 20)
bad.write(hello.encode())
"""
NULS = r'bad.write(b"\n" + bytes(48 << 20))'
LINES = 'for i in range({count}): bad.write({line})'
FLOODS = {
    "nuls": (NULS, "of damage were not kept"),
    "only-nuls": ("bad.seek(0); bad.truncate(); " + NULS, "were not read: they follow what is not a lap log"),
    "one-line": ('for _ in range(48): bad.write(b"x" * (1 << 20))', "of damage were not kept"),
    "control-lines": (LINES.format(count=800_000, line=r'b"\1\2\3\4" * 10 + b"\n"'), "800000 damaged lines"),
    "notes": (LINES.format(count=600_000, line=r'b"1 note number %d of very many\n" % i'), "of damage were not kept"),
    "metrics": (LINES.format(count=900_000, line=r'b"1 metric a%d 1\n" % i'), "that are not laps"),
    "phases": (LINES.format(count=600_000, line=r'b"1 phase p%d\n" % i'), "of damage were not kept"),
    "epochs": (LINES.format(count=900_000, line=r'b"1 epoch-begin 1\n"'), "that are not laps"),
    "kinds-of-later-versions": (LINES.format(count=900_000, line=r'b"1 kind%d and more\n" % i'), "that are not laps"),
    "a-terabyte": ("os.truncate(bad.fileno(), 1 << 40)", "were not read: the lap logs of a run have at most"),
    "files": ("""
for i in range(4500):
    with open(os.path.join(folder, "laps.x%d.log" % i), "wb") as log: log.write(b"1 2\\n" * 2000)
os.mkfifo(os.path.join(folder, "laps.pipe.log"))
os.symlink("/etc/passwd", os.path.join(folder, "laps.link.log"))
""", "files were not read: no regular file"),
}


def measured(story, program, *options):
    """Returns the exported run and the peak memory of lapcast and its workers in MiB."""
    file = story.work / "program.py"
    file.write_text(program)
    command = [sys.executable, PEAK, os.environ["LAPCAST"], "probe", "--no-hook", *options, "--",
               sys.executable, "-S", file]
    ended = subprocess.run(list(map(str, command)), env=story.environment, cwd=story.work,
                           capture_output=True, text=True)
    [run] = story.export()
    return run, int(ended.stderr.splitlines()[-1])


@pytest.mark.parametrize("name", FLOODS)
def test_e_memory_is_bounded_and_the_laps_are_kept(story, name):
    flood, warning = FLOODS[name]
    run, peak = measured(story, PROGRAM + flood)
    assert peak < MOST_MIB, f"{peak} MiB"
    assert any(warning in text for text in run["warnings"]), run["warnings"]
    logs = [log for log in run["lap_logs"] if isinstance(log, str)]
    assert [log.count(" i 8\n") for log in logs if " i 8\n" in log] == [50]
    assert story.store.stat().st_size < 12 << 20


def test_e_a_million_laps_stay_whole(story):
    text = story.work / "text"
    run, _ = measured(story, PROGRAM + f"""
lines = "".join("%d i 8\\n%s" % (i * 60, "" if i % 10 else "%d metric loss 0.5\\n" % (i * 60))
                for i in range(1000, 1001000))
out.write(lines)
out.close()
open({str(text)!r}, "w").write(open(out.name).read())
time.sleep(0.1)
""", "--budget", "60s")
    log = max(run["lap_logs"], key=len)
    assert log == text.read_text() and log.count(" i 8\n") == 1_000_050
    assert not [warning for warning in run["warnings"] if "lap log" in warning]


def test_e_output_of_control_characters_is_small_in_json(story):
    run, peak = measured(story, PROGRAM + 'os.write(1, bytes(200_000))')
    assert peak < MOST_MIB
    assert len(run["standard_output"]["base64"]) < 300_000
