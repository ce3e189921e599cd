"""Tests the winner of a ranking as a task file of SkyPilot: word for word, as read by YAML readers
and by SkyPilot itself, and with names that try to break out of it."""

import csv
import importlib.util
import json
import os
import subprocess
import sys

import pytest

from conftest import GOLDEN, as_measured
from frozen_runs import WITH_EPOCHS, WITHOUT, same_as

yaml = pytest.importorskip("yaml", reason="no PyYAML (Debian: python3-yaml)")

OFFER = {"name": "aws/ec2/p3.2xlarge/on-demand", "provider": "aws", "service": "ec2",
         "machine_type": "p3.2xlarge", "region": "us-east-1", "accelerator": "V100",
         "accelerator_count": 1, "price_usd_per_hour": "0.1", "as_of": "2026-11", "source": "a story"}


def export(story, offer=OFFER, sweep=WITH_EPOCHS, measured=True, **changed):
    """Exports the winner of the golden sweep. Its cheapest machine has `offer` of a catalog, if
    given. Without `measured` its runs were imported. `changed` holds for every run."""
    runs = [json.loads(line) for line in (GOLDEN / "runs.jsonl").read_text().splitlines()]
    for run in runs:
        if offer and run["machine_type"]["name"] == "small":
            del run["price"]
            run["offer"] = offer["name"]
        run |= changed
    lines = [json.dumps(run) for run in runs if run["sweep"] == sweep]
    story.lapcast("import", "-", input="\n".join(lines).encode()).ok()
    if measured:
        as_measured(story)
    with open(story.work / "prices.csv", "w", newline="") as file:
        table = csv.DictWriter(file, OFFER)
        table.writeheader()
        table.writerow(offer or OFFER)
    return story.lapcast("rank", "--sweep", sweep, "--offers", "prices.csv", "--export", "skypilot")


def run_by_shell(story, command):
    """Returns the arguments that the program of a task's `run` gets."""
    program = story.work / "train"
    program.write_text('#!/bin/sh\nprintf "%s\\0" "$@" >arguments\n')
    program.chmod(0o700)
    subprocess.run(["sh", "-c", command], cwd=story.work, check=True,
                   env={"PATH": os.environ["PATH"], "HOME": str(story.folder)})
    return (story.work / "arguments").read_text().split("\0")[:-1]


def test_a_task_file_word_for_word(story):
    ended = export(story).ok()
    assert ended.err == ""
    same_as("skypilot.yaml", ended)


def test_a_yaml_reader_sees_what_is_meant(story):
    task = yaml.safe_load(export(story).ok().out)
    assert task["resources"] == {"cloud": "aws", "region": "us-east-1", "use_spot": False,
                                 "instance_type": "p3.2xlarge", "accelerators": "V100:1"}
    assert task["workdir"] == "/home/user/training"
    assert task["envs"] == {"FAKE_SPEED": "1"}
    assert run_by_shell(story, task["run"])[:2] == ["--batch", "64"]


HOSTILE = ["yes", "", "a b", "it's", "$(touch pwned)", "`touch pwned`", "\"; touch pwned #",
           "x\nsetup: touch pwned\n", "%PATH% !h \\ \t", "- &a *b !c {d: [e", "größe \U0001F600",
           "\u2028\u0085\ufeff\ufffe", "{run_dir}/a b"]


def test_nothing_breaks_out_of_yaml_or_shell(story):
    program = ["/home/user/tr aining\nname: x/train", *HOSTILE]
    ended = export(story, OFFER | {"region": 'us"\\ #: {x', "source": "# run: [b"},
                       program=program, working_dir="/home/user/tr aining\nname: x").ok()
    task = yaml.safe_load(ended.out)
    assert set(task) == {"name", "resources", "workdir", "envs", "run"}
    assert task["workdir"] == "/home/user/tr aining\nname: x"
    assert task["resources"]["region"] == 'us"\\ #: {x'
    run_dir = story.folder / "lapcast-run"
    assert run_by_shell(story, task["run"]) == [*HOSTILE[:-1], f"{run_dir}/a b"]
    assert run_dir.is_dir() and not list(story.work.glob("pwned"))


def test_what_cannot_be_rented_is_refused(story):
    export(story, None).refused(1, "no cloud that SkyPilot knows (provider 'fleet file'")


def test_c_the_program_of_an_imported_run_is_written_into_no_task_file(story):
    ended = export(story, measured=False)
    ended.refused(1, "is the imported run")
    assert "lapcast probe -- ./train --batch 64" in ended.err


def test_an_export_needs_one_winner(story):
    export(story, sweep=WITHOUT)
    story.lapcast("rank", "--sweep", WITHOUT, "--per-batch", "--export", "skypilot").refused(
        2, "--per-batch")
    story.lapcast("rank", "--sweep", WITHOUT, "--same-epochs", "--epochs", "5,10", "--export",
                  "skypilot").refused(2, "give --epochs one")


def skypilot_python():
    """Returns an interpreter with the real package: this one, or that of
    $LAPCAST_SKYPILOT_PYTHON."""
    if importlib.util.find_spec("sky"):
        return sys.executable
    return os.environ.get("LAPCAST_SKYPILOT_PYTHON")


@pytest.mark.skipif(not skypilot_python(), reason="no package skypilot (460 MB): "
                    "$LAPCAST_SKYPILOT_PYTHON may name an interpreter that has it")
def test_skypilot_itself_reads_it(story):
    (story.work / "task.yaml").write_text(
        export(story, working_dir=str(story.work)).ok().out)
    read = """if True:
        import json, sky
        task = sky.Task.from_yaml("task.yaml")
        [resources] = task.resources
        print(json.dumps([task.name, task.workdir, task.run, task.envs, str(resources.cloud),
                          resources.region, resources.instance_type, resources.accelerators,
                          resources.use_spot]))"""
    ended = subprocess.run([skypilot_python(), "-c", read], cwd=story.work, check=True, text=True,
                           capture_output=True, env=os.environ | {"HOME": str(story.folder)})
    name, workdir, run, envs, *resources = json.loads(ended.stdout.splitlines()[-1])
    assert name.startswith("lapcast-") and workdir == str(story.work)
    assert run.startswith("./train --batch 64 ") and envs == {"FAKE_SPEED": "1"}
    assert resources == ["AWS", "us-east-1", "p3.2xlarge", {"V100": 1}, False]
