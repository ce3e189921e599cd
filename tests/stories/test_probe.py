"""Tests a probe: what the program sees, what it is asked, how it ends, and what lapcast reports."""

import os
import re
import signal
import subprocess

import pytest

from conftest import HANGS, eventually, has_laps, is_alive, one_cpu


def test_a_probe_measures_forecasts_and_keeps_everything(story):
    program = story.trainer("--exact", "--epochs", 50, "--lap-ms", 10, "--noise", 0.05, "--batch", 32,
                            "--train", 1600, "--init-ms", 200, "--validation", 400, "--validation-ms", 50)
    ended = story.probe("--json", "--epochs", 12, "--price", "3.60", program=program).ok()
    profile = ended.json["profile"]
    assert profile["lap_s_low"] <= profile["lap_s"] <= profile["lap_s_high"]
    assert profile["lap_s"] == pytest.approx(0.01, rel=0.05)
    init = profile["init_s"]
    assert init > 0.2
    total = ended.json["forecast"]
    expected = init + 12 * (50 * profile["lap_s"] + 0.05)
    assert total["time_s"] == pytest.approx(expected, rel=0.15)
    assert total["time_s_low"] < total["time_s"] < total["time_s_high"]
    assert ended.json["run"]["outcome"] == "enough"

    [start] = story.journal("start")
    [end] = story.journal("end")
    assert end["asked"] and end["laps"] >= 11
    assert start["run_folder_empty"] and start["stdin"] == "/dev/null"
    assert start["group"] == start["pid"]
    assert start["cwd"] == str(story.work)
    [run] = story.export()
    assert run["outcome"]["kind"] == "enough" and run["program"] == list(map(str, program))
    assert run["lap_logs"][0].count("\n") > end["laps"]
    raw = story.lapcast("show", "last", "--laps", "--json").ok().rows("laps")
    assert 11 <= len(raw) <= end["laps"] and raw[0]["samples"] == 32
    story.check_store()


def test_the_run_folder_is_empty_private_and_removed_afterwards(story):
    program = story.trainer("--checkpoint", "--epochs", 400, "--laps", 5, "--lap-ms", 3, "--out",
                            "{run_dir}")
    story.probe(program=program).ok()
    story.probe(program=program).ok()
    starts = story.journal("start")
    folders = [start["env"]["LAPCAST_RUN_DIR"] for start in starts]
    assert len(set(folders)) == 2
    for start, folder in zip(starts, folders):
        assert start["run_folder_empty"] and start["argv"][-1] == folder
        assert folder.startswith(str(story.temporary)) and not os.path.exists(folder)


def test_a_run_folder_can_be_kept_and_placed(story):
    place = story.folder / "elsewhere"
    place.mkdir()
    program = story.trainer("--checkpoint", "--epochs", 9, "--laps", 5)
    story.probe("--run-parent", place, "--keep-run-folder", "--max-laps", 20, program=program).ok()
    [folder] = place.iterdir()
    assert (folder / "run" / "epoch-1").stat().st_size == 4096
    assert folder.stat().st_mode & 0o777 == 0o700


def test_warm_up_is_found_and_told(story):
    program = story.trainer("--exact", "--laps", 500, "--lap-ms", 10, "--warm-up-laps", 5,
                            "--warm-up-ms", 40)
    ended = story.probe("--json", program=program).ok()
    assert ended.json["profile"]["warm_up_laps"] >= 5
    assert ended.json["profile"]["lap_median_s"] == pytest.approx(0.01, rel=1e-3)


def test_limits_stop_a_probe(story):
    noisy = story.trainer("--laps", 100000, "--lap-ms", 4, "--noise", 0.9)
    ended = story.probe("--json", "--max-laps", 30, "--precision", "0.1%", program=noisy).ok()
    assert ended.json["run"]["outcome_text"] == "budget spent: 30 laps"
    ended = story.probe("--json", "--budget", "10s", "--precision", "0.1%", program=noisy).ok()
    assert ended.json["run"]["outcome_text"] == "budget spent: time budget of 10.0 s"
    assert story.lapcast("runs", "--json").ok().rows("runs")[0]["kind"] == "probe"


def test_a_program_that_ends_by_itself_is_a_whole_run(story):
    program = story.trainer("--epochs", 2, "--laps", 20, "--lap-ms", 3, "--noise", 0.5,
                            "--teardown-ms", 100)
    ended = story.probe("--json", "--precision", "0.01%", program=program).ok()
    assert ended.json["run"]["outcome_text"] == "ended"
    assert not story.journal("end")[0]["asked"] and not story.journal("signal")


def test_a_short_validation_is_requested_from_programs_that_can(story):
    program = story.trainer("--exact", "--laps", 100000, "--lap-ms", 5, "--batch", 10,
                            "--validation", 1000, "--validation-ms", 400, "--answers-requests")
    ended = story.probe("--json", "--epochs", 2, program=program).ok()
    wanted = [line["samples"] for line in story.journal("validation-wanted")]
    assert wanted == [20, 80]
    profile = ended.json["profile"]
    assert profile["validation_s"] == pytest.approx(0.4, rel=0.01)
    assert profile["validation_s_low"] < profile["validation_s"] < profile["validation_s_high"]


