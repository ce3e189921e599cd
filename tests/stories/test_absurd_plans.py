"""Tests that a plan that cannot be priced is a row with its reason and does not hide other rows."""

import json

FLEET = '[[machine]]\nname = "box"\nprice = "0.36"\ncpus = "0"\n'
CENTURIES = 10**12  # epochs of 20 laps of 5 ms: 3169 years


def swept(story, *options):
    program = story.trainer("--laps", 20, "--lap-ms", 5, "--epochs", "{epochs}")
    return story.lapcast("sweep", story.fleet(FLEET).name, "--max-laps", 15, "--set",
                         f"epochs=3,{CENTURIES}", "--json", *options, "--", *program)


def by_epochs(rows):
    return {row["settings"]["epochs"]: row for row in rows}


def test_f_an_absurd_plan_is_a_row_of_the_sweep(story):
    rows = by_epochs(swept(story).ok().rows("probes"))
    assert float(rows[3]["cost_usd"]) > 0
    absurd = rows[CENTURIES]
    assert absurd["cost_usd"] is None and absurd["time_s"] > 3e9
    assert "no cost: " in absurd["outcome_text"]
    assert "more than 100 years" in absurd["outcome_text"]

    ranking = story.lapcast("rank", "--json").ok()
    assert [row["settings"] for row in ranking.rows("candidates")] == [{"epochs": 3}]
    assert "more than 100 years" in ranking.rows("excluded")[0]["reason"]
    shown = story.lapcast("show", absurd["run"], "--json").ok()
    assert "more than 100 years" in shown.json["forecast"]["reason"]
    row, = story.lapcast("forecast", absurd["run"], "--json").ok().rows("forecasts")
    assert row["forecast_cost_usd"] is None and "more than 100 years" in row["reason"]
    several = story.lapcast("rank", "--epochs", f"5,{CENTURIES}", "--json").ok()
    assert "more than 100 years" in several.out


def test_f_an_absurd_plan_is_a_row_of_a_race(story):
    ended = swept(story, "--race", "--same-epochs")
    rows = ended.ok().rows("race")
    absurd, = [row for row in rows if str(CENTURIES) in row["candidate"]]
    assert absurd["cost_usd"] is None
    assert len(rows) == 2 and ended.rows("search_cost")


def test_f_plans_beyond_every_number_have_no_forecast(story):
    story.probe("--max-laps", 20, "--price", "0.36", "--epochs", 2**60).ok()
    text = story.lapcast("show", "last").ok().out
    assert "a plan of more than 10^15 epochs cannot be forecast" in text


def test_f_bills_of_billions_add_up_to_the_most_that_can_be_held(story):
    # Each bill is 5 e9 USD: 1,000,000 USD/h for 5000 h. All three together are more than Money
    # holds.
    story.probe("--max-laps", 20, "--price", "1000000", "--epochs", 3, "--machine", "a").ok()
    run, = story.export()
    story.store.unlink()
    hour = 3600 * 10**9
    runs = [run | {"id": 12 * digit, "ended_ns": run["started_ns"] + 5000 * hour,
                   "machine_type": {"name": digit}} for digit in "abc"]
    story.lapcast("import", "-", input="\n".join(map(json.dumps, runs)).encode()).ok()
    assert "$9223372036.85" in story.lapcast("rank").ok().out
