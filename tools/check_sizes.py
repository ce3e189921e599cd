#!/usr/bin/env python3
"""Checks that no file of the project has 350 lines or more, and no function 46 or more: C++ of src, formats
and suite, its programs and tests apart, and the Python package.

Usage: tools/check_sizes.py
"""
import ast
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST_OF_A_FILE = 349
MOST_OF_A_FUNCTION = 45
TEXT = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|//[^\n]*|/\*.*?\*/'
                  r"|^[ \t]*#[^\n]*", re.S | re.M)
NO_FUNCTION = re.compile(r"\b(namespace|enum|class|struct|union)\b[^()]*$|=\s*$|\breturn\s*$|,\s*$")


def functions_of_cpp(text: str):
    """Returns (first line, number of lines) of each function, without those inside another."""
    text = TEXT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    start, function, depth = 0, None, []
    for i, char in enumerate(text):
        if char == "{":
            head = text[start:i]
            is_function = function is None and ")" in head and not NO_FUNCTION.search(head)
            if is_function:
                function = start + len(head) - len(head.lstrip())
            depth.append(is_function)
            start = i + 1
        elif char == "}" and depth:
            if depth.pop():
                first = text.count("\n", 0, function) + 1
                yield first, text.count("\n", 0, i) + 2 - first
                function = None
            start = i + 1
        elif char == ";" or (char == ":" and re.search(r"\b(public|private|protected)\s*$", text[start:i])):
            start = i + 1


def functions_of_python(text: str):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.end_lineno - node.lineno + 1


def files():
    for folder in ("src", "formats", "suite"):
        for file in sorted((ROOT / folder).rglob("*")):
            is_test = file.stem.endswith("_test")
            if file.suffix in (".h", ".cc") and not is_test and "programs" not in file.parts:
                yield file, functions_of_cpp
    for file in sorted((ROOT / "python/lapcast").rglob("*.py")):
        yield file, functions_of_python


def problems():
    for file, functions in files():
        text = file.read_text()
        lines = text.count("\n")
        if lines > MOST_OF_A_FILE:
            yield f"{file.relative_to(ROOT)}: {lines} lines; a file has fewer than 350"
        for first, count in functions(text):
            if count > MOST_OF_A_FUNCTION:
                yield f"{file.relative_to(ROOT)}:{first}: a function of {count} lines; at most 45"


def main() -> int:
    found = list(problems())
    print("\n".join(found) if found else "files and functions are short enough")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
