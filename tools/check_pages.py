#!/usr/bin/env python3
"""Checks the pages of the project: prints every link to a file or a heading that is not there, and
every path of the repository in `code` that does not exist, and in the pages for developers every
name of a symbol or file that the sources do not have.

Usage: tools/check_pages.py
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
PATH = re.compile(r"`((?:src|formats|suite|tests|tools|fuzz|cmake|benchmarks|python|docs|examples|catalog)"
                  r"/[\w./-]*)`")


# The pages whose `names` stand in the sources, and what a name is: a word, perhaps with "()".
FOR_DEVELOPERS = ("ARCHITECTURE.md", "CONTRIBUTING.md")
NAME = re.compile(r"`([A-Za-z_]\w+)(?:\(\))?`")
# Words of examples, and names that are made from others.
NOT_IN_SOURCES = {"greet", "BELOW", "lapcast_licence"}


def words_of_sources():
    """Returns the words of all files that names may refer to, and the names of these files."""
    words = set()
    for folder in ("src", "formats", "suite", "tests", "tools", "fuzz", "cmake", "benchmarks", "python",
                   "include", "web", "packaging"):
        for file in (ROOT / folder).rglob("*"):
            if file.suffix in (".h", ".cc", ".py", ".js", ".txt", ".cmake", ".sh", ".toml"):
                words |= {file.stem, *re.findall(r"\w+", file.read_text(errors="replace"))}
            elif file.is_dir():
                words.add(file.name)
    return words | set(re.findall(r"\w+", (ROOT / "CMakeLists.txt").read_text()))


def missing_names():
    """Yields each name on the pages for developers that no source has."""
    words = words_of_sources() | NOT_IN_SOURCES
    for page in FOR_DEVELOPERS:
        text = re.sub(r"^```.*?^```", "", (ROOT / page).read_text(), flags=re.S | re.M)
        for name in sorted(set(NAME.findall(text)) - words):
            yield f"{page}: nothing is named {name}"


def anchors(page: pathlib.Path):
    """Returns the anchors of a page's headings, as GitHub makes them."""
    for heading in re.findall(r"^#+ (.*)$", page.read_text(), re.M):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def problems(page: pathlib.Path):
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.S | re.M)
    for link in LINK.findall(text):
        if "://" in link or link.startswith("mailto:"):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            yield f"{page.relative_to(ROOT)}: {link} does not exist"
        elif anchor and target.suffix == ".md" and anchor not in anchors(target):
            yield f"{page.relative_to(ROOT)}: {link}: the page has no such heading"
    for path in PATH.findall(text):
        if re.search("[A-Z]{4}", path):  # NAME stands for any
            continue
        if not any(ROOT.glob(path.rstrip("./") + "*")):
            yield f"{page.relative_to(ROOT)}: {path} does not exist"


def main() -> int:
    pages = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("suite/**/*.md"),
                    *ROOT.glob("tests/wild/*.md"), ROOT / "python/README.md", ROOT / "web/README.md"])
    found = [problem for page in pages for problem in problems(page)] + list(missing_names())
    print("\n".join(found) if found else f"the links and paths of {len(pages)} pages exist")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
