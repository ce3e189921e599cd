#!/usr/bin/env python3
"""Checks the C++ files of the project with clang-format 14, whose layout differs from that of other
versions; --fix writes them anew. Exits with 5 where that version is not installed.

Usage: tools/check_format.py [--fix]
"""
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ["src", "formats", "suite", "tests", "fuzz", "benchmarks", "helpers"]


def main() -> int:
    program = shutil.which("clang-format-14")
    if not program:
        print("skipped: clang-format-14 is not installed")
        return 5
    files = [file for folder in FOLDERS for file in sorted((ROOT / folder).rglob("*"))
             if file.suffix in (".h", ".cc", ".c", ".cu")]
    mode = ["-i"] if "--fix" in sys.argv else ["--dry-run", "-Werror"]
    return subprocess.run([program, *mode, *files]).returncode


if __name__ == "__main__":
    sys.exit(main())
