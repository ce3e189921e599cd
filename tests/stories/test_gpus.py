"""Tests what lapcast tells of GPUs, on a machine that seems to have two: an imitation of NVIDIA's
library (tests/fake_nvml.c), and of the driver's file in a mount namespace."""

import os
import sys
from pathlib import Path

import pytest

from imitated_gpus import gpus  # noqa: F401 (a fixture)

IDLE = "GPU 1 was idle: it computed nothing in 100 % of "


def of_some_seconds(story, seconds):
    return story.trainer("--epochs", 2, "--laps", seconds * 25, "--lap-ms", 20)


def test_watch_shows_gpus_and_warns_of_an_idle_one(story, gpus):
    ended = story.lapcast("watch", "--", *of_some_seconds(story, 15), env=gpus("90,0")).ok()
    assert f"warning: {IDLE}" in ended.err, ended
    assert "GPUs 90 % 0 %" in ended.err, ended
    shown = story.lapcast("show", "last").ok()
    assert "GPUs, in the training after the first lap" in shown.out
    assert shown.out.count(IDLE) == 1 and "a machine with fewer GPUs may cost less" in shown.out
    as_json = story.lapcast("show", "last", "--json").ok()
    first, second = as_json.rows("gpus")
    assert (first["gpu"], first["idle"]) == (0, False) and first["mean_busy"] == pytest.approx(0.9)
    assert (first["peak_memory_bytes"], first["memory_bytes"]) == (3 << 30, 8 << 30)
    assert (second["gpu"], second["peak_busy"], second["idle_share"], second["idle"]) == (1, 0, 1, True)
    assert second["samples"] >= 10
    [note] = as_json.notes("gpus")
    assert note.startswith(IDLE)
    # The export has the samples as they were taken.
    [run] = story.export()
    assert any(" gpu 1 busy=0 memory=536870912 of=17179869184" in log for log in run["lap_logs"])


def test_a_ranking_names_the_idle_gpu(story, gpus):
    probe = story.probe("--machine", "box", "--price", "2", "--epochs", 100, "--budget", "17s", "--precision",
                        "0.001%", "--samples", 3200,
                        program=of_some_seconds(story, 1000), env=gpus("97,0")).ok()
    assert f"Note      {IDLE}" in probe.out, probe
    rank = story.lapcast("rank", "--all").ok()
    assert f"box: {IDLE}" in rank.out, rank
    assert any(IDLE in note["text"] for note in story.lapcast("rank", "--all", "--json").ok().json["notes"])


def test_only_visible_gpus_count(story, gpus):
    visible = gpus("90,0") | {"CUDA_VISIBLE_DEVICES": "0"}
    ended = story.lapcast("watch", "--", *of_some_seconds(story, 15), env=visible).ok()
    assert "idle" not in ended.err, ended
    [row] = story.lapcast("show", "last", "--json").ok().rows("gpus")
    assert row["gpu"] == 0 and row["samples"] >= 10 and not row["idle"]
    hidden = gpus("90,0") | {"CUDA_VISIBLE_DEVICES": ""}
    story.probe("--max-laps", 100, env=hidden).ok()
    assert "gpus" not in story.lapcast("show", "last", "--json").ok().json


def test_without_a_gpu_nothing_is_shown(story):
    ended = story.lapcast("watch", "--", *of_some_seconds(story, 1)).ok()
    assert "GPU" not in ended.err
    assert "GPU" not in story.lapcast("show", "last").ok().out


def test_the_table_of_testbeds_has_cuda_cores(story, gpus):
    fleet = story.fleet('[[machine]]\nname = "box"\nprice = "1"\n').name
    ended = story.lapcast("fleet", "check", "--hardware", fleet, "--json", env=gpus("0,0")).ok()
    first, second = ended.rows("hardware")
    assert first["machine"] == second["machine"] == "box"
    assert (first["gpu"], first["gpus"], first["cuda_cores"]) == ("NVIDIA A100-SXM4-40GB", 1, 6912)
    assert (second["cuda_cores"], second["compute_capability"]) == (6912, "8.0")
    assert [row["gpu_memory_bytes"] >> 30 for row in (first, second)] == [8, 16]
    assert (first["driver"], first["cuda"]) == ("550.54.15", "12.4")
    plain = story.lapcast("fleet", "check", "--hardware", fleet, env=gpus("0,0")).ok()
    assert "CUDA cores" in plain.out and "This machine" not in plain.out, plain
    machine = story.lapcast("machine", "--json").ok().json["machine"]
    assert (machine["accelerator_0_cuda_cores"], machine["accelerator_1_cuda"]) == (6912, "12.4")


