#!/usr/bin/env python3
"""Writes the outputs on the pages anew, or checks them: blocks of code behind a comment such as

    <!-- output of: lapcast rank --bill ; store: runs 5eeb00000002 ; from: Bills -->

The command runs in a shell, in an empty folder of a home of its own, on a terminal of 100 columns. Behind
semicolons may stand
  store: NAME [SWEEP]  the runs of tests/golden/pages/NAME.jsonl (or of tests/golden/stories), or those of a sweep
  files: NAME          the folder has the files of tests/golden/pages/NAME
  columns: N           width of the terminal
  from: TEXT, until: TEXT   show the lines from the first that begins with TEXT on, and before the next such one
What a command writes to stderr is shown where it fails, with its exit code.

Usage: tools/page_outputs.py [--check] [PAGE...]      with the lapcast of $LAPCAST or build/release
"""
import argparse
import difflib
import fcntl
import json
import os
import pathlib
import pty
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import termios
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests" / "golden"
MARK = re.compile(r"^<!-- output of: (?P<what>.*?) -->\n(?P<open>```\w*\n)(?P<shown>.*?)^```$", re.M | re.S)
COMMENT = re.compile(r"^<!-- output of:", re.M)
KEYS = {"store", "files", "columns", "from", "until"}
PLAIN_RECORD = 8192  # bytes of a record that the store does not compress (docs/reference.md)


def lapcast() -> str:
    return os.environ.get("LAPCAST") or str(ROOT / "build" / "release" / "lapcast")


def parse(what: str):
    """Returns the command of a mark, and its keys."""
    command, *rest = re.split(r" +; +", what.strip())
    keys = dict(re.split(r": *", each, maxsplit=1) for each in rest)
    if unknown := keys.keys() - KEYS:
        raise SystemExit(f"page_outputs: unknown keys {', '.join(sorted(unknown))} in: {what}")
    return command, keys


def count_as_measured(store: pathlib.Path, folder: pathlib.Path):
    """Takes the mark of an import from the runs, and makes rows of their sweeps, as if they had been measured
    in this folder."""
    with sqlite3.connect(store) as base:
        for name, record in base.execute("SELECT id, record FROM runs").fetchall():
            text = bytes(record) if record[:1] == b"{" else zlib.decompress(record)
            text = text.replace(b'"imported":true,', b"")
            text = re.sub(rb'"working_dir":"[^"]*"', b'"working_dir":"%s"' % str(folder).encode(), text)
            base.execute("UPDATE runs SET record = ?, record_bytes = ?, folder = ? WHERE id = ?",
                         (text if len(text) <= PLAIN_RECORD else zlib.compress(text), len(text), str(folder), name))
        for sweep, begun, text in base.execute(
                "SELECT sweep, min(started_at), record FROM runs WHERE sweep <> '' GROUP BY sweep").fetchall():
            text = bytes(text) if text[:1] == b"{" else zlib.decompress(text)
            program = json.loads(text)["program"]
            base.execute("INSERT INTO sweeps (id, key, created_at, fleet_file, description, finished, folder) "
                         "VALUES (?, ?, ?, 'fleet.toml', ?, 1, ?)",
                         (sweep, sweep, begun, json.dumps({"program": program}), str(folder)))


def make_store(keys, home: pathlib.Path, folder: pathlib.Path, environment):
    name, *sweep = keys["store"].split()
    [file] = [file for file in (GOLDEN / "pages" / f"{name}.jsonl", GOLDEN / "stories" / f"{name}.jsonl")
              if file.exists()]
    lines = [line for line in file.read_text().splitlines() if not sweep or json.loads(line)["sweep"] == sweep[0]]
    subprocess.run([lapcast(), "import", "-"], input="\n".join(lines) + "\n", text=True, env=environment, cwd=folder,
                   stdout=subprocess.DEVNULL, check=True)
    count_as_measured(home / ".local/share/lapcast/lapcast.db", folder)


def on_a_terminal(command: str, folder: pathlib.Path, environment, columns: int):
    """Returns the exit code, and what the command wrote to stdout and to stderr."""
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(["/bin/sh", "-c", command], cwd=folder, env=environment,
                                   stdin=subprocess.DEVNULL, stdout=side, stderr=errors)
        os.close(side)
        written = b""
        while True:
            try:
                data = os.read(main, 65536)
            except OSError:  # the other side is closed
                break
            if not data:
                break
            written += data
        os.close(main)
        code = process.wait()
        errors.seek(0)
        text = re.sub(r"\x1b\[[0-9;]*m", "", written.decode()).replace("\r\n", "\n")
        return code, text, errors.read().decode()


def cut(text: str, keys) -> str:
    """Returns the lines that `from` and `until` leave, with "..." for the others."""
    lines = text.rstrip().splitlines()
    begin, end = 0, len(lines)
    if "from" in keys:
        begin = next(i for i, line in enumerate(lines) if line.startswith(keys["from"]))
    if "until" in keys:
        end = next(i for i, line in enumerate(lines) if i > begin and line.startswith(keys["until"]))
        while not lines[end - 1]:
            end -= 1
    return "\n".join(["..."] * (begin > 0) + lines[begin:end] + ["..."] * (end < len(lines)))


def output_of(what: str) -> str:
    command, keys = parse(what)
    # Lines are wrapped before the name of the home becomes "~", so that has always the same length.
    with tempfile.TemporaryDirectory(prefix="", dir="/tmp") as name:
        home = pathlib.Path(name)
        folder = home / "project"
        shutil.copytree(GOLDEN / "pages" / keys["files"], folder) if "files" in keys else folder.mkdir(parents=True)
        (home / "bin").mkdir()
        (home / "bin" / "lapcast").symlink_to(pathlib.Path(lapcast()).resolve())
        environment = {"HOME": str(home), "PATH": f"{home / 'bin'}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8",
                       "TERM": "xterm", "TZ": "UTC", "LAPCAST_LOAD_SAMPLES": "off"}
        if "store" in keys:
            make_store(keys, home, folder, environment)
        code, text, errors = on_a_terminal(command, folder, environment, int(keys.get("columns", 100)))
        if code != 0:
            text += errors + f"(exit code {code})\n"
        return f"$ {command}\n{cut(text.replace(str(home), '~'), keys)}\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; end with 1 where a page differs")
    parser.add_argument("pages", nargs="*", type=pathlib.Path, metavar="PAGE", help="[all pages]")
    options = parser.parse_args()
    pages = options.pages or sorted([ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("suite/docs/*.md")])
    outputs, stale = 0, 0
    for page in pages:
        text = page.read_text()
        if len(COMMENT.findall(text)) != len(MARK.findall(text)):
            raise SystemExit(f"{page}: a comment 'output of' has no block of code behind it")

        def renewed(mark):
            return f"<!-- output of: {mark['what']} -->\n{mark['open']}{output_of(mark['what'])}```"

        new = MARK.sub(renewed, text)
        outputs += len(MARK.findall(text))
        if new == text:
            continue
        stale += 1
        if options.check:
            sys.stdout.writelines(difflib.unified_diff(text.splitlines(True), new.splitlines(True), str(page),
                                                       "what lapcast prints now"))
        else:
            page.write_text(new)
    if options.check and stale:
        print(f"{stale} of {len(pages)} pages show what lapcast no longer prints; tools/page_outputs.py writes them anew")
        return 1
    print(f"{outputs} outputs on {len(pages)} pages are what lapcast prints" + (f"; {stale} rewritten" if stale else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
