"""Tests that Python programs get the hook on their PYTHONPATH and that nothing else changes for
them."""

import json
import os
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "python"
hooked = pytest.mark.skipif(not (SOURCE / "hook/sitecustomize.py").exists(),
                                reason="there is no hook in this source tree")

PROGRAM = """
import json, os, sys
print(json.dumps({"path": os.environ.get("PYTHONPATH"), "argv": sys.argv[1:], "sys": sys.path}))
"""


@pytest.fixture
def program(story):
    file = story.work / "train.py"
    file.write_text(PROGRAM)
    return ["/usr/bin/env", "python3", str(file), "--lr", "0.1"]


def seen(story):
    """Returns what the program of the newest run printed."""
    return json.loads(story.export()[-1]["standard_output"])


def caches(story):
    return sorted((story.folder / ".cache/lapcast").glob("*"))


@hooked
def test_the_hook_is_unpacked_once_and_put_first(story, program):
    for _ in range(2):
        story.probe(program=program).ok(4)
    [folder] = caches(story)
    assert seen(story)["path"] == str(folder)
    assert seen(story)["argv"] == ["--lr", "0.1"]
    assert folder.stat().st_mode & 0o777 == 0o700
    for file in (SOURCE / "lapcast").rglob("*.py"):
        assert (folder / file.relative_to(SOURCE)).read_bytes() == file.read_bytes()
    assert (folder / "sitecustomize.py").read_bytes() == (SOURCE / "hook/sitecustomize.py").read_bytes()


@hooked
def test_the_users_python_path_follows_the_hook(story, program):
    story.probe(program=program, env={"PYTHONPATH": "/mine:/too"}).ok(4)
    [folder] = caches(story)
    assert seen(story)["path"] == f"{folder}:/mine:/too"


@hooked
def test_a_fleets_python_path_is_kept(story, program):
    fleet = story.fleet('[[machine]]\nname = "a"\nprice = "1"\n'
                        '[machine.environment]\nPYTHONPATH = "/fleet"\n')
    story.lapcast("sweep", fleet, "--", *program)
    [folder] = caches(story)
    assert seen(story)["path"] == f"{folder}:/fleet"


@hooked
def test_the_hook_can_be_left_out(story, program):
    story.probe("--no-hook", program=program, env={"PYTHONPATH": "/mine"}).ok(4)
    assert caches(story) == [] and seen(story)["path"] == "/mine"


@hooked
def test_without_a_cache_the_hook_is_beside_the_run_folder(story, program):
    story.probe(program=program, env={"HOME": "/proc/nowhere"}).ok(4)
    path = seen(story)["path"]
    assert path.startswith(str(story.temporary)) and path.endswith("/hook")
    assert not os.path.exists(path)  # removed with the run folder


def test_a_program_without_a_framework_is_told_what_reports_laps(story, program):
    ended = story.probe(program=program).ok(4)
    assert "; Python ran without a library that the hook knows; " in ended.err
    assert "PyTorch, Keras, Lightning or Hugging Face" in ended.err
    assert "`import lapcast`" in ended.err
    assert "wrote outside" not in ended.err


@hooked
@pytest.mark.parametrize("start", ["exec python3 -I train.py", "exec python3 -S train.py",
                                   "PYTHONPATH=/other exec python3 train.py"])
def test_a_python_without_the_hook_is_said_to_be_one(story, program, start):
    ended = story.probe(program=["sh", "-c", start]).ok(4)
    assert "; no Python interpreter loaded the hook (PYTHONPATH overwritten, -I" in ended.err
    without = story.probe("--no-hook", program=["sh", "-c", start]).ok(4)
    assert "interpreter" not in without.err


