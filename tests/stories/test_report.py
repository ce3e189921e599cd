"""Tests `lapcast report`: the page as one file, and the data in it."""

import base64
import json
import os
import re
import stat
import struct
import zlib
from pathlib import Path

from conftest import GOLDEN, UNAWARE_OF_OTHERS, eventually
from mlperf_log import training
from report_page import HOSTILE, report

SECRET = "hunter2-hunter2"


def unpacked(table):
    """Returns the columns of a packed table as lists of numbers."""
    columns = {}
    for name, text in table["columns"].items():
        shuffled = zlib.decompress(base64.b64decode(text), -15)
        count = table["count"]
        assert len(shuffled) == 8 * count
        plain = b"".join(shuffled[i::count] for i in range(count))
        columns[name] = list(struct.unpack(f"<{count}q", plain))
    return columns


def swept(story, *options):
    fleet = story.fleet('[[machine]]\nname = "small"\nprice = "0.10"\n')
    return story.lapcast("sweep", fleet.name, "--batch", "8,16", "--max-laps", 20, "--precision", "0.01%",
                         *options, "--",
                         *story.trainer("--laps", 1000, "--lap-ms", 4, "--batch", "{batch}",
                                        "--epochs", 3, "--train", 320), env=UNAWARE_OF_OTHERS)


def test_a_report_of_a_sweep_is_one_private_file(story):
    swept(story).ok()
    elements, document = report(story)
    assert stat.S_IMODE((story.work / "report.html").stat().st_mode) == 0o600
    assert list(elements.scripts) == ["plotly", "data", "code"]
    assert not {"iframe", "object", "img", "embed"} & set(elements.tags)
    assert "default-src 'none'" in (story.work / "report.html").read_text()
    candidates = document["rank"]["candidates"]
    assert [row["settings"]["batch"] for row in candidates] and len(candidates) == 2
    assert [bill["rank"] for bill in document["bills"]] == [1, 2]
    for bill, row in zip(document["bills"], candidates):
        assert abs(sum(line["usd"] for line in bill["lines"]) - bill["total_usd"]) < 1e-9
        assert abs(bill["total_usd"] - row["cost_usd"]) < 1e-9
    assert len(document["runs"]) == 2 and document["prices"][0]["usd_per_hour"] == 0.1
    assert re.match(r"lapcast sweep \S*fleet.toml --batch 8,16 .*-- ", document["repeat"][0])
    said = story.lapcast("report", "-o", "other.html", "--json").ok().json["report"]
    assert said["file"] == str(story.work / "other.html") and said["runs"] == 2
    assert said["size_bytes"] == (story.work / "other.html").stat().st_size


def test_what_others_need_and_what_deadlines_cost(story):
    fleet = story.fleet("".join(
        f'[[machine]]\nname = "{name}"\nprice = "{price}"\n[machine.environment]\nFAKE_SPEED = {speed}\n'
        for name, price, speed in (("dear", "9.00", 4), ("steady", "0.10", 1))))
    story.lapcast("sweep", fleet.name, "--max-laps", 20, "--",
                  *story.trainer("--laps", 1000, "--lap-ms", 40, "--epochs", 300, "--train", 6400)).ok()
    free = report(story)[1]["rank"]
    cheap, dear = free["candidates"]
    [needs] = free["explanation"]
    assert needs["rank"] == 2 and needs["machine_type"] == "dear"
    assert 0 < needs["needed_price_usd_per_hour"] < needs["price_usd_per_hour"] == 9
    [fast, slow] = free["deadline_costs"]
    assert (fast["machine_type"], fast["deadline_s"]) == ("dear", dear["time_s"])
    assert (slow["cost_usd"], slow["deadline_s"]) == (cheap["cost_usd"], cheap["time_s"])
    # A deadline that only the dear machine meets excludes nothing from the costs by deadline.
    within = f"{(dear['time_s_high'] + cheap['time_s_low']) / 2}s"
    asked = report(story, "--deadline", within, "--risk", "2.5%")[1]["rank"]
    assert [row["machine_type"] for row in asked["candidates"]] == ["dear"]
    [fast, slow] = asked["deadline_costs"]
    assert fast["risk"] == 0.025 and f"{fast['wanted_s']}s" == within
    assert dear["time_s"] < fast["deadline_s"] < fast["wanted_s"]
    assert slow["machine_type"] == "steady" and slow["deadline_s"] > cheap["time_s"]


