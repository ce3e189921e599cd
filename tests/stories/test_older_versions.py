"""What an earlier lapcast left behind goes on: a store, an export and an offloaded training that
make_fixtures.py had it make."""

import json
import os
import shutil
import socket
import sqlite3
from pathlib import Path

import pytest

from conftest import ssh_machine

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
VERSIONS = sorted(path.name for path in FIXTURES.iterdir())


def filled(story, file):
    text = file.read_text()
    for word, value in (("@TRAINER@", os.environ["FAKE_TRAINER"]),
                        ("@LAPCAST@", os.environ["LAPCAST"]), ("@WORK@", str(story.work)),
                        ("@FOLDER@", str(story.folder)), ("@HOST@", socket.gethostname())):
        text = text.replace(word, value)
    return text


def restore_store(story, file):
    story.store.parent.mkdir(mode=0o700)
    database = sqlite3.connect(story.store)
    database.executescript(filled(story, file))
    database.close()


@pytest.fixture(params=VERSIONS)
def left_behind(request):
    return FIXTURES / request.param


def test_a_store_is_read_ranked_and_continued(story, left_behind):
    restore_store(story, left_behind / "store.sql")
    before = {run["id"]: run for run in story.export()}
    assert sorted(run["machine_type"]["name"] for run in before.values()) == ["quick", "slow"]
    assert all(run["lap_logs"] for run in before.values())
    rows = story.lapcast("rank", "--json").ok().rows("candidates")
    assert [row["machine_type"] for row in rows] == ["slow", "quick"]  # as that version ranked them
    for run in before:
        story.lapcast("show", run).ok()
        assert story.lapcast("forecast", "--json", run).ok().rows("forecasts")
    story.probe("--max-laps", 10).ok()
    after = {run["id"]: run for run in story.export()}
    assert len(after) == 3 and before.items() <= after.items()
    story.check_store()


def test_an_export_is_imported(story, left_behind):
    (story.work / "export.jsonl").write_text(filled(story, left_behind / "export.jsonl"))
    story.lapcast("import", "export.jsonl").ok()
    exported = {json.loads(line)["id"]: json.loads(line)
                for line in (story.work / "export.jsonl").read_text().splitlines()}
    for run in story.export():
        before = exported.pop(run["id"])
        assert run.pop("imported") is True
        # What the fixture leaves out of the description of its machine has its default.
        assert before.pop("machine").items() <= run.pop("machine").items()
        before["machine_type"].setdefault("exclusive", False)  # no version before could say so
        if "price" in before:
            before["price"].setdefault("other", run["price"]["other"])
            assert not any(float(amount) for amount in before["price"]["other"].values())
        assert run == before
    assert exported == {}


@pytest.fixture
def far(story):
    """Yields the machine of the fixtures."""
    yield from ssh_machine(story, "far")


def test_an_offloaded_training_goes_on_from_its_checkpoint(story, far, left_behind):
    restore_store(story, left_behind / "offload.sql")
    [row] = [json.loads(request) for (request,) in
             sqlite3.connect(story.store).execute("SELECT request FROM errands")]
    run = row["run"]["id"]
    record = far.cache() / "runs" / run
    shutil.copytree(left_behind / "record", record)
    for name in ("request.json", "record", "holder"):
        (record / name).write_text(filled(story, left_behind / "record" / name))
    story.resumable()
    work = json.loads((record / "request.json").read_text())["work"]
    (far.cache() / "work" / work).mkdir(parents=True)
    shutil.copy(story.work / "train.sh", far.cache() / "work" / work)
    attached = story.lapcast("attach", run).ok()
    assert "ended after" in attached.err
    story.lapcast("fetch", run, "--into", "results").ok()
    stored = story.resumed(story.work / "results")
    assert stored["id"] == run and far.runs() == []