@hooked
@pytest.mark.parametrize("wait, text", [
    (600, "none within the start-up limit of 10.0 s; --startup-limit 40s gives it more; Python runs, torch is "
         "loaded, no step yet; "),
    (0, "the program ended without reporting one; Python ran, torch was loaded, no step was seen; "),
])
def test_a_slow_start_says_how_far_the_program_has_come(story, wait, text):
    (story.work / "torch").mkdir()
    (story.work / "torch" / "__init__.py").write_text("__version__ = '1.9'\n")
    (story.work / "train.py").write_text(f"import time, torch; time.sleep({wait})\n")
    ended = story.probe("--startup-limit", "10s", program=["/usr/bin/env", "python3", "train.py"]).ok(4)
    assert text in ended.err
    assert "observed by itself" not in ended.err and "`import lapcast`" in ended.err


def test_a_program_that_writes_its_own_log_is_not_reported_twice(story):
    file = story.work / "train.py"
    file.write_text("""
import os, time
start = time.monotonic_ns()
log = open(os.path.join(os.environ["LAPCAST_LOG_DIR"], f"laps.{os.getpid()}.log"), "x")
log.write(f"lapcast-laps 1\\n0 hello clock={start} wall={time.time():.6f} pid={os.getpid()}\\n")
for lap in range(30):
    time.sleep(0.005)
    log.write(f"{time.monotonic_ns() - start} i 8\\n")
log.write(f"{time.monotonic_ns() - start} device-memory 3221225472\\n")
log.write(f"{time.monotonic_ns() - start} note two optimizers step at different rates\\n")
""")
    ended = story.probe("--json", program=[sys.executable, str(file)]).ok()
    assert ended.json["profile"]["laps"] == 30
    assert len(story.lapcast("show", "--laps", "--json").ok().rows("laps")) == 30
    assert ended.json["run"]["peak_device_memory_bytes"] == 3 << 30
    assert "lapcast: warning: two optimizers step at different rates" in ended.err
    assert "warning: two optimizers step at different rates" in story.lapcast("show").ok().out


def test_a_launcher_that_begins_a_log_does_not_disturb(story):
    script = story.work / "launch.sh"
    script.write_text("""#!/bin/sh
"$LAPCAST" lap note "the launcher says hello"
for rank in 2 1; do
  export RANK=$rank WORLD_SIZE=3
  (for lap in 1 2 3 4 5 6 7 8; do sleep 0.01; "$LAPCAST" lap iteration $rank; done) &
done
wait
""")
    script.chmod(0o755)
    ended = story.probe(program=["./launch.sh"], env={"LAPCAST": os.environ["LAPCAST"]}).ok()
    assert "the launcher says hello" in ended.err
    laps = story.lapcast("show", "--laps", "--json").ok().rows("laps")
    assert [lap["samples"] for lap in laps] == [3] * 8  # the samples of both ranks


def test_notes_explain_why_there_are_no_laps(story):
    script = '"$LAPCAST" lap note "torch 1.4 is older than what is understood"'
    ended = story.probe(program=["sh", "-c", script], env={"LAPCAST": os.environ["LAPCAST"]}).ok(4)
    assert "without reporting one; torch 1.4 is older than what is understood; " in ended.err


@hooked
@pytest.mark.parametrize("options", [[], ["--no-hook"]])
def test_a_python_program_that_uses_lapcast_itself_is_reported_once(story, options):
    file = story.work / "train.py"
    file.write_text("""
import time
import lapcast
for epoch in lapcast.epochs(3):
    for batch in lapcast.laps([[1] * 8] * 20):
        time.sleep(0.005)
    lapcast.metric("val_accuracy", 0.5)
lapcast.note("trained by hand")
""")
    program = ["/usr/bin/env", "python3", str(file)]
    ended = story.lapcast("watch", *options, "--", *program, env={"PYTHONPATH": str(SOURCE)}).ok()
    [run] = story.export()
    *logs, _ = run["lap_logs"]  # the last one is lapcast's own
    assert [log.count(" i ") + log.count(" q ") for log in logs] == [60]
    assert run["lap_logs"][0].count(" epoch-begin ") == 3 and run["warnings"] == []
    assert "lapcast: warning: trained by hand\n" in ended.err
    assert "60 laps" in ended.err
