"""Tests that prices are read when runs are ranked: of the fleet file as it is now, of catalogs that are
named, and of the catalog that came with lapcast. A price is not part of what was measured."""

import csv
import gzip
import io

import pytest

from report_page import report

NAME = "Standard_NC4as_T4_v3"  # of the catalog that comes with lapcast
TRAINING = ["--epochs", 2, "--train", 640, "--batch", 64, "--lap-ms", 5]


def fleet(story, *machines):
    return story.fleet("".join(f'[[machine]]\nname = "{name}"\n{price}here = true\n'
                               for name, price in machines)).name


def sweep(story, *machines):
    return story.lapcast("sweep", fleet(story, *machines), "--max-laps", 15, "--", *story.trainer(*TRAINING))


def prices(story, *options):
    """Returns the price per hour of each machine that is ranked."""
    ended = story.lapcast("rank", "--json", *options).ok()
    return {row["machine_type"]: row["price_usd_per_hour"] for row in ended.rows("candidates")}


def test_a_price_that_changed_counts_and_measures_nothing_anew(story):
    sweep(story, ("a", 'price = "1"\n'), ("b", 'price = "2"\n')).ok()
    runs = len(story.export())
    fleet(story, ("a", 'price = "3"\n'), ("b", 'price = "2"\n'))
    assert prices(story) == {"a": 3, "b": 2}
    assert story.lapcast("rank", "--json").ok().rows("candidates")[0]["machine_type"] == "b"
    ended = sweep(story, ("a", 'price = "3"\n'), ("b", 'price = "2"\n')).ok()
    assert "2 of 2 probes were done" in ended.err and len(story.export()) == runs


def test_a_price_that_was_added_counts(story):
    sweep(story, ("a", ""), ("b", "")).ok()
    assert prices(story) == {"a": None, "b": None}
    fleet(story, ("a", 'price = "0.5"\n'), ("b", ""))
    assert prices(story)["a"] == 0.5


def test_a_fleet_file_that_is_gone_or_wrong_leaves_the_prices_of_the_sweep(story):
    sweep(story, ("a", 'price = "1"\n')).ok()
    (story.work / "fleet.toml").write_text("price = [\n")
    ended = story.lapcast("rank", "--json").ok()
    assert "prices are those of the sweep" in ended.err
    assert ended.rows("candidates")[0]["price_usd_per_hour"] == 1
    (story.work / "fleet.toml").unlink()
    assert prices(story) == {"a": 1}


def listed(story, *options):
    """Returns the offers that `catalog` prints as CSV."""
    return list(csv.DictReader(io.StringIO(story.lapcast("catalog", "--format", "csv", *options).ok().out)))


def test_the_catalog_has_the_price_of_a_machine_type_of_the_same_name(story):
    [cheapest, *_] = sorted((row for row in listed(story, "--find", NAME, "--terms", "on-demand")
                             if row["machine_type"] == NAME),
                            key=lambda row: float(row["price_usd_per_hour"]))
    sweep(story, (NAME, ""), ("mine", "")).ok()
    ended = story.lapcast("rank", "--json").ok()
    found = {row["machine_type"]: row for row in ended.rows("candidates")}
    assert found[NAME]["price_usd_per_hour"] == float(cheapest["price_usd_per_hour"])
    [note] = [note for note in ended.notes("candidates") if "of the catalog" in note]
    assert note.startswith("1 of 2 machine types") and cheapest["as_of"] in note and "--no-catalog" in note
    assert set(prices(story, "--no-catalog").values()) == {None}


def test_what_catalog_prints_offers_reads_compressed_too(story):
    text = story.lapcast("catalog", "--gpu", "T4", "--format", "csv").ok().out
    (story.work / "t4.csv").write_text(text)
    (story.work / "t4.csv.gz").write_bytes(gzip.compress(text.encode()))
    offers = story.lapcast("catalog", "--json", "--offers", "t4.csv").ok().rows("offers")
    assert len(offers) == text.count("\n") - 1
    assert story.lapcast("catalog", "--json", "--offers", "t4.csv.gz").ok().rows("offers") == offers
    (story.work / "cut.csv.gz").write_bytes(gzip.compress(text.encode())[:-20])
    story.lapcast("catalog", "--offers", "cut.csv.gz").refused(3, "compressed data are damaged")


