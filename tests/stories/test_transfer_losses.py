"""Tests that a transfer loses nothing and says what it could not put in place, that others on the target can
neither change it nor read its arguments, and that no piece is of another version of the program."""

import math
import os
import subprocess
from pathlib import Path

import pytest

from conftest import HANGS, eventually, mounted_disk
from transfers import WAYS, box, content, eyes, nothing_is_left, program, sent  # noqa: F401 (fixtures)

# Copies the files of a piece, and notes the call.
COPY = ["--", "sh", "-c", 'cp -rL "$0/." "$1" && echo call >>"$2"', "{in}", "{out}"]


def copying(story):
    return [*COPY, story.folder / "calls"]


def calls(story):
    return (story.folder / "calls").read_text().splitlines()


@pytest.mark.parametrize("way", WAYS)
def test_what_is_in_the_way_is_named_and_nothing_is_lost(story, eyes, way):
    target = story.folder / "target"
    (target / "05.raw").mkdir(parents=True)
    (target / "05.raw" / "old").write_text("the user's")
    (target / "deep").write_text("the user's, too")
    before = content(target)
    command = ["transfer", "run", eyes.name, "--to", target, "--way", way, "--piece", "10", "--workers", "1",
               "--json", *copying(story)]
    refused = story.lapcast(*command).refused(6, "05.raw is a folder, not a file")
    assert "the same command goes on" in refused.err
    assert {name: content(target)[name] for name in before} == before and not (target / "05.raw" / "05.raw").exists()
    (target / "05.raw" / "old").unlink()
    story.lapcast(*command).refused(6, "05.raw is a folder")  # an empty one, too
    (target / "05.raw").rmdir()
    story.lapcast(*command).refused(6, "deep is not a folder, and deep/er/x needs one")
    assert (target / "deep").read_text() == before["deep"].decode()
    (target / "deep").unlink()
    before = len(calls(story))
    row = story.lapcast(*command).ok().json["transfer"]
    assert row["files"] == row["prepared_files"] == row["made_files"] == 29
    assert content(target) == sent(eyes, True) and nothing_is_left(story)
    # What was prepared is not prepared again. Where a piece is under way beside a sending, a refusal ends it.
    assert 3 <= len(calls(story)) <= (3 + 3 if "overlapped" in way else 3)
    unprepared = math.ceil((29 - row["resumed_files"]) / 10)  # in pieces of 10 files
    assert len(calls(story)) - before <= unprepared


def test_a_sending_replaces_nothing_of_another_kind(story, eyes):
    target = story.folder / "target"
    (target / "elsewhere").mkdir(parents=True)
    (target / "deep").symlink_to("elsewhere")
    command = ["transfer", "run", eyes.name, "--to", target]
    story.lapcast(*command).refused(6, "deep is not a folder, and deep/er/x needs one")
    assert (target / "deep").is_symlink() and content(target / "elsewhere") == {}
    (target / "deep").unlink()
    (target / "deep").write_text("the user's")
    story.lapcast(*command).refused(6, "deep is not a folder")
    assert (target / "deep").read_text() == "the user's"
    (target / "deep").unlink()
    story.lapcast(*command).ok()
    assert content(target) == sent(eyes, True)


@pytest.mark.parametrize("way", WAYS)
def test_a_full_disk_below_the_target_loses_nothing(story, eyes, way):
    for number in range(4):
        (eyes / "deep" / f"{number}.raw").write_bytes(os.urandom(600_000))
    for disk in mounted_disk(story, "size=1m"):
        target = story.folder / "target"
        target.mkdir()
        (target / "deep").mkdir()
        subprocess.run(["mount", "--bind", disk, target / "deep"], check=True)
        try:
            command = ["transfer", "run", eyes.name, "--to", target, "--way", way, "--piece", "11", "--json",
                       *copying(story)]
            refused = story.lapcast(*command).refused(6, "the disk of this machine is full")
            assert "deep/" in refused.err and ".raw" in refused.err
            subprocess.run(["mount", "-o", "remount,size=9m", disk], check=True)
            row = story.lapcast(*command).ok().json["transfer"]
            assert row["prepared_files"] == row["made_files"] == 33
            assert content(target) == sent(eyes, True) and len(calls(story)) == 3
        finally:
            subprocess.run(["umount", "-l", target / "deep"], check=True)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("first", ["x", "x/00000"])
