"""What is known of a run is not forecast, and laps that count another thing teach nothing."""

import pytest

TRAINER = """
import time
for epoch in range(1, 4):
    for step in range(1, 41):
        time.sleep(0.01)
        print(f"step {step} of epoch {epoch}", flush=True)
    print(f"epoch {epoch} is over", flush=True)
"""


def took_s(story, run):
    [stored] = story.export(run)
    return pytest.approx((stored["ended_ns"] - stored["started_ns"]) / 1e9, abs=1e-6)


def test_a_run_that_was_seen_to_its_end_has_no_forecast_but_its_time(story):
    program = story.trainer("--epochs", 3, "--laps", 20, "--lap-ms", 5, "--batch", 8, "--train", 160,
                            "--warm-up-laps", 15, "--warm-up-ms", 10)
    story.lapcast("watch", "--", *program).ok()
    # A probe of so short a program sees all of it, too, and earlier runs do not correct that.
    story.probe("--max-laps", 1000, "--precision", "0.0001%", program=program).ok()
    for run in story.runs():
        took = took_s(story, run["run"])
        shown = story.lapcast("show", run["run"], "--json").ok()
        time = shown.json["forecast"]
        assert time["time_s"] == time["time_s_low"] == time["time_s_high"] == took
        parts = shown.rows("parts")
        assert all(part["time_s_low"] == part["time_s_high"] >= 0 for part in parts)
        text = story.lapcast("show", run["run"]).ok().out
        assert text.startswith("Took ") and "Forecast" not in text.splitlines()[1]

        [row] = story.lapcast("forecast", run["run"], "--json").ok().rows("forecasts")
        assert row["forecast_s"] == row["real_s"] == took
        assert row["error"] is None and row["inside"] is None
    [ranked] = story.lapcast("rank", "--all", "--json").ok().rows("candidates")
    assert ranked["time_s"] == took_s(story, ranked["run"])
    assert ranked["time_s_low"] < ranked["time_s"] < ranked["time_s_high"]


def test_laps_of_another_line_teach_nothing(story):
    (story.work / "train.py").write_text(TRAINER)
    program = ["/usr/bin/env", "python3", str(story.work / "train.py")]
    epochs, steps = r"epoch (?P<step>\d+) is over", r"step (?P<step>\d+) of"
    forecasts = ["forecast", "last", "--steps", 120, "--json"]
    story.probe("--lap-line", steps, "--max-laps", 60, program=program).ok()
    [before] = story.lapcast(*forecasts).ok().rows("forecasts")
    story.lapcast("watch", "--lap-line", epochs, "--", *program).ok()
    [after] = story.lapcast("forecast", before["run"], *forecasts[2:]).ok().rows("forecasts")
    assert after["forecast_s"] == before["forecast_s"]
