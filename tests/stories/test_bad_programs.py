"""Tests programs that fail or misbehave: one clear line, a documented exit code, nothing lost."""

import os

import pytest

from conftest import as_imported, no_escapes

PROGRAM_FAILED = 4


def last_line(ended):
    return ended.err.splitlines()[-1]


def failed(ended, text):
    """Checks that the reason is the last line on stderr, and that the answer says that there is no
    forecast without saying the reason again."""
    assert ended.code == PROGRAM_FAILED, ended
    assert last_line(ended).startswith("lapcast: ") and text in last_line(ended), ended
    assert ended.out.startswith("no forecast: ") and text not in ended.out, ended


@pytest.mark.parametrize("name, text", [
    ("./nothere", "./nothere does not exist"),
    ("no-such-program", "program no-such-program not found on PATH"),
    ("./plain", "./plain is not executable; chmod +x it"),
    ("./folder", "./folder is a folder"),
    ("", "no program given"),
])
def test_programs_that_cannot_be_started(story, name, text):
    (story.work / "plain").write_text("hello\n")
    (story.work / "folder").mkdir()
    story.probe(program=[name]).refused(PROGRAM_FAILED, text)
    fleet = story.fleet('[[machine]]\nname = "m"\nprice = "1"\n')
    story.lapcast("sweep", fleet, "--", name).refused(PROGRAM_FAILED, text)


def test_a_file_that_is_not_a_program(story):
    file = story.work / "script"
    file.write_text("echo no first line\n")
    file.chmod(0o755)
    failed(story.probe(program=["./script"]), "no #! in its first line")


def test_a_program_that_exits_at_once(story):
    failed(story.probe(program=["true"]), "the program ended without reporting one")
    failed(story.probe(program=["false"]), "failed with exit status 1")
    failed(story.probe(program=["sh", "-c", "exit 77"]), "failed with exit status 77")


def test_a_crash_shows_the_last_output(story):
    ended = story.probe(program=story.trainer("--crash-after", 8, "--exit-code", 7))
    failed(ended, "failed with exit status 7")
    assert "  | fake_trainer: the loss is not a number" in ended.err
    [run] = story.export()
    assert run["lap_logs"][0].count(" i 32\n") == 8
    assert "loss is not a number" in story.lapcast("show", "last", "--output").ok().out


def test_a_program_that_dies_by_a_signal(story):
    failed(story.probe(program=story.trainer("--crash-after", 8, "--signal", 11)), "SIGSEGV")
    failed(story.probe(program=story.trainer("--crash-after", 8, "--signal", 9)), "SIGKILL")


def test_a_program_that_never_reports_a_lap(story):
    ended = story.probe("--startup-limit", "700ms", program=story.trainer("--silent", 100))
    failed(ended, "none within the start-up limit of 700 ms; --startup-limit 3s gives it more; ")
    failed(ended, "; training with PyTorch")
    assert "lapcast lap" in last_line(ended)
    [run] = story.export()
    assert run["stop_sent_ns"] > 0  # it was asked to end


def test_garbage_in_the_lap_log_does_not_spoil_the_laps(story):
    ended = story.probe(program=story.trainer("--laps", 100000, "--log-garbage")).ok()
    assert "damaged lines in the lap log, the first at byte" in ended.err
    assert no_escapes(ended.err_bytes) and no_escapes(ended.out_bytes)


def test_gigabytes_in_the_lap_log_are_bounded(story):
    program = story.trainer("--laps", 100000, "--exact", "--log-flood", 400_000_000)
    ended = story.probe(program=program).ok()
    assert "budget spent: lap log of 256.0 MiB" in ended.out
    assert "damaged lines" in ended.err
    assert story.store.stat().st_size < 64 << 20


def test_gigabytes_on_stdout_are_bounded_and_do_not_stop_the_laps(story):
    program = story.trainer("--laps", 100000, "--exact", "--flood", 1_500_000_000)
    ended = story.probe("--json", program=program).ok()
    assert ended.json["run"]["outcome_text"].startswith("enough")
    [run] = story.export()
    assert len(run["standard_output"]) < 1 << 20
    assert "bytes left out]" in run["standard_output"]


def test_a_pipe_or_a_link_as_lap_log_does_not_stall_or_mislead(story):
    script = 'mkfifo "$LAPCAST_LOG_DIR/laps.1.log"; ln -s /etc/passwd "$LAPCAST_LOG_DIR/laps.2.log"'
    ended = story.probe(program=["sh", "-c", script])
    failed(ended, "the program ended without reporting one")
    assert "root:" not in str(story.export())


@pytest.mark.parametrize("words", [
    "\x1b[2J\x1b]0;owned\x07\x1b[31mred", "over\rwritten\b\b\b", "\u202ereversed", "\x9b31m"])
def test_escapes_in_output_never_reach_the_terminal_raw(story, words):
    program = story.trainer("--say", words, "--crash-after", 0)
    ended = story.probe("--machine", words, program=program)
    assert ended.code == PROGRAM_FAILED
    shown = story.lapcast("show", "last", "--output").ok()
    listed = story.lapcast("runs").ok()
    ranked = story.lapcast("rank")
    for one in (ended, shown, listed, ranked):
        assert no_escapes(one.out_bytes) and no_escapes(one.err_bytes), one
        assert "\u202e" not in one.out + one.err
    [run] = story.export()
    assert run["machine_type"]["name"] == words  # the store keeps the whole name


def test_output_that_is_not_text_survives_export_and_import(story):
    script = story.work / "noise"
    script.write_bytes(b"#!/bin/sh\nprintf 'a\\377\\000b'\nexit 3\n")
    script.chmod(0o755)
    story.probe(program=["./noise"]).ok(PROGRAM_FAILED)
    exported = story.lapcast("export").ok().out
    copy = story.folder / "copy.db"
    story.lapcast("--store", copy, "import", "-", input=exported.encode()).ok()
    assert story.lapcast("--store", copy, "export").ok().out == as_imported(exported)


def test_an_undeletable_run_folder_is_deleted(story):
    script = 'mkdir -p "$LAPCAST_RUN_DIR/a/b"; echo x > "$LAPCAST_RUN_DIR/a/b/c"; ' \
             'chmod 0 "$LAPCAST_RUN_DIR/a/b" "$LAPCAST_RUN_DIR/a"; exit 1'
    story.probe(program=["sh", "-c", script]).ok(PROGRAM_FAILED)
    assert story.run_folders() == []


def test_a_run_folder_that_cannot_be_made(story):
    ended = story.probe("--run-parent", story.folder / "nowhere")
    ended.refused(6, "cannot make a run folder")
    assert not story.journal()
    assert not os.path.exists(story.folder / "nowhere")


def test_a_program_that_hangs_out_of_gpu_memory_is_told_apart(story):
    error = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.06 GiB."
    ended = story.probe("--budget", "1s", program=["sh", "-c", f"echo '{error}' >&2; sleep 600",
                                                   "train", "--batch-size", "2048"])
    failed(ended, f"out of GPU memory: batch 2048: {error}")
    [run] = story.export()
    assert run["outcome"]["kind"] == "crashed"  # as earlier versions know it
    assert run["outcome"]["out_of_gpu_memory"]["batch"] == "2048"


def test_a_start_may_take_longer_than_the_budget(story):
    ended = story.probe("--budget", "1s", "--precision", "0.0001%",
                        program=story.trainer("--init-ms", 3000, "--laps", 100000)).ok()
    assert story.lapcast("show", "last", "--json").ok().json["run"]["outcome_text"] == (
        "budget spent: time budget of 1.00 s"), ended
