"""Tests programs whose work is queued on a device, which tests/queued_device.py imitates."""

import sys
from pathlib import Path

import pytest

QUEUED = Path(__file__).resolve().parents[1] / "queued_device.py"


def watched(story, *options):
    """Runs the program to its end, and returns all that lapcast shows of it."""
    story.lapcast("watch", "--", sys.executable, QUEUED, *options).ok()
    return story.lapcast("show", "last", "--laps", "--json").ok().json


# A queue that is three laps long at the end of each epoch, when a validation of 0.2 s begins.
def test_every_lap_ends_by_the_clock_of_the_device(story):
    shown = watched(story, "--laps", "12", "--epochs", "2", "--lap-ms", "40", "--validation-ms", "200")
    assert len(shown["laps"]) == 24 and shown["forecast"]["time_s"] > 0
    assert all(lap["finished"] for lap in shown["laps"])
    [run] = story.export()
    log = next(text for text in run["lap_logs"] if "emitter=python/1" in text)
    assert log.count(" ended ") == 23  # the first lap was waited for


# A loop that cuts its batches out of a tensor, as it is and as a graph that is replayed: its length
# is that of its arguments, and the steps that warm the graph up are not laps.
@pytest.mark.parametrize("how", ["--no-loader", "--graph"])
def test_a_loop_without_a_loader_has_a_forecast(story, how):
    shown = watched(story, how, "--steps-per-epoch", "25", "--epochs", "2", "--lap-ms", "4")
    assert len(shown["laps"]) == 50
    assert shown["forecast"]["time_s"] > 0 and shown["forecast"]["reason"] is None
    log = next(text for [run] in [story.export()] for text in run["lap_logs"] if "python/1" in text)
    assert "plan steps=50 " in log
    assert ("stage-begin graph-capture" in log) == (how == "--graph")
