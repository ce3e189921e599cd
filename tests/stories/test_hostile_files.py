"""Tests that no file is read without a limit, none is written through a link that should not be, and no name
or setting controls a terminal or reorders a table."""

import pytest


@pytest.mark.parametrize("name", ["lapcast.toml", ".config/lapcast.toml"])
def test_a_huge_file_of_defaults_is_not_read(story, name):
    folder = story.work if name == "lapcast.toml" else story.folder
    with open(folder / name, "wb") as file:
        file.truncate(2_500_000_000)
    refused = story.lapcast("runs").refused(3, "is larger than 16.0 MiB, and not read")
    assert "defaults file" in refused.err


def test_files_without_end_are_refused(story):
    story.lapcast("soak", "report", "/dev/zero").refused(3, "is larger than 256.0 MiB, and not read")
    with open(story.work / "prices.csv", "wb") as file:
        file.truncate(2_500_000_000)
    story.lapcast("catalog", "--offers", "prices.csv").refused(3, "is larger than 256.0 MiB")
    story.lapcast("fleet", "check", "--files", "/dev/zero").refused(3, "is larger than 16.0 MiB")
    story.lapcast("soak", "report", story.work).refused(3, "is a folder")


def test_a_link_is_not_written_through(story):
    (story.work / "precious").write_text("mine")
    (story.work / "tuned.env").symlink_to("precious")
    story.lapcast("probe", "--tune", "--env-file", "tuned.env", "--", *story.trainer("--laps", 9)).refused(
        6, "it is a link; name a file")
    assert (story.work / "precious").read_text() == "mine"


def test_settings_control_no_terminal_and_reorder_no_table(story):
    ended = story.lapcast("sweep", "--set", "x=\033[31mred,a\u202eb\u061cc", "--", "sh", "-c", 'shift; exec "$@"', "sh",
                          "{x}", *story.trainer("--laps", 40, "--lap-ms", 2))
    assert "\033" not in ended.err and "\033" not in ended.out
    table = story.lapcast("runs", "--format", "markdown").ok().out
    assert "a\\\\u202eb\\\\u061cc" in table and "\u202e" not in table and "\u061c" not in table
    assert "a\u202eb" in story.lapcast("runs", "--json").ok().out
