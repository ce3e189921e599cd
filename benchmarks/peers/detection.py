"""Measures the program mask-rcnn and torchvision's network in turn: same weights, same picture.

Debian's PyTorch computes with the system's BLAS: with the one that a new machine has (libblas3) a
picture takes minutes, with OpenBLAS seconds.
"""

import re
import subprocess

from common import ROOT
from peers.plain_python import interval_text, ratio_interval, suite

SIZE = "443x760"
PICTURES = 2  # of a round


def program_seconds(folder, weights, threads, *more):
    """Returns the shorter time of two pictures of one process, of which the first warms up."""
    said = subprocess.run([folder / "mask-rcnn", "--weights", weights, "--sizes", SIZE, "--repeats",
                           str(PICTURES), "--threads", str(threads), *more], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    return float(re.search(r"\(([0-9.]+) to", said).group(1))


def compare(folder, options, scratch):
    """Measures the program and prints its lines. Returns the ratio; nothing without torchvision."""
    python = suite.torchvision_python()
    if python is None:
        print("mask-rcnn: no Python has torchvision: apt-get install python3-torchvision "
              "libopenblas0-pthread")
        return None
    weights, result = scratch / "mask-rcnn.pth", scratch / "mask-rcnn.pt"
    script = ROOT / "suite" / "programs" / "python" / "time_detection.py"
    with subprocess.Popen([python, "-W", "ignore", script, weights, "--threads", str(options.threads)],
                          text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as peer:
        def ask(text):
            peer.stdin.write(f"{text}\n")
            peer.stdin.flush()

        version = peer.stdout.readline().strip()
        program_seconds(folder, weights, options.threads, "--write-result", result)
        ask(result)
        ours, theirs = [], []
        for _ in range(options.rounds):
            ours.append(program_seconds(folder, weights, options.threads))
            ask(PICTURES)
            theirs.append(float(peer.stdout.readline()))
        peer.stdin.close()
    low, ratio, high = ratio_interval(theirs, ours)
    print(f"mask-rcnn, a picture of {SIZE}, {options.rounds} rounds")
    print(f"  {'program':28} {interval_text([1e3 * value for value in ours], '{:.1f}')} ms a picture")
    print(f"  {'torchvision, PyTorch ' + version:28} "
          f"{interval_text([1e3 * value for value in theirs], '{:.1f}')} ms a picture, "
          f"{ratio:.3f} ({low:.3f} to {high:.3f}) times as long", flush=True)
    return ratio