def test_a_file_of_one_piece_is_no_folder_of_another(story, eyes, way, first):
    second = {"x": "x/00001", "x/00000": "x"}[first]
    target = story.folder / "target"
    make = 'f=$1; [ "$2" = 00000 ] || f=$3; cd "$0" && mkdir -p "$(dirname "$f")" && echo "$2" >"$f"'
    story.lapcast("transfer", "run", eyes.name, "--to", target, "--way", way, "--piece", "15", "--workers", "1", "--",
                  "sh", "-c", make, "{out}", first, "{piece}", second, "{in}").refused(4, "two pieces made the file 'x'")
    assert content(target) in ({}, {first: b"00000\n"}) and (way != "here" or content(target) == {})


def test_a_target_may_be_called_as_a_place_is(story, eyes):
    for number, way in enumerate(WAYS):
        target = story.folder / f"{{out}} {{piece}} {{in}} {number}"
        story.lapcast("transfer", "run", eyes.name, "--to", target, "--way", way, "--work",
                      story.folder / "{piece} {out}", "--piece", "10", *program()).ok()
        assert content(target) == sent(eyes)


# Versions of the program -------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_no_piece_is_of_another_version_of_the_program(story, eyes, way):
    (eyes / "05.raw").write_bytes(b"")
    (story.work / "level.sh").write_text('level=first\n')
    (story.work / "prepare.sh").write_text(
        "#!/bin/sh\n. ./level.sh\ncd \"$1\" && for file in *.raw; do\n"
        "[ -s $file ] || [ $level = second ] || { echo $file is empty >&2; exit 1; }\n"
        "echo $level >\"$2/$file.$level\"; echo $level >\"$2/$file\"; done\n")
    for name in sent(eyes):
        if not name.endswith(".raw"):
            (eyes / name).unlink()
    target = story.folder / "target"
    command = ["transfer", "run", eyes.name, "--to", target, "--way", way, "--piece", "4", "--json", *program()]
    assert story.lapcast(*command).ok(1).json["transfer"]["prepared_files"] == 16
    again = story.lapcast(*command).ok(1)
    assert again.json["transfer"]["resumed_files"] == 16
    (story.work / "level.sh").write_text('level=second\n')
    ended = story.lapcast(*command).ok()
    row = ended.json["transfer"]
    assert row["resumed_files"] == 0 and row["prepared_files"] == 20 and row["made_files"] == 40
    notes = ended.notes("transfer")
    assert "the program changed since the transfer began: level.sh; all pieces are prepared anew" in notes
    assert any("perhaps still on the target: 00.raw.first" in note for note in notes)
    arrived = content(target)
    assert {name: data for name, data in arrived.items() if not name.endswith(".first")} == {
        f"{number:02}.raw{end}": b"second\n" for number in range(20) for end in ("", ".second")}
    assert nothing_is_left(story) and not list((story.folder / ".cache" / "lapcast").glob("transfers/*"))


# Others on the target ----------------------------------------------------------------------------


def test_others_cannot_change_what_runs_on_the_target(story, eyes, box):
    nas = box.home / "nas"
    nas.mkdir()
    nas.chmod(0o1777)
    (nas / ".lapcast-transfer").mkdir()
    (nas / ".lapcast-transfer").chmod(0o777)
    if os.geteuid() == 0:
        os.chown(nas / ".lapcast-transfer", 12345, 12345)
    (eyes / "05.raw").write_bytes(b"")  # so that the state stays
    command = ["transfer", "run", eyes.name, "--to", "box:nas", "--way", "there", "--json", "--piece", "10", *program()]
    story.lapcast(*command).ok(1)
    [state] = (box.cache() / "transfers").iterdir()
    assert (state / "program" / "prepare.sh").exists() and state.stat().st_mode & 0o777 == 0o700
    assert not list((nas / ".lapcast-transfer").iterdir())
    for folder in (state, box.cache(), box.home / ".cache"):
        mode = folder.stat().st_mode & 0o777
        for bits in (0o020, 0o002):
            folder.chmod(mode | bits)
            story.lapcast(*command).refused(6, f"others may write into {folder}: chmod go-w it")
        folder.chmod(mode)
    if os.geteuid() == 0:
        os.chown(box.cache(), 12345, 12345)
        story.lapcast(*command).refused(6, f"{box.cache()} belongs to another user")
        os.chown(box.cache(), 0, 0)
    story.lapcast(*command).ok(1)


