"""Provides what stories share that walk a page: its commands, a stand-in for the reader's program, hosts of the
reader's ssh config, and the comparison of outputs but for their figures."""

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

import sshd
from conftest import HANGS, Ended

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)

# Acts as a training: writes its lap log itself. A lap takes as long as LAP_MS says, by its own clock, which is set
# where the program was stopped, or, where CLOCK says so, by that of the machine. Each epoch ends with a validation of
# VALIDATION samples, if any.
TRAIN = """
import os, sys, time
options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
batch, epochs = int(options.get("--batch", 32)), int(options.get("--epochs", 2))
fast = {"avx2": 2, "default": 1}.get(os.environ.get("ATEN_CPU_CAPABILITY"), 2)
fast *= 1.5 if os.environ.get("OMP_WAIT_POLICY") else 1
ns, begun = 0, time.monotonic_ns()
log = open(f"{os.environ['LAPCAST_LOG_DIR']}/laps.{os.getpid()}.log", "x") if os.environ.get("LAPCAST_LOG_DIR") else open(os.devnull, "w")
def say(text):
    log.write(f"{ns} {text}\\n")
    log.flush()
def work(ms):
    global ns
    before = time.monotonic_ns()
    time.sleep(ms / 1000)
    now = time.monotonic_ns()
    was_stopped = now - before > ms * 1e6 + 2e8  # as between the rounds of a sweep
    ns = now - begun if CLOCK or was_stopped else ns + int(ms * 1e6)
log.write("lapcast-laps 1\\n")
say(f"hello clock={begun} wall=1795176000.0 pid={os.getpid()} rank=0 world=1 host=box emitter=fake/1")
say(f"plan epochs={epochs} batch={batch} train=4000 from=args.epochs" + (" validation=VALIDATION" if VALIDATION else ""))
for epoch in range(1, epochs + 1):
    say(f"epoch-begin {epoch}")
    for lap in range(4000 // batch):
        work(LAP_MS)
        say(f"i {batch}")
    say(f"epoch-end {epoch}")
    if VALIDATION:
        say("validation-begin")
        work(20)
        say("validation-end VALIDATION")
say("bye")
"""


def program(lap_ms, validation=0, clock=False):
    return TRAIN.replace("LAP_MS", lap_ms).replace("VALIDATION", str(validation)).replace("CLOCK", str(clock))


def plain(fence):
    """Returns the commands of a block of commands, without their comments."""
    return [re.sub(r"\s+# .*", "", line) for line in fence.splitlines()]


def with_outputs(fence):
    """Returns the commands of a block that begins with "$ ", each with the output that follows it."""
    return [tuple(text.split("\n", 1)) for text in re.split(r"^\$ ", fence, flags=re.M)[1:]]


def shape(text):
    """Returns the words of an output with figures, names of runs and what depends on them replaced."""
    text = re.sub(r"\b[0-9a-f]{12}\b", "ID", text)
    text = re.sub(r"\d{4}-\d\d-\d\d(T[\d:]+Z)?", "DATE", text)
    text = re.sub(r"Goes into .*", "Goes into PARTS", text)
    text = re.sub(r"< 1 %|[-+±/]*[\d.,]+ ?%", "N%", text)
    text = re.sub(r"\d[\d.,]* (ns|us|ms|s|min|h|d)( \d+ (s|min|h))*(?= |\)|$|;|,)", "TIME", text, flags=re.M)
    text = re.sub(r"(N%)+", "N%", re.sub(r"\$[\d.]+", "$N", text))
    return " ".join(re.sub(r"\d[\d.,]*", "N", text).split())


@pytest.fixture
def hosts(story):
    """Is the reader's folder: lapcast on the PATH, and two hosts of the ssh config."""
    if sshd.why_not_here():
        pytest.skip(sshd.why_not_here())
    sshd.raise_loopback()
    network = sshd.Network(story.folder / "network")
    tools = story.folder / "bin"
    tools.mkdir()
    (tools / "lapcast").symlink_to(os.environ["LAPCAST"])
    story.environment |= network.environment | {"PATH": f"{tools}:{os.environ['PATH']}"}
    for host in ("gpu1", "gpu2"):
        network.machine(host)
    yield story
    network.stop()


def fill_in_prices(story, price):
    fleet = story.work / "fleet.toml"
    text = re.sub(r"^#? *price = .*$", "", fleet.read_text(), flags=re.M)
    fleet.write_text(re.sub(r"^(host = .*)$", f'\\1\nprice = "{price}"', text, flags=re.M))


def run(story, command):
    """Runs a command in a shell, as the reader types it; Ctrl-C ends a server."""
    process = subprocess.Popen(["/bin/sh", "-c", f"exec {command}"], cwd=story.work, env=story.environment,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               start_new_session=True)
    first = b""
    if command == "lapcast serve":
        first = process.stdout.readline()
        process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=HANGS)
    return Ended(process.returncode, first + out, err)
