#!/usr/bin/env python3
"""Imitates nvidia-smi for the two GPUs of tests/fake_nvml.c. Limits of power are kept in the
file that FAKE_SMI_LIMITS names."""

import os
import pathlib
import sys

LIMITS = pathlib.Path(os.environ["FAKE_SMI_LIMITS"])
GPUS = [{
    "index": "0", "name": "NVIDIA A100-SXM4-40GB", "uuid": "GPU-4ba8c1d2-0000",
    "driver_version": "550.54.15", "memory.total": "8192", "compute_cap": "8.0",
    "clocks.max.sm": "2100", "power.min_limit": "100.00", "power.max_limit": "400.00", "power.draw": "250.00"},
    {"index": "1", "name": "NVIDIA A100-SXM4-40GB", "uuid": "GPU-77e1a0b3-0001",
     "driver_version": "550.54.15", "memory.total": "16384", "compute_cap": "8.0",
     "power.min_limit": "100.00", "power.max_limit": "400.00", "power.draw": "250.00"}]


def limits():
    return LIMITS.read_text().split() if LIMITS.exists() else ["400.00", "320.50"]


def main(arguments):
    options = dict(argument.partition("=")[::2] for argument in arguments if "=" in argument)
    if "--query-gpu" in options:
        units = "" if "nounits" in options.get("--format", "") else " MiB"
        for gpu, limit in zip(GPUS, limits()):
            known = gpu | {"power.limit": limit, "memory.total": gpu["memory.total"] + units}
            print(", ".join(known.get(field, "[N/A]") for field in options["--query-gpu"].split(",")))
        return 0
    if arguments[:1] == ["-i"] and arguments[2:3] == ["-pl"]:
        kept = limits()
        kept[int(arguments[1])] = f"{float(arguments[3]):.2f}"
        LIMITS.write_text(" ".join(kept))
        return 0
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
