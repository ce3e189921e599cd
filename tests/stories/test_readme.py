"""Walks the README: runs every command that it prints, as printed and in its order, with small
programs in place of the reader's, and compares what they print with what the page shows, word for
word but for figures. A command that this file does not know fails it."""

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

import sshd
from conftest import HANGS, Ended

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "README.md").read_text()
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
COMMAND = re.compile(r"(lapcast|pip|pipx|uvx?|python3?|apt|apt-get|cmake|sudo|\./\w+)( |$)|--\w")

SKIPPED = {
    "pip install .": "builds for minutes; the story of the empty root runs it (./check --full)",
    "pip wheel --no-deps .": "builds for minutes; LAPCAST_WHEEL names its result for the stories of installing",
    "./demo": "downloads PyTorch, builds and measures for minutes",
    "./check": "runs this story",
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

# Acts as a training of 20 epochs: writes its lap log itself, with times that do not depend on the machine.
TRAIN = """
import os, sys, time
options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
batch, epochs = int(options.get("--batch", 32)), int(options.get("--epochs", 2))
fast = {"avx2": 2, "default": 1}.get(os.environ.get("ATEN_CPU_CAPABILITY"), 2)
fast *= 1.5 if os.environ.get("OMP_WAIT_POLICY") else 1
ns = 0
log = open(f"{os.environ['LAPCAST_LOG_DIR']}/laps.{os.getpid()}.log", "x") if os.environ.get("LAPCAST_LOG_DIR") else open(os.devnull, "w")
def say(text):
    log.write(f"{ns} {text}\\n")
    log.flush()
log.write("lapcast-laps 1\\n")
say(f"hello clock={time.monotonic_ns()} wall=1795176000.0 pid={os.getpid()} rank=0 world=1 host=box emitter=fake/1")
say(f"plan epochs={epochs} batch={batch} train=4000 from=args.epochs")
for epoch in range(1, epochs + 1):
    say(f"epoch-begin {epoch}")
    for lap in range(4000 // batch):
        ms = (10 + lap % 3) / fast
        time.sleep(ms / 1000)
        ns += int(ms * 1e6)
        say(f"i {batch}")
    say(f"epoch-end {epoch}")
say("bye")
"""


def commands():
    """Returns the commands of the page in its order, each with the output that follows it, or None."""
    found = []
    for piece in re.split(r"(^```\w*\n.*?^```$)", TEXT, flags=re.M | re.S):
        fence = FENCE.fullmatch(piece)
        if fence is None:
            spans = [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", piece)]
            found += [(span, None) for span in spans if COMMAND.match(span)]
        elif fence[1] == "sh":
            found += [(re.sub(r"\s+# .*", "", line), None) for line in fence[2].splitlines()]
        elif fence[2].startswith("$ "):
            for text in re.split(r"^\$ ", fence[2], flags=re.M)[1:]:
                found.append(tuple(text.split("\n", 1)))
        else:  # the output of the ranking that the sentence before names
            at = max(i for i, (command, _) in enumerate(found) if command == "lapcast rank")
            # The command that is ranked stands behind the name of the ranking.
            found.append((found.pop(at)[0], fence[2]))
    return found


def shape(text):
    """Returns the words of an output with figures, names of runs and what depends on them replaced."""
    text = re.sub(r"\b[0-9a-f]{12}\b", "ID", text)
    text = re.sub(r"\d{4}-\d\d-\d\d(T[\d:]+Z)?", "DATE", text)
    text = re.sub(r"Goes into .*", "Goes into PARTS", text)
    text = re.sub(r"< 1 %|[-+±/]*[\d.,]+ ?%", "N%", text)
    text = re.sub(r"\d[\d.,]* (ns|us|ms|s|min|h|d)( \d+ (s|min|h))*(?= |\)|$|;|,)", "TIME", text, flags=re.M)
    text = re.sub(r"(N%)+", "N%", re.sub(r"\$[\d.]+", "$N", text))
    return " ".join(re.sub(r"\d[\d.,]*", "N", text).split())


def compare_rank(said, shown):
    """The rows depend on what this machine can be; the lines around them and the columns do not."""
    columns = [re.split(r"  +", line.strip()) for line in (*said.splitlines(), *shown.splitlines())
               if re.match(r" *# +machine", line)]
    assert len(columns) == 2 and columns[0] == columns[1], said
    for label in ("CHEAPEST", "FASTEST", "Cheapest first", "expected regret ", "prices: demo prices as of "):
        assert (label in said) and (label in shown), (label, said)
    for pattern in (r"sweep \w{12}, 18 candidates, begun \S+Z\sin\s\S+:\smnist-cnn\s--data\sdigits\s--batch\s{batch}\s"
                    r"--epochs\s2",
                    r"18 probes cost \$[\d.]+; running all \d+ candidates to the end would cost \$[\d.]+"):
        assert re.search(pattern, said) and re.search(pattern, shown), (pattern, said)


@pytest.fixture
def reader(story):
    """Is the reader's folder: a program, two hosts of the ssh config, and the examples."""
    if sshd.why_not_here():
        pytest.skip(sshd.why_not_here())
    sshd.raise_loopback()
    network = sshd.Network(story.folder / "network")
    tools = story.folder / "bin"
    tools.mkdir()
    (tools / "lapcast").symlink_to(os.environ["LAPCAST"])
    (tools / "mnist-cnn").write_text(f"#!/usr/bin/env python3\n{TRAIN}")
    (tools / "mnist-cnn").chmod(0o755)
    (story.work / "train.py").write_text(TRAIN)
    for name in ("examples", "benchmarks", "tools", "bench"):
        (story.work / name).symlink_to(ROOT / name)
    story.environment |= network.environment | {"PATH": f"{tools}:{os.environ['PATH']}"}
    for host in ("gpu1", "gpu2"):
        network.machine(host)
    yield story
    network.stop()


def run(story, command):
    """Runs a command in a shell, as the reader types it; Ctrl-C ends a server."""
    words = IN_FULL.get(command, command).replace("{batch}", "'{batch}'").replace("''{batch}''", "'{batch}'")
    process = subprocess.Popen(["/bin/sh", "-c", f"exec {words}"], cwd=story.work, env=story.environment,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               start_new_session=True)
    first = b""
    if command == "lapcast serve":
        first = process.stdout.readline()
        process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=HANGS)
    return Ended(process.returncode, first + out, err)


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
            fleet = reader.work / "fleet.toml"
            text = re.sub(r"^#? *price = .*$", "", fleet.read_text(), flags=re.M)
            fleet.write_text(re.sub(r"^(host = .*)$", '\\1\nprice = "1.20"', text, flags=re.M))
