"""Tests stores that cannot be used, stores that are shared, and moving runs between them."""

import os
import re
import shutil
import signal
import sqlite3
import subprocess

import pytest

from conftest import GOLDEN, HANGS, Ended, as_imported, eventually, mounted_disk, one_cpu, said_on_a_terminal

STORE_FAILED = 5


def whole_store(story):
    story.probe("--max-laps", 20, "--epochs", 2).ok()
    return story.store


def refuses_everything(story, text):
    for arguments in (["runs"], ["show"], ["rank"], ["export"], ["verify"]):
        story.lapcast(*arguments).refused(STORE_FAILED, text)
    story.probe().refused(STORE_FAILED, text)
    fleet = story.fleet('[[machine]]\nname = "m"\nprice = "1"\n')
    story.lapcast("sweep", fleet, "--", *story.trainer()).refused(STORE_FAILED, text)
    story.lapcast("import", "-", input=b"").refused(STORE_FAILED, text)


def test_a_corrupt_store_is_left_as_it_is(story):
    store = whole_store(story)
    size = store.stat().st_size
    damaged = b"\xa5" * 4096 + store.read_bytes()[4096:size // 2]
    store.write_bytes(damaged)
    started = len(story.journal("start"))
    refuses_everything(story, str(store))
    assert store.read_bytes() == damaged
    assert len(story.journal("start")) == started


def test_a_store_of_a_newer_lapcast_is_refused(story):
    store = whole_store(story)
    database = sqlite3.connect(store)
    database.execute("PRAGMA user_version = 99")
    database.execute("UPDATE runs SET lapcast_version = '7.1'")
    database.commit()
    database.close()
    before = store.read_bytes()
    refuses_everything(story, "schema 99 of lapcast 7.1, newer than schema")
    assert store.read_bytes() == before


def test_a_file_of_another_program_is_refused(story):
    story.store.parent.mkdir()
    database = sqlite3.connect(story.store)
    database.execute("CREATE TABLE recipes (name TEXT)")
    database.commit()
    database.close()
    refuses_everything(story, "of another program")
    story.store.write_text("dear diary\n")
    refuses_everything(story, str(story.store))
    assert story.store.read_text() == "dear diary\n"


def test_store_paths_that_are_not_files(story):
    story.lapcast("--store", story.work, "runs").refused(STORE_FAILED, "is a folder")
    story.lapcast("--store", "/dev/null", "runs").refused(STORE_FAILED, "is not a regular file")
    story.lapcast("--store", "/dev/null/x", "probe", "--", "true").refused(STORE_FAILED, "/dev/null/x")


def without_root_rights(story, *arguments):
    """Runs lapcast without root's right to write files regardless of their modes."""
    if os.geteuid() != 0:
        return story.lapcast(*arguments)
    if shutil.which("setpriv") is None:
        pytest.skip("root may write everywhere, and there is no setpriv to give that up")
    command = ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override",
               os.environ["LAPCAST"], *map(str, arguments)]
    ended = subprocess.run(command, env=story.environment, cwd=story.work, capture_output=True)
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def test_a_read_only_store_can_be_read(story):
    store = whole_store(story)
    expected = story.lapcast("export").ok().out
    store.chmod(0o444)
    store.parent.chmod(0o555)
    before = store.read_bytes()
    for command in ("runs", "show"):
        without_root_rights(story, command).ok()
    assert without_root_rights(story, "export").ok().out == expected
    without_root_rights(story, "probe", "--", *story.trainer()).refused(STORE_FAILED,
                                                                        "cannot be written")
    assert store.read_bytes() == before and len(story.journal("start")) == 1
    store.parent.chmod(0o755)


def test_two_lapcasts_on_one_store_at_once(story):
    whole_store(story)
    both = [story.start("probe", "--max-laps", 20, "--", *story.trainer("--laps", 1000))
            for _ in range(4)]
    for process in both:
        _, err = process.communicate(timeout=HANGS)
        assert process.returncode == 0, err
    assert len(story.runs()) == 5
    times = sorted((line["time"], line["event"]) for line in story.journal()
                   if line["event"] in ("start", "end"))
    assert [event for _, event in times] == ["start", "end"] * 5  # they shared no CPU
    story.check_store()


