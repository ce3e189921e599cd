"""Tests plans for spot machines, from traces, heartbeats and stored runs."""

import json
import re
import stat
from pathlib import Path

import json_schema
import pytest


def trace_file(story, ticks, gap=300):
    file = story.work / "trace.json"
    file.write_text(json.dumps({"metadata": {"gap_seconds": gap}, "data": ticks}))
    return file.name


def spot(story, trace, *options):
    return story.lapcast("spot", trace, "--checkpoint", "1m", "--restart", "5m", *options)


# Two hours there, one hour not, for 40 days.
REGULAR = ([1] * 24 + [0] * 12) * 320


def test_a_plan_says_how_often_to_save_and_its_parts_sum(story):
    ended = spot(story, trace_file(story, REGULAR), "--work", "24h", "--spot-price", "1", "--price",
                 "3", "--deadline", "60h", "--json").ok()
    supply = ended.json["supply"]
    assert supply["share"] == pytest.approx(2 / 3)
    assert supply["mean_session_s"] == pytest.approx(7200, rel=0.01)
    assert supply["mean_wait_s"] == pytest.approx(3600, rel=0.01)
    losses = {row["method"]: row for row in ended.rows("checkpoint_intervals")}
    best = ended.rows("checkpoint_intervals")[0]["sum"]
    assert all(best <= row["sum"] + 1e-9 for row in losses.values())
    for row in losses.values():
        assert row["sum"] == pytest.approx(row["checkpoints"] + row["lost_work"] + row["restarts"])
    forecast = ended.json["spot_forecast"]
    times = {row["what"]: row for row in ended.rows("spot_times")}
    assert times["training"]["time_s"] == pytest.approx(24 * 3600)
    assert times["waiting"]["cost_usd"] is None
    assert forecast["billed_s_low"] <= forecast["billed_s"] <= forecast["billed_s_high"]
    assert forecast["cost_usd"] == pytest.approx(forecast["billed_s"] / 3600, abs=1e-6)
    assert forecast["on_demand_cost_usd"] == pytest.approx(3 * (24 + 5 / 60))
    # 24 h of work fit into 60 h at two thirds of the time, so that nobody needs to pay more.
    policies = {row["policy"]: row for row in ended.rows("spot_policies")}
    assert policies["on demand only"]["relative_cost"] == pytest.approx(1, abs=0.02)
    assert policies["planned"]["missed"] == 0
    assert policies["planned"]["relative_cost"] < 0.5


def test_a_deadline_that_spot_alone_misses(story):
    text = spot(story, trace_file(story, REGULAR), "--work", "24h", "--spot-price", "1", "--price",
                "3", "--deadline", "26h").ok().out
    assert "chance to miss the deadline" in text and "> 99 %" in text


def test_a_far_deadline_is_compared_coarsely_or_not_at_all(story):
    trace = trace_file(story, REGULAR)
    far = [trace, "--work", "2h", "--spot-price", "1", "--price", "3", "--deadline"]
    assert spot(story, *far, "10d", "--json").ok().rows("spot_policies")
    ended = spot(story, *far, "9000d").ok()
    assert "too far away" in ended.out or "too few starts" in ended.out
    dear = spot(story, trace, "--work", "2h", "--spot-price", "4", "--price", "3", "--deadline", "9h")
    assert "spot gains nothing" in dear.ok().out
    short = spot(story, trace, "--work", "5s", "--spot-price", "1", "--price", "3", "--deadline",
                 "1h")
    assert "too short beside the trace" in short.ok().out


def test_the_forecast_of_a_run_is_the_work(story):
    story.probe("--epochs", 2000, program=story.trainer("--epochs", 20, "--train", 640, "--lap-ms",
                                                        5, "--batch", 64)).ok()
    total = story.lapcast("show", "last", "--json").ok().json["forecast"]["time_s"]
    trace = trace_file(story, REGULAR)
    ended = story.lapcast("spot", trace, "--run", "last", "--checkpoint", "1s", "--restart", "10s",
                          "--json").ok()
    assert ended.json["spot_forecast"]["on_demand_time_s"] == pytest.approx(10 + total, rel=1e-6)
    story.lapcast("spot", trace, "--run", "last", "--restart", "10s").refused(2, "saved nothing")