def to_own_folder(story, eyes, box, folder):
    """Returns the command of a transfer, not all of which can be prepared, to a machine whose fleet file names the
    folder of lapcast."""
    (eyes / "05.raw").write_bytes(b"")
    (story.work / "fleet.toml").write_text(
        f'[[machine]]\nname = "gpu"\nhost = "box"\nprice = "1"\nfolder = "{box.home}/{folder}"\n')
    return ["transfer", "run", eyes.name, "--to", "gpu:eyes", "--fleet", "fleet.toml", "--way", "there", *program()]


def test_a_fleet_file_says_where_the_state_lies(story, eyes, box):
    story.lapcast(*to_own_folder(story, eyes, box, "own")).ok(1)
    assert len(list((box.home / "own" / "transfers").iterdir())) == 1 and not box.cache().exists()


def test_a_folder_of_the_fleet_file_must_be_safe_from_others(story, eyes, box):
    command = to_own_folder(story, eyes, box, "link/own")
    own = box.home / "real" / "own"
    own.mkdir(parents=True)
    (box.home / "link").symlink_to("real")
    for folder in (own, own.parent):
        folder.chmod(0o777)
        before = content(own)
        story.lapcast(*command).refused(6, f"others may write into {folder}: chmod go-w it")
        assert content(own) == before
        folder.chmod(0o1777)  # others may not rename what is this user's
        story.lapcast(*command).ok(1)
        folder.chmod(0o755)
    (own / "transfers").chmod(0o1777)
    [state] = (own / "transfers").iterdir()
    story.lapcast(*command).ok(1)
    state.chmod(0o1777)  # but could put files of their own beside the program
    story.lapcast(*command).refused(6, f"others may write into {state}")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
@pytest.mark.parametrize("theirs", ["own", "own/transfers"])
def test_a_folder_that_another_user_made_is_refused(story, eyes, box, theirs):
    command = to_own_folder(story, eyes, box, "nas/own")
    (box.home / "nas" / theirs).mkdir(parents=True)
    (box.home / "nas").chmod(0o1777)
    (box.home / "nas" / "own").chmod(0o1777)
    os.chown(box.home / "nas" / theirs, 12345, 12345)
    story.lapcast(*command).refused(6, f"{box.home}/nas/{theirs} belongs to another user")
    assert not list((box.home / "nas").rglob("prepare.sh"))


# What a killed sending left ----------------------------------------------------------------------


@pytest.mark.parametrize("way", ["there", "there-overlapped"])
def test_what_a_killed_rsync_left_is_not_prepared(story, eyes, way):
    target = story.folder / "target"
    command = ["transfer", "run", eyes.name, "--to", target, "--way", way, "--piece", "10", "--json", *program()]
    story.lapcast(*command, env={"LEAST": "1000000"}).ok(4)  # each file is too small
    [state] = (story.folder / ".cache" / "lapcast" / "transfers").iterdir()
    pieces = sorted((state / "in").iterdir())
    assert len(pieces) == 3
    for piece in pieces:
        (piece / ".00.raw.Ab12Cd").write_text("the beginning of a file")
        (piece / ".lapcast-partial").mkdir(exist_ok=True)
        (piece / ".lapcast-partial" / "01.raw").write_text("another")
    row = story.lapcast(*command).ok().json["transfer"]
    assert content(target) == sent(eyes) and row["made_files"] == 29


def lines_with(word):
    """Returns the command lines of processes that hold a word, this one's apart."""
    lines = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit() and int(process.name) != os.getpid():
            try:
                lines.append((process / "cmdline").read_bytes())
            except OSError:
                continue
    return [line for line in lines if word in line]


@pytest.mark.parametrize("way", ["here", "there"])
def test_arguments_are_on_the_programs_own_command_line_alone(story, eyes, box, way):
    go_on = story.folder / "go-on"
    process = story.start("transfer", "run", eyes.name, "--to", "box:eyes", "--way", way, "--piece", "4", "--json",
                          *program("{piece}", go_on, "--api-key=open-sesame-42"))
    assert eventually(lambda: any(b"./prepare.sh" in line for line in lines_with(b"open-sesame-42")))
    lines = lines_with(b"open-sesame-42")
    assert all(line.split(b"\0")[1] == b"./prepare.sh" for line in lines), lines
    go_on.touch()
    out, err = process.communicate(timeout=HANGS)
    assert process.returncode == 0, err
    assert content(box.home / "eyes") == sent(eyes)