def test_a_validation_that_was_not_reached_is_not_free(story):
    program = story.trainer("--laps", 100000, "--validation", 1000)
    ended = story.probe("--json", "--epochs", 2, program=program).ok()
    part = ended.part("validation")
    assert part["time_s"] > 0 and part["how"] != "measured"
    assert not story.journal("validation-wanted")


def test_the_plan_may_come_from_the_command_line_alone(story):
    program = story.trainer("--no-plan", "--laps", 100000, "--batch", 50)
    ended = story.probe("--json", "--steps", 1000, "--max-laps", 60, program=program).ok()
    assert ended.json["forecast"]["steps"] == 1000
    ended = story.lapcast("show", "last", "--json", "--epochs", 3, "--samples", 6000,
                          "--methods").ok()
    forecast = ended.json["forecast"]
    assert forecast["epochs"] == 3 and forecast["training_samples"] == 6000
    methods = [row["method"] for row in ended.rows("methods")]
    assert {"lapcast", "epoch", "iteration", "first-iteration"} <= set(methods)


def test_a_program_that_ignores_term_is_killed_after_the_grace_time(story):
    program = story.trainer("--laps", 100000, "--ignore-term")
    ended = story.probe("--json", "--max-laps", 20, "--grace", "400ms", program=program).ok()
    assert [line["signal"] for line in story.journal("signal")] == [signal.SIGTERM]
    assert not story.journal("end")
    [run] = story.export()
    assert run["ended_ns"] - run["stop_sent_ns"] >= 0.4e9
    assert ended.json["run"]["outcome_text"] == "budget spent: 20 laps"


@pytest.mark.parametrize("kind", ["--children", "--setsid-children"])
def test_children_that_linger_are_gone_afterwards(story, kind):
    program = story.trainer("--laps", 100000, kind, 3)
    ended = story.probe("--max-laps", 20, program=program).ok()
    children = [line["child"] for line in story.journal("child")]
    assert len(children) == 3 and not [child for child in children if is_alive(child)]
    assert "killed" not in ended.err  # lapcast ended it
    ended = story.probe(program=story.trainer("--laps", 20, kind, 3)).ok()
    names = ", ".join(["fake_trainer"] * 3)
    assert f"the program left processes running, which were killed: {names}" in ended.err


def test_children_of_a_program_that_crashed_are_gone_too(story):
    program = story.trainer("--setsid-children", 2, "--crash-after", 3)
    story.probe(program=program).ok(4)
    children = [line["child"] for line in story.journal("child")]
    assert len(children) == 2 and not [child for child in children if is_alive(child)]


def test_a_resumed_program_gives_a_warning(story):
    program = story.trainer("--laps", 100000, "--resume-from", 3)
    ended = story.probe("--max-laps", 20, program=program).ok()
    assert "lapcast: warning: the program resumed: its first epoch was number 3" in ended.err
    assert "the program resumed" in story.lapcast("show", "last").ok().out
    program = story.trainer("--laps", 100000, "--say", "Resuming training from checkpoint-3.pt")
    ended = story.probe("--max-laps", 20, program=program).ok()
    assert "says that it resumed from a checkpoint" in ended.err


def test_writing_outside_the_run_folder_gives_a_warning(story):
    program = story.trainer("--laps", 100000, "--write", "model.pt")
    ended = story.probe("--max-laps", 20, program=program).ok()
    assert "wrote outside its run folder" in ended.err and "model.pt" in ended.err
    inside = story.trainer("--laps", 100000, "--write", "{run_dir}/model.pt")
    assert "outside" not in story.probe("--max-laps", 20, program=inside).ok().err


def test_files_of_others_in_the_working_folder_are_not_laid_on_the_program(story):
    story.work.chmod(0o1777)  # as the folder for temporary files
    touching = "while :; do n=$((n + 1)); touch by-somebody-$n; sleep 0.05; done"
    # The program begins when two more files have come.
    later = 'n=$(ls | wc -l); while [ $(ls | wc -l) -lt $((n + 2)) ]; do sleep 0.02; done; exec "$@"'
    somebody = subprocess.Popen(["sh", "-c", touching], cwd=story.work)
    try:
        program = ["sh", "-c", later, "sh", *story.trainer("--laps", 1000)]
        assert "by-somebody" not in story.probe("--max-laps", 20, program=program).ok().err
    finally:
        somebody.kill()
        somebody.wait()
    story.work.chmod(0o755)
    with open(story.work / "log", "w", encoding="utf-8") as log:
        ended = story.lapcast("probe", "--max-laps", 20, "--", *story.trainer("--laps", 100000),
                              stderr=log)
    assert ended.code == 0
    assert "outside" not in (story.work / "log").read_text()


def test_cpus_are_what_was_asked_for(story):
    cpu = one_cpu()
    story.probe("--cpus", cpu, "--max-laps", 20).ok()
    assert story.journal("start")[0]["cpus"] == [cpu]


