"""Makes data sets that are prepared and sent, and says what has to arrive."""

import os

import pytest

from conftest import ssh_machine

WAYS = ["here", "here-overlapped", "there", "there-overlapped"]
PREPARE = """#!/bin/sh
# Writes the first half of every file of the folder $1 into the folder $2.
echo "what a program prints"
while [ "${3:-0}" -ge 3 ] && [ ! -e "$4" ]; do sleep 0.05; done  # all pieces but the first three wait
cd "$1" || exit 1
find -L . -type f -exec sh -c 'for file; do
  size=$(wc -c <"$file"); [ "$size" -ge "${LEAST:-1}" ] || { echo "$file is empty" >&2; exit 1; }
  mkdir -p "$0/${file%/*}" && head -c $((size / 2)) "$file" >"$0/$file" || exit 1
done' "$2" {} +
"""
ODD_NAMES = ["#a", ";b", "-rf", "two words", "line\nbreak", "$(touch broken)", "it's", "{out}", "deep/er/x"]


def make_eyes(story):
    """Makes a data set of 29 files, one of which is called as a secret is, and a program."""
    folder = story.work / "eyes"
    for number in range(20):
        (folder / f"{number:02}.raw").parent.mkdir(exist_ok=True)
        (folder / f"{number:02}.raw").write_bytes(os.urandom(1000 + 100 * number))
    for name in ODD_NAMES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(name.encode() * 100)
    (folder / "id_rsa").write_text("secret\n")
    (folder / "link").symlink_to("/etc/passwd")
    program = story.work / "prepare.sh"
    program.write_text(PREPARE)
    program.chmod(0o755)
    return folder


@pytest.fixture
def eyes(story):
    return make_eyes(story)


def content(folder):
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in folder.rglob("*") if path.is_file()}


def sent(eyes, whole=False):
    """Returns what has to arrive."""
    return {name: data if whole else data[:len(data) // 2] for name, data in content(eyes).items()
            if name not in ("id_rsa", "link")}


def program(*more):
    return ["--", "./prepare.sh", "{in}", "{out}", *more]


def nothing_is_left(story):
    return not list((story.folder / "store" / "transfers").iterdir())


@pytest.fixture
def box(story):
    # A login that prints does no harm.
    yield from ssh_machine(story, "box", login="echo welcome")
