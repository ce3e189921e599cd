"""Tests `lapcast report --papers` and the charts of repeated runs: the data that the page draws."""

import json
import os
import shutil

import pytest

from fake_suite import Suite
from report_page import HOSTILE, Elements, check_parts, report

NUMBERS_ONLY_IN_PICTURES = {("kunas", "5.1"), ("kunas", "5.3"), ("kunas", "6.5"), ("malta", "4.5"),
                            ("malta", "4.10"), ("malta", "4.11"), ("lawrence", "6")}


def papers(story, *options):
    """Returns the part of the page about the papers, and its charts by paper and figure."""
    ended = story.lapcast("report", "--papers", "-o", "papers.html", "--json", *options).ok()
    elements = Elements((story.work / "papers.html").read_text(encoding="utf-8"))
    assert list(elements.scripts) == ["plotly", "data", "code"]
    document = json.loads(elements.scripts["data"])
    check_parts(document)
    part = document["papers"]
    charts = {(chart["paper"], chart["figure"]): chart for chart in part["charts"]}
    said = ended.json["report"]
    assert said["figures"] == len(charts) == len(part["charts"])
    assert said["with_own_runs"] == sum(row["with_own_runs"] for row in part["figures"])
    return part, charts


def series(chart, own):
    return {each["name"]: each["points"] for each in chart["series"] if each["own"] == own}


def program(story, name):
    """Returns the fake trainer under the name of a program of the suite."""
    shutil.copy(os.environ["FAKE_TRAINER"], story.work / name)
    return f"./{name}"


def test_every_figure_with_printed_numbers_is_drawn_without_a_store(story):
    part, charts = papers(story)
    figures = {(row["paper"], row["figure"]): row for row in part["figures"]}
    assert len(figures) == 33 and len({paper for paper, _ in figures}) == 5
    assert set(figures) - set(charts) == NUMBERS_ONLY_IN_PICTURES
    for key in NUMBERS_ONLY_IN_PICTURES:
        assert figures[key]["drawn_from"] is None and figures[key]["note"]
    for key, chart in charts.items():
        assert figures[key]["drawn_from"] in chart["caption"]
        assert figures[key]["command"] is None or figures[key]["command"] in chart["caption"]
        assert all(each["points"] and not each["own"] for each in chart["series"])
    fastest = series(charts["malta", "4.3"], False)["paper: p3.8xlarge"][2]
    assert fastest == {"x": 1024, "y": 32, "deviation": 2.3}  # table 4.1
    stages = {each["name"]: each["points"] for each in charts["review", "10-12"]["series"]}
    assert stages["compile"][1] == {"x": 0, "y": 6.452, "label": "paper: GPU"}


def test_own_runs_stand_beside_the_papers(story):
    fleet = story.fleet('[[machine]]\nname = "mine"\nprice = "3.6"\n')
    story.lapcast("repeat", fleet.name, "--batch", "256,512", "--repeats", 2, "--",
                  program(story, "seismic-fcn"), "--epochs", 3, "--laps", 4, "--lap-ms", 1, "--batch",
                  "{batch}", "--validation", 10, "--accuracy", "0.5,0.6,0.7").ok()
    part, charts = papers(story)
    own = {row["figure"] for row in part["figures"] if row["with_own_runs"]}
    assert own == {"4.3", "4.5", "4.6", "4.8", "4.9", "4.10", "5.2", "5.3", "5.4"}
    # Equation 5.1: the start, the first epoch and twice the second one; real and estimated have a bar each.
    for name in ("real", "estimated"):
        bars = [point for each in charts["malta", "4.9"]["series"] if each["name"] == name
                for point in each["points"] if point["label"].startswith("yours: ")]
        assert {bar["label"] for bar in bars} == {"yours: mine batch=256", "yours: mine batch=512"}
        assert all(bar["y"] > 0 for bar in bars)
    estimates, = series(charts["malta", "4.10"], True).values()
    for point in estimates:
        assert point["y"] == pytest.approx(point["x"] * 3.6 / 3600, abs=2e-9)
    runs = [run for run in story.export() if not run.get("warm_up")]
    assert len(runs) == 4
    times = {batch: [(run["ended_ns"] - run["started_ns"]) / 1e9 for run in runs
                     if run["settings"]["batch"] == str(batch)] for batch in (256, 512)}
    [points] = series(charts["malta", "4.3"], True).values()
    assert [point["x"] for point in points] == [256, 512]
    for point in points:
        assert point["y"] == pytest.approx(sum(times[point["x"]]) / 2) and point["deviation"] > 0
    [costs] = series(charts["malta", "4.6"], True).values()
    assert [point["label"] for point in costs] and len(costs) == 2
    assert all(point["y"] > 0 for point in costs)
    [accuracy] = series(charts["malta", "4.5"], True).values()
    assert [point["y"] for point in accuracy] == pytest.approx([70, 70])
    assert "no accuracy is printed" in charts["malta", "4.5"]["caption"]
    names = {"yours: mine batch=256", "yours: mine batch=512"}
    for figure, count in (("4.8", 3), ("5.2", 12), ("5.3", 3), ("5.4", 3)):
        courses = series(charts["malta", figure], True)
        assert set(courses) == names
        assert all([point["x"] for point in points] == list(range(1, count + 1))
                   for points in courses.values())
    ends = [point["y"] for point in series(charts["malta", "5.4"], True)["yours: mine batch=256"]]
    assert ends == sorted(ends)
    # A selection says which runs are the user's.
    charts = papers(story, "--select", "batch=512")[1]
    assert set(series(charts["malta", "4.8"], True)) == {"yours: mine batch=512"}