def test_a_quota_holds_and_its_control_group_is_removed(story, quota):
    program = story.trainer("--laps", 100000, "--lap-ms", 4, "--spin")
    ended = story.probe("--json", "--cpus", one_cpu(), "--cpu-quota", "50%", "--max-laps", 100,
                        program=program).ok()
    cgroup = re.search(r"/(lapcast-\d+-\d+)\n", story.journal("start")[0]["cgroup"])[1]
    assert ended.json["run"]["used_cpus"] < 0.75
    assert not [top for top, folders, _ in os.walk("/sys/fs/cgroup") if cgroup in folders]


def test_ctrl_c_ends_in_order_and_keeps_what_was_observed(story):
    process = story.start("probe", "--precision", "0.01%", "--steps", 1000, "--",
                          *story.trainer("--laps", 100000, "--noise", 0.5))
    assert eventually(lambda: has_laps(story))
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=HANGS)
    assert process.returncode == 130 and b"interrupted" in err
    assert out.startswith(b"Time ") and b"for 1000 iterations" in out
    assert story.journal("end")[0]["asked"]
    [run] = story.export()
    assert run["outcome"]["kind"] == "interrupted" and "i 32" in run["lap_logs"][0]
    assert story.run_folders() == []


def test_a_second_ctrl_c_does_not_wait_for_the_grace_time(story):
    process = story.start("probe", "--grace", "60s", "--", *story.trainer("--laps", 100000,
                                                                          "--ignore-term"))
    assert eventually(lambda: story.journal("start"))
    os.kill(process.pid, signal.SIGINT)
    assert eventually(lambda: story.journal("signal"))
    os.kill(process.pid, signal.SIGINT)
    process.communicate(timeout=HANGS)
    assert process.returncode == 130


def test_kill_9_of_a_probe_takes_the_program_with_it(story):
    story.may_leave_run_folders = True
    process = story.start("probe", "--", *story.trainer("--laps", 100000, "--lap-ms", 50))
    assert eventually(lambda: story.journal("start"))
    process.kill()
    process.communicate(timeout=HANGS)
    assert eventually(lambda: not story.living())
    story.probe("--max-laps", 20).ok()  # the next probe removes the remains
    assert story.run_folders() == []
    assert len(story.runs()) == 1


def test_a_probe_says_what_may_come_next(story):
    with_batch = story.probe("--steps", 99, program=story.trainer("--laps", 1000, "--batch", 32)).ok()
    assert "next: lapcast sweep --batch 16,32,64 -- " in with_batch.out
    assert "'{batch}'" in with_batch.out
    without = story.probe("--steps", 99, program=story.trainer("--laps", 1000)).ok()
    assert "next: lapcast fleet init HOST > fleet.toml; lapcast sweep fleet.toml -- " in without.out


def test_a_probe_with_no_wait_measures_beside_another(story):
    first = story.start("probe", "--cpus", one_cpu(), "--precision", "0.01%", "--", *story.trainer(
        "--laps", 100000, "--lap-ms", 5))
    assert eventually(lambda: story.journal("start"))
    story.probe("--cpus", one_cpu(), "--no-wait", "--max-laps", 20).ok()
    assert first.poll() is None
    os.kill(first.pid, signal.SIGINT)
    first.communicate(timeout=HANGS)


# Its children are copies of it, as the workers of a loader are.
def test_workers_that_live_at_the_last_lap_are_told(story):
    program = story.trainer("--children", 3, "--epochs", 20, "--laps", 200, "--lap-ms", 5)
    says = "3 worker processes (of a loader) were alive at the last lap: if the program waits for them"
    assert says in story.probe(program=program).ok().out
    assert says in story.lapcast("show", "last").ok().out
    alone = story.trainer("--epochs", 20, "--laps", 200, "--lap-ms", 5)
    assert "worker process" not in story.probe(program=alone).ok().out


def test_a_program_that_waits_for_its_workers_is_told_so(story):
    program = story.trainer("--children", 2, "--epochs", 1, "--laps", 10, "--lap-ms", 5, "--teardown-ms", 12000)
    story.probe(program=program).ok()
    shown = story.lapcast("show", "last").ok().out
    assert "2 worker processes lived for" in shown and "the program waits for them at its end" in shown


def test_the_work_of_others_is_told_as_in_a_sweep(story):
    """A loop beside it keeps half of the probe's one CPU."""
    cpu = str(one_cpu())
    program = story.trainer("--laps", 100000, "--lap-ms", 5, "--spin")
    options = ["--no-wait", "--cpus", cpu, "--max-laps", 200]
    # A session of its own gets as much of the CPU as the probe's, which Linux may share by session.
    loop = subprocess.Popen(["taskset", "-c", cpu, "sh", "-c", "while :; do :; done"], start_new_session=True)
    try:
        ended = story.probe(*options, program=program).ok()
    finally:
        loop.kill()
        loop.wait()
    assert re.search(r"warning: \S+: others on this machine used \d\.\d of its 1 CPUs?.*: laps were slowed by", ended.err)
