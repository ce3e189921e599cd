"""Records the events that a program's loop is told, and tells them again without its libraries.

    LAPCAST_LOG_DIR=FOLDER PYTHONPATH=python python tests/python/loop_events.py SCRIPT 2> FILE

runs a script under the hook and prints an event a line, as JSON: its name and its arguments, times
in ns. Loaders, passes and optimizers are numbered in the order in which they are seen.
"""

import json
import runpy
import sys
import time

EVENTS = ("begin_pass", "before_fetch", "fetched", "exhausted", "evaluation", "training",
          "gradless_end", "other_begins", "made_optimizer", "backward", "step", "settle", "state_loaded", "finish")
OF_LOADER = ("length", "samples", "batch", "epoch", "endless")


class Recorder:
    """Records the calls of a Loop from outside, not those that it makes itself."""

    def __init__(self, loop_class):
        self.inside = False
        self.things = []  # kept alive, so that each has its own number
        self.begun = time.monotonic_ns()
        for name in EVENTS:
            setattr(loop_class, name, self.recorded(name, getattr(loop_class, name)))

    def recorded(self, name, original):
        def method(loop, *arguments, **options):
            if self.inside:
                return original(loop, *arguments, **options)
            self.inside = True
            try:
                result = original(loop, *arguments, **options)
            finally:
                self.inside = False
            said = [self.plain(each) for each in [*arguments, *options.values()]]
            said += [self.plain(result)] if name == "begin_pass" else []
            print(json.dumps([name, *said]), file=sys.stderr)
            return result

        return method

    def plain(self, thing):
        if isinstance(thing, int):
            return thing - self.begun if thing >= self.begun else thing
        numbers = [number for number, each in enumerate(self.things) if each is thing]
        if not numbers:
            numbers = [len(self.things)]
            self.things.append(thing)
        if hasattr(thing, "length"):
            return numbers + [getattr(thing, name) for name in OF_LOADER]
        return numbers


class Thing:
    """Stands for an optimizer."""


def replay(lines, loader_class, loop):
    """Tells LOOP recorded events, with the times that they had."""
    things = {}

    def thing(said):
        if not isinstance(said, list):
            return said
        number, *facts = said
        if facts:
            known = things.setdefault(number, loader_class())
            for name, value in zip(OF_LOADER, facts):
                setattr(known, name, value)
        return things.setdefault(number, Thing())

    for line in lines:
        name, *arguments = json.loads(line)
        if name == "begin_pass":
            loader, now, (number,) = arguments
            things[number] = loop.begin_pass(thing(loader), now)
        else:
            getattr(loop, name)(*map(thing, arguments))


def main():
    from lapcast import _loop

    Recorder(_loop.Loop)
    sys.argv = sys.argv[1:]
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