def test_a_second_lapcast_says_for_whom_it_waits_and_can_be_interrupted(story):
    first = story.start("probe", "--", *story.trainer("--laps", 100000), env={"FAKE_HOLD": "1"})
    assert eventually(lambda: story.journal("held"))
    said_on_a_terminal(story, b"waiting for CPU", "probe", "--", *story.trainer("--laps", 100000))
    assert len(story.journal("start")) == 1
    os.kill(first.pid, signal.SIGINT)
    first.communicate(timeout=HANGS)


def test_export_and_import_lose_nothing(story):
    story.probe("--max-laps", 20, "--price", "1.25", "--epochs", 2).ok()
    story.probe("--machine", "other", "--cpus", one_cpu(), "--max-laps", 20).ok()
    story.probe(program=["false"]).ok(4)
    exported = story.lapcast("export").ok().out
    copy = story.folder / "copy.db"
    table = story.lapcast("--store", copy, "import", "-", "--json", input=exported.encode()).ok()
    assert table.json["import"] == {"imported": 3, "known": 0, "refused": 0}
    assert story.lapcast("--store", copy, "export").ok().out == as_imported(exported)
    again = story.lapcast("--store", copy, "import", "-", "--json", input=exported.encode()).ok()
    assert again.json["import"] == {"imported": 0, "known": 3, "refused": 0}
    there, here = ([row | {"where": ""} for row in story.lapcast(
        *store, "rank", "--all", "--json").ok().rows("candidates")]
        for store in (["--store", copy], []))
    assert there == here
    for command in (["runs"], ["show", "last", "--laps"]):
        there, here = (story.lapcast(*store, *command).out.splitlines()
                       for store in (["--store", copy], []))
        assert [line for line in there if line and "imported" not in line] == list(filter(None, here))
    (story.work / "runs.jsonl").write_text(exported)
    story.lapcast("--store", story.folder / "third.db", "import", "runs.jsonl").ok()


@pytest.fixture
def small_disk(story):
    yield from mounted_disk(story, "size=512k")


