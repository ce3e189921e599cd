"""Tests the files of defaults: those of the user and of a project, which may be hostile."""

import pytest


def laps_of_a_probe(story, *options):
    story.probe("--precision", "0.01%", *options).ok()
    return sum(log.count(" i ") for log in story.export()[-1]["lap_logs"])


def test_a_project_wins_over_the_user_and_the_command_line_over_both(story):
    config = story.folder / ".config"
    config.mkdir(exist_ok=True)
    (config / "lapcast.toml").write_text("max-laps = 12\n")
    user = laps_of_a_probe(story)
    (story.work / "lapcast.toml").write_text("max-laps = 400\nplain = true\n")
    project = laps_of_a_probe(story)
    line = laps_of_a_probe(story, "--max-laps", 900)
    assert 12 <= user < 400 <= project < 900 <= line
    story.lapcast("runs").ok()  # has no such option


@pytest.mark.parametrize("text, message", [
    ('store = "/tmp/theirs.db"\n', "lapcast.toml:1:1: 'store' is not a default that can be set here"),
    ('offers = ["prices.csv"]\n', "'offers' is not a default"),
    ('[environment]\nLD_PRELOAD = "x.so"\n', "'environment' is not a default"),
    ("budget = [1]\n", "lapcast.toml:1:10: budget: write text or a number"),
    ("plain = \n", "lapcast.toml:1:"),
])
def test_a_project_never_says_what_is_started_or_where(story, text, message):
    (story.work / "lapcast.toml").write_text(text)
    story.lapcast("runs").refused(3, message)


def test_a_broken_file_of_defaults_stops_neither_help_nor_laps(story):
    (story.work / "lapcast.toml").write_text("store = \n")
    story.lapcast("runs").refused(3, "lapcast.toml:1")
    for arguments in (["help"], ["help", "defaults"], ["lap", "iteration", "8"], ["man"],
                      ["completion", "bash"], ["probe", "-h"], ["--help"], ["-V"], []):
        story.lapcast(*arguments).ok()


def test_a_default_that_no_option_takes_is_told_as_on_the_command_line(story):
    (story.work / "lapcast.toml").write_text('budget = "soon"\n')
    story.probe().refused(2, "'soon' is not a duration")


def test_a_plot_by_default_is_drawn_on_terminals_only(story):
    story.probe("--max-laps", 20).ok()
    (story.work / "lapcast.toml").write_text("plot = true\n")
    assert "Histogram" not in story.lapcast("show").ok().out
    assert "Histogram" in story.lapcast("show", "--plot").ok().out
