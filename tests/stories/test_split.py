"""Tests that a board of N-Queens is counted in pieces on several machines: killed pieces are counted again, none
twice, and a killed command goes on."""

import os
import signal

import pytest

from conftest import HANGS, eventually
from fake_suite import values
from report_page import report
from split_boards import HERE, PIECES, Split, counted


@pytest.fixture
def split(story, suite):
    split = Split(story, suite)
    yield split
    assert eventually(lambda: not split.alive(), 60), "a solver is left running"


def test_all_machines_of_a_fleet_count_one_board(story, split, network):
    boxes = [network.machine(name) for name in ("one", "two")]
    split.go.touch()
    split.fleet("one", "two", here=["own"])
    ended = split.run("--threads", 2).ok()
    rows = counted(ended)
    assert {row["machine_type"] for row in rows} <= {"one", "two", "own"} and ended.json["split"]["machines"] >= 2
    assert sorted(split.started()) == sorted(f"{piece}/{PIECES}" for piece in range(1, PIECES + 1))
    assert values(split.suite.journal()[0]["arguments"])["--threads"] == "2"
    assert all(eventually(lambda: box.runs() == []) for box in boxes), "a run is left on its machine"
    again = split.run("--threads", 2).ok()
    assert counted(again) == rows and len(split.started()) == PIECES, "what is counted is not counted again"
    text = split.text("--threads", 2).ok().out
    assert text.startswith("724 solutions of the 10 x 10 board, counted in 6 pieces on ") and ": as known" in text
    assert split.run("--threads", 2, "--again").ok().json["split"]["set"] != ended.json["split"]["set"]


def test_killed_pieces_and_a_killed_command_lose_and_double_nothing(story, split, network):
    for name in ("one", "two"):
        network.machine(name)
    split.fleet("one", "two")
    process = story.start(*split.command())
    assert eventually(lambda: len(split.pids()) == 2), split.suite.journal()
    for pid in split.pids():
        os.kill(pid, signal.SIGKILL)
    assert eventually(lambda: len(split.pids()) == 4), split.suite.journal()
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=HANGS)
    under_way = split.started()[2:]
    split.go.touch()
    ended = split.run().ok()
    rows = counted(ended)
    assert sorted(split.started()[:2]) == ["1/6", "2/6"] and ended.json["split"]["tries"] == PIECES + 2
    assert len(split.started()) == PIECES + 2, "what was under way is followed, and not started again"
    for piece in under_way:
        assert split.started().count(piece) == rows[int(piece.split("/")[0]) - 1]["tries"]
    assert sorted(run["settings"]["piece"] for run in story.export() if run["outcome"]["kind"] == "crashed") == [
        "1/6", "2/6"]


def test_a_piece_that_was_killed_with_its_command_is_counted_again_here(story, split):
    split.fleet(here=["own"])
    process = story.start(*split.command())
    assert eventually(lambda: len(split.pids()) == 1)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=HANGS)
    assert eventually(lambda: not split.alive())
    split.go.touch()
    counted(split.run().ok())
    assert split.started().count("1/6") == 2 and len(split.started()) == PIECES + 1


def test_ctrl_c_ends_the_pieces_and_the_same_command_goes_on(story, split, network):
    box = network.machine("one")
    split.fleet("one", here=["own"])
    process = story.start(*split.command())
    assert eventually(lambda: len(split.pids()) == 2)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=HANGS)
    assert process.returncode == 130 and b"the same command goes on" in err, err
    assert not split.alive() and eventually(lambda: box.runs() == [])
    split.go.touch()
    ended = split.run().ok()
    assert "going on with set" not in ended.err  # no piece was counted
    counted(ended)


def test_a_machine_that_fails_again_and_again_gets_no_more_pieces(story, split):
    split.go.touch()
    split.fleet(here=["good"])
    fleet = story.work / "fleet.toml"
    bad = HERE.format(name="bad") + '[machine.environment]\nFAKE_FAIL = "broken"\n'
    fleet.write_text(fleet.read_text().replace("[[machine]]", bad + "[[machine]]"))
    ended = split.run().ok()
    assert {row["machine_type"] for row in counted(ended)} == {"good"}
    assert ended.json["split"]["tries"] == PIECES + 3
    [warning] = [note["text"] for note in ended.json["notes"] if note["kind"] == "warning"]
    assert "bad got no more pieces" in warning and "broken" in warning


def test_pieces_that_fail_leave_no_sum(story, split):
    split.go.touch()
    split.fleet(here=["own"], FAKE_FAIL="broken")
    ended = split.run().ok(1)
    assert ended.json["split"]["solutions"] is None and ended.json["split"]["counted"] == 0
    rows = ended.rows("split_pieces")
    assert "broken" in rows[0]["reason"] and "no machine left" in rows[-1]["reason"]
    assert len(split.started()) == 3
    text = split.text().ok(1).out
    assert text.startswith("0 of 6 pieces of the 10 x 10 board are counted; the same command counts the others")
    split.fleet(here=["own"])
    counted(split.run().ok())


def test_another_number_than_the_known_one_is_an_error(split):
    split.go.touch()
    split.fleet(here=["own"], FAKE_WRONG=1)
    ended = split.run().ok(4)
    assert ended.json["split"]["as_known"] is False and ended.json["split"]["solutions"] == 724 + PIECES
    assert "the pieces have 730 solutions together, and the 10 x 10 board has 724" in ended.err


def test_pieces_are_no_boards_of_the_report(story, split):
    split.go.touch()
    split.fleet(here=["own"])
    split.run().ok()
    assert "suite" not in report(story, "--all")[1]
    split.suite.run("nqueens", "--n", 8, "--threads", 1, "--device", "cpu", "--repeats", 1).ok()
    assert [row["n"] for row in report(story, "--all")[1]["suite"]["boards"]] == [8]


def test_what_makes_no_sense_is_refused(story, split):
    split.fleet(here=["own"])
    refused = ["suite", "split", "mnist-mlp", "fleet.toml", "--n", 8]
    story.lapcast(*refused).refused(2, "mnist-mlp cannot be counted in pieces; nqueens can")
    story.lapcast("suite", "split", "nqueens", "fleet.toml").refused(2, "--n")
    story.lapcast("suite", "split", "nqueens", "--n", 8).refused(2, "FLEET.toml")
    split.run("--pieces", 0).refused(2, "--pieces")
    split.run(n=21).refused(2, "--n")
    story.lapcast("suite", "split", "nqueens", "nowhere.toml", "--n", 8).refused(3, "nowhere.toml")
    story.fleet('[[machine]]\nname = "pair"\nprice = "1"\nhosts = ["a", "b"]\n')
    split.run().refused(2, "'pair' has several nodes, and a piece is counted on one")
    assert split.started() == []


def test_the_real_program_counts_exactly(story):
    folder = os.environ.get("LAPCAST_WORKLOAD_PROGRAMS")
    if not folder or not os.access(f"{folder}/nqueens", os.X_OK):
        pytest.skip("nqueens is not built here: LAPCAST_WORKLOAD_PROGRAMS names its folder")
    story.environment |= {"LAPCAST_SUITE_DIR": folder, "XDG_CACHE_HOME": str(story.folder / "cache")}
    story.fleet(HERE.format(name="own"))
    for algorithm, nodes in (("fast", None), ("paper", 428094)):  # nodes as in suite/docs/nqueens.md
        ended = story.lapcast("suite", "split", "nqueens", "fleet.toml", "--n", 12, "--pieces", PIECES, "--algorithm",
                              algorithm, "--json").ok()
        counted(ended, 12, 14200)
        assert nodes in (None, ended.json["split"]["nodes"])
