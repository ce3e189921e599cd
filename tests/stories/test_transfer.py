"""Tests that data sets are prepared and sent: to a folder and over ssh, here and there, whole after
anything that cuts them off, and nothing twice."""

import json
import os
import signal
import subprocess

import pytest

import sshd
from conftest import HANGS, eventually, mounted_disk
from transfers import WAYS, box, content, eyes, nothing_is_left, program, sent  # noqa: F401 (fixtures)


# To a folder -------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_a_folder_brings_the_same_files(story, eyes, way):
    target = story.folder / "target"
    ended = story.lapcast("transfer", "run", eyes.name, "--to", target, "--way", way, "--csv",
                          "seconds.csv", "--piece", "10", "--json", *program()).ok()
    assert content(target) == sent(eyes) and nothing_is_left(story)
    row = ended.json["transfer"]
    assert row["way"] == way and row["files"] == row["prepared_files"] == row["made_files"] == 29
    assert row["time_s"] >= row["send_s"] > 0 and row["prepare_s"] > 0 and not row["verified"]
    assert ended.notes("transfer") == ["not sent: link (links)",
                                       "not sent: id_rsa (looks like a secret)"]
    lines = (story.work / "seconds.csv").read_text().splitlines()
    assert lines[0] == "second,bytes_per_second,sent_bytes,sent_files,prepared_files"
    assert lines[-1].split(",")[4] == "29" and int(lines[-1].split(",")[2]) > 10000


def test_without_a_program_the_files_are_sent_as_they_are(story, eyes):
    target = eyes / "target"  # within the data set, of which it is not part
    row = story.lapcast("transfer", "run", eyes.name, "--to", target, "--json").ok().json["transfer"]
    arrived = content(target)
    assert row["way"] == "send" and row["sent_bytes"] > sum(map(len, arrived.values()))
    again = story.lapcast("transfer", "run", eyes.name, "--to", target, "--json").ok().json["transfer"]
    assert again["sent_bytes"] < row["sent_bytes"] / 3 and content(target) == arrived
    assert arrived == {name: data for name, data in sent(eyes, True).items() if "target" not in name}


@pytest.mark.parametrize("way", ["here", "there"])
def test_a_file_that_every_piece_needs_is_in_each(story, eyes, way):
    copy = ["--", "sh", "-c", 'cp "$1/00.raw" "$2/$3.labels" && ls "$1" >"$2/$3.names"', "-", "{in}", "{out}",
            "{piece}"]
    command = ["transfer", "run", eyes.name, "--to", "target", "--way", way, "--piece", "10", "--with", "./00.raw"]
    row = story.lapcast(*command, "--json", *copy).ok().json["transfer"]
    arrived = content(story.work / "target")
    labels = [data for name, data in arrived.items() if name.endswith(".labels")]
    assert labels == 3 * [(eyes / "00.raw").read_bytes()]
    assert row["files"] == row["prepared_files"] == 28 and row["made_files"] == 6
    assert all(b"00.raw\n" in data for name, data in arrived.items() if name.endswith(".names"))
    story.lapcast(*command[:-1], "none.csv", *copy).refused(3, "--with: none.csv is not a file of")
    story.lapcast(*command).refused(2, "--with is for a program that prepares")


def test_own_transfers_stand_beside_the_tables_of_the_thesis(story, eyes):
    """Both ways with one worker and with two, and only sending: all figures but the drawn ones."""
    runs = {"send": ["--to", "sent"]}
    for way in ["here", "there"]:
        for workers in ["1", "2"]:
            runs[way + workers] = ["--to", way + workers, "--way", way, "--workers", workers, "--piece", "10",
                                   *program()]
    for name, options in runs.items():
        ended = story.lapcast("transfer", "run", eyes.name, "--json", *options).ok()
        (story.work / f"{name}.json").write_text(ended.out)
    files = [f"{name}.json" for name in runs]
    ended = story.lapcast("papers", "kunas", "--measured", *files, "--json").ok()
    rows = {(row["row"], row["quantity"]): row for row in ended.rows("measured_figures")}
    assert len(rows) == 24 and all(row["measured"] is not None for row in rows.values())
    here = json.loads((story.work / "here2.json").read_text())["transfer"]
    assert here["workers"] == 2
    throughput = rows["preparation local-parallel", "throughput"]
    assert throughput["measured"] == pytest.approx(29 / here["time_s"]) and throughput["printed"] == 5.47
    assert rows["preparation cloud-parallel", "elapsed"]["printed"] is None
    assert rows["preparation raw", "size ratio"]["transfers"] == 2
    text = story.lapcast("papers", "kunas", "--measured", *files, "--table", "5.2").ok().out
    assert "Measured here" in text and text.count("images/s") == 4 and "slip" not in text


