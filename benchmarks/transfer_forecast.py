# Measures the error of `lapcast transfer plan` from a sample of 200 files, at three link speeds. Goal: at
# most 5 %.
#
# It makes 1500 files of 30 to 250 kB, and three machines behind links of 50, 200 and 1000 Mbit/s: an
# sshd each in a network of its own, on this machine, which needs root, sshd and iproute2. At each
# speed it forecasts from 200 files and then goes two ways with all of them: prepare here, then
# send; send, then prepare there. The program compresses each file and keeps a tenth of it. The
# figure is the largest error of the time of preparing and sending.
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "stories"))
import sshd  # noqa: E402

from common import print_figure  # noqa: E402

FILES, SAMPLE = 1500, 200
RATES = ("50mbit", "200mbit", "1gbit")
WAYS = ("here", "there")
PREPARE = """
import os, sys, zlib
source, target = sys.argv[1:]
for folder, _, files in os.walk(source):
    for name in files:
        data = open(os.path.join(folder, name), "rb").read()
        zlib.compress(data, 9)
        open(os.path.join(target, name), "wb").write(data[:len(data) // 10])
"""


def transfer(lapcast, folder, environment, *arguments):
    done = subprocess.run([lapcast, "transfer", *arguments, "--", "python3", "prepare.py", "{in}",
                           "{out}"], cwd=folder, env=environment, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def make_files(folder):
    numbers = random.Random(1)
    folder.mkdir()
    for number in range(FILES):
        (folder / f"{number:05}.raw").write_bytes(numbers.randbytes(numbers.randint(30_000, 250_000)))


def measure(lapcast, folder, network, rate):
    """Returns the errors of the ways at one speed."""
    network.machine(rate, rate=rate)
    environment = os.environ | network.environment | {"LAPCAST_STORE": f"{folder}/store/lapcast.db"}
    options = ["eyes", "--json", "--quiet", "--to"]
    plan = transfer(lapcast, folder, environment, "plan", *options, f"{rate}:plan", "--sample",
                    str(SAMPLE))
    errors = []
    for way in plan["transfer_ways"]:
        if way["way"] not in WAYS:
            continue
        real = transfer(lapcast, folder, environment, "run", *options, f"{rate}:{way['way']}",
                        "--way", way["way"])["transfer"]
        errors.append(way["time_s"] / real["time_s"] - 1)
        parts = ", ".join(f"{part} {way[part + '_s']:.2f} for {real[part + '_s']:.2f}"
                          for part in ("prepare", "send"))
        print(f"  {rate:8} {way['way']:6} forecast {way['time_s']:6.2f} s ({way['time_s_low']:.2f} "
              f"to {way['time_s_high']:.2f}), real {real['time_s']:6.2f} s: {errors[-1]:+.1%} "
              f"({parts})", flush=True)
    return errors


def main():
    if sshd.why_not_here():
        raise SystemExit(f"transfer-forecast: {sshd.why_not_here()}")
    lapcast = str(pathlib.Path(sys.argv[1]).resolve() / "lapcast")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_files(folder / "eyes")
        (folder / "prepare.py").write_text(PREPARE)
        network = sshd.Network(folder / "network")
        try:
            errors = [error for rate in RATES for error in measure(lapcast, folder, network, rate)]
        finally:
            network.stop()
    print_figure("transfer-forecast", 100 * max(map(abs, errors)), "% largest error")


main()
