#!/usr/bin/env python3
"""Checks the dependencies between the folders of src, formats and suite: prints every include that
is not allowed, circles of more than two rooms, types that two headers define, and every second way
to forecast a run. A room is a .h with its .cc.

Usage: tools/check_layers.py [ROOT]
"""
import pathlib
import re
import sys

# A folder may include those before it in its own half; the system half may include the pure one,
# and the top both. The pure half has no process, clock, socket, database or file.
PURE = ["core", "machine", "toml", "lap", "price", "run", "stats", "forecast", "history",
        "extrapolate", "energy", "spot", "rank", "table", "report"]
SYSTEM = ["posix", "discover", "store", "probe", "remote", "lease", "fleet", "query", "campaign", "pages"]
TOP = ["serve", "cli", "commands"]
IMPURE = re.compile(
    r"<(unistd|fcntl|signal|poll|sched|time|dirent|fstream|filesystem|sys/[a-z_]+|SQLiteCpp/.*"
    r"|sqlite3|random)(\.h)?>"
)
# A place says what it can do (machine/place.h). Above remote only the reader of fleet files, which
# makes places, names their kinds.
KIND_OF_PLACE = re.compile(r"\b(SlurmPlace|SshPlace|RentedPlace)\b")
# The same question by the text of describe(Place).
PLACE_TEXT = r'"(?:slurm|ssh)[ "]'
KIND_BY_TEXT = re.compile(
    rf"(?:[=!]=\s*|\b(?:starts_with|find|contains|compare|strcmp|strncmp)\([^;]*?){PLACE_TEXT}"
    rf'|{PLACE_TEXT}(?:[^"\n]*")?\s*[=!]=')
ABOVE_REMOTE = ["fleet", "query", "campaign", "pages", "serve", "cli", "commands", "suite"]
READS_PLACES = ("fleet/fleet_machine", "fleet/slurm_section")
# The steps of the forecast of a run: who calls them apart from query/forecast_run shows another
# number than the other commands. history/ defines them, and replays finished runs with them.
FORECAST_STEPS = re.compile(r"\b(assess|with_track_record)\(")
# laps_of() of run/run parses the lap logs of a run and keeps the result (run/kept_logs): whoever
# parses them again does it once more per command. probe reads logs while they are written.
PARSES_A_LOG = re.compile(r"\b(parse_lap_log|merged_ranks)\(")
MAY_PARSE_A_LOG = ["lap", "probe"]
INCLUDE = re.compile(r'^\s*#\s*include\s+("([a-z_/0-9]+)\.h"|<[^>]+>)', re.M)
TYPE = re.compile(r"^(?:struct|class|enum class) (\w+)(?: final)?(?: : [^;{]*)? \{", re.M)


def rooms_of(root: pathlib.Path):
    """Returns the files of each room: src/lap/lap_log.h and .cc are room lap/lap_log, suite/soak/soak.h is
    suite/soak/soak. Tests and the suite's own programs are not rooms."""
    rooms = {}
    for file in sorted(root.rglob("*")):
        parts = file.relative_to(root).with_suffix("").parts
        if file.suffix not in (".h", ".cc") or parts[0] not in ("src", "formats", "suite"):
            continue
        if file.stem.endswith("_test") or parts[:2] == ("suite", "programs"):
            continue
        rooms.setdefault("/".join(parts[1:] if parts[0] == "src" else parts), []).append(file)
    return rooms


def may_include(here: str, there: str) -> bool:
    """Says whether a room may include another."""
    a, b = here.split("/")[0], there.split("/")[0]
    if a == "main" or a == b and a not in ("commands", "suite"):
        return True
    if a == "commands" and b == "commands":  # no command sees another
        return here.split("/")[1] == there.split("/")[1]
    if a == "suite":
        return b != "commands"
    if b == "formats":
        return a in ("formats", "commands")
    if a == "formats":
        return b in PURE
    for half, below in ((PURE, []), (SYSTEM, PURE), (TOP, PURE + SYSTEM)):
        if a in half:
            return b in below or b in half[:half.index(a)]
    return False


def circles(includes):
    """Returns the strongly connected rooms (Tarjan's algorithm)."""
    index, low, stack, found = {}, {}, [], []

    def visit(room):
        index[room] = low[room] = len(index)
        stack.append(room)
        for other in includes[room]:
            if other not in index:
                visit(other)
            if other in stack:
                low[room] = min(low[room], low[other])
        if low[room] == index[room]:
            at = stack.index(room)
            found.append(stack[at:])
            del stack[at:]

    sys.setrecursionlimit(10_000)
    for room in includes:
        if room not in index:
            visit(room)
    return found


def problems(root: pathlib.Path):
    rooms = rooms_of(root)
    includes = {room: set() for room in rooms}
    homes = {}
    for room, files in rooms.items():
        folder = room.split("/")[0]
        if "/" in room and folder not in [*PURE, *SYSTEM, *TOP, "formats", "suite"]:
            yield f"{room}: folder {folder} has no place in the layers"
        for file in files:
            text = file.read_text()
            if folder in ABOVE_REMOTE and room not in READS_PLACES and (
                    KIND_OF_PLACE.search(text) or KIND_BY_TEXT.search(text)):
                yield (f"{file}: ask the place what it can do (machine/place.h), not of which kind "
                       "it is")
            if room != "query/forecast_run" and folder != "history":
                for step in FORECAST_STEPS.findall(re.sub(r"//.*", "", text)):
                    yield f"{file}: {step}() is called by query/forecast_run alone"
            if room != "run/run" and folder not in MAY_PARSE_A_LOG:
                for call in PARSES_A_LOG.findall(re.sub(r"//.*", "", text)):
                    yield f"{file}: laps_of() alone calls {call}() for a run"
            for match in INCLUDE.finditer(text):
                target = match.group(2)
                if target in rooms:
                    includes[room].add(target)
                    if not may_include(room, target):
                        yield f"{file}: {folder} must not include {target}"
                elif match.group(1).startswith("<CLI/") and folder not in ("cli", "commands", "suite"):
                    yield f"{file}: only cli and the commands know the command line"
                elif folder in [*PURE, "formats"] and IMPURE.match(match.group(1)):
                    yield f"{file}: the pure half must not include {match.group(1)}"
            if file.suffix == ".h":
                for name in TYPE.findall(text):  # all types are in one namespace
                    if homes.setdefault(name, file) != file:
                        yield f"{file}: {name} is also defined in {homes[name]}"
    for circle in circles(includes):
        if len(circle) > 2:
            yield f"these rooms include each other in a circle: {', '.join(sorted(circle))}"


def main() -> int:
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    found = list(problems(root if root.is_dir() else root.parent.parent))
    print("\n".join(found) if found else "the arrows hold, and no circle has more than two rooms")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
