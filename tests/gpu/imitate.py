"""Lets the parts of `./check --gpu` run without a GPU, against imitations: of NVIDIA's library of
management (tests/fake_nvml.c, built with the tests), of the driver's files (in a mount namespace of
this process, which needs root), of its CUDA library (tests/fake_cuda.c), of nvidia-smi, and of the
device itself (programs/imitated_device.py). The suite and N-Queens are those of the build, and run
on the CPU."""

import ctypes
import os
import shutil
import subprocess
from pathlib import Path

from session import HERE, ROOT

CLONE_NEWNS = 0x20000
MS_REC_PRIVATE = 0x4000 | 1 << 18
WATTS = 250  # of the imitated GPUs, all the time


def show_a_driver():
    """Shows this process and its children the files of a driver; returns whether that worked."""
    libc = ctypes.CDLL(None)
    if libc.unshare(CLONE_NEWNS) != 0 or libc.mount(b"none", b"/", None, MS_REC_PRIVATE, None) != 0:
        return False
    if libc.mount(b"none", b"/proc/driver", b"tmpfs", 0, None) != 0:
        return False
    os.mkdir("/proc/driver/nvidia")
    Path("/proc/driver/nvidia/version").write_text("NVRM version: NVIDIA Kernel Module 550.54.15\n")
    return True


def prepare(folder):
    """Makes the imitations in a folder, and changes this process's environment so that all it
    starts sees them."""
    build = Path(os.environ["LAPCAST"]).parent
    fakes = folder / "imitations"
    fakes.mkdir()
    shutil.copy(HERE / "fake_nvidia_smi.py", fakes / "nvidia-smi")
    (fakes / "nvidia-smi").chmod(0o755)
    libraries = [str(fakes)]
    nvml = build / "tests" / "fake_nvml"
    if not (nvml / "libnvidia-ml.so.1").exists():
        os.environ["LAPCAST_GPU_NO_DRIVER"] = f"{nvml} is not built: cmake --build ... fake_nvml"
    elif not show_a_driver():
        os.environ["LAPCAST_GPU_NO_DRIVER"] = "the imitation of a driver needs root"
    else:
        libraries.append(str(nvml))
    if shutil.which("cc"):
        subprocess.run(["cc", "-shared", "-fPIC", "-w", "-DFAIL=0", ROOT / "tests" / "fake_cuda.c",
                        "-o", fakes / "libcuda.so.1"], check=True)
    if (build / "workloads" / "make-digits").exists():
        os.environ["LAPCAST_SUITE_DIR"] = str(build / "workloads")
    inherited = os.environ.get("LD_LIBRARY_PATH")
    os.environ.update({
        "PATH": f"{fakes}:{os.environ['PATH']}",
        "LD_LIBRARY_PATH": ":".join([*libraries, *([inherited] if inherited else [])]),
        "FAKE_NVML_WATTS": str(WATTS), "CUDA_VISIBLE_DEVICES": "0",
        "LAPCAST_GPU_IMITATION": os.environ.get("LAPCAST_GPU_IMITATION") or "1",
        "OMP_NUM_THREADS": "1", "TMPDIR": str(folder)})
