"""Tests how the hook enters an interpreter: sitecustomize, the watcher, and what it does not
change."""

import os
import subprocess
import sys

from conftest import HOOK, environment

FAKE_TORCH = "version = 1\n"


def run(folder, code, *path, **env):
    path = os.pathsep.join(str(each) for each in (HOOK, *path))
    env = environment(PYTHONPATH=path, LAPCAST_LOG_DIR=str(folder), **env)
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True,
                          timeout=3000)


def test_imports_nothing_and_prints_nothing(tmp_path):
    code = """
import sys
heavy = {"typing", "contextlib", "functools", "threading", "torch", "numpy", "lapcast._report"}
before = set(sys.argv[1:])
print(sorted(name for name in sys.modules if name.startswith("lapcast")))
"""
    ended = run(tmp_path, code)
    assert ended.stdout == "['lapcast', 'lapcast._hook']\n" and ended.stderr == ""
    assert [(file.name, file.stat().st_size) for file in tmp_path.iterdir()] == [("hook.python", 0)]


def test_runs_the_sitecustomize_of_the_user(tmp_path):
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "sitecustomize.py").write_text("import sys\nsys.path.append('/added')\nHERE = 1\n")
    ended = run(tmp_path, "import sitecustomize, sys; print(sitecustomize.HERE, "
                "sitecustomize.__file__, sys.path[-1], 'lapcast' in sys.modules)", mine)
    assert ended.stdout == f"1 {mine}/sitecustomize.py /added True\n", ended.stderr


def test_errors_of_the_users_sitecustomize_are_unchanged(tmp_path):
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "sitecustomize.py").write_text("raise ValueError('mine')\n")
    env = environment(PYTHONPATH=str(mine))
    alone = subprocess.run([sys.executable, "-c", "print(1)"], env=env, capture_output=True,
                           text=True)
    hooked = run(tmp_path, "print(1)", mine)
    assert (hooked.stdout, hooked.stderr) == (alone.stdout, alone.stderr)
    assert "mine" in hooked.stderr


def test_a_library_that_is_imported_is_attached_to(tmp_path):
    libraries = tmp_path / "libraries"
    (libraries / "torch").mkdir(parents=True)
    (libraries / "torch" / "__init__.py").write_text("__version__ = '1.9'\n")
    logs = tmp_path / "logs"
    logs.mkdir()
    ended = run(logs, """
import torch
loader = type(torch.__loader__).__name__
assert "exec_module" not in vars(torch.__loader__) and torch.__spec__.loader is torch.__loader__
print(torch.__version__, loader)
""", libraries)
    assert (ended.stdout, ended.stderr) == ("1.9 SourceFileLoader\n", "")
    (log,) = logs.glob("laps.*")
    assert " note torch 1.9 is not supported, 2.1 or newer is\n" in log.read_text()
    assert {file.name for file in logs.glob("hook.*")} == {"hook.python", "hook.torch"}


def test_a_library_that_fails_to_import_fails_as_before(tmp_path):
    libraries = tmp_path / "libraries"
    libraries.mkdir()
    (libraries / "torch.py").write_text("raise ImportError('no libtorch')\n")
    ended = run(tmp_path, """
for _ in range(2):
    try: import torch
    except ImportError as error: print(error)
""", libraries)
    assert (ended.stdout, ended.stderr) == ("no libtorch\nno libtorch\n", "")


def test_a_broken_adapter_makes_a_note_and_no_harm(tmp_path):
    libraries = tmp_path / "libraries"
    (libraries / "torch" / "optim").mkdir(parents=True)
    (libraries / "torch" / "__init__.py").write_text("import torch.optim.optimizer\n")
    (libraries / "torch" / "optim" / "__init__.py").write_text("")
    (libraries / "torch" / "optim" / "optimizer.py").write_text(
        "def register_optimizer_step_post_hook(hook): pass\n")
    logs = tmp_path / "logs"
    logs.mkdir()
    ended = run(logs, "import torch; print('on')", libraries)
    assert (ended.stdout, ended.stderr) == ("on\n", "")
    (log,) = logs.glob("laps.*")
    assert "the hook failed in lapcast._torch" in log.read_text()


def test_libraries_that_are_already_imported_are_attached_to(tmp_path):
    code = """
import sys, types
sys.modules["torch"] = types.ModuleType("torch")
import lapcast
"""
    env = environment(PYTHONPATH=str(HOOK.parent), LAPCAST_LOG_DIR=str(tmp_path))
    subprocess.run([sys.executable, "-c", code], env=env, check=True)
    (log,) = tmp_path.glob("laps.*.log")
    assert "is not supported" in log.read_text()


def test_the_package_of_the_running_lapcast_wins_over_an_installed_one(tmp_path):
    """Python looks first in the script's folder, then on the PYTHONPATH, then for what is
    installed."""
    mine = tmp_path / "mine"
    (mine / "lapcast").mkdir(parents=True)
    (mine / "lapcast" / "__init__.py").write_text("__version__ = '9.9'\nimport os\n")
    (mine / "train.py").write_text("import lapcast; print(lapcast.__file__, lapcast.__version__)\n")
    logs = tmp_path / "logs"
    logs.mkdir()

    def printed(**env):
        ended = subprocess.run([sys.executable, mine / "train.py"], env=environment(**env),
                               text=True, capture_output=True)
        return ended.stdout.split()

    package = HOOK.parent / "lapcast" / "__init__.py"
    path = f"{HOOK}{os.pathsep}{mine}"
    assert printed(PYTHONPATH=path, LAPCAST_LOG_DIR=str(logs))[0] == str(package)
    assert printed(PYTHONPATH=path) == [str(mine / "lapcast" / "__init__.py"), "9.9"]
