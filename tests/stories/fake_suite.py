"""Gives stories a suite of fake programs."""

import json
from pathlib import Path

FAKE = Path(__file__).resolve().parent / "fake_workload.py"
NETWORKS = ["mnist-mlp", "mnist-cnn3", "mnist-rnn", "mnist-lstm", "mnist-autoencoder"]


class Suite:
    """Is a folder of fake programs, and their journal."""

    def __init__(self, story, names):
        self.story = story
        self.folder = story.folder / "suite"
        self.folder.mkdir()
        self.journal_file = story.folder / "suite-journal"
        self.cache = story.folder / "cache"
        story.environment |= {"LAPCAST_SUITE_DIR": str(self.folder), "USER": "somebody",
                              "FAKE_JOURNAL": str(self.journal_file),
                              "XDG_CACHE_HOME": str(self.cache)}
        for name in names:
            self.add(name)

    def add(self, name):
        (self.folder / name).symlink_to(FAKE)

    def journal(self, name=None):
        if not self.journal_file.exists():
            return []
        lines = [json.loads(line) for line in self.journal_file.read_text().splitlines()]
        return [line for line in lines if name in (None, line["name"])]

    def run(self, *arguments, **more):
        return self.story.lapcast("suite", "run", *arguments, **more)

    def rows(self, *arguments, **more):
        return self.run("--json", *arguments, **more).ok().rows("suite_runs")

    def sets(self):
        return sorted(path.name for path in (self.cache / "lapcast" / "data").glob("make-*[0-9]"))


def values(arguments):
    return dict(zip(arguments, arguments[1:] + [""]))
