"""Tests how much memory runs with very many laps take, machines of a fleet and long price lists. The
limits are those of 5 million laps, the laps of a day: a run has less than 100 bytes a lap."""

import json
import os
import re
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

import sshd
from conftest import GOLDEN, HANGS, Story, eventually
from live_page import serve  # noqa: F401 (a fixture)
from sshd import fleet_entry

PEAK = Path(__file__).resolve().parent / "peak_memory.py"
FEW, MANY = 200_000, 1_000_000
MIB = 1 << 20
LONG = os.environ.get("LAPCAST_LONG_TESTS")
DAY = 5_000_000


def log_of(laps):
    """Returns the log of a training of ten epochs that are validated, and when it ends."""
    at = 65_000_000
    lines = ["lapcast-laps 1", "0 hello clock=1065541639 wall=1790000000.0 pid=1 rank=0 world=1 "
             "host=box emitter=lap.h/1", f"39389 plan epochs=10 iterations={laps // 10} batch=64 "
             f"train={64 * laps // 10} validation=1000"]
    for epoch in range(1, 11):
        lines.append(f"{at} epoch-begin {epoch}")
        for lap in range(laps // 10):
            at += 17_000_000 + lap * 7919 % 1_000_003
            lines.append(f"{at} i 64")
        lines += [f"{at} epoch-end {epoch}", f"{at} validation-begin"]
        at += 500_000_000
        lines.append(f"{at} validation-end 1000")
    return "\n".join(lines) + "\n", at


def exported_run(laps):
    """Returns the line of a run with so many laps."""
    run = json.loads((GOLDEN / "runs.jsonl").read_text().splitlines()[0])
    for key in ("stop_sent_ns", "metric", "patience"):
        run.pop(key, None)
    log, end_ns = log_of(laps)
    run |= {"kind": "full", "outcome": {"kind": "ended"}, "lap_logs": [log],
            "ended_ns": run["started_ns"] + 65_541_639 + end_ns + 3_000_000}
    return json.dumps(run, separators=(",", ":")) + "\n"


def peak_of(story, *arguments, code=0, env=None):
    """Runs lapcast and returns the peak memory in bytes of its largest process."""
    ended = subprocess.run([sys.executable, PEAK, os.environ["LAPCAST"], *map(str, arguments)],
                           env=story.environment | (env or {}), cwd=story.work,
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=HANGS)
    assert ended.returncode == code, ended.stderr[-2000:]
    return int(ended.stderr.splitlines()[-1]) * MIB


@pytest.fixture(scope="module")
def two_stores(tmp_path_factory):
    """Returns the stores with a run of few laps and with one of many, for commands that only read."""
    story = Story(tmp_path_factory.mktemp("stores"))
    stores = []
    for laps in (FEW, MANY):
        line, store = story.work / f"{laps}.jsonl", story.folder / f"{laps}.db"
        line.write_text(exported_run(laps))
        story.lapcast("--store", store, "import", line).ok()
        stores.append(store)
    return stores


COMMANDS = {
    **{f"laps-{form}": ("show", "last", "--laps", "--format", form)
       for form in ("table", "csv", "json", "jsonl", "markdown")},
    "show": ("show", "last"),
    "forecast": ("forecast", "last"),
    "report": ("report", "last", "-o", "page.html"),
    "export": ("export",),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_lap_takes_less_than_100_bytes(story, two_stores, name):
    few, many = (peak_of(story, "--store", store, *COMMANDS[name]) for store in two_stores)
    assert many - few < 100 * (MANY - FEW), (few // MIB, many // MIB)


def test_an_imported_lap_takes_less_than_100_bytes(story):
    peaks = []
    for laps in (FEW, MANY):
        (story.work / "line").write_text(exported_run(laps))
        peaks.append(peak_of(story, "--store", f"{laps}.db", "import", "line"))
    assert peaks[1] - peaks[0] < 100 * (MANY - FEW), peaks


def test_raw_laps_are_written_whole_however_many_they_are(story, two_stores):
    shown = story.lapcast("--store", two_stores[0], "show", "last", "--laps", "--format", "jsonl").ok()
    laps = [json.loads(line) for line in shown.out.splitlines() if line.startswith('{"table": "laps"')]
    assert len(laps) == FEW and [lap["lap"] for lap in laps] == list(range(FEW))
    assert laps[0]["begin_s"] == pytest.approx(0.130541639) and laps[-1]["epoch"] == 10
    [run] = [json.loads(line) for line in
             story.lapcast("--store", two_stores[1], "export").ok().out.splitlines()]
    assert run["lap_logs"] == [log_of(MANY)[0]]


# Reports many laps that were short, and lives until lapcast has looked at them.
PROGRAM = """
import os, sys, time
count = int(sys.argv[1])
out = open(os.path.join(os.environ["LAPCAST_LOG_DIR"], "laps.1.log"), "w")
out.write("lapcast-laps 1\\n0 hello clock=%d wall=1 pid=1\\n0 plan epochs=20 batch=8 train=%d\\n0 epoch-begin 1\\n"
          % (time.monotonic_ns(), 8 * count))
time.sleep(20e-9 * count)
out.write("".join("%d i 8\\n" % (10 * i) for i in range(1, count + 1)))
out.close()
time.sleep(2)
"""


def test_a_watched_lap_takes_less_than_100_bytes(story):
    program = story.work / "program.py"
    program.write_text(PROGRAM)
    peaks = [peak_of(story, "watch", "--no-hook", "--", sys.executable, "-S", program, laps)
             for laps in (FEW, MANY)]
    assert peaks[1] - peaks[0] < 100 * (MANY - FEW), peaks
    assert {run["lap_logs"][0].count(" i 8\n") for run in story.export()} == {FEW, MANY}


@pytest.mark.skipif(bool(sshd.why_not_here()), reason=sshd.why_not_here())
def test_a_machine_of_a_fleet_takes_less_than_10_mb(story):
    network = sshd.Network(story.folder / "network")
    story.environment |= network.environment
    try:
        boxes = [network.machine(f"box{number}").name for number in range(6)]
        peaks = []
        for names in (boxes[:1], boxes[1:]):  # each is sent lapcast itself, too
            fleet = story.fleet("".join(fleet_entry(name) for name in names))
            peaks.append(peak_of(story, "fleet", "check", fleet.name))
        assert peaks[1] - peaks[0] < 10e6 * (len(boxes) - 2), peaks
    finally:
        network.stop()


# Reports the laps of a day within a minute.
SOAK = """
import os, time
out = open(os.path.join(os.environ["LAPCAST_LOG_DIR"], "laps.1.log"), "w", buffering=1 << 16)
start = time.monotonic_ns()
out.write("lapcast-laps 1\\n0 hello clock=%d wall=1 pid=1\\n0 plan epochs=10 batch=8 train=4000000\\n" % start)
written = 0
while written < 5_000_000:
    if written % 500_000 == 0:
        out.write("%d epoch-begin %d\\n" % (12_000 * written, written // 500_000 + 1))
    until = written + 10_000
    while time.monotonic_ns() - start < 12_000 * until: time.sleep(0.01)
    out.write("".join("%d i 8\\n" % (12_000 * i) for i in range(written + 1, until + 1)))
    written = until
    if written % 500_000 == 0: out.write("%d epoch-end %d\\n" % (12_000 * written, written // 500_000))
    out.flush()
out.close()
time.sleep(3)
"""


def peaks_now(story):
    """Returns the peak memory in bytes of the story's processes of lapcast so far."""
    peaks = {}
    for folder in Path("/proc").iterdir():
        with suppress(OSError):  # it is none of ours, or has ended
            if (folder.name.isdigit() and (folder / "exe").samefile(os.environ["LAPCAST"])
                    and str(story.folder).encode() in (folder / "environ").read_bytes()):
                peak = re.search(r"VmHWM:\s*(\d+)", (folder / "status").read_text())
                peaks[int(folder.name)] = int(peak[1]) * 1024
    return peaks


@pytest.mark.skipif(not LONG, reason="takes minutes; ./check --full")
def test_the_laps_of_a_day_are_watched_and_served_in_300_mb(story, serve):  # noqa: F811
    (story.work / "program.py").write_text(SOAK)
    story.probe("--max-laps", 20, program=story.trainer("--laps", 100, "--lap-ms", 1)).ok()
    page = serve()
    process = story.start("watch", "--no-hook", "--", sys.executable, "-S", "program.py")
    peaks = {}
    while process.poll() is None:
        peaks |= peaks_now(story)
        assert page.status("/runs") == 200
        time.sleep(0.2)
    _, err = process.communicate(timeout=HANGS)
    assert process.returncode == 0 and b"5000000 laps" in err, err
    print({pid: f"{peak / 1e6:.0f} MB" for pid, peak in peaks.items()})
    assert len(peaks) >= 3 and max(peaks.values()) <= 300e6, peaks
    assert eventually(lambda: page.json("/runs")["runs"])


@pytest.mark.skipif(not LONG, reason="takes minutes; ./check --full")
def test_the_laps_of_a_day_are_shown_and_reported_in_500_mb(story):
    (story.work / "line").write_text(exported_run(DAY))
    peaks = {"import": peak_of(story, "import", "line")}
    for name, command in COMMANDS.items():
        peaks[name] = peak_of(story, *command)
    print({name: f"{peak / 1e6:.0f} MB" for name, peak in peaks.items()})
    assert max(peaks.values()) <= 500e6, peaks