def test_only_transfers_that_are_alike_are_averaged(story, eyes):
    for name, workers, way in (("a", 2, "here"), ("b", 3, "here"), ("c", 2, "here-overlapped")):
        ended = story.lapcast("transfer", "run", eyes.name, "--to", name, "--way", way, "--workers", workers,
                              "--piece", "10", "--json", *program()).ok()
        (story.work / f"{name}.json").write_text(ended.out)
    for other, what in (("b", "here, 3 at a time"), ("c", "here-overlapped, 2 at a time")):
        refused = story.lapcast("papers", "kunas", "--measured", "a.json", f"{other}.json").refused(
            3, "cannot be averaged: leave one of them out")
        assert "a.json (here, 2 at a time, 29 files" in refused.err and f"{other}.json ({what}" in refused.err
    story.lapcast("papers", "kunas", "--measured", "a.json", "a.json").ok()


def test_the_link_is_measured_alone(story, eyes, box):
    before = content(box.home)
    ended = story.lapcast("transfer", "link", "box", "--seconds", 1, "--json").ok()
    link = ended.json["transfer_link"]
    assert link["host"] == "box" and link["sent_bytes"] > 0 and link["time_s"] >= 1
    assert link["bytes_per_second"] == pytest.approx(link["sent_bytes"] / link["time_s"], rel=1e-3)
    seconds = ended.rows("transfer_seconds")
    sums = [row["sent_bytes"] for row in seconds]
    assert sums == sorted(sums) and sums[-1] == link["sent_bytes"]
    assert content(box.home) == before
    (story.work / "link.json").write_text(ended.out)
    rows = story.lapcast("papers", "kunas", "--measured", "link.json", "--json").ok().rows("measured_figures")
    assert [(row["table"], row["quantity"], row["printed"]) for row in rows] == [
        ("5.1", "interval", 60), ("5.1", "transferred", 406), ("5.1", "bandwidth", 56.8)]
    assert rows[2]["measured"] == pytest.approx(8e-6 * link["sent_bytes"] / link["time_s"], rel=1e-3)
    assert "Mbit/s" in story.lapcast("transfer", "link", "box", "--seconds", 1).ok().out
    assert len(list((story.folder / "store" / "transfer-results").iterdir())) == 2
    story.lapcast("transfer", "link", "nowhere", "--seconds", 1).refused(6, "the link is not measured: ")
    story.lapcast("transfer", "link", "box", "--seconds", 0).refused(2, "--seconds")


def test_transfers_without_a_time_of_their_own_are_refused(story, eyes):
    (story.work / "own.json").write_text('{"transfer": {}}')
    story.lapcast("papers", "kunas", "--measured", "own.json").refused(3, "transfer.workers is missing")
    story.lapcast("papers", "kunas", "--measured", "none.json").refused(3, "none.json")
    story.lapcast("papers", "malta", "--measured", "own.json").refused(2, "--measured goes with kunas")


def test_a_piece_whose_program_fails_is_named_and_tried_again(story, eyes):
    (eyes / "05.raw").write_bytes(b"")
    target = story.folder / "target"
    command = ["transfer", "run", eyes.name, "--to", target, "--piece", "4", "--json", *program()]
    ended = story.lapcast(*command).ok(1)
    [row] = ended.rows("transfer_failures")
    assert "05.raw" in row["names"] and "./05.raw is empty" in row["why"]
    assert ended.json["transfer"]["prepared_files"] == 25 and len(content(target)) == 25
    again = story.lapcast(*command, env={"LEAST": "0"}).ok().json["transfer"]
    assert again["resumed_files"] == 25 and again["verified"] and content(target) == sent(eyes)
    assert again["sent_bytes"] < ended.json["transfer"]["sent_bytes"] and nothing_is_left(story)


