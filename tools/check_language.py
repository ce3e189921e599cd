#!/usr/bin/env python3
"""Checks the words of code and pages: prints every word that docs/glossary.md has replaced, every
"X is no Y", and every comment of a declaration that says no more than its name.

Usage: tools/check_language.py
"""
import ast
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("src", "formats", "suite", "python", "web", "helpers", "include", "tools",
           "benchmarks", "tests", "fuzz", "examples", "docs")
KINDS = (".h", ".cc", ".c", ".py", ".js", ".html", ".md", ".sh")

# Maps words that were replaced to the ones to write. A word of several parts has spaces between them.
REPLACED = {
    "caretaker": "agent",
    "contender": "candidate",
    "donor": "validation source",
    "errand": "pending run",
    "far command": "agent",
    "far side": "agent",
    "foreseen": "forecast",
    "outlook": "forecast",
    "precedent": "track record",
    "racer": "candidate",
    "situation": "candidate",
}
# The same for the files below one folder.
REPLACED_IN = {
    "python": {
        "aside": "evaluations",
        "lead": "main optimizer",
        "fed": "IN_EPOCH",
        "drained": "LOADER_EXHAUSTED",
        "unfed": "NO_LOADER",
    },
}
# The table of the store keeps its name until the schema changes for another reason.
MAY_SAY_ERRAND = re.compile(r"src/store/|tests/|docs/")

# A break between two words, with the mark of a comment where it ends a line.
GAP = r"(?:[ \t]+|[ \t]*\n[ \t]*(?:///?|#|\*)?[ \t]*)"
IS_NO = re.compile(
    rf"(?<!\w)(?P<there>[Tt]here{GAP})?(?:is|are|was|were){GAP}no{GAP}"
    r"(?!(?:longer|more|better|worse|wider|slower|faster|cheaper|surer|greater|less|fewer|lower|higher"
    r"|larger|smaller|sooner|later)\b)\w+")

# Words that tell nothing beside a name.
EMPTY = set("a an the of in on at to for from with and or that this is are it its their one some any all "
            "what which as by has not no be returns reads holds says makes writes parses checks knows "
            "sets gets counts adds".split())


def files():
    """Yields the files that are checked."""
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*")):
            if file.suffix in KINDS and file.is_file() and file != pathlib.Path(__file__).resolve():
                yield file
    yield from (file for file in sorted(ROOT.glob("*.md")) if file.name != "CHANGELOG.md")


def word_pattern(word: str) -> str:
    """Returns a pattern for a word and its plural, also as a part of a name: donor, kDonors,
    DONOR_OF."""
    capital = word[0].upper() + word[1:]
    return (rf"(?<![A-Za-z])(?:{word}|{capital}|{word.upper()})s?(?![a-z])"
            rf"|(?<=[a-z]){capital}s?(?![a-z])")


def replaced_words(name: str, text: str):
    """Yields the place and the message of each word that was replaced."""
    words = REPLACED | REPLACED_IN.get(name.split("/")[0], {})
    small = text.lower()
    for word, better in words.items():
        if word not in small or word == "errand" and MAY_SAY_ERRAND.match(name):
            continue
        for found in re.finditer(word_pattern(word), text):
            yield found.start(), f"'{found[0]}' was replaced by '{better}'"


def negations(text: str):
    """Yields the place and the message of each "X is no Y"."""
    for found in IS_NO.finditer(text):
        if not found["there"]:
            said = re.sub(r"\s*\n[\s/#*]*", " ", found[0])
            yield found.start(), f"'{said}': write 'is not a'"


def parts_of(name: str):
    """Returns the words of a name, in small letters."""
    return {part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


def stem(word: str) -> str:
    ending = next((e for e in ("ies", "es", "s", "ed", "ing") if word.endswith(e) and len(word) > len(e) + 2), "")
    return word[:len(word) - len(ending)]


def repeats(comment: str, name: str) -> bool:
    """Returns whether a comment says no more than the name. Numbers and quoted words say more."""
    if re.search(r"[0-9\"`]", comment):
        return False
    known = {stem(part) for part in parts_of(name)}
    words = [word for word in re.findall("[a-z]+", comment.lower()) if word not in EMPTY]
    return bool(words) and all(stem(word) in known for word in words)


DECLARED = re.compile(r"\s*(?:(?:struct|class|enum class|enum) (\w+)|.*?(\w+)\s*\()")


def comments(file: pathlib.Path, text: str):
    """Yields the place, the text and the name of each comment of a declaration."""
    if file.suffix == ".py":
        starts = [0, *(found.end() for found in re.finditer("\n", text))]
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node):
                yield starts[node.lineno - 1], ast.get_docstring(node), node.name
        return
    mark = {".h": "///", ".js": "//"}.get(file.suffix)
    if mark is None:
        return
    for found in re.finditer(rf"((?:^[ \t]*{mark}[^/\n].*\n)+)(.*)", text, re.M):
        names = DECLARED.match(found[2]) if mark == "///" else re.match(
            r"\s*(?:const |let |function )?([\w.]+)(?: = .*)?\(", found[2])
        if names:
            yield found.start(), found[1].replace(mark, ""), next(filter(None, names.groups()))


def problems(file: pathlib.Path):
    """Yields a line for each problem of a file."""
    text = file.read_text(errors="replace")
    name = file.relative_to(ROOT).as_posix()
    found = [*replaced_words(name, text), *negations(text)]
    found += [(at, f"the comment of {what} says no more than its name")
              for at, said, what in comments(file, text) if repeats(said, what)]
    for at, message in sorted(found):
        yield f"{name}:{text.count(chr(10), 0, at) + 1}: {message}"


def main() -> int:
    checked = list(files())
    found = [problem for file in checked for problem in problems(file)]
    print("\n".join(found) if found else f"{len(checked)} files have the words of the glossary")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