@pytest.mark.parametrize("text, what", [
    ("", "trace"), ("{", "not JSON"), ('{"data": [1]}', "gap_seconds"),
    ('{"metadata": {"gap_seconds": 1e308}, "data": [1]}', "gap_seconds"),
    ('{"metadata": {"gap_seconds": 300}, "data": [0, 0]}', "never there"),
    ("nonsense\n\x00\xff", "row")])
def test_a_file_that_is_no_trace_is_refused(story, text, what):
    (story.work / "bad").write_text(text, encoding="latin-1")
    spot(story, "bad", "--work", "1h").refused(3, what)


@pytest.mark.parametrize("options, what", [
    ([], "--work"), (["--work", "0s"], "work"), (["--work", "1h", "--run", "last"], "--run"),
    (["--work", "1h", "--spot-price", "-1"], "--spot-price"),
    (["--work", "9999999999d"], "years"), (["--work", "1h", "--interval", "0s"], "interval")])
def test_a_job_that_cannot_be_is_refused(story, options, what):
    spot(story, trace_file(story, REGULAR), *options).refused(2, what)


def test_a_rate_stands_for_a_trace_with_the_options_of_rank(story):
    """Young 1974: the best interval is about sqrt(2 x 1 min x 5 h) = 24.5 min."""
    options = ["--work", "24h", "--checkpoint", "1m", "--restart", "5m", "--interruptions", "5h",
               "--spot-wait", "10m"]
    ended = story.lapcast("spot", *options, "--deadline", "48h", "--spot-price", "1", "--price", "3", "--json").ok()
    supply = ended.json["supply"]
    assert supply["mean_session_s"] == 18000 and supply["mean_wait_s"] == 600 and supply["recorded_s"] is None
    best = ended.rows("checkpoint_intervals")[0]
    assert best["method"] == "best" and best["interval_s"] == pytest.approx(1470, rel=0.1)
    forecast = ended.json["spot_forecast"]
    # 24 h of work, 59 checkpoints of a minute, and five or so times lost half an interval, start and wait.
    assert 25.5 * 3600 < forecast["time_s"] < 28.5 * 3600
    assert forecast["interruptions"] == pytest.approx(25.9 / 5, rel=0.1) and forecast["p_late"] < 0.01
    for name in ("--interval", "--checkpoint-interval"):
        rows = story.lapcast("spot", *options, name, "1h", "--json").ok().rows("checkpoint_intervals")
        assert (rows[0]["method"], rows[0]["interval_s"]) == ("as requested", 3600)
    trace = trace_file(story, REGULAR)
    as_option = story.lapcast("spot", "--spot-trace", trace, *options[:6], "--json").ok()
    assert as_option.json["supply"] == story.lapcast("spot", trace, *options[:6], "--json").ok().json["supply"]
    nothing = story.lapcast("spot", "--work", "1h", "--checkpoint", "none", "--restart", "5m", "--interruptions",
                            "20h").ok()
    assert "save nothing; the result" in nothing.out
    assert "policies learn from a trace" in story.lapcast("spot", *options, "--deadline", "48h", "--spot-price", 1,
                                                          "--price", 3).ok().out
    story.lapcast("spot", *options[:6]).refused(2, "give a TRACE, or --interruptions TIME")
    story.lapcast("spot", trace, *options).refused(2, "not both")
    story.lapcast("spot", trace, *options[:6], "--spot-wait", "1m").refused(2, "--spot-wait")
    story.lapcast("spot", *options, "--html", "x.html").refused(2, "--html")
    story.lapcast("spot", *options, "--machines", 2).refused(2, "--machines")


def test_heartbeats_are_a_trace(story):
    (story.work / "beats").write_text("")
    story.lapcast("soak", "--every", "100ms", "--for", "1s", "--heartbeats", "beats").ok()
    ended = story.lapcast("spot", "beats", "--work", "10s", "--checkpoint", "100ms", "--restart",
                          "1s", "--json").ok()
    assert ended.json["supply"]["share"] == 1


FLEET = """
[[machine]]
name = "m"
price = "1.20"
boot = "20s"
here = true
"""

CATALOG = ("name,provider,service,machine_type,price_usd_per_hour,terms,interruption_hours,as_of,source\n"
           "cheap,p,s,m,{spot},spot,{hours},2026-11-20,made up\n"
           "stays,p,s,m,1.20,on-demand,,2026-11-20,made up\n")