def test_only_runs_of_the_same_training_are_averaged(story):
    """One run of six epochs, and three of three shorter ones, on the same machine with the same batch size."""
    fleet = story.fleet('[[machine]]\nname = "mine"\nprice = "3.6"\n')
    trainer = program(story, "seismic-fcn")
    for repeats, epochs, laps in ((1, 6, 20), (3, 3, 6)):
        story.lapcast("repeat", fleet.name, "--batch", 256, "--repeats", repeats, "--warm-up", 0, "--", trainer,
                      "--epochs", epochs, "--laps", laps, "--lap-ms", 1, "--batch", "{batch}", "--validation", 10,
                      "--accuracy", "0.5,0.6,0.7").ok()
    times = {}
    for run in story.export():
        epochs = run["program"][run["program"].index("--epochs") + 1]
        times.setdefault(epochs, []).append((run["ended_ns"] - run["started_ns"]) / 1e9)
    assert {epochs: len(each) for epochs, each in times.items()} == {"6": 1, "3": 3}
    part, charts = papers(story)
    for figure in ("4.3", "4.5"):
        lines = series(charts["malta", figure], True)
        assert len(lines) == 2 and all(len(points) == 1 for points in lines.values()), lines
    lines = series(charts["malta", "4.3"], True)
    for epochs, each in times.items():
        [name] = [name for name in lines if f"--epochs {epochs}" in name]
        assert name.startswith("yours: mine --epochs")
        assert lines[name][0]["y"] == pytest.approx(sum(each) / len(each))
        assert ("deviation" in lines[name][0]) == (len(each) > 1)
    [costs] = series(charts["malta", "4.6"], True).values()
    assert len(costs) == 2 and all("--epochs" in point["label"] for point in costs)
    for figure, counts in (("4.8", {3, 6}), ("5.3", {3, 6})):
        assert {len(points) for points in series(charts["malta", figure], True).values()} == counts
    # A set of both says so, and is not refused: who names it chooses it.
    both = story.lapcast("compare", "program=seismic-fcn", "program=seismic-fcn").ok().out
    assert "A averages different trainings: --epochs 6 --laps 20" in both


def test_data_of_another_size_in_the_same_folder_is_another_training(story):
    """The arguments are the same words; what the program reads has become larger."""
    fleet = story.fleet('[[machine]]\nname = "mine"\n')
    trainer = program(story, "seismic-fcn")
    script = story.work / "train.sh"
    for laps in (5, 20):
        script.write_text(f"#!/bin/sh\nexec {trainer} --epochs 2 --laps {laps} --lap-ms 1 --batch 10\n")
        script.chmod(0o755)
        story.lapcast("repeat", fleet.name, "--repeats", 2, "--warm-up", 0, "--again", "--", "./train.sh").ok()
    (story.work / "seismic-fcn").unlink()
    part, = report(story, "--all")[1]["repeats"]
    assert [row["n"] for row in part["repeats"]] == [2, 2]
    assert part["names"] == ["mine 200 samples", "mine 50 samples"]
    assert [row["training"] for row in part["repeats"]] == ["200 samples", "50 samples"]


