#!/usr/bin/env python3
"""Writes catalog/current.csv.gz, the prices that come with lapcast, from public lists in the folder DIR. Each
list is read by `lapcast catalog import`; docs/money.md says where it is from. What a list gets wrong about a
machine's accelerators is put right here, by the provider's own pages; prices are never changed.

Usage: tools/price_table.py DIR      with the lapcast of $LAPCAST or build/release
"""
import csv
import gzip
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LAPCAST = os.environ.get("LAPCAST", ROOT / "build" / "release" / "lapcast")

# Accelerators that Azure's list does not name or counts wrongly: name, and their number (a part of one).
AZURE = {"NV4as_v4": ("MI25", 1 / 8), "NV8as_v4": ("MI25", 1 / 4), "NV16as_v4": ("MI25", 1 / 2),
         "NV32as_v4": ("MI25", 1), "NV4ads_V710_v5": ("V710", 1 / 6), "NV8ads_V710_v5": ("V710", 1 / 3),
         "NV12ads_V710_v5": ("V710", 1 / 2), "NV24ads_V710_v5": ("V710", 1), "NV28adms_V710_v5": ("V710", 1),
         "NG8ads_V620_v1": ("V620", 1 / 4), "NG16ads_V620_v1": ("V620", 1 / 2),
         "NG32ads_V620_v1": ("V620", 1), "ND96is_MI300X_v5": ("MI300X", 8),
         "ND128isr_NDR_GB200_v6": ("GB200", 4)}
# The same for AWS: name, number (None: as listed), and memory of each in GiB.
AWS = {"g5g": ("T4G", None, 16), "g6f.large": ("L4", 1 / 8, 3), "g6f.xlarge": ("L4", 1 / 8, 3),
       "g6f.2xlarge": ("L4", 1 / 4, 6), "g6f.4xlarge": ("L4", 1 / 2, 12), "gr6f": ("L4", 1 / 2, 12),
       "gr6": ("L4", None, 24), "g3s": ("M60", None, 8), "g2": ("K520", None, 4), "trn1n": ("Trainium", None, 32),
       "p2.8xlarge": ("K80", 8, 12), "p2.16xlarge": ("K80", 16, 12)}
MOST_GB_OF_ONE = 300  # a larger memory is that of all accelerators of the machine


def azure(text):
    """Leaves out the last column, whose commas have no quotes, and machines without an accelerator."""
    rows = list(csv.DictReader(io.StringIO(text)))
    for row in rows:
        name, count = AZURE.get(row["InstanceType"].removeprefix("Standard_"), (None, None))
        if name:
            row["AcceleratorName"], row["AcceleratorCount"] = name, f"{count:g}"
    return [row for row in rows if row["AcceleratorName"]]


def aws(text):
    """Returns the prices on demand of a list in JavaScript, a row for each machine type and region."""
    rows = []
    for machine in json.loads(text[text.index("["):text.rindex("]") + 1]):
        kind = machine["name"]
        name, count, memory = AWS.get(kind) or AWS.get(kind.split(".")[0]) or (machine["gpu"], None, None)
        name = re.sub(r"^(NVIDIA|AMD|AWS) |( Grace)? Blackwell$", "", name)
        count = count or machine["gpuCount"]
        listed = re.match(r"(\d+) GB", machine["gpuMemory"])
        if memory is None and listed:
            memory = int(listed[1]) / (count if int(listed[1]) > MOST_GB_OF_ONE else 1)
        for region, price in machine["pricing"].items():
            rows.append({"InstanceType": kind, "AcceleratorName": name, "AcceleratorCount": f"{count:g}",
                         "vCPUs": machine["vcpu"], "MemoryGiB": machine["memory"].split()[0],
                         "GpuInfo": f"'SizeInMiB': {memory * 1024:.0f}" if memory else "",
                         "Price": price.get("onDemand", ""), "Region": region})
    return rows


ANYCLOUD = "anycloud-sh/catalog 62ff0a9"
# File, format, provider, date, source, what rewrites it, and which of its offers are taken.
LISTS = [
    ("gcp.csv", "gcp-pricing", "gcp", "2026-07-30", "google-cloud-pricing-cost-calculator fd66b26", None, None),
    ("gcp_vms.csv", "skypilot", "gcp", "2026-05-20", ANYCLOUD, None,
     lambda offer: re.match(r"n1-.*\+|tpu-", offer["machine_type"])),
    ("azure_vms.csv", "skypilot", "azure", "2026-05-20", ANYCLOUD, azure, None),
    ("lambda_vms.csv", "skypilot", "lambda", "2026-05-20", ANYCLOUD, None, None),
    ("vast_vms.csv", "skypilot", "vast", None, ANYCLOUD, None, None),
    ("all_gpu_instances.js", "skypilot", "aws", "2026-01-21", "instances.vantage.sh by tsaol/aws-gpu 77fcd9f",
     aws, None),
    ("cloud-gpus.csv", "cloud-gpus", None, "2025-03-07", "the-full-stack/website b646e30", None,
     lambda offer: offer["provider"] not in ("aws", "gcp", "azure", "lambda")),
]


def read(path):
    """Returns the text of a file, or of its .gz."""
    if path.exists():
        return path.read_text()
    return gzip.decompress(path.with_name(path.name + ".gz").read_bytes()).decode()


def imported(text, kind, provider, as_of, source, rewrite):
    """Returns the offers of a list as rows of lapcast's own form."""
    if rewrite:
        rows = rewrite(text)
        rewritten = io.StringIO()
        table = csv.DictWriter(rewritten, list(rows[0]), extrasaction="ignore", lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
        text = rewritten.getvalue()
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.write(text)
        file.flush()
        options = [part for option, value in (("--provider", provider), ("--as-of", as_of)) if value
                   for part in (option, value)]
        command = [LAPCAST, "catalog", "import", kind, file.name, "--source", source, *options]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return list(csv.DictReader(io.StringIO(done.stdout)))


def main():
    folder = pathlib.Path(sys.argv[1])
    offers = {}
    for file, kind, provider, as_of, source, rewrite, is_taken in LISTS:
        rows = imported(read(folder / file), kind, provider, as_of, source, rewrite)
        taken = [row for row in rows if not is_taken or is_taken(row)]
        for row in taken:
            offers.setdefault(row["name"], row)
        print(f"{file}: {len(taken)} of {len(rows)} offers", file=sys.stderr)
    written = io.StringIO()
    table = csv.DictWriter(written, list(next(iter(offers.values()))), lineterminator="\n")
    table.writeheader()
    table.writerows(offers.values())
    (ROOT / "catalog" / "current.csv.gz").write_bytes(gzip.compress(written.getvalue().encode(), 9, mtime=0))
    print(f"catalog/current.csv.gz: {len(offers)} offers", file=sys.stderr)


if __name__ == "__main__":
    main()