@pytest.mark.parametrize("named", [True, False])
def test_old_prices_are_said_wherever_they_are_used(story, named):
    (story.work / "old.csv").write_text("name,machine_type,price_usd_per_hour,as_of,source\n"
                                        "old,a,1.00,2021-02,x\nnew,b,1.50,2026-11-01,x\n")
    machines = [("a", 'offer = "old"\n'), ("b", 'offer = "new"\n')] if named else [("a", ""), ("b", "")]
    story.lapcast("sweep", fleet(story, *machines), "--offers", "old.csv", "--max-laps", 15, "--",
                  *story.trainer(*TRAINING)).ok()
    ended = story.lapcast("rank", "--json", "--offers", "old.csv").ok()
    [note] = [note for note in ended.notes("candidates") if "older than a year" in note]
    assert note.startswith("1 of 2 prices is older than a year, the oldest of 2021-02")


def test_a_sweep_is_repeated_as_it_was_typed(story):
    """What it was told beside the program makes it another sweep."""
    story.lapcast("sweep", fleet(story, ("a", 'price = "1"\n')), "--max-laps", 15, "--budget", "50s", "--",
                  *story.trainer(*TRAINING)).ok()
    _, document = report(story)
    [again, _] = document["repeat"]
    assert again.startswith("lapcast sweep fleet.toml --max-laps 15 --budget 50s -- ")


def test_probes_at_prices_of_a_catalog_have_a_cost(story):
    (story.work / "some.csv").write_text("name,machine_type,price_usd_per_hour,as_of,source\n"
                                         "here/big,big,3600,2026-11-01,x\n")
    sweep(story, ("a", 'offer = "here/big"\n')).ok(3)
    story.lapcast("sweep", fleet(story, ("a", 'offer = "here/big"\n')), "--offers", "some.csv", "--max-laps", 15,
                  "--", *story.trainer(*TRAINING)).ok()
    [row] = story.lapcast("rank", "--json", "--offers", "some.csv").ok().rows("rankings")
    assert row["probes"] == 1 and row["probes_cost_usd"] > 0.05
    ended = story.lapcast("rank", "--offers", "some.csv").ok()
    assert "0 probes cost" not in ended.out


def test_a_race_without_prices_picks_the_fastest(story):
    race = ["sweep", "--race", "--set", "ms=4,40", "--max-laps", 30, fleet(story, ("a", "")), "--",
            *story.trainer("--epochs", 2, "--train", 6400, "--batch", 64, "--lap-ms", "{ms}")]
    ended = story.lapcast(*race).ok()
    assert "FASTEST" in ended.out and "no candidate can be picked" not in ended.out and "$" not in ended.out
    [pick] = story.lapcast("sweep", "--json", *race[1:]).ok().rows("picks")
    assert pick["by"] == "time" and pick["settings"] == {"ms": 4} and pick["cost_usd"] is None


def test_prices_of_one_measurement_are_ranked_by_cost_alone(story):
    sweep(story, ("dear", 'price = "2"\n'), ("cheap", 'price = "1"\n')).ok()
    ended = story.lapcast("rank").ok()
    assert "CHEAPEST  cheap" in ended.out and "FASTEST" not in ended.out


def test_a_name_is_found_whatever_its_blanks(story):
    (story.work / "some.csv").write_text("name,machine_type,accelerator,price_usd_per_hour,as_of,source\n"
                                         "x,big,RTX-4090,1,2026-11-01,x\n")
    for name in ("rtx 4090", "RTX4090", "rtx_40"):
        assert len(story.lapcast("catalog", "--json", "--offers", "some.csv", "--gpu", name).ok()
                   .rows("offers")) == 1
    ended = story.lapcast("catalog", "--gpu", "nothing-has-this-name").ok()
    assert "no offer matches in papers.csv and the prices that came with lapcast" in ended.out + ended.err


def test_a_price_of_a_gpu_that_is_not_here_is_said(story):
    ended = story.probe("--offer", "azure/Standard_NC4as_T4_v3/eastus/on-demand", "--max-laps", 12,
                        program=story.trainer(*TRAINING)).ok()
    assert "the price is that of a machine with 1 T4; this one has" in ended.err + ended.out


def test_a_number_that_is_none_is_said(story):
    story.lapcast("probe", "--epochs", "ten", "--", "true").refused(2, "--epochs: 'ten' is not a whole number")
    story.lapcast("probe", "--epochs", "0", "--", "true").refused(2, "must be at least 1")


def test_a_forecast_and_the_real_run_are_held_against_each_other_at_one_price(story):
    sweep(story, ("a", 'price = "1"\n')).ok()
    story.lapcast("verify", "--top", 1).ok()
    fleet(story, ("a", 'price = "3600"\n'))  # a dollar a second
    [row] = story.lapcast("verify", "--top", 1, "--json").ok().rows("verified")
    assert row["real_cost_usd"] == pytest.approx(row["real_s"], abs=1.5)  # whole seconds are billed