def swept(story, spot="0.40", hours=2):
    """Probes a training of ten hours, with prices for a spot machine and for one that stays."""
    (story.work / "prices.csv").write_text(CATALOG.format(spot=spot, hours=hours))
    program = story.trainer("--epochs", 20, "--train", 6400, "--lap-ms", 8, "--batch", 64)
    story.lapcast("sweep", story.fleet(FLEET).name, "--max-laps", 25, "--precision", "0.01%", "--",
                  *program).ok()
    return story


def ranked(story, *options):
    return story.lapcast("rank", "--epochs", 45000, "--offers", "prices.csv", *options)


COSTS = ["--checkpoint", "1m", "--restart", "5m"]


def by_offer(rows):
    return {row["offer"]: row for row in rows}


def test_a_ranking_counts_interruptions_line_by_line(story):
    swept(story)
    ended = ranked(story, *COSTS, "--bill", "--deadline", "20h", "--json").ok()
    rows = by_offer(ended.rows("candidates"))
    [spot_row] = ended.rows("spot_trainings")
    # Ten hours with a mean of two hours between interruptions: five and more of them.
    assert 4.5 < spot_row["interruptions"] < 9
    assert spot_row["between_interruptions_s"] == 7200
    assert 600 < spot_row["checkpoint_interval_s"] < 1200
    assert rows["cheap"]["time_s"] > 1.1 * rows["stays"]["time_s"]
    assert rows["cheap"]["cost_usd"] > 1.1 / 3 * rows["stays"]["cost_usd"]
    assert spot_row["undisturbed_cost_usd"] < rows["cheap"]["cost_usd"]
    assert spot_row["p_in_time"] == pytest.approx(1 - rows["cheap"]["p_late"])
    assert rows["stays"]["p_late"] is None
    bill = [line for line in ended.rows("bills") if line["offer"] == "cheap"]
    assert [line["what"] for line in bill[:4]] == ["training", "checkpoints", "lost work",
                                                   "restarts"]
    assert sum(line["amount_usd"] for line in bill) == pytest.approx(rows["cheap"]["cost_usd"],
                                                                     abs=1e-9)
    lines = {line["what"]: line for line in bill}
    assert lines["checkpoints"]["amount_usd"] == pytest.approx(spot_row["checkpoints_usd"])
    assert rows["cheap"]["p_cheapest"] > 0.99 and rows["stays"]["p_fastest"] > 0.99
    text = ranked(story, *COSTS).ok().out
    assert "On spot machines, on average" in text and "count no interruption" not in text
    assert re.search(r"CHEAPEST +m \(spot\) ", text) and re.search(r"FASTEST +m \(stays\) ", text)
    assert "no wait for the next spot machine is counted" in text


def test_spot_loses_to_on_demand_because_of_interruptions(story):
    swept(story, spot="1.00", hours=1)
    text = ranked(story, *COSTS).ok().out
    assert "interruptions make" in text and "which stays" in text
    ended = ranked(story, *COSTS, "--explain", "--json").ok()
    needs = by_offer(ended.rows("explanation"))["cheap"]
    assert needs["needed_price_usd_per_hour"] < 1
    assert needs["needed_between_interruptions_s"] > needs["between_interruptions_s"] == 3600
    # With so rare interruptions it is the first, and a little more often it is not.
    seconds = needs["needed_between_interruptions_s"]
    for factor, winner in [(1.02, "cheap"), (1 / 1.02, "stays")]:
        again = ranked(story, *COSTS, "--interruptions", f"{factor * seconds:.3f}s", "--json").ok()
        assert again.rows("candidates")[0]["offer"] == winner


def test_what_is_not_known_is_named(story):
    swept(story)
    text = ranked(story).ok().out
    assert "count no interruption" in text and "--checkpoint TIME" in text
    swept(story, hours="")
    text = ranked(story, *COSTS).ok().out
    assert "count no interruption" in text and "--spot-trace FILE" in text
    assert "spot_trainings" not in ranked(story, *COSTS, "--json").ok().json


