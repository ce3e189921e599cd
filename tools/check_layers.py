#!/usr/bin/env python3
"""Checks the dependencies between the folders of src/: prints every include that is not allowed,
every type that two headers define, and every second way to forecast a run.

Usage: tools/check_layers.py [SRC]
"""
import pathlib
import re
import sys

# Lists for each folder the other folders whose files it may include.
PURE = ["core", "machine", "toml", "lap", "price", "run", "import", "stats", "soak", "forecast",
        "extrapolate", "suite", "energy", "choose", "papers", "report", "spot"]
ALLOWED = {
    "core": [],
    "stats": ["core"],
    "soak": ["core", "stats"],
    "posix": ["core"],
    "machine": ["core", "posix"],
    "toml": ["core", "machine"],
    "lap": ["core"],
    "price": ["core"],
    "spot": ["core", "stats", "soak", "price"],
    "run": ["core", "machine", "lap", "price"],
    "import": ["core", "machine", "lap", "price", "run"],
    "forecast": ["core", "machine", "lap", "price", "run", "stats"],
    "extrapolate": ["core", "stats"],
    "suite": ["core", "machine", "toml", "lap", "price", "run", "stats"],
    "energy": ["core", "machine", "lap", "price", "run", "stats"],
    "choose": ["core", "machine", "lap", "price", "run", "stats", "spot", "forecast", "energy"],
    "papers": ["core", "machine", "lap", "price", "run", "stats", "forecast", "energy", "choose"],
    "report": ["core", "machine", "lap", "price", "run", "stats", "soak", "spot", "forecast",
               "extrapolate", "suite", "energy", "choose", "papers"],
    "store": ["core", "posix", "machine", "lap", "price", "run"],
    "probe": ["core", "posix", "machine", "lap", "price", "run", "stats", "soak", "forecast",
              "energy"],
    "remote": ["core", "posix", "machine", "lap", "price", "run", "stats", "soak", "forecast",
               "energy", "probe"],
    "fleet": ["core", "posix", "machine", "toml", "lap", "price", "run", "stats", "forecast",
              "suite", "energy", "choose", "store", "probe", "remote"],
    "app": [*PURE, "posix", "store", "probe", "remote", "fleet"],
    "serve": [*PURE, "posix", "store", "probe", "remote", "fleet", "app"],
    "cli": [*PURE, "posix", "store", "probe", "remote", "fleet", "app", "serve"],
}
# Lists what the pure half must not use: processes, clocks, sockets, databases, the file system.
IMPURE = re.compile(
    r"<(unistd|fcntl|signal|poll|sched|time|dirent|fstream|filesystem|sys/[a-z_]+|SQLiteCpp/.*"
    r"|sqlite3|random)(\.h)?>"
)
SYSTEM_FILE = re.compile(r"machine/(discover|system_)")
# A place says what it can do (machine/place.h). Above remote only the reader of fleet files, which
# makes places, names their kinds.
KIND_OF_PLACE = re.compile(r"\b(SlurmPlace|SshPlace)\b")
ABOVE_REMOTE = ["fleet", "app", "serve", "cli"]
READS_PLACES = "fleet/fleet_machine.cc"
INCLUDE = re.compile(r'^\s*#\s*include\s+("([a-z_]+)/[^"]+"|<[^>]+>)', re.M)


TYPE = re.compile(r"^(?:struct|class|enum class) (\w+)(?: final)?(?: : [^;{]*)? \{", re.M)


def types_defined_twice(source: pathlib.Path):
    """Returns types that two headers define. All types are in one namespace, so they would
    clash."""
    homes = {}
    for file in sorted(source.rglob("*.h")):
        for name in TYPE.findall(file.read_text()):
            if homes.setdefault(name, file) != file:
                yield f"{file}: {name} is also defined in {homes[name]}"


# The steps of the forecast of a run: who calls them apart from app/forecast_run shows another
# number than the other commands. choose/ defines them, and replays finished runs with them.
FORECAST_STEPS = re.compile(r"\b(assess|with_track_record)\(")


def second_forecasts(source: pathlib.Path):
    for file in sorted(source.rglob("*")):
        place = str(file.relative_to(source))
        if file.suffix not in (".h", ".cc") or file.stem.endswith("_test"):
            continue
        if place.startswith(("choose/", "app/forecast_run.")):
            continue
        code = re.sub(r"//.*", "", file.read_text())
        for step in FORECAST_STEPS.findall(code):
            yield f"{file}: {step}() is called by app/forecast_run alone"


def problems(source: pathlib.Path):
    yield from types_defined_twice(source)
    yield from second_forecasts(source)
    for file in sorted(source.rglob("*")):
        if file.suffix not in (".h", ".cc") or file.stem.endswith("_test"):
            continue
        folder = file.relative_to(source).parts[0]
        if folder not in ALLOWED:
            yield f"{file}: folder {folder} has no place in the layers"
            continue
        place = str(file.relative_to(source))
        impure_allowed = folder not in PURE or SYSTEM_FILE.match(place)
        text = file.read_text()
        if folder in ABOVE_REMOTE and place != READS_PLACES and KIND_OF_PLACE.search(text):
            yield f"{file}: ask the place what it can do (machine/place.h), not of which kind it is"
        for match in INCLUDE.finditer(text):
            target = match.group(2)
            if target and target in ALLOWED and target not in [folder, *ALLOWED[folder]]:
                yield f"{file}: {folder} must not include {target}"
            if target == "posix" and not impure_allowed:
                yield f"{file}: the pure half must not include posix"
            if match.group(1).startswith("<CLI/") and folder != "cli":
                yield f"{file}: only cli knows the command line"
            if not target and not impure_allowed and IMPURE.match(match.group(1)):
                yield f"{file}: the pure half must not include {match.group(1)}"


def main() -> int:
    source = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "src")
    found = list(problems(source))
    print("\n".join(found) if found else f"the arrows hold in {source}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
