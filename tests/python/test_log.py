"""Tests the emitter: the format, the file, and what may go wrong with it."""

import re
import subprocess
import sys

import lap_log
from conftest import HOOK, ROOT, environment

BEGIN = ("from lapcast._log import log; from lapcast._report import report as r; "
         "r.take('t', r.TRAINER)\n")


def texts(folder):
    return [path.read_text() for path in sorted(folder.glob("laps.*.log"))]


def run(code, folder, **env):
    env = environment(PYTHONPATH=str(HOOK), LAPCAST_LOG_DIR=str(folder), **env)
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True,
                          timeout=3000)


def without_times(text):
    """Replaces times and the machine's properties by 0, so that the rest must equal the golden
    log."""
    text = re.sub(r"\n[0-9]+ ", "\n0 ", text)
    text = re.sub(r"(\n0 ended [0-9]+) [0-9]+", r"\1 0", text)
    text = re.sub(r"clock=[0-9]+", "clock=0", text)
    text = re.sub(r"wall=[0-9]+[.][0-9]{6} ", "wall=0.000000 ", text)
    text = re.sub(r"pid=[0-9]+", "pid=0", text)
    return re.sub(r"host=[A-Za-z0-9._/-]+", "host=_", text)


def test_writes_the_golden_log_of_the_c_header(tmp_path):
    assert run(BEGIN + """
r.plan("t", epochs=2, iterations=2, batch=128, train=200, validation=50)
r.stage_begin("data-load"); r.stage_end("data-load")
r.epoch_begin("t", 1); r.iteration("t", 128); r.metric("t", "loss", 0.25)
r.iteration("t", 72, queued=True); r.iteration_ended(2, 1); r.epoch_end("t", 1)
r.validation_begin("t"); r.validation_end("t", 50)
r.checkpoint_begin("t"); r.checkpoint_end("t", 1048576)
r.device_memory(3221225472); r.phase("t", "224px")
r.note("hook: 2 of 4 steps were skipped, by mixed precision")
""", tmp_path).stderr == ""
    golden = (ROOT / "tests/golden/lap-log/emitter.log").read_text()
    # A Python program does not answer requests for a validation.
    golden = golden.replace("emitter=lap.h/1", "emitter=python/1").replace(" requests=1", "")
    (text,) = texts(tmp_path)
    assert without_times(text) == golden


def test_a_log_begins_with_the_libraries_that_are_imported(tmp_path):
    assert run(BEGIN + """
import sys
from types import SimpleNamespace as Module
cudnn = Module(version=lambda: 91900)
sys.modules["torch"] = Module(__version__="2.11.0+cu130", version=Module(cuda="13.0"), backends=Module(cudnn=cudnn))
sys.modules["jax"] = Module(__version__="0.11 (local\\n")
r.iteration("t", 8)
""", tmp_path).stderr == ""
    (text,) = texts(tmp_path)
    assert lap_log.parse(text).libraries == {"torch": "2.11.0+cu130", "jax": "0.11_(local_", "cudnn": "9.19.0"}


def test_a_library_that_breaks_leaves_the_log_as_it_is(tmp_path):
    run(BEGIN + """
import sys
class Bad:
    def __getattr__(self, name): raise ValueError(name)
sys.modules["torch"] = Bad()
r.iteration("t", 8)
""", tmp_path)
    (text,) = texts(tmp_path)
    assert "library" not in text and text.count(" i 8\n") == 1


def test_notes_and_device_memory(tmp_path):
    run(BEGIN + """
r.note("torch 1.9 is not supported\\n\\u00e9" + "x" * 500)
r.note("once"); r.note("once")
r.device_memory(5); r.device_memory(4); r.device_memory(6)
""", tmp_path)
    log = lap_log.parse(texts(tmp_path)[0])
    first, once = log.rests("note")
    assert first.startswith("torch 1.9 is not supported??x") and len(first) == 400
    assert once == "once"
    assert log.counts("device-memory") == [5, 6]


def test_numbers_and_names_are_made_to_fit(tmp_path):
    run(BEGIN + """
r.iteration("t", -5 if False else 0)
r.metric("t", "val loss/é", float("nan")); r.metric("t", "", 1e-30); r.metric("t", "l", "no number")
r.stage_begin("x" * 100); r.checkpoint_begin("t"); r.checkpoint_end("t", -3)
r.validation_begin("t"); r.validation_end("t", None); r.epoch_begin("t", 10**30)
r.plan("t", epochs="many", batch=10**30)
""", tmp_path)
    log = lap_log.parse(texts(tmp_path)[0])
    assert log.rests("metric") == ["val_loss/_ nan", "_ 1e-30"]
    assert log.rests("stage-begin") == ["x" * 64]
    assert log.counts("checkpoint-end") == [0] and log.counts("validation-end") == [0]
    assert log.counts("epoch-begin") == [2147483647]
    assert log.plan == {"batch": 10**18 - 1}