def test_a_notebook_has_the_figures_of_the_page(story):
    swept(story).ok()
    _, page = report(story)
    story.lapcast("report", "--notebook", "sweep.ipynb").ok()
    notebook = json.loads((story.work / "sweep.ipynb").read_text())
    values = notebook["metadata"]["lapcast"]["values"]
    assert values["rank"]["candidates"] == page["rank"]["candidates"]
    assert len(values["runs"]) == len(page["runs"])


def test_packed_laps_are_those_of_show(story):
    swept(story).ok()
    for run in report(story)[1]["runs"]:
        shown = story.lapcast("show", run["run"]["id"], "--laps", "--json").ok()
        laps, begin_ns = unpacked(run["laps"]), 0
        assert run["laps"]["count"] == len(shown.rows("laps")) >= 20
        for i, lap in enumerate(shown.rows("laps")):
            begin_ns += laps["gap_ns"][i]
            assert abs(begin_ns - 1e9 * lap["begin_s"]) < 1 and laps["samples"][i] == lap["samples"]
            assert abs(laps["time_ns"][i] - 1e9 * lap["lap_s"]) < 1 and laps["queued"][i] == 0
            begin_ns += laps["time_ns"][i]
        assert run["profile"]["lap_s"] == shown.json["profile"]["lap_s"]
        assert [mark for mark in run["marks"] if mark["kind"] == "warm-up"]


def test_selections(story):
    swept(story).ok()
    story.probe("--max-laps", 5).ok()
    one = report(story, "last")[1]
    assert len(one["runs"]) == 1 and one["runs"][0]["run"]["sweep"] is None
    assert len(report(story)[1]["runs"]) == 2
    assert len(report(story, "--all")[1]["runs"]) == 3
    batch = report(story, "--select", "batch=8", "--title", "A & B")[1]
    assert [run["run"]["settings"] for run in batch["runs"]] == [{"batch": 8}]
    assert batch["title"] == "A & B" and batch["made"]["command"].endswith("--title 'A & B'")
    story.lapcast("report", "nosuchrun").refused(2, "no run")


def test_a_comparison(story):
    swept(story).ok()
    compared = report(story, "--compare", "batch=8", "batch=16", "--metric", "lap")[1]["compare"]
    assert compared["metric"] == "lap" and compared["unit"] == "s"
    assert [value["set"] for value in compared["values"]] == ["A", "B"]
    story.lapcast("report", "--compare", "batch=8").refused(2, "two sets")


def test_only_failures(story):
    story.probe(program=["sh", "-c", "exit 3"]).ok(4)
    [run] = report(story)[1]["runs"]
    assert run["run"]["outcome"] == "crashed" and "laps" not in run


def test_no_runs(story):
    story.probe("--max-laps", 3).ok()
    story.lapcast("runs", "rm", "last").ok()
    story.lapcast("report").refused(1, "there are no runs to report")
    assert not (story.work / "report.html").exists()


def test_places_that_cannot_be_written(story):
    story.probe("--max-laps", 3).ok()
    (story.work / "folder").mkdir()
    story.lapcast("report", "-o", "folder").refused(6, "it is a folder")
    story.lapcast("report", "-o", "no/report.html").refused(6, "there is no such folder")
    story.lapcast("report", "-o", "/proc/report.html").refused(6, "cannot write /proc/report.html")
    assert os.listdir(story.work) == ["folder"]


def test_imported_runs_and_a_race(story):
    story.lapcast("import", GOLDEN / "runs.jsonl").ok()
    document = report(story)[1]
    assert len(document["runs"]) > 5 and len(document["rank"]["candidates"]) >= 4
    assert all(run["run"]["imported"] for run in document["runs"])
    assert any(run.get("metrics") for run in document["runs"])