def test_machine_tells_how_its_gpus_are_set_up(story, gpus):
    exclusive = gpus("0,0") | {"FAKE_NVML_EXCLUSIVE": "1"}
    machine = story.lapcast("machine", "--json", env=exclusive).ok().json["machine"]
    first = {key: machine[f"accelerator_0_{key}"] for key in (
        "power_limit_w", "top_clock_mhz", "ecc", "mig", "pcie", "compute_mode", "uuid")}
    assert first == {"power_limit_w": 400, "top_clock_mhz": 2100, "ecc": "on", "mig": "off",
                     "pcie": "generation 4, 16 lanes", "compute_mode": "one process at a time",
                     "uuid": "GPU-4ba8c1d2-0000"}
    assert machine.get("accelerator_1_power_limit_w") is None and machine["accelerator_1_mig"] == "on"
    plain = story.lapcast("machine", env=gpus("0,0")).ok().out
    assert "accelerator 0 power limit W" in plain and "accelerator 1 power limit W" not in plain


def test_a_program_that_the_gpu_does_not_limit_is_told_so(story, gpus):
    says = "GPU busy 30 % of the training: the program or its data loading is the limit"
    visible = gpus("30,0") | {"CUDA_VISIBLE_DEVICES": "0"}
    story.lapcast("watch", "--", *of_some_seconds(story, 8), env=visible).ok()
    assert says in story.lapcast("show", "last").ok().out
    assert any(says in note for note in story.lapcast("show", "last", "--json").ok().notes("gpus"))
    busy = gpus("80,0") | {"CUDA_VISIBLE_DEVICES": "0"}
    story.lapcast("watch", "--", *of_some_seconds(story, 8), env=busy).ok()
    assert "is the limit" not in story.lapcast("show", "last").ok().out


ON_GPU = """echo $$ >>{pids}
exec {trainer} "$@"
"""


# The program is on the GPU two seconds after its start.
def test_a_run_keeps_what_its_gpu_took_and_how_it_is_set_up(story, gpus):
    pids = story.folder / "pids"
    trainer = " ".join(str(word) for word in story.trainer("--epochs", 1, "--laps", 100, "--lap-ms", 20))
    (story.work / "train.sh").write_text("sleep 2\n" + ON_GPU.format(pids=pids, trainer=trainer))
    env = gpus("0,0") | {"CUDA_VISIBLE_DEVICES": "0", "FAKE_NVML_PIDS": str(pids), "FAKE_NVML_WATTS": "300"}
    story.lapcast("watch", "--", "sh", "train.sh", env=env).ok()
    shown = story.lapcast("show", "last", "--json").ok()
    parts = {row["part"]: row for row in shown.rows("power")}
    assert list(parts) == ["idle GPUs", "start-up", "training"]
    assert parts["start-up"]["time_s"] >= 2
    for row in parts.values():
        assert row["gpu_w"] == pytest.approx(300, rel=0.1) and row["cpu_w"] is None
        assert row["gpu_kwh"] == pytest.approx(row["gpu_w"] * row["time_s"] / 3.6e6)
    first, second = shown.rows("gpu_set_up")
    assert (first["power_limit_w"], first["top_clock_mhz"], first["ecc"], first["mig"]) == (400, 2100, "on", "off")
    assert first["driver"] == "550.54.15" and first["pcie"] == "generation 4, 16 lanes"
    assert second["mig"] == "on" and second["power_limit_w"] is None
    plain = story.lapcast("show", "last").ok().out
    assert "GPUs of the machine" in plain and "Power by counters" in plain
    exported = story.lapcast("export").ok().out
    assert '"set_up":{"power_limit_mw":400000' in exported and "GPU-4ba8" not in exported
    # An import of it shows the same.
    (story.work / "runs.jsonl").write_text(exported.replace(shown.json["run"]["id"], "a" * 12))
    story.lapcast("import", "runs.jsonl").ok()
    again = story.lapcast("show", "a" * 12, "--json").ok()
    assert again.rows("gpu_set_up") == [first, second] and again.rows("power") == list(parts.values())