def test_a_full_disk_loses_nothing_that_was_stored(story, small_disk):
    story.store = small_disk / "lapcast.db"
    story.environment["LAPCAST_STORE"] = str(story.store)
    story.probe("--max-laps", 20).ok()
    first = story.lapcast("export").ok().out
    filler = small_disk / "filler"
    with open(filler, "wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            pass
    ended = story.probe("--max-laps", 20)
    assert ended.code == STORE_FAILED and "full" in ended.err.splitlines()[-1], ended
    filler.unlink()
    story.check_store()
    assert story.lapcast("export").ok().out == first
    story.probe("--max-laps", 20).ok()
    assert len(story.runs()) == 2


def test_a_disk_without_room_for_a_store_at_all(story, small_disk):
    (small_disk / "filler").write_bytes(b"x" * (512 << 10))
    story.lapcast("--store", small_disk / "lapcast.db", "probe", "--", *story.trainer()).refused(
        STORE_FAILED, "full")
    assert not story.journal()


def test_the_default_place_and_privacy_of_the_store(story):
    del story.environment["LAPCAST_STORE"]
    story.probe("--max-laps", 20).ok()
    store = story.folder / ".local/share/lapcast/lapcast.db"
    assert store.stat().st_mode & 0o777 == 0o600
    assert store.parent.stat().st_mode & 0o777 == 0o700


def ids(story, *options):
    return [run["run"] for run in story.runs(*options)]


def test_runs_are_found_by_day_program_and_tag_and_removed_by_their_first_digits(story):
    story.lapcast("import", GOLDEN / "runs.jsonl").ok()
    runs = story.runs()
    all_ids = ids(story)
    last_day = max(run["started_at"] for run in runs)[:10]
    assert ids(story, "--since", last_day) == [
        run["run"] for run in runs if run["started_at"] >= last_day]
    assert ids(story, "--since", "2100-01-01") == []
    story.lapcast("runs", "--since", "soon").refused(2, "'soon' is not a date")
    assert ids(story, "--program", "--batch 64") == [
        run["run"] for run in runs if "--batch 64" in run["program"]] != all_ids
    story.lapcast("runs", "tag", "last", "baseline").ok()
    assert ids(story, "--tag", "baseline") == all_ids[-1:]
    story.lapcast("runs", "tag", "last", "").ok()
    assert ids(story, "--tag", "baseline") == []
    story.lapcast("runs", "rm", all_ids[0], "nothere").refused(2, "there is no run 'nothere'")
    assert ids(story) == all_ids
    story.lapcast("runs", "rm", "last", all_ids[0]).ok()
    assert ids(story) == all_ids[1:-1]


def test_a_sweep_is_named_shortened_and_removed(story):
    fleet = story.fleet('[[machine]]\nname = "a"\nprice = "1"\n[[machine]]\nname = "b"\n'
                        'price = "2"\n[machine.environment]\nFAKE_SPEED = 2\n')
    sweep = story.lapcast("sweep", fleet.name, "--max-laps", 20, "--epochs", 1, "--json", "--",
                          *story.trainer("--laps", 1000)).ok().json["sweep"]["id"]
    named = f"sweep {sweep} (baseline), 2 candidates, begun "
    story.lapcast("sweeps", "name", sweep[:5], "baseline").ok()
    [row] = story.lapcast("sweeps", "--json").ok().rows("sweeps")
    assert (row["sweep"], row["name"], row["runs"]) == (sweep, "baseline", 2)
    for one in ("baseline", sweep, sweep[:5]):
        assert named in story.lapcast("rank", "--sweep", one).ok().out
    assert len(story.runs("--sweep", sweep[:5])) == 2
    assert named in story.lapcast("verify", "--sweep", "baseline", "--top", 1).out
    assert named in story.lapcast("offload", "--sweep", sweep[:5]).ok().out
    story.lapcast("cancel", "last").ok()
    story.lapcast("sweeps", "rm", "nothere").refused(2, "there is no sweep 'nothere'")
    story.lapcast("sweeps", "rm", sweep[:5]).ok()
    assert story.lapcast("sweeps", "--json").ok().rows("sweeps") == []


def grown_store(story, count):
    """Returns the id of a probe whose store has `count` older runs of other ids, each with the record
    of the probe. The pages that hold all but their newest 300 are damaged."""
    story.probe("--max-laps", 20, "--epochs", 2).ok()
    with sqlite3.connect(story.store) as database:
        [(probe,)] = database.execute("SELECT id FROM runs").fetchall()
        names = [row[1] for row in database.execute("PRAGMA table_info(runs)") if row[1] != "seq"]
        row = dict(zip(names, database.execute(f"SELECT {','.join(names)} FROM runs").fetchone()))
        database.executemany(
            f"INSERT INTO runs ({','.join(names)}) VALUES ({','.join('?' * len(names))})",
            ([*(row | {"id": f"older{number:07}", "started_at": f"2020-01-01T00:{number // 60:02}:"
                       f"{number % 60:02}Z", "program": f"./older {number // 50}"}).values()]
             for number in range(count)))
    database.execute("VACUUM")  # the rows of a table lie side by side
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    [page] = database.execute("PRAGMA page_size").fetchone()
    database.close()
    data = bytearray(story.store.read_bytes())
    hurt = 0
    for begin in range(page, len(data), page):
        content = data[begin:begin + page]
        ids = re.findall(rb"older(\d{7})", content)
        if b'"lapcast-run"' in content and ids and max(int(each) for each in ids) < count - 300:
            data[begin:begin + page] = bytes(page)
            hurt += 1
    assert hurt > count // 10
    story.store.write_bytes(data)
    return probe


def test_a_run_is_found_without_reading_the_others(story):
    """A command that reads the rows of all runs meets the damaged ones. An index leads to the rest."""
    probe = grown_store(story, 2000)
    for arguments in (["show", probe[:6]], ["show", "last"], ["export", probe],
                      ["runs", "tag", probe, "kept"], ["show", "older0001999"]):
        story.lapcast(*arguments).ok()
    story.probe("--max-laps", 20, "--epochs", 2).ok()
