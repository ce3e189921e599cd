"""How many epochs until a target: from the curve so far, and from other runs of the program."""

import math

import pytest


def accuracies(end, scale, n):
    return ",".join(f"{end - 0.8 * math.exp(-epoch / scale):.4f}" for epoch in range(1, n + 1))


def trained(story, *options, epochs=20, end=0.9, scale=6, batch=16):
    """A run to its end; its accuracy is an exponential that comes to `end`."""
    program = story.trainer("--batch", batch, "--epochs", epochs, "--laps", 4, "--lap-ms", 2,
                            "--accuracy", accuracies(end, scale, epochs), *options)
    story.lapcast("watch", "--quiet", "--price", 3.6, "--", *program).ok()
    return story.runs()[-1]["id"]


def epochs_of(story, *options, code=0):
    table = story.lapcast("epochs", *options, "--json").ok(code).table("Epochs until")
    return table["rows"][0], table["notes"]


def test_a_curve_alone_says_when_it_is_there(story):
    run = trained(story)
    row, notes = epochs_of(story, "--target", "val_accuracy=0.85", "--after", 10, "--max-epochs", 100)
    assert row["run"] == run and row["seen_epochs"] == 10
    real = row["real_epochs"]  # 0.9 - 0.8 exp(-17/6) = 0.853 is the first
    assert real == 17
    assert row["epochs_low"] <= real <= row["epochs_high"]
    assert row["epochs"] == pytest.approx(real, rel=0.3)
    assert row["chance_reached"] > 0.9 and row["within_epochs"] == 100
    assert any("curves fitted to its 10 evaluations" in note for note in notes)
    assert any("how long it has been going on" in note for note in notes)


def test_a_target_above_the_plateau_is_not_reached(story):
    trained(story, end=0.7, scale=3)
    row, _ = epochs_of(story, "--target", "val_accuracy=0.9", "--max-epochs", 60)
    assert row["epochs"] is None and row["chance_reached"] < 0.5
    assert row["reason"].startswith("not reached within 60 epochs, with probability ")
    row, _ = epochs_of(story, "--target", "val_accuracy=0.5")
    assert row["reason"] == "reached already" and row["epochs"] == row["real_epochs"] == 5


def test_other_runs_of_the_program_are_laid_over_it(story):
    earlier = trained(story)
    trained(story, epochs=3)
    row, notes = epochs_of(story, "--target", "val_accuracy=0.85", "--max-epochs", 100)
    assert row["epochs"] is None and row["reason"].startswith("3 evaluations of val_accuracy are too few")
    # The number of epochs is part of that program; the same one, watched until its third epoch:
    trained(story)
    row, notes = epochs_of(story, "--target", "val_accuracy=0.85", "--after", 3, code=1)
    # Runs count that started before it, by the second.
    if row["epochs"] is not None:
        assert any(earlier in note for note in notes)


def test_earlier_runs_count_and_another_batch_size_is_warned_of(story):
    first = trained(story, "--say", "x")
    trained(story, "--say", "x")
    row, notes = epochs_of(story, first, "--target", "val_accuracy=0.95", "--max-epochs", 100)
    assert any("the same batch size" in note for note in notes) is False  # none went farther
    other = trained(story, "--say", "x", batch=64)
    row, notes = epochs_of(story, other, "--patience", 3)
    assert row["run"] == other


def test_the_time_and_the_money_until_a_target(story):
    run = trained(story)
    ended = story.lapcast("forecast", run, "--until", "val_accuracy=0.85", "--after", 10, "--json").ok()
    row = ended.table("Forecasts")["rows"][0]
    assert row["epochs_low"] <= 17 <= (row["epochs_high"] or 1e9)
    assert 0 < row["forecast_s_low"] < row["forecast_s"] < row["forecast_s_high"]
    assert row["forecast_cost_usd_low"] < row["forecast_cost_usd"] < row["forecast_cost_usd_high"]
    assert row["forecast_cost_usd"] == pytest.approx(row["forecast_s"] * 3.6 / 3600, rel=0.01)
    assert row["forecast_s_low"] <= row["real_s"] <= row["forecast_s_high"]
    again = story.lapcast("forecast", run, "--until", "val_accuracy=0.85", "--after", 10, "--json").ok()
    assert again.out == ended.out


def test_what_makes_no_sense_is_refused_in_one_line(story):
    trained(story, epochs=2)
    for target in ("val_accuracy", "=0.5", "val_accuracy=", "val_accuracy=high", "a=nan", "a=1e999"):
        story.lapcast("epochs", "--target", target).refused(2, "is no target")
    story.lapcast("epochs").refused(2, "say what for: --target val_accuracy=0.75")
    story.lapcast("epochs", "--target", "a=1", "--patience", 3).refused(2, "")
    story.lapcast("epochs", "nosuch", "--target", "a=1").refused(2, "nosuch")
    row, _ = epochs_of(story, "--target", "val_accuracy=0.99", code=1)
    assert row["reason"] == ("2 evaluations of val_accuracy are too few: 4 are needed, or earlier "
                             "runs of the same program")
    row, _ = epochs_of(story, "--target", "wer=0.99", code=1)
    assert row["reason"] == "it reported no wer"
