"""Finds the Python package and runs scripts under it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import lap_log

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGE = ROOT / "python"
HOOK = PACKAGE / "hook"
SCRIPTS = ROOT / "tests" / "scripts"


def frameworks_python():
    """Returns the interpreter of the virtual environment with the frameworks
    (LAPCAST_FRAMEWORKS)."""
    folder = Path(os.environ.get("LAPCAST_FRAMEWORKS", ROOT / "build" / "frameworks"))
    return folder / "bin" / "python"


def skip_if_long(script):
    """Skips a script with a comment `# long` unless LAPCAST_LONG_TESTS asks for it."""
    if not os.environ.get("LAPCAST_LONG_TESTS") and "# long" in script.read_text().splitlines():
        pytest.skip("long: set LAPCAST_LONG_TESTS=1")


USES_DYNAMO = re.compile("compile|accelerate|transformers|lightning|keras|distributed|spawn|^# run:", re.M)


def without_dynamo(script):
    """Returns the environment in which a script does without torch._dynamo; an empty one where it, or a
    library of it, may use that."""
    if USES_DYNAMO.search(script.read_text()):
        return {}
    return {"PYTHONPATH": str(ROOT / "tests" / "python" / "without_dynamo")}


def environment(**changes):
    """Returns the relevant part of the environment of a user's shell."""
    kept = {key: value for key, value in os.environ.items()
            if not key.startswith(("LAPCAST", "RANK", "WORLD_SIZE", "PYTHONPATH", "PYTEST"))}
    return {**kept, "OMP_NUM_THREADS": "1", "TF_CPP_MIN_LOG_LEVEL": "3", "HF_HUB_OFFLINE": "1",
            "KERAS_BACKEND": "tensorflow", "CUDA_VISIBLE_DEVICES": "", **changes}


class Observed:
    """Holds the logs and the output of a program that ran under the hook."""

    def __init__(self, process, logs):
        self.process, self.logs = process, logs
        self.out, self.err = process.stdout, process.stderr

    @property
    def log(self):
        """Returns the log of the lowest rank, with the most laps."""
        assert self.logs, f"no log; exit code {self.process.returncode}\n{self.out}\n{self.err}"
        return self.logs[0]


def observe_with_hook(arguments, folder, env):
    """Runs a program with the hook first on its path, as lapcast does."""
    logs = folder / "logs"
    logs.mkdir()
    path = os.pathsep.join([str(HOOK), *filter(None, [env.get("PYTHONPATH", "")])])
    env = {**env, "PYTHONPATH": path, "LAPCAST_LOG_DIR": str(logs)}
    process = subprocess.run(arguments, env=env, cwd=folder, capture_output=True, text=True,
                             timeout=3000)
    return Observed(process, lap_log.read_folder(logs))


# This precision is never reached, so the program runs to its end.
TO_THE_END = ("--precision", "0.0001%", "--budget", "24h")


def observe_with_lapcast(arguments, folder, env, limits=TO_THE_END):
    """Runs a program under `lapcast probe` and returns the logs that lapcast stored."""
    lapcast = [os.environ["LAPCAST"], "--store", str(folder / "runs.db"), "--quiet"]
    process = subprocess.run(
        [*lapcast, "probe", *limits, "--", *map(str, arguments)],
        env=env, cwd=folder, capture_output=True, text=True, timeout=3000)
    exported = subprocess.run([*lapcast, "export", "last"], env=env, capture_output=True, check=True)
    logs = [lap_log.parse(text) for text in json.loads(exported.stdout)["lap_logs"]]
    logs = [log for log in logs if not log.hello["emitter"].startswith("lapcast-load/")]
    return Observed(process, sorted(logs, key=lambda log: (int(log.hello["rank"]),
                                                           -len(log.laps()))))


@pytest.fixture
def observe(tmp_path):
    """Returns observe(arguments, **env), which runs a program under observation: by lapcast itself
    when LAPCAST names the binary, otherwise by the hook alone."""
    runner = observe_with_lapcast if os.environ.get("LAPCAST") else observe_with_hook

    def observed(*arguments, **env):
        folder = tmp_path / "observed"
        folder.mkdir()
        return runner([str(a) for a in arguments], folder, environment(**env))

    return observed


@pytest.fixture
def hooked(tmp_path):
    """Returns hooked(code, **env), which runs Python code in this interpreter under the hook
    alone."""
    runs = []

    def run(code, *options, **env):
        folder = tmp_path / f"hooked{len(runs)}"
        folder.mkdir()
        runs.append(folder)
        arguments = [sys.executable, *options, "-c", code]
        return observe_with_hook(arguments, folder, environment(**env))

    return run


@pytest.fixture
def program_hooked(tmp_path):
    """Returns program_hooked(code, **env), which runs code as a file, whose text can be read."""

    def run(code, **env):
        folder = tmp_path / "program"
        folder.mkdir()
        (folder / "program.py").write_text(code)
        return observe_with_hook([sys.executable, "program.py"], folder, environment(**env))

    return run