def test_pieces_that_make_the_same_names_are_refused(story, eyes):
    command = ["transfer", "run", eyes.name, "--to", "target", "--", "sh", "-c"]
    words = ["{out}", "{piece}", "{in}"]
    story.lapcast(*command, "echo x >$0/shard", *words).refused(4, "two pieces made 'shard'")
    ended = story.lapcast(*command, "echo x >$0/shard-$1", *words).ok()
    assert "29 of 29 files" in ended.out
    assert "shard-00000" in content(story.work / "target")


def test_bad_requests_are_refused(story, eyes):
    run = ["transfer", "run", eyes.name, "--to"]
    story.lapcast(*run, "target", "--", "./prepare.sh", "{in}").refused(2, "no {out}")
    story.lapcast(*run, eyes).refused(2, "the folder with the files itself")
    story.lapcast(*run, "").refused(2, "--to is HOST:FOLDER")
    story.lapcast(*run, "box:").refused(2, "name a folder behind the host")
    story.lapcast(*run, "-oProxyCommand=x:data").refused(3, "not the name of an ssh host")
    story.lapcast(*run, "target", "--", "./missing", "{in}", "{out}").refused(4, "missing")
    story.lapcast("transfer", "run", "nowhere", "--to", "target").refused(3, "not a folder")
    (story.work / "empty").mkdir()
    story.lapcast("transfer", "run", "empty", "--to", "target").refused(3, "holds no file")
    story.lapcast("transfer", "plan", eyes.name, "--to", "target").refused(2, "no program")
    story.lapcast("transfer", "plan", eyes.name, "--to", "target", "--sample", "2", *program()).refused(
        2, "fewer than 3 pieces")


def test_a_full_disk_is_named_and_the_rest_goes_on_later(story, eyes):
    (eyes / "large.raw").write_bytes(bytes(3 << 20))
    for disk in mounted_disk(story, "size=1m"):
        command = ["transfer", "run", eyes.name, "--to", disk / "eyes"]
        story.lapcast(*command).refused(6, "the disk of this machine is full")
        subprocess.run(["mount", "-o", "remount,size=9m", disk], check=True)
        story.lapcast(*command).ok()
        assert content(disk / "eyes") == sent(eyes, True)


# Over ssh ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["there-overlapped"])
def test_every_way_over_ssh_brings_the_same_files(story, eyes, box, way):
    fleet = story.fleet(sshd.fleet_entry("box", name="gpu"))
    ended = story.lapcast("transfer", "run", eyes.name, "--to", "gpu:data/my eyes", "--fleet",
                          fleet.name, "--way", way, "--json", "--piece", "10", *program()).ok()
    assert content(box.home / "data" / "my eyes") == sent(eyes) and nothing_is_left(story)
    assert ended.json["transfer"]["prepared_files"] == 29
    assert not list(box.home.rglob("broken")) and not list(story.work.rglob("broken"))


@pytest.mark.parametrize("way", ["here-overlapped", "there-overlapped"])
def test_what_is_interrupted_goes_on_and_leaves_nothing_running(story, eyes, box, way):
    go_on = story.folder / "go-on"
    command = ["transfer", "run", eyes.name, "--to", "box:eyes", "--way", way, "--piece", "4",
               "--workers", "2", "--json", *program("{piece}", go_on)]
    process = story.start(*command)
    done = story.folder / "store" / "transfers"
    assert eventually(lambda: len(list(done.glob("*/done/[0-9]*"))) >= 2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=HANGS)
    assert process.returncode == 130 and b"the same command goes on" in err and out == b""
    assert eventually(lambda: not programs_of(story))
    go_on.touch()
    row = story.lapcast(*command).ok().json["transfer"]
    assert row["resumed_files"] >= 8 and row["verified"] and row["prepared_files"] == 29
    assert content(box.home / "eyes") == sent(eyes) and nothing_is_left(story)


