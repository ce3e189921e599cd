"""Compares rankings and lists of frozen runs word for word. UPDATE_GOLDEN=1 writes the texts
anew."""

import csv
import json
import pathlib

import pytest

from frozen_runs import WITH_EPOCHS, WITHOUT, same_as

FORMATS = {"table": "txt", "csv": "csv", "json": "json", "jsonl": "jsonl", "markdown": "md"}
CASES = [
    ("rank-time", ["rank", "--sweep", WITH_EPOCHS, "--by", "time"]),
    ("rank-score", ["rank", "--sweep", WITH_EPOCHS, "--by", "score", "--weight", "0.3"]),
    ("rank-apart", ["rank", "--sweep", WITHOUT, "--per-batch"]),
    ("rank-together", ["rank", "--sweep", WITHOUT]),
    ("rank-several-epochs", ["rank", "--sweep", WITHOUT, "--epochs", "5,10,20"]),
    ("rank-limits", ["rank", "--sweep", WITH_EPOCHS, "--deadline", "2s", "--max-cost", "0.0003",
                     "--min-accuracy", "85%"]),
    ("runs", ["runs"]),
    ("show", ["show", "000000000003", "--methods"]),
    ("show-plot", ["show", "000000000003", "--plot"]),
    ("epochs-plot", ["epochs", "000000000001", "--target", "val_accuracy=0.95", "--plot"]),
    ("compare-plot", ["compare", "batch=64,kind=probe", "batch=32,kind=probe", "--metric", "lap",
                      "--plot"]),
    ("show-failed", ["show", "last", "--output"]),
]


@pytest.mark.parametrize("name, arguments", CASES)
def test_tables_word_for_word(frozen, name, arguments):
    ended = frozen.lapcast(*arguments).ok()
    assert ended.err == ""
    same_as(f"{name}.txt", ended)


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_word_for_word(frozen, form):
    same_as(f"rank.{FORMATS[form]}",
            frozen.lapcast("rank", "--sweep", WITH_EPOCHS, "--format", form).ok())
    same_as(f"laps.{FORMATS[form]}",
            frozen.lapcast("show", "000000000003", "--laps", "--format", form).ok())


def test_the_same_runs_give_the_same_bytes(frozen):
    """Ranks with all figures that are drawn at random. For every other command the texts above show the
    same."""
    command = ["rank", "--sweep", WITH_EPOCHS, "--json"]
    assert frozen.lapcast(*command).ok().out_bytes == frozen.lapcast(*command).ok().out_bytes


def test_the_machine_formats_can_be_parsed(frozen):
    table = frozen.lapcast("rank", "--sweep", WITH_EPOCHS, "--json").ok()
    rows = table.rows("candidates")
    lines = frozen.lapcast("rank", "--sweep", WITH_EPOCHS, "--format", "jsonl").ok().out.splitlines()
    assert len([json.loads(line) for line in lines]) >= len(rows) == 6
    costs = [row["cost_usd"] for row in rows]
    assert costs == sorted(costs)
    assert sum(row["p_cheapest"] for row in rows) == pytest.approx(1, abs=1e-6)
    assert min(row["relative_cost"] for row in rows) == 1 == min(row["relative_time"] for row in rows)


def test_batch_sizes_are_ranked_together_with_a_caution_unless_their_epochs_are_known(frozen):
    together = frozen.lapcast("rank", "--sweep", WITHOUT, "--json").ok()
    assert len(together.rows("candidates")) == 5
    assert "all batch sizes at equal epochs: their accuracy may differ" in together.out
    apart = frozen.lapcast("rank", "--sweep", WITHOUT, "--per-batch", "--json").ok()
    assert [row["batch_size"] for row in apart.rows("rankings")] == [32, 64]
    assert {(row["ranking"], row["settings"]["batch"]) for row in apart.rows("candidates")} == {
        (1, 32), (2, 64)} and "best" not in apart.json
    learned = frozen.lapcast("rank", "--sweep", WITH_EPOCHS, "--json").ok()
    assert {row["epochs"] for row in learned.rows("candidates")} == {5, 6}
    assert "may differ" not in learned.out
    equal = frozen.lapcast("rank", "--sweep", WITH_EPOCHS, "--same-epochs", "--json").ok()
    assert len({row["epochs"] for row in equal.rows("candidates")}) == 1


def test_the_answer_comes_first_and_is_never_sure(frozen):
    ended = frozen.lapcast("rank", "--sweep", WITH_EPOCHS).ok()
    cheapest, fastest = ended.out.splitlines()[:2]
    assert cheapest.startswith("CHEAPEST  small batch=64") and cheapest.endswith("> 99 % sure")
    assert fastest.startswith("FASTEST   large batch=64") and "; saves " in fastest
    assert "100 %" not in ended.out and " 0 %" not in ended.out


def test_everything_that_is_left_out_has_a_reason(frozen):
    ended = frozen.lapcast("rank", "--sweep", WITHOUT, "--deadline", "3s", "--json").ok()
    reasons = {(row["machine_type"], row["settings"]["batch"]): row["reason"]
               for row in ended.rows("excluded")}
    assert reasons["large", 64] == "failed with exit status 9: out of memory"
    assert "past the" in reasons["small", 32]
    chosen = ended.rows("candidates")
    assert len(chosen) + len(reasons) == 6
    ended = frozen.lapcast("rank", "--sweep", WITHOUT, "--max-cost", "0").ok(1)
    assert ended.err.splitlines()[-1] == "lapcast: nothing could be ranked; the reasons are above"


def test_prices_of_a_catalog_are_ranked_with_those_of_the_fleet(frozen):
    (frozen.work / "spot.csv").write_text(
        "name,machine_type,price_usd_per_hour,as_of,source\nnight,large,0.01,2026-11,made up\n"
        "unknown,huge,0.01,2026-11,made up\n")
    ended = frozen.lapcast("rank", "--sweep", WITH_EPOCHS, "--offers", "spot.csv", "--json").ok()
    best = ended.rows("candidates")[0]
    assert best["machine_type"] == "large" and best["offer"] == "night"
    assert len(ended.rows("candidates")) == 8
    assert "huge" in {row["machine_type"] for row in ended.rows("excluded")}


CATALOGS = pathlib.Path(__file__).parents[2] / "catalog"


def test_the_shipped_catalogs_need_no_folder(story):
    """The binary alone, wherever it was copied to, knows the catalogs that it was built with."""
    names = {row["name"] for row in story.lapcast("catalog", "--json").ok().rows("offers")}
    for catalog in CATALOGS.glob("*.csv"):
        with open(catalog, newline="") as rows:
            assert {row["name"] for row in csv.DictReader(rows)} <= names


def test_a_catalog_folder_takes_the_place_of_the_shipped_catalogs(story):
    folder = pathlib.Path(story.environment["LAPCAST_CATALOG"])
    folder.mkdir()
    (folder / "own.csv").write_text("name,machine_type,price_usd_per_hour,as_of,source\n"
                                    "ours/box,box,1.5,2026-11,intranet\n")
    rows = story.lapcast("catalog", "--format", "json").ok().rows("offers")
    assert [row["name"] for row in rows] == ["ours/box"]
