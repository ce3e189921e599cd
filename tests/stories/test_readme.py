"""Walks the README: runs every command that it prints, as printed and in its order, with small
programs in place of the reader's, and compares what they print with what the page shows, word for
word but for figures. A command that this file does not know fails it."""

import re

import pytest

import page_walk
from page_walk import FENCE, ROOT, hosts, shape  # noqa: F401

TEXT = (ROOT / "README.md").read_text()
COMMAND = re.compile(r"(lapcast|pip|pipx|uvx?|python3?|apt|apt-get|cmake|sudo|\./\w+)( |$)|--\w")

SKIPPED = {
    "pip install .": "builds for minutes; the story of the empty root runs it (./check --full)",
    "pip wheel --no-deps .": "builds for minutes; LAPCAST_WHEEL names its result for the stories of installing",
    "./demo": "downloads PyTorch, builds and measures for minutes",
    "./check": "runs this story",
    "lapcast shortlist": "needs laps of a GPU; test_shortlist.py has those of a profile",
    "lapcast forecast RUN --memory --in 24GB": "needs two batch sizes; test_batch_that_fits.py has them",
    "lapcast sweep --batch auto": "needs a program that fills the memory; likewise",
    "lapcast sweep rent.toml --search-budget 2USD": "rents machines; test_rent_training.py walks it over a fake cloud",
}
# The page gives only the beginning, or an option of the command before.
IN_FULL = {
    "lapcast sweep examples/one-box.toml --batch 16,64 -- mnist-cnn ...":
        "lapcast sweep examples/one-box.toml --batch 16,64 -- mnist-cnn --data digits --batch {batch} --epochs 2",
    "--bill": "lapcast rank --bill", "--explain": "lapcast rank --explain", "--energy": "lapcast rank --energy",
}
# Ends with 1 where this machine cannot be some of the machine types.
MAY_FAIL = {"lapcast sweep examples/one-box.toml --batch 16,64 -- mnist-cnn ..."}
KNOWN = {
    "lapcast probe --price 1.20 -- python3 train.py",
    "lapcast probe --price 1.20 -- python3 train.py --batch 32 --epochs 20",
    "lapcast demo",
    "lapcast sweep --batch 64,128 -- python3 train.py --batch {batch}",
    "lapcast fleet init gpu1 gpu2 > fleet.toml",
    "lapcast sweep fleet.toml --batch 64,128 -- python3 train.py --batch {batch}",
    "lapcast rank", "lapcast verify --top 2", "lapcast offload",
    "lapcast watch --price 1.20 --max-cost 20 -- python3 train.py",
    "lapcast help", "lapcast report", "lapcast serve",
    "lapcast rank --interruptions 3h --checkpoint 30s", "lapcast suite", "lapcast papers", "./bench",
    *IN_FULL,
}

def commands():
    """Returns the commands of the page in its order, each with the output that follows it, or None."""
    found = []
    for piece in re.split(r"(^```\w*\n.*?^```$)", TEXT, flags=re.M | re.S):
        fence = FENCE.fullmatch(piece)
        if fence is None:
            spans = [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", piece)]
            found += [(span, None) for span in spans if COMMAND.match(span)]
        elif fence[1] == "sh":
            found += [(command, None) for command in page_walk.plain(fence[2])]
        elif fence[2].startswith("$ "):
            found += page_walk.with_outputs(fence[2])
        else:  # the output of the ranking that the sentence before names
            at = max(i for i, (command, _) in enumerate(found) if command == "lapcast rank")
            # The command that is ranked stands behind the name of the ranking.
            found.append((found.pop(at)[0], fence[2]))
    return found


def compare_rank(said, shown):
    """The rows depend on what this machine can be; the lines around them and the columns do not."""
    columns = [re.split(r"  +", line.strip()) for line in (*said.splitlines(), *shown.splitlines())
               if re.match(r" *# +machine", line)]
    assert len(columns) == 2, said
    # How many of the last columns fit depends on the figures: lapcast says which do not.
    left_out = re.search(r"left out to fit the terminal: ([^;]*);", " ".join(said.split()))
    missing = set(left_out[1].split(", ")) if left_out else set()
    printed, on_page = columns
    assert [name for name in on_page if name not in missing] == [
        name for name in printed if name in on_page or name not in ("Pareto", "P(fastest)")], said
    for label in ("CHEAPEST", "FASTEST", "Cheapest first", "expected regret ", "prices: demo prices as of "):
        assert (label in said) and (label in shown), (label, said)
    for pattern in (r"sweep \w{12}, 18 candidates, begun \S+Z\sin\s\S+:\smnist-cnn\s--data\sdigits\s--batch\s{batch}\s"
                    r"--epochs\s2",
                    r"18 probes cost \$[\d.]+; running all \d+ candidates to the end would cost \$[\d.]+"):
        assert re.search(pattern, said) and re.search(pattern, shown), (pattern, said)


@pytest.fixture
def reader(hosts):
    """Is the reader's folder: a program, two hosts of the ssh config, and the examples."""
    train = page_walk.program("(10 + lap % 3) / fast")
    tools = hosts.folder / "bin"
    (tools / "mnist-cnn").write_text(f"#!/usr/bin/env python3\n{train}")
    (tools / "mnist-cnn").chmod(0o755)
    (hosts.work / "train.py").write_text(train)
    for name in ("examples", "benchmarks", "tools", "bench"):
        (hosts.work / name).symlink_to(ROOT / name)
    return hosts


def run(story, command):
    """Runs a command of the page. Quotes {batch}, which the page may do or not."""
    words = IN_FULL.get(command, command).replace("{batch}", "'{batch}'").replace("''{batch}''", "'{batch}'")
    return page_walk.run(story, words)


def test_every_command_of_the_page_is_known():
    printed = {command for command, _ in commands()}
    assert printed - KNOWN - SKIPPED.keys() == set(), "tell this story how to run these"
    assert (KNOWN | SKIPPED.keys()) - printed == set(), "the page no longer prints these"


@pytest.mark.parametrize("command", SKIPPED)
def test_a_command_that_takes_too_long(command):
    pytest.skip(f"{command}: {SKIPPED[command]}")


def test_every_command_does_what_the_page_says(reader):
    for command, shown in commands():
        if command in SKIPPED:
            continue
        if shown is not None and command == "lapcast rank":
            from terminal import Terminal  # which skips without pyte; the page shows 100 columns
            code, _, lines = Terminal(reader, 100).run("rank")
            assert code == 0
            compare_rank("\n".join(lines), shown)
            continue
        ended = run(reader, command)
        assert ended.code in ((0, 1) if command in MAY_FAIL else (0,)), (command, ended)
        if shown is not None:
            assert shape(ended.out) == shape(shown), ended
        if "> fleet.toml" in command:  # "fill in prices"
            page_walk.fill_in_prices(reader, "1.20")
