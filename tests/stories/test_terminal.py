"""Tests what people see on a terminal of 80 and of 120 columns: nothing is wider than it, and no
live line is left on it."""

import os
import re

import pytest

from conftest import GOLDEN
from fake_suite import Suite
from frozen_runs import WITH_EPOCHS
from terminal import Terminal
from wide_lines import too_wide

WIDTHS = [80, 120]


# What only live lines hold: none of it may stay on the terminal.
LIVE = re.compile(r"probing \d/\d.* left|lap \d+: |\d laps/s, |: starting|want \d|so far;|held for ")


def is_clean(written, shown, columns):
    assert written and too_wide(written, columns) == []
    assert [line for line in shown if LIVE.search(line)] == [], shown


def fits(story, columns, *arguments, codes=(0,), **more):
    """Runs a command on a terminal, and checks that it fits and leaves no live line. Returns the
    lines that stay."""
    code, written, shown = Terminal(story, columns).run(*arguments, **more)
    assert code in codes, (arguments, written.decode())
    is_clean(written, shown, columns)
    return shown


@pytest.fixture
def swept(story):
    fleet = story.fleet("""
[[machine]]
name = "one-cpu-with-a-long-name"
price = "1.20"
cpus = "0"
[[machine]]
name = "half-a-cpu"
cpus = "0"
cpu_quota = "50%"
price = "0.60"
""")
    program = story.trainer("--laps", 400, "--lap-ms", 2, "--epochs", 4, "--batch", "{batch}")
    return story, ["sweep", fleet.name, "--batch", "64,128", "--rounds", 1, "--max-laps", 15, "--",
                   *program]


@pytest.mark.parametrize("columns", WIDTHS)
def test_a_sweep_and_what_follows_it_fit(swept, columns):
    story, sweep = swept
    fits(story, columns, *sweep, codes=(0, 1))
    for arguments in (["rank"], ["rank", "--plot"], ["rank", "--by", "time"], ["rank", "--per-batch"],
                      ["verify", "--top", 1], ["runs"], ["sweeps"], ["show", "last", "--laps"],
                      ["show", "last", "--plot"], ["forecast", "last"],
                      ["compare", "batch=64", "batch=128", "--metric", "lap", "--plot"],
                      ["rank", "--epochs", "1,2,5,10"]):
        fits(story, columns, *arguments, codes=(0, 1))
    fits(story, columns, *sweep, codes=(0, 1))  # goes on: all is done
    fits(story, columns, "rank", "--max-cost", "0", codes=(1,))


@pytest.mark.parametrize("columns", WIDTHS)
def test_a_race_fits(story, columns):
    fleet = story.fleet("".join(
        f'[[machine]]\nname = "{name}"\nprice = "{price}"\n[machine.environment]\n'
        f"FAKE_SPEED = {speed}\n" for name, price, speed in (("dear", 2, 1), ("cheap", 1, 2))))
    shown = fits(story, columns, "sweep", fleet.name, "--race", "--", *story.trainer(
        "--epochs", 50, "--train", 640, "--lap-ms", 20))
    assert shown[0].startswith(("CHEAPEST", "lapcast: ", "[")), shown


@pytest.mark.parametrize("columns", WIDTHS)
def test_a_probe_fits(story, columns):
    shown = fits(story, columns, "probe", "--price", "1.2", "--epochs", 20, "--samples", 640, "--",
                 *story.trainer("--laps", 400, "--lap-ms", 5, "--batch", 64))
    assert any(line.startswith("Time ") for line in shown), shown
    shown = fits(story, columns, "probe", "--", *story.trainer("--crash-after", 2), codes=(4,))
    assert any(line.startswith("no forecast: the program failed") for line in shown), shown


@pytest.mark.parametrize("columns", WIDTHS)
def test_a_watched_training_fits_and_leaves_only_its_output_and_the_answer(story, columns):
    program = story.trainer("--epochs", 4, "--laps", 50, "--lap-ms", 10, "--say", "words of its own")
    shown = fits(story, columns, "watch", "--price", "3.60", "--", *program)
    left = [line for line in shown if line]
    assert left[0] == "words of its own" and left[1].startswith("lapcast: ended after "), left
    assert len(left) <= 3
    fits(story, columns, "watch", "--max-time", "500ms", "--on-exceed", "warn", "--", *program)