def test_transfers_stand_beside_the_papers(story):
    folder = story.work / "eyes"
    folder.mkdir()
    for number in range(12):
        (folder / f"{number:02}.raw").write_bytes(os.urandom(3000 + 100 * number))
    script = story.work / "prepare.sh"
    script.write_text('#!/bin/sh\ncd "$1" && for f in *; do head -c 700 "$f" >"$2/$f"; done\n')
    script.chmod(0o755)
    for target, way in (("a", "here"), ("b", "here"), ("c", "there")):
        story.lapcast("transfer", "run", "eyes", "--to", target, "--way", way, "--workers", 2, "--piece", 4,
                      "--", "./prepare.sh", "{in}", "{out}").ok()
    kept = sorted((story.folder / "store" / "transfer-results").iterdir())
    assert len(kept) == 3 and all(file.stat().st_mode & 0o077 == 0 for file in kept)
    results = [json.loads(file.read_text()) for file in kept]
    (kept[0].parent / "x.json").write_text("{}")  # is none, and does no harm
    part, charts = papers(story)
    bars = {point["label"]: point["y"] for point in series(charts["kunas", "5.2"], True)["yours"]}
    assert len(bars) == 2 and all("2 at a time, 12 files (" in label for label in bars)
    here = [each["transfer"]["time_s"] for each in results if each["transfer"]["way"] == "here"]
    [mean] = [value for label, value in bars.items() if label.startswith("yours: here,")]
    assert mean == pytest.approx(sum(here) / 2)
    courses = series(charts["kunas", "5.1"], True)
    assert len(courses) == 2
    for name, points in courses.items():
        sent = sum(point["y"] for point in points) / 8e-6  # one second each
        way = name.split()[1].rstrip(",")
        assert sent == pytest.approx([each["transfer_seconds"][-1]["sent_bytes"] for each in results
                                      if each["transfer"]["way"] == way][-1])
    sizes = {each["name"]: each["points"] for each in charts["kunas", "5.3"]["series"]}
    assert {point["label"]: point["y"] for point in sizes["original"]} == {"yours: up to 4.0 KiB": 11,
                                                                           "yours: up to 8.0 KiB": 1}
    assert {point["label"]: point["y"] for point in sizes["prepared"]} == {"yours: up to 1.0 KiB": 12}
    figures = {(row["paper"], row["figure"]) for row in part["figures"] if row["with_own_runs"]}
    assert figures == {("kunas", "5.1"), ("kunas", "5.2"), ("kunas", "5.3")}


def test_platforms_of_the_theses_have_own_runs(story):
    """Accuracy and test times by machine, times with the transfer, and GPUs apart from CPUs."""
    suite = Suite(story, ["ic-dr", "embryo-cnn"])
    fleet = story.fleet("".join(f'[[machine]]\nname = "{name}"\nhere = true\n[machine.environment]\n'
                                f'FAKE_FASTER = {faster}\n' for name, faster in (("small", 1), ("big", 4))))
    data = story.work / "data"
    data.mkdir()
    suite.run("ic-dr", "--fleet", fleet.name, "--repeats", 2, "--warm-up", 0, "--data", data).ok()
    story.lapcast("repeat", fleet.name, "--repeats", 2, "--warm-up", 0, "--", program(story, "nn-twins"),
                  "--epochs", 2, "--laps", 4, "--lap-ms", 1, "--validation", 10, "--accuracy", "0.5,0.9").ok()
    for device in ("cpu", "cuda"):
        suite.run("embryo-cnn", "--device", device, "--repeats", 1, "--data", data).ok()
    _, charts = papers(story)
    labels = [point["label"] for point in series(charts["kunas", "6.1"], True)["yours"]]
    for name in ("small", "big"):
        assert labels.count(f"yours: {name}") == labels.count(f"yours: {name}, test") >= 2
    accuracy = series(charts["kunas", "6.5"], True)["yours"]
    assert {point["label"] for point in accuracy} == {"yours: small", "yours: big"}
    relative = series(charts["kunas", "6.4"], True)["yours"]
    assert {point["label"] for point in relative} == {"yours: small", "yours: big"}
    assert max(point["y"] for point in relative) == 1
    for figure, device in (("5", "cpu"), ("6", "cuda")):
        [bar] = series(charts["lawrence", figure], True)["yours"]
        assert f"device={device}" in bar["label"]


def test_queens_stages_and_boxes_of_the_suite_stand_beside_the_papers(story):
    suite = Suite(story, ["nqueens", "nn-twins", "rnn-sa", "mnist-rnn", "embryo-cnn"])
    data = story.work / "data"
    data.mkdir()
    suite.run("nqueens", "--n", "8", "--repeats", 1).ok()
    suite.run("nn-twins", "rnn-sa", "embryo-cnn", "--repeats", 2, "--data", data).ok()
    story.lapcast("stopwatch", "--networks", "mnist-rnn", "--devices", "cpu", "--repeats", 1, "--data",
                  data).ok()
    _, charts = papers(story)
    assert "yours: one thread" in [point["label"] for point in
                                   series(charts["carneiro", "1"], True)["yours"]]
    boxes = series(charts["kunas", "6.1"], True)["yours"]
    assert len(boxes) >= 2 and {point["label"] for point in boxes} == {boxes[0]["label"]}
    assert boxes[0]["label"].startswith("yours: this-machine")
    assert len(series(charts["kunas", "6.2"], True)["yours"]) >= 2
    [bar] = series(charts["kunas", "6.6"], True)["yours"]
    assert 80 < bar["y"] <= 100 and bar["label"].startswith("yours: this-machine")
    accuracy, = series(charts["lawrence", "4"], True).values()
    assert [point["x"] for point in accuracy] == [1, 2] and accuracy[0]["y"] > 80
    stages = {each["name"]: each["points"][-1] for each in charts["review", "7-9"]["series"]}
    assert {stage["label"] for stage in stages.values()} == {"yours: cpu"}
    assert stages["train"]["y"] == pytest.approx(1.6e-3)


