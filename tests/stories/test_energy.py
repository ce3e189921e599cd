"""Ranks by energy and CO2: by tables, by a meter's file, and with bad input."""

import datetime

import pytest

SWEEP = "5eeb00000001"


def test_energy_is_shown_when_it_is_asked_for(frozen):
    plain = frozen.lapcast("rank", "--sweep", SWEEP).ok()
    assert "kWh" not in plain.out
    ended = frozen.lapcast("rank", "--sweep", SWEEP, "--energy", "--grid", "400").ok()
    assert "kWh" in ended.out and "gCO2e" in ended.out
    assert "Time x money x energy" in ended.out
    assert "CO2: 400 g per kWh (--grid)" in ended.out


def test_json_has_energy_co2_and_where_they_come_from(frozen):
    answer = frozen.lapcast("rank", "--sweep", SWEEP, "--by", "co2", "--grid", "400", "--json").ok()
    result = answer.json
    assert result["rankings"][0]["by"] == "co2"
    grams = [row["co2e_g"] for row in result["candidates"]]
    assert grams == sorted(grams) and grams[0] > 0
    for row in result["candidates"]:
        assert row["energy_source"] == "predicted"
        assert row["co2e_g"] == pytest.approx(400 * row["energy_kwh"])
        assert row["energy_kwh_low"] < row["energy_kwh"] < row["energy_kwh_high"]
    assert [row["grid_source"] for row in result["energy"]] == ["--grid"] * len(grams)
    assert result["energy"][0]["pareto"] is True
    assert result["best"]["co2"]["rank"] == 1


def test_co2_is_limited_and_unknown_regions_are_excluded(frozen):
    everything = frozen.lapcast("rank", "--sweep", SWEEP, "--energy", "--grid", "400",
                                "--json").ok().json
    grams = sorted(row["co2e_g"] for row in everything["candidates"])
    limit = (grams[0] + grams[1]) / 2000
    some = frozen.lapcast("rank", "--sweep", SWEEP, "--max-co2", f"{limit:.12f}", "--grid", "400",
                          "--json").ok()
    assert len(some.json["candidates"]) == 1
    none = frozen.lapcast("rank", "--sweep", SWEEP, "--by", "co2")
    assert none.code == 1
    assert "no table has the region" in none.out


def test_a_meter_counts_before_the_tables(story, tmp_path):
    story.lapcast("probe", "--machine", "box", "--price", "1", "--epochs", "2", "--max-laps", "400",
                  "--", *story.trainer("--laps", 100000)).ok()
    begin = datetime.datetime.now(datetime.timezone.utc).timestamp()
    meter = tmp_path / "meter.csv"
    meter.write_text("time,watts\n" + "".join(
        f"{begin - 120 + i / 50},500\n" for i in range(12000)) + "later,nan\n")
    ended = story.lapcast("rank", "--all", "--energy", "--meter", meter, "--json").ok()
    row = ended.json["candidates"][0]
    assert row["energy_source"] == "measured"
    assert row["energy_kwh"] == pytest.approx(500 * row["time_s"] * 1.3 / 3.6e6, rel=0.01)
    assert "1 left out: no time and power" in ended.err


@pytest.mark.parametrize("arguments", [
    ["--grid", "nan"], ["--grid", "-1"], ["--grid", "1e308"], ["--max-co2", "x"],
    ["--max-co2", " "], ["--by", "watts"]])
def test_bad_options_are_usage_errors(frozen, arguments):
    ended = frozen.lapcast("rank", *arguments)
    assert ended.code == 2 and len(ended.err.strip().splitlines()) == 1


def test_a_file_that_is_no_meter_is_bad_input(frozen, tmp_path):
    file = tmp_path / "meter.csv"
    for content in (b"", b"\0\xff,\xfe\n", b"time,watts\n"):
        file.write_bytes(content)
        ended = frozen.lapcast("rank", "--sweep", SWEEP, "--meter", file)
        assert ended.code == 3 and "no reading" in ended.err
    assert frozen.lapcast("rank", "--sweep", SWEEP, "--meter", tmp_path / "none").code == 3
