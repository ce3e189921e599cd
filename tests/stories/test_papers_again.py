"""Runs every command of suite/docs/papers.md in its order, on small sizes and two machine types, with the
real programs of the suite."""

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = os.environ.get("LAPCAST_WORKLOAD_PROGRAMS", "")
SMALL = {"--samples": "80", "--epochs": "2", "--max-n": "10", "--repeats": "2", "--batch": "64"}
# What a command gets besides.
MORE = {"make-retinas": ["--size", "320x240"],
        "suite run nn-twins": ["--", "--patience", "0"],
        "suite memory": ["--batch", "40,80"],
        "suite run mask-rcnn": ["--sizes", "64x96", "--", "--backbone", "resnet50", "--short-side", "64",
                                "--proposals", "9"]}
MACHINES = ("1c-sse41", "2c-avx2")  # those that the commands name


def commands():
    """Returns the words of each command of the page, in its order."""
    page = (ROOT / "suite" / "docs" / "papers.md").read_text()
    found = re.findall(r"^```sh\n(.*?)^```$", page, flags=re.M | re.S)
    lines = "".join(found).replace("\\\n", " ").splitlines()
    return [shlex.split(line, comments=True) for line in lines]


def small(words):
    less = dict(SMALL)
    if "run" in words or "stopwatch" in words:
        less["--repeats"] = "1"
    words = [word if word.startswith("{") else less.get(before, word)
             for before, word in zip([""] + words, words)]
    if "--fleet" in words and "suite" in words:
        words += ["--warm-up", "0"]
    command = " ".join(words[words[0] == "lapcast":])
    return words + [word for begin, more in MORE.items() if command.startswith(begin) for word in more]


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
    story.environment |= {"LAPCAST_SUITE_DIR": PROGRAMS, "OMP_WAIT_POLICY": "PASSIVE",
                          "XDG_CACHE_HOME": str(story.folder / "cache"),
                          "PATH": PROGRAMS + os.pathsep + story.environment["PATH"]}
    return story


@pytest.mark.skipif(not os.environ.get("LAPCAST_LONG_TESTS"), reason="takes a minute of CPU; ./check --full")
def test_every_command_of_the_page(prepared):
    found = [small(words) for words in commands()]
    assert len(found) > 20
    for words in found:
        file = words.pop() if ">" in words else None
        if words[0] == "lapcast":
            ended = prepared.lapcast(*[word for word in words[1:] if word != ">"]).ok()
            if file:
                (prepared.work / file).write_text(ended.out)
        else:
            subprocess.run([os.path.join(PROGRAMS, words[0]), *words[1:]], cwd=prepared.work, check=True)
