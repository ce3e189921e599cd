"""Tests the epochs until a target, predicted from the curve so far and from other runs of the
program."""

import math

import pytest


def accuracies(end, scale, n):
    return ",".join(f"{end - 0.8 * math.exp(-epoch / scale):.4f}" for epoch in range(1, n + 1))


def trained(story, *options, epochs=20, end=0.9, scale=6, batch=16):
    """Stores a run to its end whose accuracy is an exponential that approaches `end`."""
    program = story.trainer("--batch", batch, "--epochs", epochs, "--laps", 4, "--lap-ms", 2,
                            "--accuracy", accuracies(end, scale, epochs), *options)
    story.lapcast("watch", "--quiet", "--price", 3.6, "--", *program).ok()
    return story.runs()[-1]["run"]


def epochs_of(story, *options, code=0):
    ended = story.lapcast("epochs", *options, "--json").ok(code)
    return ended.rows("epochs")[0], ended.notes("epochs")


def test_a_curve_alone_predicts_when_the_target_is_reached(story):
    run = trained(story)
    row, notes = epochs_of(story, "--target", "val_accuracy=0.85", "--after", 10, "--max-epochs", 100)
    assert row["run"] == run and row["seen_epochs"] == 10
    real = row["real_epochs"]  # 0.9 - 0.8 exp(-17/6) = 0.853 is the first value above the target
    assert real == 17
    assert row["epochs_low"] <= real <= (row["epochs_high"] or 1e9)  # None: no upper end
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


def test_earlier_runs_are_aligned_with_a_probe_and_another_batch_size_gives_a_warning(story):
    def program(batch):
        return story.trainer("--batch", batch, "--epochs", 20, "--laps", 4, "--lap-ms", 20,
                             "--accuracy", accuracies(0.9, 6, 20))

    story.lapcast("watch", "--quiet", "--", *program(16)).ok()
    earlier = story.runs()[-1]["run"]
    for batch, words in ((16, "the same batch size"), (64, "another or an unknown batch size")):
        probe = ("probe", "--quiet", "--max-laps", 12, "--precision", "0.01%")
        story.lapcast(*probe, "--", *program(batch)).ok()
        row, notes = epochs_of(story, "--target", "val_accuracy=0.85")
        assert row["seen_epochs"] < 17 and row["within_epochs"] == 20
        assert any(words in note and earlier in note for note in notes), notes
        assert row["epochs_low"] <= 17 <= (row["epochs_high"] or 1e9)
        assert any("need not carry over" in note for note in notes) == (batch == 64)


def test_the_time_and_the_money_until_a_target(story):
    run = trained(story)
    ended = story.lapcast("forecast", run, "--until", "val_accuracy=0.85", "--after", 10, "--json").ok()
    row = ended.rows("forecasts")[0]
    assert row["epochs_low"] <= 17 <= (row["epochs_high"] or 1e9)
    assert 0 < row["forecast_s_low"] < row["forecast_s"] < row["forecast_s_high"]
    for end in ("", "_low", "_high"):  # billed by whole seconds
        seconds = math.ceil(row["forecast_s" + end])
        assert row["forecast_cost_usd" + end] == pytest.approx(seconds * 0.001)
    assert row["real_s"] > 0
    again = story.lapcast("forecast", run, "--until", "val_accuracy=0.85", "--after", 10, "--json").ok()
    assert again.out == ended.out


def test_what_makes_no_sense_is_refused_in_one_line(story):
    trained(story, epochs=2)
    for target in ("val_accuracy", "=0.5", "val_accuracy=", "val_accuracy=high", "a=nan", "a=1e999"):
        story.lapcast("epochs", "--target", target).refused(2, "is not a target")
    story.lapcast("epochs").refused(2, "say what for: --target val_accuracy=0.75")
    story.lapcast("epochs", "--target", "a=1", "--patience", 3).refused(2, "")
    story.lapcast("epochs", "nosuch", "--target", "a=1").refused(2, "nosuch")
    row, _ = epochs_of(story, "--target", "val_accuracy=0.99", code=1)
    assert row["reason"] == ("2 evaluations of val_accuracy are too few: 4 are needed, or earlier "
                             "runs of the same program")
    row, _ = epochs_of(story, "--target", "wer=0.99", code=1)
    assert row["reason"] == "it reported no wer"