def test_runs_of_the_suite_on_a_fleet_stand_beside_the_papers(story):
    suite = Suite(story, ["nqueens", "mnist-rnn"])
    fleet = story.fleet("".join(f'[[machine]]\nname = "{name}"\nhere = true\n[machine.environment]\n'
                                f'FAKE_FASTER = {faster}\n' for name, faster in (("small", 1), ("big", 4))))
    data = story.work / "data"
    data.mkdir()
    ran = suite.run("nqueens", "--n", "8,9", "--fleet", fleet.name, "--device", "cuda", "--threads", 2,
                    "--repeats", 1, "--warm-up", 1, "--json").ok()
    suite.run("mnist-rnn", "--fleet", fleet.name, "--device", "both", "--repeats", 1, "--warm-up", 0,
              "--data", data).ok()
    part, charts = papers(story)
    rates = {point["label"]: point["y"] for point in series(charts["carneiro", "1"], True)["yours"]}
    averages = ran.rows("board_averages")
    assert len(averages) == 6 and rates == pytest.approx(
        {f"yours: {row['machine_type']} {row['mode']}": row["million_nodes_per_second"] for row in averages})
    ups = {point["label"]: point["y"] for point in series(charts["carneiro", "2"], True)["yours"]}
    assert ups["yours: small GPU"] == pytest.approx(18) and ups["yours: big all cores"] == pytest.approx(2)
    for each in charts["review", "7-9"]["series"]:
        own = {point["label"]: point["y"] for point in each["points"] if point["label"].startswith("yours: ")}
        if each["name"] == "evaluate":  # the suite's programs have no such stage
            assert not own
        else:
            assert set(own) == {f"yours: {name} {device}" for name in ("small", "big")
                                for device in ("cpu", "gpu")}
    assert {row["figure"] for row in part["figures"] if row["with_own_runs"] and row["paper"] == "review"} == {"7-9"}
    # In a report each machine has its own boards, and trainings of a fleet are not a set of one machine.
    suite_part = report(story, "--all")[1]["suite"]
    assert "suite_runs" not in suite_part
    rows = {(row["n"], row["machine_type"], row["mode"]): row for row in suite_part["boards"]}
    assert len(rows) == len(suite_part["boards"]) == 12 and all(row["as_known"] for row in rows.values())
    assert rows[9, "big", "GPU"]["runs"] == 1 and rows[9, "big", "GPU"]["speed_up"] == pytest.approx(18)


def test_repeated_runs_have_boxes_and_tests_in_every_report(story):
    fleet = story.fleet("".join(f'[[machine]]\nname = "{name}"\n[machine.environment]\nFAKE_SPEED = {speed}\n'
                                for name, speed in (("slow", 1), ("fast", 8))))
    story.lapcast("repeat", fleet.name, "--repeats", 3, "--", *story.trainer(
        "--epochs", 1, "--laps", 20, "--lap-ms", 30, "--accuracy", "0.9")).ok()
    part, = report(story)[1]["repeats"]
    assert part["names"] == ["fast", "slow"]  # in order of name
    assert [row["n"] for row in part["repeats"]] == [3, 3]
    values = part["values"]
    assert len(values) == 8 and sum(value["warm_up"] for value in values) == 2
    assert {value["run"] for value in values} == {run["id"] for run in story.export()}
    mean = sum(value["time_s"] for value in values if value["group"] == 1 and not value["warm_up"]) / 3
    assert part["repeats"][0]["time_s"] == pytest.approx(mean)
    test, = [row for row in part["repeat_tests"] if row["metric"] == "time"]
    assert (test["a"], test["b"]) == ("fast", "slow") and test["adjusted_p"] < 0.05


def test_names_stay_data_and_other_parts_are_refused(story):
    fleet = story.fleet(f"[[machine]]\nname = {json.dumps(HOSTILE.split(chr(0x2028))[0])}\n")
    story.lapcast("repeat", fleet.name, "--repeats", 2, "--", program(story, "seismic-fcn"), "--laps", 4,
                  "--lap-ms", 1).ok()
    _, charts = papers(story)
    assert any("</script>" in name for name in series(charts["malta", "4.3"], True))
    for option in (["--compare", "last", "last"], ["--target", "val_accuracy=0.5"],
                   ["--heartbeats", "."], ["--notebook", "x.ipynb"]):
        story.lapcast("report", "--papers", *option).refused(2, "--papers")
