"""Tests memory: what a batch needs, the largest that fits, and what happens to a program that gets no more."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import HANGS, Ended

MB = 1_000_000
TRAINER = Path(__file__).parent / "memory_trainer.py"
CGROUPS = Path("/sys/fs/cgroup/memory")


def trainer(*options):
    return [sys.executable, TRAINER, "--laps", 60, "--each", MB, *options]


def sweep(story, batches, *options, **more):
    return story.lapcast("sweep", "--batch", batches, "--rounds", 1, "--max-laps", 40, "--json", *options, "--",
                         *trainer("--batch", "{batch}"), **more)


@pytest.fixture
def limited(story):
    """Yields a function that runs lapcast in a control group with so many bytes of memory; its attribute
    `kills` counts the processes that the kernel killed there."""
    group = CGROUPS / f"story-{os.getpid()}"
    try:
        group.mkdir()
        (group / "memory.limit_in_bytes").write_text("1G")
    except OSError as error:
        pytest.skip(f"no control group with a limit of memory can be made here ({error}); root may in version 1")

    def run(limit, *arguments):
        (group / "memory.limit_in_bytes").write_text(str(limit))
        command = [os.environ["LAPCAST"], *map(str, arguments)]
        process = subprocess.Popen(["/bin/sh", "-c", 'echo $$ >"$0/cgroup.procs" && exec "$@"', group, *command],
                                   cwd=story.work, env=story.environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        out, err = process.communicate(timeout=HANGS)
        return Ended(process.returncode, out, err)

    run.kills = lambda: int((group / "memory.oom_control").read_text().split("oom_kill ")[1])
    yield run
    group.rmdir()


def test_two_batches_forecast_a_third(story):
    """The program holds 1 MB for each sample, and its interpreter 5 to 40 MB."""
    sweep(story, "8,24").ok()
    ended = story.lapcast("forecast", "--memory", "--sweep", "last", "--batch", 96, "--in", "200MB", "--json").ok()
    [line] = ended.rows("memory_lines")
    assert line["meter"] == "process"
    assert line["bytes_of_a_sample"] == pytest.approx(MB, rel=0.1)
    [asked] = ended.rows("memory_forecast")
    [largest] = ended.rows("largest_batches")
    assert 100 < largest["largest_batch"] <= largest["likely_batch"] < 190
    assert asked["fits_chance"] > 0.9 and asked["meter"] == "process"
    run = story.probe("--max-laps", 40, "--json", program=trainer("--batch", "96")).ok().json["run"]
    assert asked["estimate_bytes_low"] < run["peak_memory_bytes"] < asked["estimate_bytes_high"]
    assert 0 < run["memory_share"] < 1


def test_the_answer_is_in_words_and_never_of_a_gpu(story):
    sweep(story, "8,24").ok()
    text = story.lapcast("forecast", "last", "--memory", "--in", "24GB", "--batch", 1000).ok().out
    assert "batch 1000 needs" in text and "of main memory" in text
    assert "says nothing of a GPU's memory" in text
    assert "GPU memory" not in text.replace("a GPU's memory", "")


def test_one_batch_gives_no_line(story):
    story.probe("--max-laps", 20, program=trainer("--batch", "8")).ok()
    ended = story.lapcast("forecast", "last", "--memory", "--json").ok(1)
    assert "only batch 8 was measured" in ended.rows("memory_lines")[0]["reason"]
    assert ended.rows("largest_batches") == []


def test_the_options_of_memory_need_it(story):
    story.lapcast("forecast", "last", "--in", "24GB").refused(2, "--memory")
    story.lapcast("forecast").refused(2, "say which runs")
    for batch in (["--batch", "auto"], ["--set", "batch=auto"]):
        story.lapcast("repeat", *batch, "--", "sh", "{batch}").refused(2, "--batch auto is for sweep")
    story.lapcast("forecast", "last", "--memory", "--in", "0GB").refused(2, "--in must be above 0, such as 24GB")


def test_what_a_validation_and_a_checkpoint_take_is_said(story):
    """The laps hold 80 MB, a validation 120 MB more, a checkpoint 200 MB."""
    program = trainer("--batch", 8, "--fixed", 80 * MB, "--laps", 400, "--validation", 120 * MB,
                      "--checkpoint", 200 * MB)
    text = story.lapcast("watch", "--", *program).ok().err
    taken = dict(re.findall(r"(validations|checkpoints) take (\d+)\.\d MiB of main memory, the laps", text))
    assert 190 < int(taken["validations"]) < 250 and 267 < int(taken["checkpoints"]) < 326, text
    assert "still grows" not in text


def test_a_peak_that_grows_is_said_with_when_the_memory_is_full(story):
    program = trainer("--batch", 8, "--laps", 3000, "--grow", MB // 8)
    [line] = [line for line in story.lapcast("watch", "--", *program).ok().err.splitlines() if "still grows" in line]
    grown = re.search(r"main memory still grows, by (\d+\.\d) KiB a lap: it would be full in (\d+) laps, ", line)
    assert 80 < float(grown[1]) < 170 and int(grown[2]) > 1000, line


def test_a_lack_of_main_memory_is_an_outcome_of_its_own(story):
    command = ["/bin/sh", "-c", 'ulimit -v 200000; exec "$0" "$@"', *map(str, trainer("--batch", "900"))]
    ended = story.probe("--json", program=command)
    assert ended.code == 4
    run = ended.json["run"]
    assert run["outcome"] == "out-of-main-memory"
    assert run["outcome_text"].startswith("out of main memory: batch 900") and "MemoryError" in run["outcome_text"]
    text = story.probe(program=command).out
    assert "the program ran out of main memory" in text and "next: a smaller batch" in text


def test_the_largest_batch_is_found_and_nothing_is_killed(story, limited):
    """Of 300 MB a program gets 95 % of what lapcast itself leaves: 12 to 25 MB and 1.5 MB for each sample fit up
    to 128 samples, and not at 192."""
    ended = limited(300 * MB, "sweep", "--batch", "auto", "--max-laps", 20, "--price", "1", "--json", "--",
                    *trainer("--batch", "{batch}", "--each", 1_500_000))
    assert ended.code in (0, 1), ended
    rows = ended.rows("batches")
    assert max(row["batch"] for row in rows if row["fits"]) == 128
    assert min([row["batch"] for row in rows if not row["fits"]], default=192) == 192
    assert len(rows) <= 6
    assert all(row["outcome"] == "out-of-main-memory" for row in rows if not row["fits"])
    assert limited.kills() == 0
    fitting = [row for row in rows if row["fits"]]
    assert all(row["million_samples_s"] > 0 and row["million_samples_usd"] > 0 for row in fitting)
    # The same command measures nothing more.
    again = limited(300 * MB, "sweep", "--batch", "auto", "--max-laps", 20, "--price", "1", "--json", "--",
                    *trainer("--batch", "{batch}", "--each", 1_500_000))
    assert [row["run"] for row in again.rows("batches")] == [row["run"] for row in rows]


def test_a_training_set_ends_the_search(story):
    ended = story.lapcast("sweep", "--batch", "auto", "--max-laps", 20, "--json", "--",
                          *trainer("--batch", "{batch}", "--each", 1000, "--train", 20))
    rows = ended.rows("batches")
    assert max(row["batch"] for row in rows if row["fits"]) == 16
    assert {row["reason"] for row in rows if not row["fits"]} == {
        f"none of its laps had {row['batch']} samples: the training set is smaller" for row in rows if not row["fits"]}


def test_each_batch_that_fits_gets_the_epochs_that_it_needs(story):
    """The training set has 20 samples: 8, 12 and 16 of the tried sizes fit. A batch of 8 needs 5 epochs, the
    others 7."""
    script = 'b=$1; shift; if [ "$b" = 8 ]; then a=0.5,0.8,0.9,0.9,0.9; else ' \
             'a=0.4,0.5,0.6,0.7,0.8,0.8,0.8; fi; exec "$@" --accuracy $a'
    command = ["sweep", "--batch", "auto", "--find-epochs", "--patience", 2, "--confirm", 1, "--max-laps", 20,
               "--price", "1", "--json", "--", "sh", "-c", script, "sh", "{batch}",
               *story.trainer("--epochs", 30, "--train", 20, "--lap-ms", 40, "--batch", "{batch}")]
    ended = story.lapcast(*command)
    fitting = {row["batch"] for row in ended.rows("batches") if row["fits"]}
    assert max(fitting) == 16 and 8 in fitting
    learned = [run["settings"]["batch"] for run in story.export() if run["kind"] == "find-epochs"]
    assert sorted(map(int, learned)) == sorted(fitting)
    ranked = story.lapcast("rank", "--json").ok().rows("candidates")
    assert {(row["settings"]["batch"], row["epochs"]) for row in ranked} == {
        (batch, 5 if batch == 8 else 7) for batch in fitting}
    # The same command measures nothing more, and says what a training takes.
    count = len(story.journal("start"))
    command.remove("--json")
    text = story.lapcast(*command).out
    assert len(story.journal("start")) == count
    first, second = text.split("with the epochs that each batch needs:\n")
    assert "batch 16 is the largest that fits" in first and "for a million samples" in first
    assert second.splitlines()[0].startswith("CHEAPEST")


def test_auto_does_not_race(story):
    story.lapcast("sweep", "--batch", "auto", "--race", "--", *trainer("--batch", "{batch}")).refused(
        2, "--batch auto stands without --race")
