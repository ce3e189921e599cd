"""Tests the stopwatch, which times the stages of five networks."""

import csv
import re
from pathlib import Path

import pytest

from fake_suite import NETWORKS
from report_page import report


def test_the_stopwatch_times_five_networks(story, suite):
    for name in NETWORKS[1:]:
        suite.add(name)
    ended = story.lapcast("stopwatch", "--devices", "cpu,gpu", "--repeats", 1, "--csv", "s.csv",
                          "--json").ok()
    rows = {(row["network"], row["device"]): row for row in ended.rows("stages")}
    assert list(rows) == [(name, device) for name in NETWORKS for device in ("cpu", "gpu")]
    row = rows["mnist-rnn", "cpu"]
    assert row["data_load_s"] == pytest.approx(0.3e-3)
    assert row["data_pre_process_s"] == pytest.approx(0.2e-3)
    assert row["train_s"] == pytest.approx(1.6e-3)
    assert row["evaluate_s"] == pytest.approx(0.4e-3)
    ups = ended.rows("speed_ups")
    assert [up["train_speed_up_percent"] for up in ups] == pytest.approx([0, 700] * 5)
    assert [up["evaluate_speed_up_percent"] for up in ups] == pytest.approx([0, 700] * 5)
    assert all("--evaluate" in line["arguments"] for line in suite.journal("mnist-rnn"))
    told = report(story, "--all")[1]["suite"]
    assert told["stages"] == ended.rows("stages") and told["speed_ups"] == ups
    # cuda is another name of the device, and the runs of before count.
    again = story.lapcast("stopwatch", "--devices", "cpu,cuda", "--repeats", 1, "--json").ok()
    assert again.rows("stages") == ended.rows("stages") and len(story.runs()) == 10
    stored = story.lapcast("stopwatch", "--from", "s.csv", "--json").ok()
    assert {row["device"] for row in stored.rows("stages")} == {"cpu", "gpu"}


def test_the_stopwatchs_lines_are_read_back(story, suite):
    story.lapcast("stopwatch", "--networks", "mnist-mlp", "--devices", "cpu", "--repeats", 2, "--csv",
                  "s.csv").ok()
    assert all(run["warnings"] == [] for run in story.export())  # no program has the file open
    text = (story.work / "s.csv").read_text()
    assert text.startswith("# csv,timer,status,time,sum,start,tag,uname.node,user,uname.system,"
                           "platform.version\n# csv,data-load,ok,0.000300,0.000300,")
    assert ",mnist-mlp cpu," in text and ",somebody,Linux," in text
    runs = len(story.runs())
    assert text.count("# csv,train,ok,") == runs
    imported = story.lapcast("--store", "other.db", "import", "stopwatch", "s.csv", "--json").ok()
    assert len(imported.rows("imported_runs")) == runs
    assert imported.rows("imported_runs")[0]["outcome"] == "ended"


def test_stored_stages_give_the_reviews_own_percentages(story):
    """The files hold the review's seconds (suite/papers/tables/review.csv), the table its printed percentages."""
    header = "# csv,timer,status,time,sum,start,tag,uname.node,user,uname.system,platform.version\n"
    lines = {"cpu": header, "gpu": header, "tpu": header}
    rows = Path(__file__).resolve().parents[2] / "suite/papers/tables/review.csv"
    columns, *rows = [line.split(",") for line in rows.read_text().splitlines() if line[0] != "#"]
    printed = [dict(zip(columns, row)) for row in rows]
    for row in printed:
        for device in lines:
            lines[device] += (f"# csv,{row['stage']},ok,{row[device + '_s']},0,2021-11-01 12:00:00,"
                              f"{row['network']},colab,me,Linux,1\n")
    for device, text in lines.items():
        (story.work / f"{device}.csv").write_text(text)
    ended = story.lapcast("stopwatch", "--from", "cpu=cpu.csv", "gpu=gpu.csv", "tpu=tpu.csv",
                          "--reference", "cpu", "--json").ok()
    found = {(row["network"], row["device"]): row for row in ended.rows("speed_ups")}
    for network, gpu, tpu in (("mlp", 697, 1), ("cnn", 3332, -1), ("rnn", 229, -1), ("lstm", 2257, 9),
                              ("autoencoder", 1464, -10)):
        assert round(found[network, "gpu"]["train_speed_up_percent"]) == gpu
        assert round(found[network, "tpu"]["train_speed_up_percent"]) == tpu
        assert found[network, "cpu"]["train_speed_up_percent"] == 0
    # For people a device is a column, as in table 1 of the review.
    files = "--from", "cpu=cpu.csv", "cuda=gpu.csv", "tpu=tpu.csv"
    table = story.lapcast("stopwatch", *files, "--format", "csv").ok().out.split("\n\n")[1]
    rows = {(row["network"], row["stage"]): row for row in csv.DictReader(table.splitlines())}
    assert [network for network, stage in rows if stage == "train"] == [network for network, stage in
                                                                        rows if stage == "evaluate"]
    for row in printed:
        shown = rows[row["network"], row["stage"]]
        for device in ("cpu", "gpu", "tpu"):
            assert float(shown[device + "_s"]) == pytest.approx(float(row[device + "_s"]))
        for device in ("gpu", "tpu"):
            assert round(float(shown[device + "_percent"])) == int(row[device + "_percent"])
    plain = story.lapcast("stopwatch", *files).ok().out
    assert re.search(r"^cnn +train .* 3332 +-1$", plain, re.M), plain
    assert "gpu over cpu, %" in plain and "tpu over cpu, %" in plain
    by_gpu = story.lapcast("stopwatch", *files, "--reference", "cuda").ok().out
    assert "cpu over gpu, %" in by_gpu and "gpu over" not in by_gpu
    story.lapcast("stopwatch", "--from", "gpu=gpu.csv").refused(2, "no file has stages of cpu; there are gpu")
    (story.work / "none.csv").write_bytes(b"\xff\x00,,\n")
    story.lapcast("stopwatch", "--from", "none.csv").refused(3, "no line of a stopwatch")


def test_networks_that_are_not_built_are_named(story, suite):
    ended = story.lapcast("stopwatch", "--devices", "cpu", "--repeats", 1, "--json").ok(1)
    rows = {row["network"]: row for row in ended.rows("stages")}
    assert list(rows) == NETWORKS and rows["mnist-mlp"]["train_s"] > 0
    for name in NETWORKS[1:]:
        assert rows[name]["train_s"] is None and f"`lapcast suite build {name}`" in rows[name]["reason"]
    story.lapcast("stopwatch", "--networks", "mnist-rnn", "--devices", "cpu").refused(4, "suite build mnist-rnn")


def test_the_stopwatch_refuses_before_it_measures(story, suite):
    story.lapcast("stopwatch", "--networks", "mnist-mlp", "--devices", "tpu").refused(2, "'tpu'")
    story.lapcast("stopwatch", "--networks", "mnist-mlp", "--csv", "no/where.csv").refused(6, "--csv")
    assert suite.journal() == []
