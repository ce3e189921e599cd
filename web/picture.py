#!/usr/bin/env python3
"""Makes the picture of README: the first screen of a report over a recorded sweep, as Chromium
draws it.

Usage: web/picture.py [-o docs/report.png]      after ./demo, with Debian's chromium"""

import argparse
import lzma
import pathlib
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SWEEP = ROOT / "benchmarks/recorded/quiet-005.db.xz"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("-o", "--output", type=pathlib.Path, default=ROOT / "docs/report.png")
    options = parser.parse_args()
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("picture: there is no chromium: apt-get install chromium")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        store, page = folder / "runs.db", folder / "report.html"
        store.write_bytes(lzma.decompress(SWEEP.read_bytes()))
        subprocess.run([ROOT / "build/release/lapcast", "--store", store, "--quiet", "report", "-o",
                        page, "--title", "mnist-cnn on nine machine types"], check=True)
        subprocess.run([chromium, "--headless=new", "--no-sandbox", "--disable-gpu",
                        "--hide-scrollbars", "--virtual-time-budget=8000",
                        "--window-size=1280,1040", f"--user-data-dir={folder / 'profile'}",
                        f"--screenshot={options.output.resolve()}", page.as_uri()], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