def test_a_race_has_its_rounds(story):
    fleet = story.fleet("".join(
        f'[[machine]]\nname = "{name}"\nprice = "{price}"\n[machine.environment]\nFAKE_SPEED = {speed}\n'
        for name, price, speed in (("dear", "1.20", 0.2), ("steady", "0.10", 1))))
    program = story.trainer("--epochs", 50, "--train", 6400, "--lap-ms", 20, "--init-ms", 100)
    raced = story.lapcast("sweep", fleet.name, "--race", "--json", "--", *program).ok()
    race = report(story)[1]["race"]
    told = {row["candidate"]: (row["run"], row["state"] == "out") for row in race["race"]}
    assert told == {row["candidate"]: (row["run"], row["state"] == "out")
                    for row in raced.rows("race")}
    assert [row["candidate"] for row in race["race"]] == ["steady", "dear"]  # as they began
    assert race["picks"] and race["search_cost"]
    for row in race["timeline"]:
        assert 0 <= row["begin_s"] <= row["end_s"]
    [out] = [row for row in race["timeline"] if "out_reason" in row]
    assert out["machine_type"] == "dear" and "cheapest" in out["out_reason"]


def test_a_race_at_equal_epochs_is_told_as_one(story):
    fleet = story.fleet('[[machine]]\nname = "small"\nprice = "0.10"\n')
    program = story.trainer("--epochs", 50, "--train", 6400, "--lap-ms", 10, "--batch", "{batch}")
    raced = story.lapcast("sweep", fleet.name, "--race", "--by", "time", "--same-epochs", "--batch",
                          "32,64", "--json", "--", *program).ok()
    document = report(story)[1]
    assert [row["group"] for row in document["race"]["picks"]] == [row["group"] for row in raced.rows("picks")]
    assert document["repeat"][0].startswith("lapcast sweep fleet.toml --race --by time --same-epochs ")


def test_logs_have_no_command(story):
    (story.work / "result_0.txt").write_text(training())
    story.lapcast("import", "mllog", "result_0.txt").ok()
    document = report(story)[1]
    assert document["title"].endswith(", 1 run") and document["repeat"] == []


def test_heartbeats_need_no_run(story):
    story.probe("--max-laps", 20).ok()
    story.lapcast("runs", "rm", "last").ok()
    beats = story.work / "beats"
    beats.write_text("begin 1790000000000000000 5000000000 1a 2b 60000000000 cpu box here\n"
                     "beat 1790000060000000000 65000000000 1a 10\n")
    document = report(story, "--heartbeats", beats)[1]
    assert document["title"] == "How long machines last" and document["soak"] and document["runs"] == []


def test_verified_runs(story):
    swept(story).ok()
    story.lapcast("verify", "--top", 1).ok()
    verify = report(story)[1]["verify"]
    assert verify["verified"] and verify["errors"]


def hostile(run):
    """Returns an exported run with hostile texts wherever it has texts."""
    log = run["lap_logs"][0].rstrip("\n")
    run |= {"id": "0badf00d", "program": [HOSTILE, HOSTILE], "settings": {HOSTILE: HOSTILE},
            "imported_from": "", "sweep": "", "warnings": [HOSTILE, "x" * 900_000], "offer": "",
            "lap_logs": [log + "\n9999999999 note <script>alert(3)</script>\n"]}
    run["machine_type"] |= {"name": HOSTILE[:60]}
    run["price"] |= {"source": HOSTILE, "machine_type": HOSTILE[:60], "name": HOSTILE[:60]}
    run["machine"] |= {"host": HOSTILE, "cpu_model": HOSTILE}
    return run


