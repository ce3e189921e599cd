"""Provides what the kinds of work share that test_many_kills.py kills."""

import os
import random
from collections import Counter
from contextlib import suppress

import sshd
from conftest import Story


class KilledWork:
    """Has a story with a machine that is reached by ssh, draws by chance, and counts what it killed."""

    def __init__(self, folder, seed):
        folder.mkdir()
        self.story = Story(folder)
        self.network = sshd.Network(folder / "network")
        self.story.environment |= self.network.environment
        self.remote = self.network.machine("remote")
        self.random = random.Random(seed)
        self.killed = Counter()

    def kill_process(self, kind, pid):
        with suppress(ProcessLookupError):
            os.kill(pid, 9)
            self.killed[kind] += 1
