#!/usr/bin/env python3
"""Checks that each file of src, tests apart, includes what it uses of the standard library and of fmt by itself,
or through the header of the same name: the precompiled headers would hide that it is missing.

Usage: tools/check_includes.py [--fix] [SRC]
"""
import pathlib
import re
import sys

HEADERS = {
    "algorithm": "all_of any_of none_of sort stable_sort min max clamp find find_if count count_if "
                 "transform copy_if lower_bound upper_bound min_element max_element nth_element "
                 "unique reverse partial_sort ranges::sort ranges::find ranges::any_of "
                 "ranges::all_of ranges::none_of ranges::count_if ranges::find_if "
                 "ranges::max_element ranges::min_element ranges::replace remove_if",
    "array": "array", "charconv": "from_chars to_chars", "chrono": "chrono::\\w+",
    "cmath": "sqrt log exp isfinite isnan ceil floor abs pow round hypot llround lround isinf log2",
    "cstdint": "int64_t uint64_t int32_t uint32_t uint8_t uint16_t", "cstring": "strerror memcpy",
    "cstdlib": "getenv", "filesystem": "filesystem::\\w+", "functional": "function",
    "limits": "numeric_limits", "map": "map", "memory": "unique_ptr shared_ptr make_unique "
    "make_shared", "numeric": "accumulate iota", "optional": "optional nullopt",
    "set": "set", "span": "span", "string": "string to_string stoi stoll",
    "string_view": "string_view", "tuple": "tuple tie",
    "utility": "move exchange pair swap forward", "variant": "variant visit holds_alternative "
    "get_if monostate", "vector": "vector",
}
USES = {header: re.compile(r"\bstd::(?:" + "|".join(names.split()) + r")\b(?!\()?")
        for header, names in HEADERS.items()}
USES["fmt/format.h"] = re.compile(r"\bfmt::(?:format|to_string|join|format_to|print)\b")
COMMENT_OR_TEXT = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.S)
INCLUDE = re.compile(r'^#include [<"]([^>"]+)[>"]$', re.M)
# A header that stands for another.
PROVIDED = {"string": ["string_view"], "CLI/CLI.hpp": []}


def included(file: pathlib.Path):
    """Returns what a file includes, and what the header of the same name includes."""
    own = INCLUDE.findall(file.read_text())
    header = file.with_name(file.name.replace("_test.cc", ".h").replace(".cc", ".h"))
    if file.suffix == ".cc" and header.exists():
        own = own + INCLUDE.findall(header.read_text())
    return {*own, *(name for header in own for name in PROVIDED.get(header, []))}


def missing(file: pathlib.Path):
    code = COMMENT_OR_TEXT.sub('""', file.read_text())
    there = included(file)
    return sorted(header for header, use in USES.items() if header not in there and use.search(code))


def fixed(text: str, header: str) -> str:
    """Returns the text with an include of the header among those of its kind."""
    lines = text.split("\n")
    line = f"#include <{header}>"
    c_header = header.endswith(".h")
    kind = [i for i, old in enumerate(lines) if re.match(r"#include <.*>$", old)
            and (old.endswith(".h>") or old.endswith(".hpp>")) == c_header]
    if kind:
        at = next((i for i in kind if lines[i] > line), kind[-1] + 1)
        return "\n".join([*lines[:at], line, *lines[at:]])
    # No include of that kind yet: a block of its own before the first "..." that is not the own header.
    includes = [i for i, old in enumerate(lines) if old.startswith("#include ")]
    if c_header or not includes:
        at = next((i for i in includes if lines[i].startswith("#include <")), None)
        if at is None:
            at = includes[0] + 1 if includes else lines.index("#pragma once") + 1
            return "\n".join([*lines[:at], "", line, *lines[at:]])
        return "\n".join([*lines[:at], line, "", *lines[at:]])
    system = [i for i in includes if lines[i].startswith("#include <")]
    if system:
        at = system[-1] + 1
        return "\n".join([*lines[:at], "", line, *lines[at:]])
    pragma = next((i for i, old in enumerate(lines) if old == "#pragma once"), None)
    at = pragma + 1 if pragma is not None else includes[0] + 1
    return "\n".join([*lines[:at], "", line, *lines[at:]])


def main() -> int:
    arguments = [word for word in sys.argv[1:] if word != "--fix"]
    source = pathlib.Path(arguments[0] if arguments else "src")
    found = 0
    # Headers first: what they include counts for their .cc files.
    files = [*sorted(source.rglob("*.h")), *sorted(source.rglob("*.cc"))]
    for file in (file for file in files if "_test." not in file.name):
        for header in missing(file):
            if "--fix" in sys.argv:
                file.write_text(fixed(file.read_text(), header))
            else:
                print(f"{file}: uses <{header}> and does not include it")
                found += 1
    if not found:
        print(f"the files of {source} include what they use")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
