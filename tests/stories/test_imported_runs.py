"""Tests that nothing of an imported run is ever executed. The author of the file chose its program,
settings and environment, and the file, or a later export of it, may claim anything about itself."""

import json
import sqlite3

import pytest

FLEET = '[[machine]]\nname = "box"\nprice = "0.36"\ncpus = "0"\n'


@pytest.fixture
def imported_run(story):
    """Returns a file with a run whose program would leave a mark; the store is empty."""
    story.probe("--max-laps", 20, "--epochs", 3, "--machine", "box", "--price", "0.36").ok()
    run, = story.export()
    story.store.unlink()
    story.journal_file.unlink()
    run["program"] = ["sh", "-c", f"touch {story.work}/$MARK", "it's\x1b[31m"]
    run["machine_type"]["environment"] = {"MARK": "pwned"}
    run["working_dir"] = str(story.work)
    return run


def imported(story, *runs):
    story.lapcast("import", "-", input="\n".join(map(json.dumps, runs)).encode()).ok()


def is_untouched(story):
    return not (story.work / "pwned").exists() and not story.journal()


def test_c_verify_runs_nothing_that_was_imported(story, imported_run):
    imported(story, imported_run | {"imported": False})
    ended = story.lapcast("verify")
    ended.refused(1, "nothing that was imported is run")
    assert f"lapcast probe -- sh -c 'touch {story.work}/$MARK'" in ended.err
    assert "\x1b" not in ended.err and "'it'\\''s?'" in ended.err
    assert is_untouched(story)


def test_c_what_was_measured_is_verified_and_the_rest_is_named(story, imported_run):
    story.probe("--max-laps", 10, "--machine", "own", program=story.trainer("--laps", 20)).ok()
    story.journal_file.unlink()
    imported(story, imported_run)
    ended = story.lapcast("verify", "--all", "--json").ok()
    assert [row["machine_type"] for row in ended.rows("verified")] == ["own"]
    assert any("box was imported and is not run" in note for note in ended.notes("verified"))
    assert len(story.journal("start")) == 1 and not (story.work / "pwned").exists()


def test_c_an_imported_run_to_the_end_does_not_count_for_a_measured_probe(story):
    program = story.trainer("--laps", 20, "--lap-ms", 5)
    story.probe("--max-laps", 10, program=program).ok()
    run, = story.export()
    imported(story, run | {"id": "f" * 12, "kind": "full", "outcome": {"kind": "ended"}})
    story.journal_file.unlink()
    story.lapcast("verify").ok()
    assert len(story.journal("start")) == 1


def test_c_the_mark_stays_when_it_is_exported_and_imported_again(story, imported_run):
    imported(story, imported_run)
    text = story.lapcast("export").ok().out
    assert json.loads(text)["imported"] is True
    other = story.folder / "other.db"
    story.lapcast("--store", other, "import", "-", input=text.encode()).ok()
    story.lapcast("--store", other, "verify").refused(1, "nothing that was imported is run")
    assert is_untouched(story)


def test_c_offload_takes_no_imported_run_for_the_best(story, imported_run):
    imported(story, imported_run)
    ended = story.lapcast("offload", story.fleet(FLEET).name)
    ended.refused(2, "nothing that was imported is run")
    assert "lapcast offload --to NAME FLEET.toml -- sh -c" in ended.err
    assert not story.lapcast("jobs", "--json").ok().rows("jobs")
    assert is_untouched(story)


def test_c_a_ranking_shows_an_imported_run_with_the_command_to_type(story, imported_run):
    imported(story, imported_run)
    ended = story.lapcast("rank", "--json").ok()
    assert [row["machine_type"] for row in ended.rows("candidates")] == ["box"]
    assert any("lapcast starts nothing of it" in note and "lapcast probe -- sh -c" in note
               for note in ended.notes("candidates"))
    notes = story.lapcast("show", "last", "--json").ok().notes("run")
    assert "imported from a file: lapcast starts nothing of it" in notes


def sweep(story):
    program = story.trainer("--epochs", 3, "--laps", 30, "--lap-ms", 5)
    fleet = story.fleet(FLEET).name
    return story.lapcast("sweep", fleet, "--max-laps", 20, "--json", "--", *program)


def test_c_an_import_that_names_a_sweep_is_not_done_for_it(story):
    sweep(story).ok()
    run, = story.export()
    database = sqlite3.connect(story.store)
    database.execute("DELETE FROM runs")
    database.commit()
    database.close()
    imported_run = run | {"program": ["sh", "-c", "touch pwned"], "id": "e" * 12}
    imported_run["ended_ns"] = run["ended_ns"] + 1
    imported(story, imported_run, imported_run | {"id": "d" * 12, "kind": "find-epochs"})
    rows = sweep(story).ok().rows("probes")
    assert len(story.journal("start")) == 2  # measured again
    assert [row["run"] for row in rows] == [own["id"] for own in story.export()
                                            if not own.get("imported")]
    rank = story.lapcast("rank", "--json").ok().rows("candidates")
    assert [row["run"] for row in rank] == [row["run"] for row in rows]
    assert not (story.work / "pwned").exists()


def test_c_an_import_does_not_take_the_place_of_a_run_under_way(story, imported_run):
    story.lapcast("import", "-", input=b"").ok()
    database = sqlite3.connect(story.store)
    database.execute("INSERT INTO errands (id, sweep, purpose, place, created_at, request) "
                     "VALUES ('abc', '', 'probe', 'ssh remote', '2026-11-20T12:00:00Z', '{}')")
    database.commit()
    line = json.dumps(imported_run | {"id": "abc", "place": "ssh remote"})
    ended = story.lapcast("import", "-", input=line.encode()).ok(3)
    assert "stdin:1: its id is that of a run that is under way" in ended.err
    assert database.execute("SELECT id FROM errands").fetchall() == [("abc",)]
    database.close()


def test_c_old_logs_are_imported_too(story):
    (story.work / "s.csv").write_text("# csv,train,ok,12.0,12.0,2026-11-20 12:00:00,t,n,u,l,p\n")
    story.lapcast("import", "stopwatch", "s.csv").ok()
    assert [run["imported"] for run in story.export()] == [True]
