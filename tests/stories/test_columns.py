"""Runs what reads stored runs with each option once, and every help, at 80 columns: a cheap part of
`./bench columns`, which runs all commands. On a terminal no line is wider, no id is broken, and a dumb terminal gets
no escapes; through a pipe $COLUMNS holds."""

import itertools

import pytest

from wide_lines import MODES, WIDTH, Attempts, Store, broken_ids, plain_lines, too_wide

READING = ("rank", "show", "runs", "sweeps", "forecast", "epochs", "compare", "jobs", "verify", "spot")


@pytest.fixture
def store(story):
    return Store(story, long=True)


def test_lines_fit_whatever_the_option(store):
    attempts = Attempts(store)
    commands = [command for command in attempts.stored if command.split()[0] in READING]
    assert len(commands) > 100 and any("--strategies" in command for command in commands)
    assert [line for line in attempts.left_out if "no value" in line] == []
    wrong, refused = {}, set()
    for command, mode in [(command, "terminal") for command in commands] + \
            list(zip(commands[::4] + attempts.helps, itertools.cycle(MODES))):
        code, written, lines = store.run(command, mode)
        wrong |= {(mode, command): lines} if lines else {}
        refused |= {command} if code == 2 else set()
    assert wrong == {} and sorted(refused) == []


def test_figures_that_differ_stay_whatever_the_names(store):
    for options, wanted in (("--sweep 5eeb00000002", {"time", "cost"}), ("--all --offers offers.csv", {"time", "cost"}),
                            ("--sweep 5eeb00000002 --energy --grid 381", {"time", "cost", "kWh", "gCO2e"})):
        _, written, _ = store.run(f"rank --epochs 90000 {options}", "pipe")
        headers = [line.split() for line in plain_lines(written) if line.lstrip().startswith("#  machine")]
        assert headers and wanted <= set(headers[-1]) and "cost" in headers[0], written.decode()


def test_what_does_not_fit_is_found(store):
    for mode in MODES:
        _, _, lines = store.run("runs --format csv", mode)
        assert len(lines) > 10 and all(len(line) > WIDTH for line in lines)
    assert store.run("man", "pipe")[2]
    assert too_wide(b"\x1b[1m" + b"x" * 81 + b"\x1b[0m\r\n" + b"y" * 80, WIDTH) == ["x" * 81]
    text = b"a  00000000\n   0003\nb  000000000003\n   0003\n"
    assert broken_ids(text, {"000000000003"}) == ["a  00000000"]


def test_a_pipe_has_whole_lines_unless_columns_says_otherwise(store):
    whole = store.story.lapcast("runs").ok().out
    assert len(too_wide(whole.encode(), WIDTH)) > 10 and "left out" not in whole
    for nonsense in ("0", "-5", "wide", "99999999999999999999"):
        assert store.story.lapcast("runs", env={"COLUMNS": nonsense}).ok().out == whole
    narrow = store.story.lapcast("runs", env={"COLUMNS": "80"}).ok().out
    assert too_wide(narrow.encode(), WIDTH) == [] and "left out to fit" in narrow
