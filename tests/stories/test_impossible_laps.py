"""Tests that laps outside of their run count as damage, and that laps without length have no
rate."""

import re

import pytest

LAPS = """#!/bin/sh
exec >"$LAPCAST_LOG_DIR/laps.1.log"
printf 'lapcast-laps 1\\n0 hello clock=%s host=%s\\n' "$(awk '{printf "%d", $1 * 1e9}' /proc/uptime)" "$(uname -n)"
i=0
while [ $i -lt 60 ]; do i=$((i + 1)); echo "$((%s)) i 8"; done
sleep 0.3
"""


def program(story, time_of_lap_i):
    file = story.work / "laps.sh"
    file.write_text(LAPS.replace("$((%s))", f"$(({time_of_lap_i}))"))
    file.chmod(0o700)
    return [file]


def test_m_laps_longer_than_their_run_are_damage(story):
    ended = story.probe("--epochs", 3, "--samples", 800, program=program(story, "i * 3600000000000"))
    assert ended.code == 4 and "no laps: the program ended without reporting one" in ended.err, ended
    assert "60 damaged lines in the lap log" in ended.err
    assert "a time after the end of the run" in ended.err


def test_m_the_laps_within_the_run_count(story):
    late = "i < 31 ? i * 1000000 : i * 3600000000000"
    ended = story.probe("--json", program=program(story, late)).ok()
    assert ended.json["profile"]["lap_median_s"] < 0.01
    assert "30 damaged lines in the lap log" in ended.err
    [run] = story.export()
    assert run["lap_logs"][0].count(" i 8\n") == 30  # a later reader must not take them for laps


@pytest.mark.parametrize("time_of_lap_i", ["1000000", "i == 1 ? 1000000 : 5000000", "0"])
def test_m_laps_without_length_have_no_rate(story, time_of_lap_i):
    ended = story.probe("--epochs", 3, "--samples", 800, "--price", "1",
                        program=program(story, time_of_lap_i)).ok()
    assert "no forecast: its laps took no time" in ended.out, ended
    ranked = story.lapcast("rank")
    assert "its laps took no time" in ranked.out, ranked
    for shown in (ended, ranked, story.lapcast("show", "last").ok(), story.lapcast("runs").ok()):
        assert not re.search(r"\b(inf|nan)\b", shown.out + shown.err), shown
