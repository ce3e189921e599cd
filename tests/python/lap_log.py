"""Reads lap logs strictly for the tests: every line must be valid (docs/lap-log.md)."""

import re
from dataclasses import dataclass, field

FIELDS = r"( [a-z]+=\S+)*"
NAME = r"[A-Za-z0-9._/-]{1,64}"
COUNT = r"[0-9]{1,18}"
NUMBER = r"(-?[0-9.]+(e[+-]?[0-9]+)?|nan|-?inf)"
KINDS = {
    "plan": FIELDS,
    "stage-begin": f" {NAME}",
    "stage-end": f" {NAME}",
    "checkpoint-begin": "",
    "checkpoint-end": f" {COUNT}",
    "epoch-begin": f" {COUNT}",
    "epoch-end": f" {COUNT}",
    "i": f" {COUNT}",
    "q": f" {COUNT}",
    "ended": f" {COUNT} {COUNT}",
    "validation-begin": "",
    "validation-end": f" {COUNT}",
    "metric": f" {NAME} {NUMBER}",
    "phase": f" {NAME}",
    "note": " [ -~]{1,400}",
    "device-memory": f" {COUNT}",
    "numbers": r" (fp32|tf32|amp)",
    "sequence": rf" {COUNT} samples={COUNT}( (process|device|most)={COUNT})*( from={NAME})?( unit=tokens)?",
    "library": rf" {NAME} [!-~]{{1,64}}",
    "load": rf" {COUNT}( [a-z-]+={COUNT})*",
    "anew": "",
    "bye": "",
}


@dataclass
class LapLog:
    hello: dict
    plan: dict = field(default_factory=dict)
    events: list = field(default_factory=list)  # (ns, kind, rest)
    libraries: dict = field(default_factory=dict)  # name -> version; they are not events

    def rests(self, kind):
        return [rest for _, each, rest in self.events if each == kind]

    def counts(self, kind):
        return [int(rest) for rest in self.rests(kind)]

    def lengths(self):
        """Returns the lengths of sequences that were reported, as `80`, or `320 tokens`."""
        lines = [rest.split() for rest in self.rests("sequence")]
        return [words[0] + " tokens" * (words[-1] == "unit=tokens") for words in lines]

    def laps(self):
        """Returns (seconds, samples) of each lap. A lap whose end is not known ends with its
        line."""
        laps, before = [], 0  # [begin, end, samples]
        for at, kind, rest in self.events:
            if kind in ("i", "q"):
                laps.append([before, at, int(rest)])
            if kind == "ended":
                lap, end = map(int, rest.split())
                laps[lap - 1][1] = end
                for later in laps[lap:]:
                    later[0] = max(later[0], end)
                    later[1] = max(later[1], end)
                before = max(before, end)
            elif kind not in ("metric", "note", "device-memory"):
                before = at
        return [((end - begin) * 1e-9, samples) for begin, end, samples in laps]

    def ends(self):
        """Returns the end of each lap in ns, None where it is not known."""
        ends = []
        for at, kind, rest in self.events:
            if kind in ("i", "q"):
                ends.append(at if kind == "i" else None)
            elif kind == "ended":
                lap, end = map(int, rest.split())
                ends[lap - 1] = end
        return ends

    def kinds(self):
        """Returns the kinds of consecutive events except plan and bye, with consecutive laps as
        one."""
        shown = []
        for _, kind, _ in self.events:
            kind = "lap" if kind in ("i", "q") else kind
            if kind not in ("plan", "bye", "ended") and (kind != "lap" or shown[-1:] != ["lap"]):
                shown.append(kind)
        return shown


def fields_of(text):
    return dict(word.split("=", 1) for word in text.split())


def parse(text):
    lines = text.split("\n")
    assert lines.pop() == "", "the log ends in the middle of a line"
    assert lines[0] == "lapcast-laps 1"
    assert lines[1].startswith("0 hello "), lines[1]
    log = LapLog(hello=fields_of(lines[1].removeprefix("0 hello ")))
    last, begun = 0, []
    for line in lines[2:]:
        time, kind, rest = re.fullmatch(r"([0-9]{1,18}) ([a-z-]+)(.*)", line).groups()
        assert re.fullmatch(KINDS[kind], rest), line
        assert last <= int(time), f"{line} is earlier than {last}"
        last = int(time)
        name = rest.strip() if kind.startswith("stage") else kind.rsplit("-", 1)[0]
        if kind.endswith("-begin") and kind != "epoch-begin":
            begun.append(name)
        if kind.endswith("-end") and kind != "epoch-end":
            assert name in begun, f"{line} was not begun"
            begun.remove(name)
        if kind == "anew":
            log.events.clear()  # what was before does not count
        if kind == "plan":
            log.plan = {key: value if key == "from" else int(value)
                        for key, value in fields_of(rest).items()}
        if kind == "library":
            log.libraries.update([rest.split()])
        else:
            log.events.append((last, kind, rest.strip()))
    return log


def read_folder(folder):
    """Returns the logs of a folder, the lowest rank first, then those with the most laps."""
    logs = [parse(path.read_text("ascii")) for path in sorted(folder.glob("laps.*.log"))]
    return sorted(logs, key=lambda log: (int(log.hello["rank"]), -len(log.laps())))
