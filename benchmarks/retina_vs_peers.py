# Measures preparing photographs of the retina (3000x2000, about 1.7 MB) on one core relative to the
# best of OpenCV in Python, OpenCV in C++ and libvips. Goal: at least 1.1, and 2.8 against Python.
#
# It needs the workloads make-retinas and retina-prepare. All read the same JPEG files from the page
# cache, find the eye, crop, resize to 256x256 and encode JPEG of quality 95; ours writes a TFRecord
# shard through to the disk, the others write files. Python decodes whole photographs, as people
# write it; OpenCV in C++ (compiled here; it needs libopencv-dev) and libvips through pyvips let the
# decoder reduce by 4, as ours does; vipsthumbnail cuts the middle square without looking for the
# eye. They take turns, their start not counted. First their pictures are compared with ours. A peer
# that is not installed is left out: LAPCAST_OPENCV is the folder of a virtual environment with
# OpenCV, --python another interpreter, with opencv-python-headless and pyvips.
import argparse
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import tempfile

from common import RateServer, mean_interval, opencv_python, print_figure, seconds_of

PEERS = pathlib.Path(__file__).resolve().parent / "peers"
ONE_THREAD = {**os.environ, "VIPS_CONCURRENCY": "1"}
LARGEST_DIFFERENCE = 4  # grey levels, of the middle one of the pictures


class Server(RateServer):
    """Is a peer that has started and prepares all photographs when asked."""

    def __init__(self, name, arguments, photographs, out):
        super().__init__([*arguments, photographs, out], env=ONE_THREAD)
        self.name, self.out = f"{name} {self.version}", out


class Thumbnails:
    """Runs vipsthumbnail on all photographs and on one; the difference has no start in it."""

    name, out = "vipsthumbnail, no search for the eye", None

    def __init__(self, photographs, out):
        self.files = sorted(photographs.glob("*.jpeg"))
        self.command = ["vipsthumbnail", "--size", "256x256", "--smartcrop", "centre", "--output",
                        f"{out}/%s.jpeg[Q=95,subsample_mode=on,strip]"]

    def rate(self):
        all_files, one = (seconds_of([*self.command, *files], env=ONE_THREAD)
                          for files in (self.files, self.files[:1]))
        return (len(self.files) - 1) / (all_files - one)

    def close(self):
        pass


class Ours:
    name = "retina-prepare"

    def __init__(self, program, photographs, out):
        self.program, self.photographs, self.out = program, photographs, out

    def rate(self, form="tfrecord"):
        shutil.rmtree(self.out, ignore_errors=True)
        output = subprocess.run([self.program, "--quiet", "--workers", "1", "--format", form,
                                 "--in", self.photographs, "--out", self.out], check=True,
                                stdout=subprocess.PIPE, text=True).stdout
        return float(re.search(r"([\d.]+) images/s", output)[1])


def has_module(python, module):
    done = subprocess.run([python, "-c", f"import {module}"], stderr=subprocess.DEVNULL)
    return done.returncode == 0


def compile_opencv(scratch):
    """Returns the compiled peer in C++, or None without OpenCV's headers."""
    if not shutil.which("g++") or not shutil.which("pkg-config"):
        return None
    flags = subprocess.run(["pkg-config", "--cflags", "opencv4"], text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if flags.returncode != 0:
        return None
    program = scratch / "retina_opencv"
    subprocess.run(["g++", "-std=c++20", "-O2", "-w", "-o", program, PEERS / "retina_opencv.cc",
                    *flags.stdout.split(), "-lopencv_imgcodecs", "-lopencv_imgproc",
                    "-lopencv_core"], check=True)
    return program


def start_peers(python, compiled, photographs, scratch):
    """Returns the peers that are installed; prints a line for each that is not."""
    def folder(name):
        (scratch / name).mkdir()
        return scratch / name

    def server(name, *arguments):
        return lambda: Server(name, arguments, photographs, folder(name))
    script = PEERS / "retina_python.py"
    possible = [
        ("Python, OpenCV", has_module(python, "cv2"),
         server("Python, OpenCV", python, script, "opencv")),
        ("C++, OpenCV", compiled, server("C++, OpenCV", compiled)),
        ("libvips through pyvips", has_module(python, "pyvips"),
         server("pyvips, libvips", python, script, "libvips")),
        ("vipsthumbnail", shutil.which("vipsthumbnail"),
         lambda: Thumbnails(photographs, folder("thumbnails"))),
    ]
    for name, there, _ in possible:
        if not there:
            print(f"{name}: not installed, left out")
    return [start() for _, there, start in possible if there]


def check_alike(python, ours, peers):
    """Ends the benchmark when a peer's pictures are not ours."""
    ours.rate("jpeg")
    for peer in peers:
        peer.rate()
        if not peer.out or not has_module(python, "cv2"):
            continue
        output = subprocess.run([python, PEERS / "retina_python.py", "compare", ours.out, peer.out],
                                check=True, stdout=subprocess.PIPE, text=True).stdout
        middle, worst = map(float, output.split())
        print(f"pictures of {peer.name}: mean difference to ours {middle:.2f} grey levels, median "
              f"of the pictures; the largest {worst:.2f}")
        if middle > LARGEST_DIFFERENCE:
            raise SystemExit("retina-vs-peers: these are not the same pictures")


def measure(options, scratch):
    """Returns the rates of each round by name, ours first."""
    workloads, photographs = pathlib.Path(options.build) / "workloads", scratch / "photographs"
    subprocess.run([workloads / "make-retinas", "--out", photographs, "--images",
                    str(options.images)], check=True, stdout=subprocess.DEVNULL)
    compiled = compile_opencv(scratch)
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # also for all that starts from here on
    ours = Ours(workloads / "retina-prepare", photographs, scratch / "ours")
    peers = start_peers(options.python, compiled, photographs, scratch)
    if not peers:
        raise SystemExit("retina-vs-peers: no peer is installed")
    check_alike(options.python, ours, peers)
    rates = {program.name: [] for program in (ours, *peers)}
    for _ in range(options.rounds):
        for program in (ours, *peers):
            rates[program.name].append(program.rate())
    for peer in peers:
        peer.close()
    return rates


def main():
    parser = argparse.ArgumentParser(prog="./bench retina-vs-peers")
    parser.add_argument("build")
    parser.add_argument("--python", default=opencv_python(), help="with OpenCV and pyvips")
    parser.add_argument("--images", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=7, choices=range(2, 31), metavar="2..30")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        rates = measure(options, pathlib.Path(scratch))
    ours, *peers = rates
    print(f"images/s on one core, {options.images} photographs, {options.rounds} rounds in turn: "
          "median (lowest to highest); ratio of ours, mean of the rounds (95 %)")
    for name, values in rates.items():
        median = statistics.median(values)
        line = f"  {name:36} {median:6.1f} ({min(values):.1f} to {max(values):.1f})"
        if name != ours:
            low, mean, high = mean_interval([a / b for a, b in zip(rates[ours], values)])
            line += f"   {mean:.2f} ({low:.2f} to {high:.2f})"
        print(line)
    best = max(peers, key=lambda name: statistics.median(rates[name]))
    print(f"the best of the others is {best}")
    ratios = [a / b for a, b in zip(rates[ours], rates[best])]
    print_figure("retina-vs-peers", statistics.median(ratios), "times the best of the others")


main()