def test_times_never_decrease(tmp_path):
    run(BEGIN + """
import time
now = time.monotonic_ns()
r.epoch_begin("t", 1, now); r.iteration("t", 1, at=now + 2000); r.iteration("t", 1, at=now + 1000)
r.epoch_end("t", 1, now + 500)
""", tmp_path)
    log = lap_log.parse(texts(tmp_path)[0])  # parse() checks the times
    assert [round(1e9 * seconds) for seconds, _ in log.laps()] == [2000, 0]


def test_the_hello_names_the_rank(tmp_path):
    run(BEGIN + "r.iteration('t', 1)", tmp_path, RANK="1", WORLD_SIZE="4")
    assert lap_log.parse(texts(tmp_path)[0]).hello["rank"] == "1"
    assert lap_log.parse(texts(tmp_path)[0]).hello["world"] == "4"


def test_a_rank_that_makes_no_sense_is_ignored(tmp_path):
    run(BEGIN + "r.iteration('t', 1)", tmp_path, RANK="4", WORLD_SIZE="4", SLURM_PROCID="2",
        SLURM_NTASKS="3")
    hello = lap_log.parse(texts(tmp_path)[0]).hello
    assert (hello["rank"], hello["world"]) == ("2", "3")


def test_never_writes_to_an_existing_file(tmp_path):
    run("""
import os
path = os.path.join(os.environ["LAPCAST_LOG_DIR"], f"laps.{os.getpid()}.log")
open(path, "w").write("mine")
""" + BEGIN + "r.iteration('t', 1)", tmp_path)
    assert sorted(texts(tmp_path), key=len)[0] == "mine"
    assert len(list(tmp_path.glob("laps.*.1.log"))) == 1


def test_a_forked_child_has_a_log_of_its_own(tmp_path):
    run(BEGIN + """
import os
for _ in range(3): r.iteration("t", 1)
if os.fork() == 0:
    assert r.active() == ""
    r.iteration("t", 9)  # took nothing, so it is dropped
    r.take("t", r.TRAINER)
    r.iteration("t", 7); log.bye(); os._exit(0)
os.wait()
r.iteration("t", 2)
""", tmp_path)
    logs = [[samples for _, samples in lap_log.parse(text).laps()] for text in texts(tmp_path)]
    assert sorted(logs) == [[1, 1, 1, 2], [7]]


def test_a_forked_child_that_reports_nothing_has_no_log(tmp_path):
    run(BEGIN + """
import os
r.iteration("t", 1)
if os.fork() == 0: raise SystemExit
os.wait()
""", tmp_path)
    assert len(texts(tmp_path)) == 1


def test_a_killed_program_loses_little(tmp_path):
    run(BEGIN + """
import os, signal, time
for _ in range(3):
    r.iteration("t", 1); time.sleep(0.11)
r.iteration("t", 1)
os.kill(os.getpid(), signal.SIGKILL)
""", tmp_path)
    log = lap_log.parse(texts(tmp_path)[0])
    assert len(log.laps()) >= 3 and log.rests("bye") == []


def test_reporting_stops_where_it_cannot_write(tmp_path):
    missing = run(BEGIN + "r.iteration('t', 1); print(r.observed())", tmp_path / "missing")
    assert (missing.stdout, missing.stderr) == ("False\n", "")


def test_a_full_disk_ends_the_reporting_quietly(tmp_path):
    full = run(BEGIN + """
import os, resource, signal
r.iteration("t", 1)
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
for i in range(5): r.epoch_begin("t", i)
assert len(log.buffer) == 0
print(r.observed())
""", tmp_path)
    assert (full.stdout, full.stderr) == ("False\n", "")


def test_a_program_that_closes_descriptors_keeps_its_files(tmp_path):
    mine = tmp_path / "mine"
    ended = run(BEGIN + f"""
import os
r.epoch_begin("t", 1)
os.closerange(3, 100)
mine = open({str(mine)!r}, "w")      # may get the descriptor of the log
r.epoch_end("t", 1)
r.iteration("t", 1)
""", tmp_path)
    assert ended.stderr == "" and mine.read_text() == ""


def test_threads_lose_nothing(tmp_path):
    run(BEGIN + """
import threading
def work():
    for _ in range(20000): r.iteration("t", 1)
threads = [threading.Thread(target=work) for _ in range(4)]
[t.start() for t in threads]; [t.join() for t in threads]
""", tmp_path)
    assert len(lap_log.parse(texts(tmp_path)[0]).laps()) == 80000


def test_writes_nothing_without_a_folder(tmp_path):
    env = environment(PYTHONPATH=str(HOOK))
    ended = subprocess.run([sys.executable, "-c", "import sys; print('lapcast' in sys.modules)"],
                           env=env, cwd=tmp_path, capture_output=True, text=True)
    assert (ended.stdout, ended.stderr) == ("False\n", "")
    assert list(tmp_path.iterdir()) == []
