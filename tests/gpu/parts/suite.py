"""The suite, built from this checkout for the PyTorch of this machine, on its GPU."""

import os
import re

from builder import build, torch_folder
from session import Skipped

FIRST = ("make-digits", "mnist-cnn", "make-io-observations", "nn-twins", "mask-rcnn")


def programs(session):
    """Returns the folder of the suite's programs: built here, or those of the build for an
    imitation."""
    if session.imitated:
        if "LAPCAST_SUITE_DIR" not in os.environ:
            raise Skipped("the suite is not built: -DLAPCAST_WORKLOADS=ON")
        return os.environ["LAPCAST_SUITE_DIR"]
    return build(session, "suite/programs", "suite", f"-DCMAKE_PREFIX_PATH={torch_folder(session)}",
                 "-DLAPCAST_WORKLOADS_TESTS=OFF", targets=() if session.whole else FIRST)


def workload(session, name, *options):
    done = session.lapcast("suite", "run", name, "--device", "cpu" if session.imitated else "cuda",
                           "--repeats", 1, "--json", *options)
    rows = done.json.get("suite_runs", []) if done.code == 0 else []
    said = (done.err.strip().splitlines() or [""])[-1][:200]
    if not session.check(done.code == 0, f"{name} ends: exit status {done.code} {said if done.code else ''}"):
        return None
    for row in rows:
        session.figure(f"{name}: seconds of training", row.get("time_s"))
    return rows[0] if rows else None


def few(session, epochs, samples):
    """Returns the options of a short form."""
    if session.imitated:
        return ["--epochs", epochs, "--samples", samples]
    return [] if session.whole else ["--epochs", epochs]


def mnist_against_python(session):
    row = workload(session, "mnist-cnn", *(few(session, 1, 512) or ["--epochs", 4]))
    options = ["--epochs", 1, "--samples", 512] if session.imitated else []
    done = session.run(*session.program("mnist_cnn", *options))
    told = re.findall(r"^ms_per_step (\S+)$", done.out, re.M)
    if session.check(row and told, "mnist-cnn has a lap in the suite and in Python"):
        session.figure("mnist-cnn: lap over that of Python", 1e3 * row["lap_s"] / float(told[-1]),
                       (lambda ratio: ratio <= 1.2, "<= 1.2"))


def run(session):
    folder = programs(session)
    session.environment["LAPCAST_SUITE_DIR"] = str(folder)
    mnist_against_python(session)
    workload(session, "nn-twins", *few(session, 1, 1000))
    if session.whole:
        workload(session, "embryo-cnn", *few(session, 1, 64))
    pictures(session)
    if session.whole:
        if (session.folder / "suite" / "ic-dr").exists() or session.imitated:
            workload(session, "ic-dr", "--epochs", 1, "--samples", 64)
        else:
            session.left_out("ic-dr", "built only where libjpeg-turbo is")


def pictures(session):
    """mask-rcnn searches pictures instead of training."""
    options = ["--device", "cpu"] if session.imitated else ["--device", "cuda"]
    sizes = ["--sizes", "64x64"] if session.imitated else [] if session.whole else ["--sizes", "443x760"]
    if session.imitated and not session.whole:
        session.left_out("mask-rcnn", "takes too long on a CPU for the short form")
        return
    done = session.lapcast("suite", "run", "mask-rcnn", *options, *sizes, "--images", 1, "--repeats", 1, "--json")
    session.check(done.code == 0, f"mask-rcnn ends: exit status {done.code}")
    for row in done.json.get("pictures", []) if done.code == 0 else []:
        key = "cores_time_s" if session.imitated else "gpu_time_s"
        session.check(row.get(key), f"mask-rcnn {row['image_size']} ran: {row.get('reason') or 'yes'}")
        session.figure(f"mask-rcnn {row['image_size']}: seconds of a picture", row.get(key))