# Each candidate is on the GPU while the other ones run, suspended: nobody else is.
def test_candidates_of_one_sweep_are_no_others(story, gpus):
    pids = story.folder / "pids"
    trainer = " ".join(str(word) for word in story.trainer("--epochs", 1, "--laps", 1000, "--lap-ms", 10))
    (story.work / "train.sh").write_text(ON_GPU.format(pids=pids, trainer=trainer))
    fleet = story.fleet('[[machine]]\nname = "box"\nprice = "1"\n').name
    env = gpus("90,0") | {"CUDA_VISIBLE_DEVICES": "0", "FAKE_NVML_PIDS": str(pids)}
    story.lapcast("sweep", fleet, "--set", "seed=1,2,3", "--precision", "90%", "--", "sh", "train.sh", "--seed",
                  "{seed}", env=env).ok()
    runs = story.export()
    assert len(runs) == 3 and all(run["pauses"] for run in runs)
    loads = [line for run in runs for log in run["lap_logs"] for line in log.splitlines() if " load " in line]
    assert any(" gpu-others=0" in line for line in loads)
    assert not [line for line in loads if " gpu-others=" in line and " gpu-others=0" not in line]


# Three rounds of each would take three starts where nothing can stay suspended.
def test_on_a_gpu_of_one_process_each_candidate_of_a_sweep_starts_once(story, gpus):
    pids = story.folder / "pids"
    trainer = " ".join(str(word) for word in story.trainer("--epochs", 1, "--laps", 1000, "--lap-ms", 10))
    (story.work / "train.sh").write_text(ON_GPU.format(pids=pids, trainer=trainer))
    fleet = story.fleet('[[machine]]\nname = "box"\nprice = "1"\n').name
    env = gpus("90,0") | {"CUDA_VISIBLE_DEVICES": "0", "FAKE_NVML_PIDS": str(pids), "FAKE_NVML_EXCLUSIVE": "1"}
    story.lapcast("sweep", fleet, "--set", "seed=1,2", "--precision", "90%", "--", "sh", "train.sh", "--seed",
                  "{seed}", env=env).ok()
    assert len(story.journal("start")) == 2
    assert all(run["outcome"]["kind"] == "enough" for run in story.export())


def test_the_drivers_reserve_is_no_memory_in_use(story, gpus):
    reserved = gpus("90,0") | {"CUDA_VISIBLE_DEVICES": "0", "FAKE_NVML_RESERVED": str(615 << 20)}
    story.lapcast("watch", "--", *of_some_seconds(story, 3), env=reserved).ok()
    [row] = story.lapcast("show", "last", "--json").ok().rows("gpus")
    assert row["peak_memory_bytes"] == 3 << 30


QUEUED = Path(__file__).resolve().parents[1] / "queued_device.py"


# The candidates of one list all run before those of the other one; their starts are told in seconds.
@pytest.mark.parametrize("busy, first, second", [(100, "compile", "wait"), (30, "wait", "compile")])
def test_a_tuning_begins_with_what_limits_the_program(story, gpus, busy, first, second):
    if not {0, 1} <= os.sched_getaffinity(0):
        pytest.skip("needs the CPUs 0 and 1")
    env = gpus(f"{busy},0") | {"CUDA_VISIBLE_DEVICES": "0"}
    program = [sys.executable, QUEUED, "--kind", "cuda", "--lap-ms", "20", "--laps", "50", "--epochs", "40"]
    told = story.lapcast("probe", "--cpus", "0-1", "--repeats", "1", "--tune", "wait,compile", "--json", "--",
                         *program, env=env).ok()
    runs = [run for run in story.export() if not run.get("warm_up")]
    starts = {name: [run["started_at"] for run in runs if name in run["settings"]] for name in (first, second)}
    assert starts[first] and starts[second]
    assert max(starts[first]) <= min(starts[second])
    assert told.json["tuned"]["gpu_busy_share"] == pytest.approx(busy / 100)
    says = "GPU busy 100 % of the training with the default: settings that change its work are tried first"
    assert (says in told.notes("tuning")) == (busy == 100)
    assert (says in told.err) == (busy == 100)


COMPILES = """#!/bin/sh
mkdir -p cache && test -e cache/kernel || {{ sleep 2; : >cache/kernel; }}
exec {trainer}
"""


def test_a_probe_knows_whether_compiled_code_was_there(story):
    (story.work / "train.sh").write_text(COMPILES.format(
        trainer=" ".join(str(word) for word in story.trainer("--epochs", 2, "--laps", 40, "--lap-ms", 2))))
    caches = {"TORCHINDUCTOR_CACHE_DIR": str(story.work / "cache")}
    program = ["sh", "train.sh"]
    story.probe(program=program, env=caches).ok()
    [cold] = story.export()
    assert any("compile-cache inductor before=0 added=1" in log for log in cold["lap_logs"])
    warm = story.probe(program=program, env=caches).ok()
    assert "with cold caches, as on a fresh machine" in warm.out, warm
    shown = story.lapcast("show", cold["id"]).ok().out
    assert "inductor (1 file) grew: the forecast is for caches that are warm now" in shown
