"""Tests that pictures are searched by the suite."""

import pytest

from fake_suite import values


def test_pictures_are_searched_on_all_cores_and_on_the_gpu(story, suite):
    options = ["mask-rcnn", "--sizes", "1000x2000,10x20", "--device", "both", "--repeats", 1]
    ended = suite.run(*options, "--images", 2, "--json").ok()
    rows = ended.rows("pictures")
    assert [row["image_size"] for row in rows] == ["1000x2000", "10x20"]
    assert rows[0]["cores_time_s"] == pytest.approx(2) and rows[0]["gpu_time_s"] == pytest.approx(0.5)
    assert rows[0]["speed_up_over_cores"] == pytest.approx(4) and rows[0]["speed_up_over_server"] is None
    assert rows[0]["objects"] == 7 and rows[0]["cores_runs"] == rows[0]["gpu_runs"] == 1
    calls = [values(call["arguments"]) for call in suite.journal("mask-rcnn")]
    assert [(call["--sizes"], call["--device"], call["--repeats"]) for call in calls] == [
        (size, device, "2") for size in ("1000x2000", "10x20") for device in ("cpu", "cuda")]
    text = suite.run(*options, "--images", 2).ok().out
    assert "(1000, 2000, 3)" in text and "<4, ->" in text
    assert len(suite.journal("mask-rcnn")) == 4  # the stored runs are enough
    ended = suite.run("mask-rcnn", "--device", "cpu", "--repeats", 1, "--json").ok()
    assert [row["image_size"] for row in ended.rows("pictures")] == ["1152x1600", "686x1024", "443x760"]


def test_pictures_on_a_fleet_have_both_speed_ups(story, suite):
    fleet = story.fleet("".join(f'[[machine]]\nname = "{name}"\nhere = true\n[machine.environment]\n'
                                f'FAKE_FASTER = {faster}\n' for name, faster in (("small", 1), ("big", 2))))
    options = ["mask-rcnn", "--sizes", "1000x2000", "--fleet", fleet.name, "--device", "both", "--repeats", 1,
               "--warm-up", 0, "--server", "big"]
    rows = {row["machine_type"]: row for row in suite.run(*options, "--json").ok().rows("pictures")}
    assert rows["small"]["speed_up_over_cores"] == pytest.approx(4)
    assert rows["small"]["speed_up_over_server"] == pytest.approx(2)
    assert rows["big"]["gpu_time_s"] == pytest.approx(0.25)
    assert "<4, 2>" in suite.run(*options).ok().out


def test_a_mode_that_fails_is_a_row_with_its_reason(suite):
    ended = suite.run("mask-rcnn", "--sizes", "4x5,6x7", "--device", "cpu", "--repeats", 1, "--json",
                      env={"FAKE_FAIL": "no memory"})
    assert ended.code == 1
    [row] = ended.rows("pictures")
    assert row["reason"] == "multithreaded: failed with exit status 2: mask-rcnn: no memory"