def test_hostile_texts_are_data(story):
    runs = [json.loads(line) for line in (GOLDEN / "runs.jsonl").read_text().splitlines()]
    run = [run for run in runs if run["lap_logs"] and run["kind"] == "probe"][-1]
    plain = report_of_lines(story, [run])
    nasty = report_of_lines(story, [hostile(run)])
    assert nasty[0].tags == plain[0].tags
    page = (story.work / "report.html").read_text(encoding="utf-8")
    data = page.split('id="data">')[1].split("</script>")[0]
    assert "<" not in data and "\u2028" not in data
    [shown] = nasty[1]["runs"]
    assert shown["run"]["program"].startswith(HOSTILE)
    assert all(len(note["text"]) < 5000 for note in shown["notes"])


def report_of_lines(story, runs):
    """Returns the report of a store that has these runs."""
    export = story.work / "runs.jsonl"
    export.write_text("".join(json.dumps(run) + "\n" for run in runs))
    store = ["--store", story.folder / f"{runs[0]['id']}.db"]
    story.lapcast(*store, "import", export).ok()
    return report(story, *store)


def test_secrets_are_never_in_it(story):
    program = story.trainer("--laps", 100, "--lap-ms", 2)
    fleet = story.fleet(f'[[machine]]\nname = "small"\n[machine.environment]\nHF_TOKEN = "{SECRET}"\n'
                        'PLAIN_VALUE = "a-plain-value"\n')
    story.lapcast("sweep", fleet.name, "--set", f"token={SECRET}", "--max-laps", 5, "--",
                  "env", "API_KEY={token}", *program, f"--password={SECRET}",
                  env={"ANY_TOKEN": SECRET})
    page = story.work / "report.html"
    for options in ([], ["--full"], ["--redact"], ["--title", "x", "--compare", "last", "last"]):
        story.lapcast("report", *options).ok()
        assert SECRET not in page.read_text(), options
        assert ("a-plain-value" in page.read_text()) == ("--full" in options)


def test_redaction(story):
    secret_folder = story.work / "of-the-customer"
    secret_folder.mkdir()
    story.probe("--max-laps", 5, program=["env", f"DATA={secret_folder}", *story.trainer("--laps", 10)]).ok()
    host = os.uname().nodename
    page = story.work / "report.html"

    def text_of(*options):
        report(story, *options)
        return page.read_text().split('id="data">')[1].split("</script>")[0]

    usual, full, redacted = text_of(), text_of("--full"), text_of("--redact")
    assert str(story.folder) not in usual and "DATA=~/work/of-the-customer" in usual
    assert str(secret_folder) in full and f'"host":"{host}"' in full.replace(": ", ":")
    assert f'"host":"{host}"' not in usual.replace(": ", ":")
    assert "customer" not in redacted and "DATA=" not in redacted


def test_the_browser_is_started_without_a_shell(story):
    story.probe("--max-laps", 3).ok()
    folder = story.folder / "bin"
    folder.mkdir()
    opener = folder / "xdg-open"
    opener.write_text(f'#!/bin/sh\nprintf "%s\\n" "$#" "$1" >"{story.folder}/opened"\n')
    opener.chmod(0o755)
    name = "a report; touch oops.html"
    report(story, "--open", file=name, env={"PATH": f"{folder}:{os.environ['PATH']}"})
    opened = Path(story.folder, "opened")
    assert eventually(lambda: opened.exists() and opened.read_text().count("\n") == 2)
    assert opened.read_text() == f"1\n{story.work / name}\n"
    ended = story.lapcast("report", "--open", env={"PATH": "/nowhere"}).ok()
    assert "warning: " in ended.err and (story.work / "report.html").exists()


def test_plotly_travels_with_its_licence(story):
    story.probe("--max-laps", 3).ok()
    elements, document = report(story)
    has_plotly = len(elements.scripts.get("plotly", "")) > 1000
    assert has_plotly == bool(document.get("licences"))
    if has_plotly:
        script = zlib.decompress(base64.b64decode(elements.scripts["plotly"]), -15)
        assert re.search(rb"plotly\.js v[0-9]", script[:200])
        assert "Permission is hereby granted" in document["licences"][0]["text"]