@pytest.mark.parametrize("columns", WIDTHS)
def test_what_is_stored_fits(frozen, columns):
    (frozen.work / "fleet.toml").write_text('[[machine]]\nname = "here"\n')
    for arguments in (
            ["runs", "--newest", 0], ["runs", "--kind", "probe"], ["sweeps"],
            ["show", "000000000003", "--methods", "--laps"], ["show", "last", "--output"],
            ["rank", "--sweep", WITH_EPOCHS], ["rank", "--all", "--by", "score"],
            ["forecast", "000000000003", "000000000004", "--epochs", 3],
            ["epochs", "000000000003", "--patience", 3], ["compare", "machine=small", "machine=large"],
            ["import", GOLDEN / "runs.jsonl"], ["jobs"], ["machine"], ["catalog"],
            ["catalog", "--find", "nothing like it"], ["suite"], ["suite", "list"],
            ["fleet", "check", "fleet.toml"], ["fleet", "init", "gpu1"], ["export"], ["man"],
            ["completion", "bash"], ["runs", "tag", "last", "one"], ["runs", "scrub"],
            ["runs", "rm", "last"],
            ["lap", "iteration", 8]):
        code, written, shown = Terminal(frozen, columns).run(*arguments)
        assert code in (0, 1), (arguments, written)
        if arguments[0] in ("export", "man", "completion") or arguments[:2] == ["fleet", "init"]:
            continue  # what a file is made of is written as it is
        assert too_wide(written, columns) == [], arguments
        assert not any(LIVE.search(line) for line in shown), arguments


@pytest.mark.parametrize("columns", WIDTHS)
def test_the_suite_and_the_stopwatch_fit(story, columns):
    Suite(story, ["mnist-mlp", "nn-twins", "make-digits", "make-io-observations"])
    for arguments in (["suite", "list"], ["suite", "run", "mnist-mlp", "--repeats", 2],
                      ["suite", "memory", "nn-twins", "--batch", "8,16"], ["suite", "data", "mnist-mlp"],
                      ["stopwatch", "--networks", "mnist-mlp", "--devices", "cpu", "--repeats", 1,
                       "--csv", "s.csv"]):
        fits(story, columns, *arguments, codes=(0, 1, 6))


@pytest.mark.parametrize("columns", WIDTHS)
def test_soak_and_its_report_fit(story, columns):
    file = story.folder / "heartbeats"
    fits(story, columns, "soak", "--for", "350ms", "--every", "100ms", "--heartbeats", file)
    fits(story, columns, "soak", "report", file)


@pytest.mark.parametrize("columns", WIDTHS)
def test_a_detached_training_fits(story, columns):
    story.fleet('[[machine]]\nname = "box"\nprice = "0.36"\ncpus = "0"\n')
    offload = ["offload", "--to", "box", "fleet.toml", "--", *story.trainer(
        "--epochs", 2, "--laps", 15, "--lap-ms", 40)]
    shown = fits(story, columns, *offload)
    assert any(line.startswith("Sent to box, at $0.36/h") for line in shown), shown
    for arguments in (["attach", "last"], ["jobs"], ["fetch", "last", "--into", "results"]):
        fits(story, columns, *arguments)
    fits(story, columns, *offload)
    fits(story, columns, "cancel", "last")


@pytest.mark.skipif(not os.environ.get("LAPCAST_LONG_TESTS"), reason="trains for 20 s; ./check --full")
def test_the_demo_fits(story):
    fits(story, 80, "demo", seconds=120)


