"""Scripts as users write them, each of which counts its own laps: the lap log has to say the same,
and the losses have to be the same bits with and without the hook.

A script writes its counts as JSON to the file that LAPCAST_TEST_COUNTS names. Keys, all optional:
laps, samples, epochs (ended), first_epoch, validations, validation_samples (each), checkpoints,
phases, plan (what has to be in it), queued (laps), ranks, notes (a text each, in this order),
metrics (names) and losses. A comment `# run: OPTIONS` at its top is put before its name on the
command line.
"""

import json
import re
import subprocess

import pytest

from conftest import PACKAGE, SCRIPTS, environment, frameworks_python

FAMILIES = ("torch", "tensorflow", "keras", "lightning", "transformers", "accelerate", "jax",
            "nbconvert", "papermill")


def scripts():
    found = [path for path in SCRIPTS.iterdir() if path.suffix in (".py", ".ipynb")]
    return sorted(found, key=lambda path: path.name)


def needs_of(text):
    return [name for name in FAMILIES
            if re.search(rf"(^|\\n|\"|# needs: .*|\n)\s*(import|from) {name}\b", text)
            or re.search(rf"# (needs|run):.*\b{name}\b", text)]


def command_of(path, python):
    """The command line of a script, as its user types it."""
    if path.suffix == ".ipynb":
        return [python, "-m", "nbconvert", "--to", "notebook", "--execute", "--output-dir", ".", path]
    options = re.search(r"^# run: (.*)$", path.read_text(), re.MULTILINE)
    return [python, *(options.group(1).split() if options else []), path]


@pytest.fixture(scope="session")
def installed():
    """The interpreter with the frameworks, and those of them that it has."""
    python = frameworks_python()
    if not python.exists():
        pytest.skip(f"no virtual environment with the frameworks: {python}")
    code = ("import importlib.util, sys\n"
            "print(*[name for name in sys.argv[1:] if importlib.util.find_spec(name)])")
    names = subprocess.run([python, "-c", code, *FAMILIES], capture_output=True, text=True,
                           env=environment(), check=True)
    return python, names.stdout.split()


def counts_without_hook(command, folder):
    counts = folder / "alone.json"
    run = subprocess.run([str(word) for word in command], cwd=folder, timeout=300,
                         env=environment(LAPCAST_TEST_COUNTS=str(counts), PYTHONPATH=str(PACKAGE)),
                         capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return json.loads(counts.read_text())


@pytest.mark.parametrize("script", scripts(), ids=lambda path: path.stem)
def test_script(script, installed, observe, tmp_path):
    python, names = installed
    missing = [name for name in needs_of(script.read_text()) if name not in names]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    command = command_of(script, python)
    file = tmp_path / "counts.json"
    run = observe(*command, LAPCAST_TEST_COUNTS=str(file))
    assert file.exists(), f"{script.name} failed\n{run.out}\n{run.err}"
    counts = json.loads(file.read_text())
    check_counts(run, counts)
    if "losses" in counts:
        assert counts["losses"] == counts_without_hook(command, tmp_path)["losses"]


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
        "ranks": len({each.hello["rank"] for each in run.logs}),
        "metrics": sorted({rest.split()[0] for rest in log.rests("metric")}),
        "plan": {key: log.plan.get(key) for key in counts.get("plan", {})},
        "notes": log.rests("note"),
    }
    expected = {key: value for key, value in counts.items() if key in found}
    expected.setdefault("notes", [])
    found["notes"] = [said if said in note else note
                      for note, said in zip(found["notes"], expected["notes"] + [""] * 99)] \
        if len(found["notes"]) == len(expected["notes"]) else found["notes"]
    assert {key: found[key] for key in expected} == expected
    assert log.rests("bye") == [""], "the log was not ended"
