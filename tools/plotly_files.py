#!/usr/bin/env python3
"""Writes plotly.deflate (RFC 1951) and LICENSE.txt of Plotly's JavaScript into a folder, for the
build. It is taken from a wheel of `plotly` in the folder WHEELS (tools/setup.sh downloads it), else
from the package of this Python. Nothing is written where neither has the pinned version.

Usage: plotly_files.py OUTPUT WHEELS
"""
import hashlib
import importlib.util
import pathlib
import sys
import zipfile
import zlib

SCRIPT = "plotly/package_data/plotly.min.js"
SHA256 = "3b6e15d45dbb7fca5bd2094291e961ddc5472cd887009e6009a56dab668d721f"


def from_wheel(wheel):
    """Returns the script and its licence."""
    with zipfile.ZipFile(wheel) as files:
        licence = next(name for name in files.namelist() if name.endswith("/LICENSE.txt"))
        return files.read(SCRIPT), files.read(licence)


def from_package():
    """Returns the same of the package that this Python imports."""
    found = importlib.util.find_spec("plotly")
    if found is None or found.origin is None:
        raise SystemExit("no wheel of plotly, and no package plotly")
    site = pathlib.Path(found.origin).parent.parent
    licence = next(site.glob("plotly-*.dist-info/**/LICENSE.txt"))
    return (site / SCRIPT).read_bytes(), licence.read_bytes()


def main():
    output, wheels = map(pathlib.Path, sys.argv[1:])
    wheel = next(iter(sorted(wheels.glob("plotly-*.whl"))), None)
    script, licence = from_wheel(wheel) if wheel else from_package()
    if hashlib.sha256(script).hexdigest() != SHA256:
        raise SystemExit(f"{SCRIPT} is another version than the one that lapcast was tested with")
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(script) + packer.flush()
    for name, content in (("plotly.deflate", packed), ("LICENSE.txt", licence)):
        file = output / name
        if not file.exists() or file.read_bytes() != content:
            file.write_bytes(content)


main()
