#!/usr/bin/env python3
"""Checks the pages of the project: prints every link to a file or a heading that is not there, and
every path of the repository in `code` that does not exist.

Usage: tools/check_pages.py
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
PATH = re.compile(r"`((?:src|formats|suite|tests|tools|fuzz|cmake|benchmarks|python|docs|examples|catalog)"
                  r"/[\w./-]*)`")


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
    found = [problem for page in pages for problem in problems(page)]
    print("\n".join(found) if found else f"the links and paths of {len(pages)} pages exist")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
