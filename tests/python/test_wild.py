"""Runs the scripts of tests/wild, each of which has one habit of programs that lapcast did not know.

A comment `# habit: TEXT` at the top of a script says which one, and comments `# truth KEY: JSON` say
what a lap log must contain:

    laps                how many
    epochs              the laps of each epoch that ended, or 0
    validations         how many
    validation_samples  of each validation (optional)
    samples             of each lap, as a list or as one number for all laps
    plan                what the plan must contain (optional)
    from                where the number of epochs or steps of the plan was found (optional)
    notes               the begin of each note, in this order; none when it is missing
    phases              their names (optional)
    ranks               how many processes train (optional)
    probe_validations   how many `lapcast probe --precision 10%` reaches at least, although it ends
                        before the program (optional)

tests/wild/events has the events of some scripts, as loop_events.py recorded them. Told again, without
a library, they must give the same truth; most of these scripts themselves run with the long tests.

A comment `# run: OPTIONS` has the options of Python before the script's name, and `# arguments:
TEXT` those after it. `# needs: NAME` names a library without which the script is skipped, and
`# long` says that it takes much time and runs with LAPCAST_LONG_TESTS=1 alone.
"""

import functools
import json
import os
import re
import subprocess

import pytest

from conftest import ROOT, environment, frameworks_python, observe_with_lapcast, skip_if_long, without_dynamo

SCRIPTS = sorted((ROOT / "tests" / "wild").glob("*.py"))
EVENTS = sorted((ROOT / "tests" / "wild" / "events").glob("*.jsonl"))
REPLAY = f"""
import sys
sys.path.insert(0, {str(ROOT / "tests" / "python")!r})
from lapcast import _loop, _passes
import loop_events
with open({{path!r}}) as lines:
    loop_events.replay(lines, _passes.Loader, _loop.Loop(begun=1))
"""


def comments_of(script, name):
    """Returns what follows `# NAME ` or `# NAME: ` in the comments of a script."""
    return re.findall(rf"^# {name}:? (.*)$", script.read_text(), re.MULTILINE)


def truth_of(script):
    lines = (line.split(": ", 1) for line in comments_of(script, "truth"))
    return {key: json.loads(value) for key, value in lines}


def words_of(script, name):
    return " ".join(comments_of(script, name)).split()


def found_in(run):
    log = run.log
    laps = log.laps()
    samples = [each for _, each in laps]
    found = {
        "laps": len(laps),
        "epochs": laps_of_epochs(log) or 0,
        "validations": len(log.rests("validation-end")),
        "validation_samples": log.counts("validation-end"),
        "samples": samples[0] if len(set(samples)) == 1 else samples,
        "plan": log.plan,
        "from": log.plan.get("from"),
        "notes": log.rests("note"),
        "phases": log.rests("phase"),
        "ranks": len({each.hello["rank"] for each in run.logs}),
    }
    return found, [seconds for seconds, _ in laps]


def laps_of_epochs(log):
    """Returns the laps between the begin and the end of each epoch that ended."""
    ended, laps = [], 0
    for _, kind, _ in log.events:
        laps = 0 if kind == "epoch-begin" else laps + (kind in "iq")
        if kind == "epoch-end":
            ended.append(laps)
    return ended


@pytest.fixture(scope="session")
def python():
    if not frameworks_python().exists():
        pytest.skip(f"no virtual environment with the frameworks: {frameworks_python()}")
    return frameworks_python()


@functools.lru_cache
def has(python, library):
    return subprocess.run([python, "-c", f"import {library}"], env=environment(),
                          capture_output=True).returncode == 0


def test_every_script_says_its_habit_and_truth():
    for script in SCRIPTS:
        assert comments_of(script, "habit"), script
        assert {"laps", "epochs", "validations", "samples"} <= truth_of(script).keys(), script


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_script(script, python, observe):
    skip_if_long(script)
    for library in ["torch", *words_of(script, "needs")]:
        if not has(python, library):
            pytest.skip(f"not installed: {library}")
    run = observe(python, *words_of(script, "run"), script, *words_of(script, "arguments"),
                  **without_dynamo(script))
    truth = {"notes": [], **truth_of(script)}
    truth.pop("probe_validations", None)
    found, seconds = found_in(run)
    found["plan"] = {key: found["plan"].get(key) for key in truth.get("plan", {})}
    if len(found["notes"]) == len(truth["notes"]):
        found["notes"] = [note[:len(begin)] for note, begin in zip(found["notes"], truth["notes"])]
    assert {key: found[key] for key in truth} == truth, run.err
    assert min(seconds, default=1) > 0, "a lap took no time"
    assert run.log.rests("bye") == [""], "the log was not ended"


@pytest.mark.skipif(not os.environ.get("LAPCAST"), reason="LAPCAST has to name the program")
@pytest.mark.parametrize("script", [each for each in SCRIPTS if "probe_validations" in truth_of(each)],
                         ids=lambda path: path.stem)
def test_probe(script, python, tmp_path):
    run = observe_with_lapcast([python, script], tmp_path, environment(**without_dynamo(script)),
                               limits=("--precision", "10%"))
    reached = len(run.log.rests("validation-end"))
    assert truth_of(script)["probe_validations"] <= reached, run.err
    assert len(run.log.laps()) < truth_of(script)["laps"], "the probe did not stop"


@pytest.mark.parametrize("file", EVENTS, ids=lambda path: path.stem)
def test_recorded_events(file, hooked):
    truth = truth_of(file.parent.parent / f"{file.stem}.py")
    found, seconds = found_in(hooked(REPLAY.format(path=str(file))))
    keys = {"laps", "epochs", "validations", "validation_samples", "samples"} & truth.keys()
    assert {key: found[key] for key in keys} == {key: truth[key] for key in keys}
    assert min(seconds) > 0, "a lap took no time"