@pytest.mark.parametrize("columns", WIDTHS)
def test_messages_fit(frozen, columns):
    for arguments in (["porbe"], ["rank", "--bye", "cost"], ["show", "12"],
                      ["probe", "--", "./a-program-with-a-long-name/that-is-not-there"],
                      ["probe", "--offer", "none/such/offer/of/any/catalog", "--", "true"],
                      ["import", "nothere.jsonl"], ["fleet", "from-slurm"], ["attach"],
                      ["rank", "--sweep", "zzz"], ["verify", "--sweep", WITH_EPOCHS],
                      ["sweep", "nothere.toml", "--", "true"], ["compare", "a", "b"],
                      ["rank", "--export", "skypilot"], ["help", "fleet-flie"]):
        code, written, _ = Terminal(frozen, columns).run(*arguments)
        assert code != 0 and written and too_wide(written, columns) == [], arguments


def commands(story):
    return re.findall(r"^\.SS (.+)$", story.lapcast("man").ok().out, re.M)


@pytest.mark.parametrize("columns", WIDTHS)
def test_help_fits(story, columns):
    names = commands(story)
    assert {"suite run", "fleet check", "sweeps rm", "probe"} <= set(names)
    for arguments in [[], ["help"], ["-h"], ["probe", "-h"]] + [["help", *n.split()] for n in names]:
        code, written, _ = Terminal(story, columns).run(*arguments)
        assert code == 0 and written and too_wide(written, columns) == [], arguments


@pytest.mark.parametrize("columns", WIDTHS)
def test_pages_fit(story, columns):
    pages = story.lapcast("help").ok().out.split("lapcast help PAGE:")[1].split()
    assert {"fleet-file", "lap-log", "suite"} <= set(pages)
    for page in pages:
        code, written, shown = Terminal(story, columns).run("help", f"{page}.md")
        assert code == 0 and written and too_wide(written, columns) == [], page
        assert not any(line.startswith(("## ", "|", "```")) for line in shown), page


def is_ascii(written):
    return max(written) < 128


def test_colours_and_more_than_ascii_are_for_terminals_that_want_them(frozen):
    terminal = Terminal(frozen, 80)
    rank = ["rank", "--plot", "--sweep", WITH_EPOCHS]
    _, usual, _ = terminal.run(*rank)
    _, plain, _ = terminal.run("--plain", *rank)
    _, colourless, _ = terminal.run(*rank, env={"NO_COLOR": "1"})
    _, other_locale, _ = terminal.run(*rank, env={"LC_ALL": "C"})
    assert b"\x1b[1m" in usual and "±".encode() in usual
    assert b"\x1b" not in plain and is_ascii(plain) and b"+-" in plain
    assert b"\x1b" not in colourless and "±".encode() in colourless
    assert b"\x1b[1m" in other_locale and is_ascii(other_locale)
    piped = frozen.lapcast(*rank, env={"LC_ALL": "C.UTF-8"}).ok()
    assert is_ascii(piped.out_bytes) and "\x1b" not in piped.out


def test_a_dumb_terminal_gets_no_escapes(frozen):
    terminal = Terminal(frozen, 80)
    for command in (["rank", "--sweep", WITH_EPOCHS],
                    ["probe", "--steps", 100, "--", *frozen.trainer("--laps", 400, "--lap-ms", 5)]):
        assert b"\x1b" in terminal.run(*command)[1]
        assert b"\x1b" not in terminal.run(*command, env={"TERM": "dumb"})[1], command


def test_a_probe_has_the_signs_of_the_terminal(story):
    probe = ["probe", "--steps", 100, "--", *story.trainer("--laps", 400, "--lap-ms", 5)]
    for options, sign in ([], "±"), (["--plain"], "+-"):
        shown = fits(story, 80, *options, *probe)
        [speed] = [line for line in shown if line.startswith("Speed ")]
        # Where the two bounds differ much, both are shown.
        assert sign in speed or re.search(r" -\d+/\+\d+ %", speed), speed
        assert "±+-".replace(sign, "") not in speed, speed


def test_the_answer_of_a_watched_training_is_bold(story):
    program = story.trainer("--laps", 5)
    for options, bold in ([], True), (["--plain"], False):
        _, written, _ = Terminal(story, 80).run(*options, "watch", "--", *program)
        assert (b"\x1b[1mlapcast: ended after " in written) == bold
