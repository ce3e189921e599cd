"""Holds what commands print with --json against docs/json.schema.json, as every story does with what
it reads, and the schema against the commands."""

import json
import re

import pytest

from json_schema import SCHEMA, errors_of

jsonschema = pytest.importorskip("jsonschema", reason="Debian: python3-jsonschema")

WITH_EPOCHS, WITHOUT = "5eeb00000001", "5eeb00000002"


def checked(ended, command, *tables):
    """Returns the object of --json, which is checked, is of the command and has these tables."""
    assert ended.json["command"] == command and set(tables) <= set(ended.json), list(ended.json)
    return ended.json


def test_the_schema_is_one_and_refuses_what_it_does_not_know(frozen):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    document = frozen.lapcast("runs", "--json").ok().json
    assert errors_of(document) == []
    for change in ({"schema": 2}, {"runs": None}, {"rows": []}, {"command": "fly"},
                   {"runs": [document["runs"][0] | {"new": 1}]},
                   {"runs": [{"run": "000000000001"}]}):
        assert errors_of(document | change), change


@pytest.mark.parametrize("command, tables", [
    ("rank --sweep " + WITH_EPOCHS, "candidates excluded crossovers times_by_epochs rankings best"),
    ("rank --by score --sweep " + WITH_EPOCHS, "best"),
    ("rank --per-batch --sweep " + WITHOUT, "rankings"),
    ("rank --epochs 5,10,20 --sweep " + WITHOUT, "relative"),
    ("show 000000000003 --methods --laps --output", "run profile forecast parts methods laps"),
    ("show last", "run forecast"),
    ("forecast 000000000003 000000000001", "forecasts errors"),
    ("epochs 000000000001 --target val_accuracy=0.75", "epochs"),
    ("compare 000000000003,000000000004 000000000005,000000000006 --metric lap", "sets comparison"),
    ("runs", "runs"), ("sweeps", "sweeps"), ("jobs", "jobs"),
    ("machine", "machine"), ("catalog", "offers"), ("suite", "workloads"),
    ("suite list", "workloads"),
])
def test_what_stored_runs_say_has_the_schema(frozen, command, tables):
    name = next(word for word in (" ".join(command.split()[:2]), command.split()[0])
                if word in SCHEMA["properties"]["command"]["enum"])
    checked(frozen.lapcast(*command.split(), "--json").ok(), name, *tables.split())


def test_no_text_holds_a_number_with_its_unit(frozen):
    """Sizes, times and money are numbers; only the texts for people are not searched."""
    for command in (["rank", "--sweep", WITH_EPOCHS], ["show", "000000000003"], ["machine"]):
        document = frozen.lapcast(*command, "--json").ok().json
        for name in set(document) - {"schema", "command", "notes"}:
            text = json.dumps(document[name])
            text = re.sub(r'"(outcome_text|program|what|forecast|reason|cpu_model|cpu)": "[^"]*"',
                          "", text)
            assert not re.search(r'"[^"]*\d ?(%|[KMGT]?i?B|s|min|h|USD)"', text), (name, text)


def test_what_is_measured_has_the_schema(story):
    fleet = story.fleet("".join(
        f'[[machine]]\nname = "{name}"\nprice = "{speed}"\n'
        f'[machine.environment]\nFAKE_SPEED = {speed}\n' for name, speed in (("slow", 1), ("fast", 4))))
    program = story.trainer("--epochs", 2, "--laps", 30, "--lap-ms", 5, "--batch", "{batch}")
    sweep = story.lapcast("sweep", fleet, "--batch", "32", "--max-laps", 15, "--json", "--", *program)
    document = checked(sweep.ok(), "sweep", "sweep", "probes", "best")
    ranked = checked(story.lapcast("rank", "--json").ok(), "rank", "best", "sweep")
    assert document["best"] == ranked["best"] and ranked["sweep"] == document["sweep"]
    assert set(ranked["best"]) == {"cost", "time"}
    assert ranked["best"]["cost"]["settings"] == {"batch": 32}
    assert document["sweep"]["id"] == story.export()[0]["sweep"]
    checked(story.lapcast("verify", "--all", "--json").ok(), "verify", "verified", "regret")
    race = story.lapcast("sweep", fleet, "--batch", "32,64", "--race", "--json", "--", *program)
    checked(race.ok(), "sweep", "race", "picks", "search_cost")
    checked(story.probe("--json", "--price", "1", "--max-laps", 20).ok(), "probe", "run", "forecast")
    failed = story.probe("--json", program=["false"])
    assert checked(failed, "probe", "run")["forecast"]["time_s"] is None
    story.lapcast("watch", "--quiet", "--", *story.trainer("--laps", 60, "--lap-ms", 10)).ok()
    checked(story.lapcast("show", "--json").ok(), "show", "moments")
    checked(story.lapcast("fleet", "check", fleet, "--json").ok(), "fleet check", "fleet", "machines")
    checked(story.lapcast("fleet", "check", "--files", fleet, "--json").ok(), "fleet check", "sent")
    quiet = story.lapcast("machine", "--quiet-check", "--json")
    assert checked(quiet, "machine", "quiet")["quiet"]["is_quiet"] == (quiet.code == 0)


def test_what_is_imported_and_reported_has_the_schema(story):
    (story.work / "timed.csv").write_text("epoch,loss,epoch_time\n0,1.2,12\n1,1,10\n2,1,10\n")
    old = story.lapcast("import", "keras-csv", "timed.csv", "--json")
    checked(old.ok(), "import", "import", "imported_runs")
    exported = story.lapcast("export").ok().out
    checked(story.lapcast("import", "-", "--json", input=exported.encode()).ok(), "import", "import")
    hour, at = 3600 * 10**9, 1_600_000_000 * 10**9
    beats = "".join(f"beat {at + n * hour} {at + n * hour} 3f0c8a91d2e4 {n}\n" for n in range(3))
    (story.work / "beats").write_text(
        f"begin {at} {at} 3f0c8a91d2e4 boot {2 * hour} cuda colab here\n" + beats)
    checked(story.lapcast("soak", "report", "beats", "--json").ok(), "soak report", "availability",
            "sessions", "hours")


def test_every_command_of_the_schema_is_one_of_lapcast(story):
    for command in SCHEMA["properties"]["command"]["enum"]:
        story.lapcast(*command.split(), "--help").ok()
