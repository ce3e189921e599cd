#!/usr/bin/env python3
"""Holds the arrows between the folders of src/: prints every include that goes against them, and
every type that two headers define.

Usage: tools/check_layers.py [SRC]
"""
import pathlib
import re
import sys

# Each folder with the folders that its files may include, besides itself.
PURE = ["core", "machine", "toml", "lap", "price", "run", "import", "stats", "soak", "forecast",
        "suite", "choose", "report"]
ALLOWED = {
    "core": [],
    "stats": ["core"],
    "soak": ["core", "stats"],
    "posix": ["core"],
    "machine": ["core", "posix"],
    "toml": ["core", "machine"],
    "lap": ["core"],
    "price": ["core"],
    "run": ["core", "machine", "lap", "price"],
    "import": ["core", "machine", "lap", "price", "run"],
    "forecast": ["core", "machine", "lap", "price", "run", "stats"],
    "suite": ["core", "machine", "toml", "lap", "price", "run", "stats"],
    "choose": ["core", "machine", "lap", "price", "run", "stats", "forecast"],
    "report": ["core", "machine", "lap", "price", "run", "stats", "soak", "forecast", "suite",
               "choose"],
    "store": ["core", "posix", "machine", "lap", "price", "run"],
    "probe": ["core", "posix", "machine", "lap", "price", "run", "stats", "soak", "forecast"],
    "remote": ["core", "posix", "machine", "lap", "price", "run", "stats", "soak", "forecast",
               "probe"],
    "fleet": ["core", "posix", "machine", "toml", "lap", "price", "run", "stats", "forecast",
              "suite", "choose", "store", "probe", "remote"],
    "cli": [*PURE, "posix", "store", "probe", "remote", "fleet"],
}
# What the pure half must not touch: processes, clocks, sockets, databases, the file system.
IMPURE = re.compile(
    r"<(unistd|fcntl|signal|poll|sched|time|dirent|fstream|filesystem|sys/[a-z_]+|SQLiteCpp/.*"
    r"|sqlite3|random)(\.h)?>"
)
SYSTEM_FILE = re.compile(r"machine/(discover|system_)")
INCLUDE = re.compile(r'^\s*#\s*include\s+("([a-z_]+)/[^"]+"|<[^>]+>)', re.M)


TYPE = re.compile(r"^(?:struct|class|enum class) (\w+)(?: final)?(?: : [^;{]*)? \{", re.M)


def types_defined_twice(source: pathlib.Path):
    """All types are in one namespace: two of one name would be one to the linker."""
    homes = {}
    for file in sorted(source.rglob("*.h")):
        for name in TYPE.findall(file.read_text()):
            if homes.setdefault(name, file) != file:
                yield f"{file}: {name} is also defined in {homes[name]}"


def problems(source: pathlib.Path):
    yield from types_defined_twice(source)
    for file in sorted(source.rglob("*")):
        if file.suffix not in (".h", ".cc") or file.stem.endswith("_test"):
            continue
        folder = file.relative_to(source).parts[0]
        if folder not in ALLOWED:
            yield f"{file}: folder {folder} has no place in the layers"
            continue
        place = str(file.relative_to(source))
        impure_allowed = folder not in PURE or SYSTEM_FILE.match(place)
        for match in INCLUDE.finditer(file.read_text()):
            target = match.group(2)
            if target and target in ALLOWED and target not in [folder, *ALLOWED[folder]]:
                yield f"{file}: {folder} must not include {target}"
            if target == "posix" and not impure_allowed:
                yield f"{file}: the pure half must not include posix"
            if not target and not impure_allowed and IMPURE.match(match.group(1)):
                yield f"{file}: the pure half must not include {match.group(1)}"


def main() -> int:
    source = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "src")
    found = list(problems(source))
    print("\n".join(found) if found else f"the arrows hold in {source}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
