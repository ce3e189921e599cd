"""Runs scripts as users write them, each of which counts its own laps. The lap log must agree, and
the losses must have the same bits with and without the hook. The first script of PyTorch and of Keras
shows that in every run; with LAPCAST_LONG_TESTS=1 all of them do, and those with a comment `# long`
run at all.

A script writes its counts as JSON to the file that LAPCAST_TEST_COUNTS names. Its keys, all
optional, are laps, samples, epochs (ended), first_epoch, validations, validation_samples (each),
checkpoints, phases, plan (what it must contain), queued (laps), ended (of these), ranks, notes (the text of each, in
this order), metrics (names), sequences (what LapLog.lengths()
returns; empty where it is missing) and losses. The options of a comment `# run: OPTIONS` at the top of a
script precede its name on the command line.
"""

import json
import os
import re
import subprocess

import pytest

from conftest import PACKAGE, SCRIPTS, environment, frameworks_python, skip_if_long, without_dynamo

FAMILIES = ("torch", "tensorflow", "keras", "lightning", "transformers", "accelerate", "jax",
            "nbconvert", "papermill")

LONG = os.environ.get("LAPCAST_LONG_TESTS")
USES_A_PORT = r"torch\.distributed|torchrun|ddp|spawn"


def scripts():
    found = [path for path in SCRIPTS.iterdir() if path.suffix in (".py", ".ipynb")]
    return sorted(found, key=lambda path: path.name)


def needs_of(text):
    return [name for name in FAMILIES
            if re.search(rf"(^|\\n|\"|# needs: .*|\n)\s*(import|from) {name}\b", text)
            or re.search(rf"# (needs|run):.*\b{name}\b", text)]


def command_of(path, python):
    """Returns the command line of a script, as its user types it."""
    if path.suffix == ".ipynb":
        return [python, "-m", "nbconvert", "--to", "notebook", "--execute", "--output-dir", ".", path]
    options = re.search(r"^# run: (.*)$", path.read_text(), re.MULTILINE)
    return [python, *(options.group(1).split() if options else []), path]


@pytest.fixture(scope="session")
def installed():
    """Returns the interpreter with the frameworks, and the frameworks that it has."""
    python = frameworks_python()
    if not python.exists():
        pytest.skip(f"no virtual environment with the frameworks: {python}")
    code = ("import importlib.util, sys\n"
            "print(*[name for name in sys.argv[1:] if importlib.util.find_spec(name)])")
    names = subprocess.run([python, "-c", code, *FAMILIES], capture_output=True, text=True,
                           env=environment(), check=True)
    return python, names.stdout.split()


class RunWithoutHook:
    """Runs a script without the hook in its own folder, at the same time as the observed run."""

    def __init__(self, command, folder):
        folder.mkdir()
        self.counts = folder / "counts.json"
        self.errors = folder / "stderr"
        with open(self.errors, "wb") as errors:
            self.process = subprocess.Popen(
                [str(word) for word in command], cwd=folder, stdout=subprocess.DEVNULL, stderr=errors,
                env=environment(LAPCAST_TEST_COUNTS=str(self.counts), PYTHONPATH=str(PACKAGE)))

    def losses(self):
        assert self.process.wait(timeout=3000) == 0, self.errors.read_text()
        return json.loads(self.counts.read_text())["losses"]


def family_of(path):
    return path.stem.split("_")[0]


def is_compared(path):
    """Returns whether the losses of a script are compared with those of a run without the hook."""
    with_losses = [each for each in scripts() if '"losses"' in each.read_text()]
    first = {family_of(each): each for each in reversed(with_losses)}
    return path in (with_losses if LONG else (first["torch"], first["keras"]))


@pytest.mark.parametrize("script", scripts(), ids=lambda path: path.stem)
def test_script(script, installed, observe, tmp_path):
    python, names = installed
    skip_if_long(script)
    missing = [name for name in needs_of(script.read_text()) if name not in names]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    command = command_of(script, python)
    together = not re.search(USES_A_PORT, script.read_text())
    has_losses = is_compared(script)
    alone = RunWithoutHook(command, tmp_path / "alone") if has_losses and together else None
    file = tmp_path / "counts.json"
    try:
        light = {} if has_losses else without_dynamo(script)
        run = observe(*command, LAPCAST_TEST_COUNTS=str(file), **light)
        assert file.exists(), f"{script.name} failed\n{run.out}\n{run.err}"
        counts = json.loads(file.read_text())
        check_counts(run, counts)
        if has_losses:
            alone = alone or RunWithoutHook(command, tmp_path / "alone")
            assert counts["losses"] == alone.losses()
    finally:
        if alone is not None:
            alone.process.kill()
            alone.process.wait()


def check_counts(run, counts):
    log = run.log
    found = {
        "laps": len(log.laps()),
        "samples": sum(samples for _, samples in log.laps()),
        "epochs": len(log.rests("epoch-end")),
        "first_epoch": (log.counts("epoch-begin") or [0])[0],
        "validations": len(log.rests("validation-end")),
        "validation_samples": log.counts("validation-end"),
        "checkpoints": len(log.rests("checkpoint-end")),
        "phases": len(log.rests("phase")),
        "queued": len(log.rests("q")),
        "ended": len(log.rests("ended")),
        "ranks": len({each.hello["rank"] for each in run.logs}),
        "metrics": sorted({rest.split()[0] for rest in log.rests("metric")}),
        "plan": {key: log.plan.get(key) for key in counts.get("plan", {})},
        "notes": log.rests("note"),
        "sequences": log.lengths(),
    }
    expected = {key: value for key, value in counts.items() if key in found}
    expected.setdefault("notes", [])
    expected.setdefault("sequences", [])
    found["notes"] = [said if said in note else note
                      for note, said in zip(found["notes"], expected["notes"] + [""] * 99)] \
        if len(found["notes"]) == len(expected["notes"]) else found["notes"]
    assert {key: found[key] for key in expected} == expected
    assert log.rests("bye") == [""], "the log was not ended"
