# Measures images/s of the embryo workload's whole image chain relative to Python with OpenCV. Goal:
# at least 2.
#
# It needs the workloads. Both read PNG files (480x480) of one set and make 20 patches of each:
# embryo-prepare on one and two threads, and a Python process with OpenCV on one core, started and
# warm. They take turns. Before that their patches are compared. The figure is the ratio on one
# core. LAPCAST_OPENCV is the folder of a virtual environment with OpenCV.
import csv
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

from common import RateServer, mean_interval, opencv_python, print_figure

FRAMES, ROUNDS = 400, 10


def opencv_chain(files):
    """Applies the description step by step. Returns images a second and the patches of the last
    image."""
    import cv2
    import numpy

    cv2.setNumThreads(1)
    middle = (320 - 1) / 2
    turns = [cv2.getRotationMatrix2D((middle, middle), 18 * k, 1) for k in range(20)]
    patches = numpy.empty((len(files), 20, 64, 64), numpy.uint8)
    begin = time.perf_counter()
    for i, file in enumerate(files):
        frame = cv2.imread(file, cv2.IMREAD_GRAYSCALE)
        edges = cv2.absdiff(cv2.equalizeHist(frame[80:400, 80:400]), 128)
        for k, turn in enumerate(turns):
            turned = cv2.warpAffine(edges, turn, (320, 320))
            patches[i, k] = cv2.resize(turned, (64, 64), interpolation=cv2.INTER_AREA)
    return len(files) / (time.perf_counter() - begin), patches


def read_idx(file):
    import numpy

    return numpy.frombuffer(pathlib.Path(file).read_bytes()[16:], numpy.uint8).reshape(20, -1, 4096)


def compare(patch_folder, files):
    """Returns the mean and the largest difference, in grey levels, between our patches and OpenCV's
    of the same frames, which are matched by their first rotations. OpenCV rounds each rotated
    pixel, and places to 1/32 of a pixel; ours are rounded once."""
    import numpy

    ours = read_idx(f"{patch_folder}/t10k-images-idx3-ubyte").astype(numpy.float32)
    theirs = opencv_chain(files)[1].reshape(len(files), 20, 4096).astype(numpy.float32)
    first = theirs[:, 0]
    distances = ((first ** 2).sum(1)[None] - 2 * ours[0] @ first.T)
    same = theirs[distances.argmin(1)].transpose(1, 0, 2)
    difference = numpy.abs(ours - same)
    print(difference.mean(), difference.max())


class OpenCv(RateServer):
    """Is a Python process that runs its chain when asked; it has started and warmed up."""

    def __init__(self, files):
        super().__init__([opencv_python(), __file__, "opencv", *files])
        if not self.version:
            raise SystemExit("embryo-prepare: there is no Python with OpenCV here")


def serve_opencv(files):
    import cv2

    opencv_chain(files[:20])
    print(cv2.__version__, flush=True)
    for _ in sys.stdin:
        print(opencv_chain(files)[0], flush=True)


def our_rate(program, folder, threads):
    output = subprocess.run([program, "--in", folder, "--threads", str(threads)], check=True,
                            stdout=subprocess.PIPE, text=True).stdout
    return float(re.search(r"([\d.]+) images/s", output)[1])


def check_alike(program, folder):
    """Ends the benchmark when the two chains do not make the same patches."""
    patches = f"{folder}/patches"
    subprocess.run([program, "--in", folder, "--out", patches], check=True,
                   stdout=subprocess.DEVNULL)
    output = subprocess.run([opencv_python(), __file__, "compare", patches, *all_files(folder)],
                            check=True, stdout=subprocess.PIPE, text=True).stdout
    mean, largest = map(float, output.split())
    print(f"patches against OpenCV's: {mean:.2f} grey levels of 128 apart on average, at most "
          f"{largest:.0f}")
    if mean > 0.25 or largest > 3:
        raise SystemExit("embryo-prepare: these are not the same patches")


def all_files(folder):
    rows = csv.DictReader(open(f"{folder}/labels.csv"))
    return [f"{folder}/{row['image']}.png" for row in rows]


def measure(workloads, folder):
    subprocess.run([workloads / "make-embryos", "--out", folder, "--embryos", "20", "--frames",
                    str(FRAMES)], check=True, stdout=subprocess.DEVNULL)
    program = workloads / "embryo-prepare"
    check_alike(program, folder)
    python = OpenCv(all_files(folder))
    rates = {"ours, 1 thread": [], "ours, 2 threads": [], f"Python, OpenCV {python.version}": []}
    for round_number in range(-1, ROUNDS):  # the first round warms up
        now = (our_rate(program, folder, 1), our_rate(program, folder, 2), python.rate())
        for values, rate in zip(rates.values(), now):
            if round_number >= 0:
                values.append(rate)
    python.close()
    return rates


def main():
    if sys.argv[1] == "opencv":
        serve_opencv(sys.argv[2:])
        return
    if sys.argv[1] == "compare":
        compare(sys.argv[2], sys.argv[3:])
        return
    with tempfile.TemporaryDirectory() as folder:
        rates = measure(pathlib.Path(sys.argv[1]) / "workloads", folder)
    print(f"images/s of about {FRAMES} images, {ROUNDS} rounds: median (lowest, highest)")
    for name, values in rates.items():
        middle = statistics.median(values)
        print(f"  {name:22} {middle:8.1f}   ({min(values):.1f}, {max(values):.1f})")
    one, two, python = rates.values()
    for name, ours in (("1 thread", one), ("2 threads", two)):
        low, mid, high = mean_interval([a / b for a, b in zip(ours, python)])
        print(f"ratio on {name} to Python on one core, mean of the rounds: {mid:.2f} "
              f"(95 %: {low:.2f} to {high:.2f})")
    print_figure("embryo-prepare", statistics.median(a / b for a, b in zip(one, python)),
                 "times Python with OpenCV")


main()
