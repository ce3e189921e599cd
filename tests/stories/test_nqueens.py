"""Tests that N-Queens are counted by the suite."""

import pytest

from fake_suite import values


def test_queens_are_counted_on_one_thread_and_on_all(story, suite):
    ended = suite.run("nqueens", "--n", "8..10", "--threads", 2, "--device", "cuda", "--repeats", 1,
                      "--json").ok()
    rows = {(row["n"], row["mode"]): row for row in ended.rows("boards")}
    assert len(rows) == 9 and all(row["as_known"] for row in rows.values())
    assert rows[10, "one thread"]["solutions"] == 724
    assert rows[10, "one thread"]["million_nodes_per_second"] == pytest.approx(1)
    assert rows[10, "one thread"]["speed_up"] == 1
    assert rows[10, "all cores"]["speed_up"] == pytest.approx(2)
    assert rows[10, "GPU"]["speed_up"] == pytest.approx(18)
    assert rows[10, "GPU"]["speed_up_over_cores"] == pytest.approx(9)
    assert rows[10, "GPU"]["kernel_time_s"] == pytest.approx(rows[10, "GPU"]["time_s"] / 2)
    assert rows[10, "all cores"]["kernel_time_s"] is None
    averages = {row["mode"]: row for row in ended.rows("board_averages")}
    assert averages["GPU"]["speed_up"] == pytest.approx(18) and averages["GPU"]["boards"] == 3
    call = values(suite.journal("nqueens")[0]["arguments"])
    assert call["--algorithm"] == "paper" and call["--threads"] == "1" and call["--n"] == "8"


def test_queens_on_a_fleet_have_all_three_speed_ups(story, suite):
    fleet = story.fleet("".join(f'[[machine]]\nname = "{name}"\nhere = true\n[machine.environment]\n'
                                f'FAKE_FASTER = {faster}\n' for name, faster in (("small", 1), ("big", 4))))
    ended = suite.run("nqueens", "--n", "8..20", "--max-n", 9, "--fleet", fleet.name, "--device", "cuda",
                      "--threads", 2, "--repeats", 1, "--warm-up", 0, "--baseline-serial", "small",
                      "--server", "big", "--json").ok()
    rows = {(row["n"], row["machine_type"], row["mode"]): row for row in ended.rows("boards")}
    assert len(rows) == 2 * 2 * 3 and all(row["as_known"] for row in rows.values())
    # The fake solver takes 1 unit on one thread, 1/2 on two, 1/18 on the GPU; big is four times as fast.
    assert rows[9, "small", "one thread"]["speed_up"] == 1
    assert rows[9, "big", "all cores"]["speed_up"] == pytest.approx(8)            # equation 1
    assert rows[9, "small", "GPU"]["speed_up_over_cores"] == pytest.approx(9)      # equation 2
    assert rows[9, "small", "GPU"]["speed_up_over_server"] == pytest.approx(9 / 4)  # equation 3
    averages = {(row["machine_type"], row["mode"]): row for row in ended.rows("board_averages")}
    assert averages["big", "GPU"]["speed_up"] == pytest.approx(72)
    assert averages["small", "GPU"]["speed_up_over_server"] == pytest.approx(9 / 4)
    text = suite.run("nqueens", "--n", "8,9", "--fleet", fleet.name, "--device", "cuda", "--threads", 2,
                     "--repeats", 1, "--warm-up", 0, "--baseline-serial", "small", "--server", "big").ok().out
    assert "<9, 2.25>" in text
    suite.run("nqueens", "--fleet", fleet.name, "--server", "huge").refused(2, "the fleet has no machine huge")


def test_how_long_the_boards_take_is_said_first(story, suite):
    ended = suite.run("nqueens", "--n", "12,15", "--threads", 1, "--device", "cpu", "--repeats", 1).ok()
    assert "all boards once on one thread take about" in ended.err and "--max-n 13" in ended.err
    assert "take about" not in suite.run("nqueens", "--n", 12, "--threads", 1, "--repeats", 1).ok().err
    suite.run("nqueens", "--max-n", 3).refused(2, "--max-n leaves no board")


def test_a_wrong_count_is_a_failure(suite):
    ended = suite.run("nqueens", "--n", 8, "--threads", 1, "--repeats", 1, "--json",
                      env={"FAKE_WRONG": "1"})
    assert ended.code == 1
    [row] = ended.rows("boards")
    assert row["solutions"] == 93 and row["as_known"] is False


def test_queens_without_a_gpu(suite):
    ended = suite.run("nqueens", "--n", "8,9", "--device", "cuda", "--threads", 1, "--repeats", 1,
                      "--json", env={"FAKE_FAIL": "no usable GPU here"})
    assert ended.code == 1
    rows = ended.rows("boards")
    assert [(row["n"], row["mode"]) for row in rows] == [(8, "one thread"), (8, "GPU")]
    assert all(row["reason"] == "failed with exit status 2: nqueens: no usable GPU here" for row in rows)
