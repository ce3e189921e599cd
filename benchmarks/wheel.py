# Measures the seconds from `pip install FILE` to the first answer of `lapcast probe` on a plain
# PyTorch script, in an environment that has torch. Goal: at most 25; the wheel has at most 8 MB.
#
# It builds the wheel, unless one is named. The environment is a new one that sees the frameworks'
# packages, and it is made anew for each of three rounds. It needs the frameworks' environment,
# $LAPCAST_FRAMEWORKS.
import glob
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from common import ROOT, frameworks_python, print_figure

ROUNDS = 3
SCRIPT = ROOT / "tests/scripts/torch_epochs.py"


def built(folder):
    subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir",
                    folder, str(ROOT)], check=True)
    return glob.glob(f"{folder}/lapcast-*.whl")[0]


def environment_with_torch(folder):
    """Makes an environment; its interpreter sees the packages of the frameworks."""
    python = frameworks_python("wheel")
    subprocess.run([python, "-m", "venv", folder], check=True)
    seen = subprocess.run([python, "-c", "import site; print(site.getsitepackages()[0])"],
                          check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    [packages] = glob.glob(f"{folder}/lib/python3*/site-packages")
    pathlib.Path(packages, "frameworks.pth").write_text(seen + "\n")


def seconds_to_answer(wheel, folder):
    environment_with_torch(f"{folder}/env")
    env = {name: value for name, value in os.environ.items() if name != "LAPCAST_STORE"}
    env |= {"PATH": f"{folder}/env/bin:{os.environ['PATH']}", "HOME": folder,
            "LAPCAST_TEST_COUNTS": f"{folder}/counts"}
    begin = time.perf_counter()
    subprocess.run(["pip", "install", "--quiet", "--no-index", wheel], env=env, check=True)
    installed = time.perf_counter()
    done = subprocess.run(["lapcast", "--quiet", "probe", "--", "python", SCRIPT], env=env,
                          check=True, stdout=subprocess.PIPE, text=True)
    end = time.perf_counter()
    print(f"installed in {installed - begin:.1f} s, answered after {end - installed:.1f} s: "
          f"{done.stdout.strip().splitlines()[0].strip()}")
    return end - begin


with tempfile.TemporaryDirectory() as folder:
    wheel = sys.argv[2] if len(sys.argv) > 2 else built(folder)
    print(f"{pathlib.Path(wheel).name}: {os.path.getsize(wheel) / 1e6:.1f} MB")
    seconds = []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as fresh:
            seconds.append(seconds_to_answer(wheel, fresh))
print_figure("wheel", statistics.median(seconds), "s")