def programs_of(story):
    marks = str(story.work / "prepare.sh").encode(), b"./prepare.sh"
    found = []
    for process in os.listdir("/proc"):
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
            here = os.readlink(f"/proc/{process}/cwd").startswith(str(story.folder))
        except OSError:
            continue
        if here and any(mark in words for mark in marks) and words[0] == b"/bin/sh":
            found.append(int(process))
    return found


def test_a_link_that_drops_is_taken_up_and_nothing_is_sent_twice(story, box):
    eyes = story.work / "large"
    eyes.mkdir()
    for number in range(4):
        (eyes / f"{number}.raw").write_bytes(os.urandom(4 << 20))
    # rsync on the box is slow to write, so that the link drops in the middle.
    slow = story.folder / "slow"
    slow.mkdir()
    (slow / "rsync").write_text("#!/bin/sh\nexec rsync --bwlimit=2m \"$@\"\n".replace(
        "exec rsync", f"exec {sshd.NEEDED['rsync']}"))
    (slow / "rsync").chmod(0o755)
    story.environment["PATH"] = f"{slow}:{story.environment['PATH']}"
    process = story.start("transfer", "run", eyes.name, "--to", "box:large", "--json")
    target = box.home / "large"
    assert eventually(lambda: (target / "0.raw").exists())
    box.break_links()
    out, err = process.communicate(timeout=HANGS)
    assert process.returncode == 0, err
    row = json.loads(out)["transfer"]
    assert row["link_drops"] >= 1 and row["verified"]
    assert content(target) == content(eyes)
    # The last call sent what was lacking; the first file was there.
    assert row["sent_bytes"] < 13 << 20


# Forecasts ---------------------------------------------------------------------------------------


def test_a_plan_forecasts_every_way_and_leaves_nothing(story, eyes, box):
    fleet = story.fleet(sshd.fleet_entry("box", price="36"))
    story.probe("--epochs", "5").ok()
    ended = story.lapcast("transfer", "plan", eyes.name, "--to", "box:eyes", "--fleet", fleet.name,
                          "--sample", "20", "--piece", "4", "--workers", "2", "--workers-there", "3",
                          "--price-here", "1", "--training", "last", "--json", *program()).ok()
    rows = ended.rows("transfer_ways")
    assert [row["way"] for row in rows] == WAYS
    for row in rows:
        assert 0 < row["time_s_low"] <= row["time_s"] <= row["time_s_high"]
        assert row["time_with_training_s"] > row["time_s"] and row["cost_usd"] > 0
    assert sum(row["fastest"] for row in rows) == pytest.approx(1)
    assert sum(row["cheapest"] for row in rows) == pytest.approx(1)
    sample = ended.json["transfer_sample"]
    assert sample["files"] == 29 and sample["sampled_files"] == 20 and sample["piece_files"] == 4
    assert sample["prepared_share"] == pytest.approx(0.5, abs=0.01)
    command = ended.notes("transfer_ways")[-1]
    assert "next: lapcast transfer run eyes --to box:eyes" in command
    assert ("--workers 3 " if "--way there" in command else "--workers 2 ") in command
    assert nothing_is_left(story) and content(box.home / "eyes") == {}
    assert not list((box.home / "eyes").iterdir()) and not list(box.cache().iterdir())


def test_a_shaped_link_is_measured(story, eyes):
    if sshd.why_not_here():
        pytest.skip(sshd.why_not_here())
    network = sshd.Network(story.folder / "network")
    story.environment |= network.environment
    try:
        box = network.machine("far", rate="80mbit")
        for number in range(20):
            (eyes / f"{number:02}.raw").write_bytes(os.urandom(400_000))
        ended = story.lapcast("transfer", "plan", eyes.name, "--to", "far:eyes", "--sample", "29", "--piece", "7",
                              "--json", *program()).ok()
        # 80 Mbit/s are 10 MB/s, less what the protocols add; a busy machine may measure less.
        assert 0 < ended.json["transfer_sample"]["sent_bytes_per_second"] < 2e7
        assert content(box.home / "eyes") == {}
    finally:
        network.stop()