def test_a_program_that_saves_nothing_may_never_finish(story):
    swept(story)
    ended = ranked(story, "--checkpoint", "none", "--interruptions", "20m", "--json").ok()
    assert [row["offer"] for row in ended.rows("candidates")] == ["stays", None]
    reasons = " ".join(row["reason"] for row in ended.rows("excluded") if row["offer"] == "cheap")
    assert "may never finish" in reasons
    [rare] = ranked(story, "--checkpoint", "none", "--interruptions", "20h",
                    "--json").ok().rows("spot_trainings")
    assert rare["checkpoint_interval_s"] is None and rare["checkpoints_s"] == 0
    assert rare["lost_work_s"] > 0


def test_a_trace_or_heartbeats_say_when_machines_were_there(story):
    swept(story)
    trace = trace_file(story, REGULAR)
    [row] = ranked(story, *COSTS, "--spot-trace", trace, "--json").ok().rows("spot_trainings")
    assert row["between_interruptions_s"] == pytest.approx(7200, rel=0.01)
    assert row["waiting_s"] > 3600
    (story.work / "beats").write_text("")
    story.lapcast("soak", "--every", "100ms", "--for", "1s", "--heartbeats", "beats").ok()
    [row] = story.lapcast("rank", "--epochs", 60, "--offers", "prices.csv", "--checkpoint", "100ms",
                          "--restart", "1s", "--spot-trace", "beats",
                          "--json").ok().rows("spot_trainings")
    assert row["offer"] == "cheap" and row["between_interruptions_s"] > 0.5


@pytest.mark.parametrize("options, code, what", [
    (["--checkpoint", "soon"], 2, "--checkpoint"), (["--interruptions", "0s"], 2, "--interruptions"),
    (["--checkpoint-interval", "0s"], 2, "--checkpoint-interval"),
    (["--checkpoint", "none", "--save-at-notice"], 2, "saves nothing"),
    (["--checkpoint", "none", "--notice", "2m"], 2, "saves nothing"), (["--interval", "0s"], 2, "--checkpoint-interval"),
    (["--spot-trace", "x", "--interruptions", "1h"], 2, "--interruptions"),
    (["--spot-trace", "x", "--spot-wait", "1h"], 2, "--spot-wait"),
    (["--spot-trace", "absent"], 3, "absent"), (["--restart", "-1s"], 2, "--restart")])
def test_wrong_assumptions_are_refused(story, options, code, what):
    swept(story)
    ranked(story, *options).refused(code, what)


