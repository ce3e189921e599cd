#!/usr/bin/env python3
"""Makes tests/fixtures/NAME with another lapcast: a store with two sweeps' worth of runs, its export, and
a training that was offloaded and cut off. test_older_versions.py goes on from them. What tells of the
machine they were made on is replaced by @WORDS@, which the stories fill in.

Usage: LAPCAST=... FAKE_TRAINER=... make_fixtures.py NAME"""

import json
import os
import re
import shutil
import sqlite3
import sys
import tempfile
import zlib
from pathlib import Path

import conftest
import sshd
from make_golden import MACHINE
from offloaded import kill_all_of

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
FLEET = ('[[machine]]\nname = "slow"\nprice = "0.10"\n[machine.environment]\nFAKE_SPEED = 1\n'
         '[[machine]]\nname = "quick"\nprice = "0.20"\n[machine.environment]\nFAKE_SPEED = 8\n')


def portable(text, story):
    text = re.sub(r'"machine":\{"host".*?\}(?=,")', '"machine":' + json.dumps(MACHINE), text)
    for path, word in ((os.environ["FAKE_TRAINER"], "@TRAINER@"), (os.environ["LAPCAST"], "@LAPCAST@"),
                       (str(story.work), "@WORK@"), (str(story.folder), "@FOLDER@")):
        text = text.replace(path, word)
    return text


def dump(story):
    """The store as SQL, with its records as plain text."""
    database = sqlite3.connect(story.store)
    for seq, record in database.execute("SELECT seq, record FROM runs").fetchall():
        line = portable(zlib.decompress(record).decode() if record[:1] == b"x" else record.decode(),
                        story)
        database.execute("UPDATE runs SET record_bytes = ?, record = ? WHERE seq = ?",
                         (len(line), line, seq))
    [version] = database.execute("PRAGMA user_version").fetchone()
    [application] = database.execute("PRAGMA application_id").fetchone()
    lines = [f"PRAGMA application_id = {application};", f"PRAGMA user_version = {version};"]
    return portable("\n".join([*lines, *database.iterdump()]) + "\n", story)


def make_store(folder, target):
    story = conftest.Story(folder)
    file = story.fleet(FLEET)
    program = story.trainer("--epochs", 2, "--laps", 20, "--lap-ms", 20, "--batch", "{batch}")
    story.lapcast("sweep", file, "--batch", "32", "--max-laps", "12", "--", *program).ok()
    (target / "export.jsonl").write_text(portable(story.lapcast("export").ok().out, story))
    (target / "store.sql").write_text(dump(story))


def make_offload(folder, target):
    story = conftest.Story(folder)
    network = sshd.Network(folder / "network")
    story.environment |= network.environment
    far = network.machine("far")
    try:
        story.fleet('[[machine]]\nname = "far"\nhost = "far"\nprice = "0.36"\n')
        ended = story.lapcast("offload", "--json", "--to", "far", "--resume-flag", "--from {checkpoint}",
                              "--checkpoints", "epoch-*", "fleet.toml", "--", *story.resumable()).ok()
        run = ended.json["offloaded"]["id"]
        record = far.cache() / "runs" / run
        assert conftest.eventually(lambda: list(record.glob("lapcast-run-*/run/epoch-2")))
        far.kill()
        kill_all_of(run)
        (target / "offload.sql").write_text(dump(story))
        kept = target / "record"
        kept.mkdir()
        for name in ("request.json", "record"):
            (kept / name).write_text(portable((record / name).read_text(), story))
        # As the same machine after a reboot says it.
        (kept / "holder").write_text("@HOST@ 00000000-0000-0000-0000-000000000000 1\n")
        [program_folder] = record.glob("lapcast-run-*/run")
        shutil.copytree(program_folder, kept / program_folder.relative_to(record))
    finally:
        network.stop()


def main():
    conftest.enter_own_network()
    target = FIXTURES / sys.argv[1]
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for make in (make_store, make_offload):
        with tempfile.TemporaryDirectory() as folder:
            make(Path(folder), target)


if __name__ == "__main__":
    main()
