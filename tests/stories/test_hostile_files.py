"""Tests that no file is read without a limit, none is written through a link that should not be, and no name
or setting controls a terminal or reorders a table."""

import pytest
from conftest import UNAWARE_OF_OTHERS


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


def test_a_warning_about_what_a_probe_tries_controls_no_terminal(story):
    """The logs of what is tried say that other programs took half of the CPU."""
    for name, load in (("plain", ""), ("tried", "{at} load 1000000 cpus=1 run=500000 delay=450000 others=500000\n")):
        laps = "".join(f"{load.format(at=at)}{at} i 8\n" for at in range(1_000_000, 21_000_000, 1_000_000))
        (story.work / name).write_text("lapcast-laps 1\n0 hello clock=1000000000 wall=1790000000.0 pid=1 rank=0 "
                                       "world=1 host=box emitter=lap.h/1\n1000 plan epochs=1 iterations=20 batch=8 "
                                       f"train=160\n{laps}")
    program = 'name=plain; [ -z "$KEY" ] || name=tried; cp "$0/$name" "$LAPCAST_LOG_DIR/laps.$$.log"; sleep 0.05'
    ended = story.lapcast("probe", "--tune", "--try", "KEY=\033[31mred,b\u009b31m", "--", "sh", "-c", program, story.work,
                          env=UNAWARE_OF_OTHERS)
    assert "warning: this-machine KEY=" in ended.err, ended
    assert not {"\033", "\u009b"} & set(ended.err + ended.out), ended
