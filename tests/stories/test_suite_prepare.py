"""lapcast suite prepare retina: photographs become TFRecord shards that TensorFlow reads."""

import csv
import os
import subprocess
from pathlib import Path

import pytest
from conftest import mounted_disk
from frameworks import python_with, run_python

READ = """
import glob, sys
import tensorflow as tf
features = {"image/encoded": tf.io.FixedLenFeature([], tf.string),
            "image/filename": tf.io.FixedLenFeature([], tf.string),
            "image/class/label": tf.io.FixedLenFeature([], tf.int64),
            "image/height": tf.io.FixedLenFeature([], tf.int64)}
for record in tf.data.TFRecordDataset(sorted(glob.glob(sys.argv[1] + "/*.tfrecord"))):
    example = tf.io.parse_single_example(record, features)
    shape = tf.io.decode_jpeg(example["image/encoded"]).shape
    print(example["image/filename"].numpy().decode(), int(example["image/class/label"]),
          *shape, int(example["image/height"]))
"""


@pytest.fixture
def eyes(story):
    """Returns a folder of seven small photographs; the third is empty."""
    folder = os.environ.get("LAPCAST_WORKLOAD_PROGRAMS")
    if not folder or not (Path(folder) / "retina-prepare").exists():
        pytest.skip("retina-prepare is not built here: LAPCAST_WORKLOAD_PROGRAMS names its folder")
    story.environment["LAPCAST_SUITE_DIR"] = folder
    eyes = story.folder / "eyes"
    subprocess.run([Path(folder) / "make-retinas", "--out", eyes, "--images", "7", "--size",
                    "320x240", "--grades", "even"], check=True, stdout=subprocess.DEVNULL)
    (eyes / "2_left.jpeg").write_bytes(b"")
    return eyes


def prepare(story, eyes, *options):
    return story.lapcast("suite", "prepare", "retina", "--in", eyes, "--out", story.folder / "out",
                         "--size", 64, "--shard", 4, *options, "--json")


def test_photographs_become_shards_once(story, eyes):
    ended = prepare(story, eyes).ok()
    assert ended.json["prepared"]["prepared"] == 6
    assert ended.json["prepared"]["shards"] == 2
    assert ended.rows("prepare_skipped") == [{"image": "2_left.jpeg", "reason": "the file is empty"}]
    assert prepare(story, eyes).ok().json["prepared"]["now"] == 0
    other = prepare(story, eyes, "--format", "jpeg")
    assert other.code == 4 and other.out == "", other
    said, failed = other.err.splitlines()  # a line of the program, and one of the command
    assert said.startswith("retina-prepare: ") and "same settings" in said
    assert failed.startswith("lapcast: retina-prepare failed")


def test_lists_hold_no_formula_and_control_no_terminal(story, eyes):
    for name, text in (("=1+1,x_left.jpeg", b""), ("5_\033[31m_left.jpeg", b"no picture"), ("@a_right.jpeg", b"")):
        (eyes / name).write_bytes(text)
    prepare(story, eyes).ok()
    lists = list((story.folder / "out").glob("retina-*.csv"))
    cells = [cell for file in lists for row in csv.reader(file.open(newline="")) for cell in row]
    assert {"'=1+1,x_left.jpeg", "5_\\x1b[31m_left.jpeg", "'@a_right.jpeg"} <= set(cells)
    assert not [cell for cell in cells if cell[:1] in ("=", "+", "-", "@") or "\033" in cell]
    assert prepare(story, eyes).ok().json["prepared"]["now"] == 0  # the names are known again


def test_tensorflow_reads_the_shards(story, eyes):
    python = python_with("tensorflow")
    prepare(story, eyes).ok()
    lines = run_python(python, READ, story.folder / "out").splitlines()
    names = ["1_left", "1_right", "2_right", "3_left", "3_right", "4_left"]
    grades = [0, 1, 3, 4, 0, 1]
    assert lines == [f"{name}.jpeg {grade} 64 64 3 64" for name, grade in zip(names, grades)]


@pytest.fixture
def small_disk(story):
    """Makes a file system that holds two or three shards of two pictures."""
    yield from mounted_disk(story, "size=80k")


def test_n_a_full_disk_keeps_what_was_prepared(story, eyes, small_disk):
    command = ["suite", "prepare", "retina", "--in", eyes, "--out", small_disk, "--shard", 2, "--json"]
    full = story.lapcast(*command)
    assert full.code == 4 and full.out == "", full
    assert str(small_disk) in full.err and "No space left on device" in full.err, full
    kept = {path.name: path.read_bytes() for path in small_disk.glob("*.tfrecord")}
    assert kept
    subprocess.run(["mount", "-o", "remount,size=1m", small_disk], check=True)
    figures = story.lapcast(*command).ok().json["prepared"]
    assert figures["prepared"] == 6 and 0 < figures["now"] < 7
    assert {name: (small_disk / name).read_bytes() for name in kept} == kept


def test_only_retinas_can_be_prepared(story):
    story.lapcast("suite", "prepare", "cats", "--in", ".", "--out", "x").refused(2, "retina can")