def page_of(story, *options):
    file = story.work / "spot.html"
    ended = spot(story, *options, "--html", file.name).ok()
    text = file.read_text(encoding="utf-8")
    document = json.loads(re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', text, re.S)[1])
    report = json.loads((Path(__file__).parents[2] / "docs/report.schema.json").read_text())
    if json_schema.jsonschema:
        errors = json_schema.jsonschema.Draft202012Validator(report).iter_errors(document)
        assert [f"{error.json_path}: {error.message[:300]}" for error in errors] == []
    return ended, file, document


# The first machine is there for two hours: 5 min of boot, and then work and checkpoints in turn.
def test_a_page_shows_what_the_training_does_on_the_trace(story):
    _, file, document = page_of(story, trace_file(story, [0] * 3 + REGULAR), "--work", "24h", "--interval",
                                "10m", "--spot-price", "1")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    part = document["spot"]
    steps, trace = part["steps"], part["trace"]
    assert [step["what"] for step in steps[:3]] == ["boot", "work", "checkpoint"]
    assert (steps[0]["begin_s"], steps[0]["end_s"]) == (900, 1200)  # there after three ticks
    assert all(a["end_s"] == pytest.approx(b["begin_s"]) for a, b in zip(steps, steps[1:]))
    worked = sum(step["end_s"] - step["begin_s"] for step in steps if step["what"] == "work")
    assert worked == pytest.approx(24 * 3600)
    assert {step["what"] for step in steps} == {"boot", "work", "checkpoint", "lost work", "restart",
                                                "waiting"}
    assert trace[0] == {"what": "there", "begin_s": 900, "end_s": 900 + 7200}
    assert trace[-1]["end_s"] == pytest.approx(steps[-1]["end_s"])
    assert document["made"]["command"].endswith("--html spot.html")


def test_a_page_that_cannot_be_written_is_refused_before_the_plan(story):
    trace = trace_file(story, REGULAR)
    spot(story, trace, "--work", "24h", "--html", "no/spot.html").refused(6, "no such folder")


def test_a_hostile_trace_name_is_only_text(story):
    name = "</script><script>alert(1)</script>{{scripts}}.json".replace("/", "_")
    (story.work / name).write_text((story.work / trace_file(story, REGULAR)).read_text())
    _, file, document = page_of(story, name, "--work", "1h")
    assert "<script>alert(1)" not in file.read_text() and "alert(1)" in document["made"]["command"]


def test_prices_over_time_widen_the_cost(story):
    trace = trace_file(story, REGULAR)
    (story.work / "prices.csv").write_text(
        "time,price\n" + "".join(f"2026-11-{day:02}T00:00:00Z,{0.5 + 0.5 * (day % 2)}\n"
                                 for day in range(1, 29)))
    constant = spot(story, trace, "--work", "6h", "--spot-price", "0.75", "--json").ok()
    varying = spot(story, trace, "--work", "6h", "--price-history", "prices.csv", "--json").ok()
    prices, before, after = (varying.json["spot_prices"], constant.json["spot_forecast"],
                             varying.json["spot_forecast"])
    assert prices["price_usd_per_hour"] == pytest.approx(0.75, abs=0.01)
    assert (prices["price_usd_per_hour_low"], prices["price_usd_per_hour_high"]) == (0.5, 1)
    assert 0.5 <= prices["job_price_usd_per_hour_low"] < 0.75 < prices["job_price_usd_per_hour_high"]
    assert after["cost_usd"] == pytest.approx(before["cost_usd"], rel=0.02)
    assert after["cost_usd_low"] < before["cost_usd_low"]
    assert after["cost_usd_high"] > before["cost_usd_high"]
    assert "Price of the spot machine" in spot(story, trace, "--work", "6h", "--price-history",
                                               "prices.csv").ok().out
    (story.work / "none.json").write_text('{"SpotPriceHistory": []}')
    spot(story, trace, "--work", "6h", "--price-history", "none.json").refused(3, "two times")


# Sessions that all last two hours tempt to save just before each ends; were they a little shorter,
# such a training would never save.
def test_a_regular_trace_does_not_tempt_to_save_too_rarely(story):
    ended = spot(story, trace_file(story, REGULAR), "--work", "24h", "--json").ok()
    assert ended.rows("checkpoint_intervals")[0]["interval_s"] < 3600
    assert ended.json["spot_forecast"]["interruptions"] < 30
    assert ended.json["spot_forecast"]["finished"] == 1


def test_a_date_that_cannot_be_is_left_out(story):
    """One row of the year 9999 made a job of $73.70 one of $0.000000392, and a machine that never ends."""
    trace = trace_file(story, REGULAR)
    rows = "".join(f"2026-11-{day:02}T00:00:00Z,{1 + day % 2}\n" for day in range(1, 20))
    (story.work / "prices.csv").write_text(rows)
    (story.work / "hurt.csv").write_text(rows + "9999-12-31T00:00:00Z,0\n0001-01-01T00:00:00Z,0\n")
    sound = spot(story, trace, "--work", "6h", "--price-history", "prices.csv", "--json").ok()
    hurt = spot(story, trace, "--work", "6h", "--price-history", "hurt.csv", "--json").ok()
    assert hurt.json["spot_prices"]["price_usd_per_hour"] == sound.json["spot_prices"]["price_usd_per_hour"]
    assert hurt.json["spot_forecast"]["cost_usd"] == sound.json["spot_forecast"]["cost_usd"]
    text = spot(story, trace, "--work", "6h", "--price-history", "hurt.csv").ok()
    assert "time is in the future: 1 rows are left out" in text.out + text.err
    assert "time is before 1970: 1 rows are left out" in text.out + text.err
    events = "".join(f"2026-11-{day:02}T{hour}:00:00Z,{what},node\n" for day in range(1, 20)
                     for hour, what in (("01", "add"), ("05", "remove")))
    (story.work / "trace.csv").write_text(events)
    (story.work / "hurt-trace.csv").write_text(events + "9999-12-31T00:00:00Z,add,node\n")
    answers = [spot(story, trace, "--work", "6h", "--json").ok().json["spot_forecast"]
               for trace in ("trace.csv", "hurt-trace.csv")]
    assert answers[0] == answers[1]
