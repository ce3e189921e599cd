"""Runs every command of docs/papers.md in its order, on small sizes and two machine types, with the real
programs of the suite. What a command prints has the columns that the page shows of it."""

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = os.environ.get("LAPCAST_WORKLOAD_PROGRAMS", "")
SMALL = {"--samples": "200", "--epochs": "2", "--max-n": "10", "--repeats": "2", "--batch": "64"}
# What a command gets besides.
MORE = {"suite run": ["--warm-up", "0"], "make-retinas": ["--size", "320x240"],
        "suite run nn-twins": ["--", "--patience", "0"],
        "suite run mask-rcnn": ["--sizes", "64x96", "--", "--backbone", "resnet50", "--short-side", "64",
                                "--proposals", "9"]}
MACHINES = ("1c-sse41", "2c-avx2")  # those that the commands name


def sections():
    """Returns the commands of each section, each with the column names of the table that follows it."""
    page = (ROOT / "docs" / "papers.md").read_text()
    found = {}
    for section in re.split(r"^## ", page, flags=re.M):
        commands = []
        for language, text in re.findall(r"^```(\w*)\n(.*?)^```$", section, flags=re.M | re.S):
            if language == "sh":
                lines = text.replace("\\\n", " ").splitlines()
                commands += [[shlex.split(line, comments=True), []] for line in lines]
            elif language == "text" and commands:
                commands[-1][1] = columns_of(text)
        if commands:
            found[section.split("\n", 1)[0]] = commands
    return found


def columns_of(text):
    """Returns the names of columns of the tables in a text: the lines above rules of dashes."""
    lines = text.splitlines()
    return [name for head, rule in zip(lines, lines[1:]) if re.fullmatch(r"-+(  -+)*\s*", rule)
            for name in re.split(r"  +", head.strip())]


def small(words):
    less = {} if "embryo-cnn" in words else dict(SMALL)  # fewer images would lack a class
    if "run" in words or "stopwatch" in words:
        less["--repeats"] = "1"
    words = [word if word.startswith("{") else less.get(before, word)
             for before, word in zip([""] + words, words)]
    return words + [word for begin, more in MORE.items() if " ".join(words[words[0] == "lapcast":]).startswith(begin)
                    for word in more]


@pytest.fixture
def prepared(story):
    if not os.path.exists(os.path.join(PROGRAMS, "embryo-cnn")):
        pytest.skip("the programs of the suite are not built")
    entries = re.split(r"^(?=\[\[machine\]\])", (ROOT / "examples" / "one-box.toml").read_text(), flags=re.M)
    kept = entries[:1] + [each for each in entries[1:]
                          if re.search(r'^name = "(.*)"', each, re.M).group(1) in MACHINES]
    assert len(kept) == 1 + len(MACHINES)
    (story.work / "fleet.toml").write_text("".join(kept))
    # Threads that spin beside other tests would take several times as long.
    story.environment |= {"LAPCAST_SUITE_DIR": PROGRAMS, "OMP_WAIT_POLICY": "PASSIVE", "XDG_CACHE_HOME": str(story.folder / "cache"),
                          "PATH": PROGRAMS + os.pathsep + story.environment["PATH"]}
    return story


def test_every_command_of_the_page(prepared):
    assert len(sections()) > 5
    for section, commands in sections().items():
        for words, columns in commands:
            words = small(words)
            if words[0] != "lapcast":
                subprocess.run([os.path.join(PROGRAMS, words[0]), *words[1:]], cwd=prepared.work, check=True)
                continue
            ended = prepared.lapcast(*words[1:], timeout=240).ok()
            assert set(columns) <= set(columns_of(ended.out)), (section, words, columns, ended)
