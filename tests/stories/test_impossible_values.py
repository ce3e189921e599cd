"""Tests that impossible values are refused on import with their names. Measured runs are kept, and
their odd part is named."""

import json
import sqlite3

import pytest

YEAR = 31_557_600 * 10**9


@pytest.fixture
def run(story):
    story.probe("--max-laps", 20, "--epochs", 3, "--price", "0.36").ok()
    run, = story.export()
    story.store.unlink()
    return run


def with_value(run, path, value):
    """Returns a copy of a run with another value at a path such as "machine.cores"."""
    copy = json.loads(json.dumps(run))
    *folders, name = path.split(".")
    at = copy
    for folder in folders:
        at = at[folder]
    at[name] = value
    return copy


NONSENSE = [
    ("ended_ns", 1, "ended_ns is not within 100 years after started_ns"),
    ("stop_sent_ns", 1, "stop_sent_ns is not between start and end"),
    ("plan.epochs", -3, "plan.epochs is negative"),
    ("plan.training_samples", 2**62, "plan.training_samples is above 2^60"),
    ("machine.cores", -8, "machine.cores is negative"),
    ("machine.cpu_limit", -1.5, "machine.cpu_limit is not above 0"),
    ("machine_type.cpus", [3, 0], "machine_type.cpus is not an ascending list of CPUs"),
    ("machine_type.cpu_quota", -0.5, "machine_type.cpu_quota is not above 0"),
    ("machine_type.name", "x" * 1001, "machine_type.name is longer than 1000 bytes"),
    ("price.boot_ns", 292 * YEAR, "price cannot be: boot is longer than a day"),
    ("price.as_of", "2999-01-01", "price cannot be: as_of is in the future"),
    ("price.as_of", "someday", "price cannot be: as_of is not a date"),
    ("price.usd_per_hour", "-1", "price cannot be: usd_per_hour is negative"),
    ("started_at", "9999-01-01T00:00:00Z", "started_at is not a time between 1970 and tomorrow"),
    ("started_at", "2026-02-30T00:00:00Z", "started_at is not a time between 1970 and tomorrow"),
    ("usage.user_s", -1.0, "usage.user_s is negative or too long"),
    ("preparation", [{"what": "queue", "time_s": -1.0}], "preparation has a step"),
    ("forecasts", [{"elapsed_s": 1.0, "total_s_low": 3.0, "total_s": 2.0, "total_s_high": 1.0}],
     "forecasts has one that is not low <= mid <= high"),
    ("program", [], "program is empty"),
    ("program", ["a\x00b"], "program is too long or holds a NUL byte"),
    ("sweep", "../..", "sweep is not an id"),
]


def test_i_an_impossible_import_is_refused_by_name(story, run):
    lines = [json.dumps(with_value(run, path, value)) for path, value, _ in NONSENSE]
    ended = story.lapcast("import", "-", input="\n".join(lines).encode()).ok(3)
    said = ended.err.splitlines()
    assert len(said) == len(NONSENSE)
    for number, (line, (_, _, message)) in enumerate(zip(said, NONSENSE), 1):
        assert line.startswith(f"lapcast: stdin:{number}: ") and message in line
    assert story.runs() == []


def test_i_pauses_over_all_of_a_run_are_refused(story, run):
    begin, end = run["started_ns"], run["ended_ns"]
    middle = (begin + end) // 2
    for pauses, message in (([[begin, end]], "pauses are not in order"),
                            ([[middle, end], [begin, middle]], "pauses are not in order"),
                            ([[begin, middle]] * 200_000, "pauses are not in order")):
        line = json.dumps(run | {"pauses": [{"begin_ns": a, "end_ns": b} for a, b in pauses]})
        assert message in story.lapcast("import", "-", input=line.encode()).ok(3).err
    line = json.dumps(run | {"pauses": [{"begin_ns": begin, "end_ns": middle}]})
    story.lapcast("import", "-", input=line.encode()).ok()


def test_i_a_catalog_and_a_fleet_file_hold_no_price_of_the_future(story, run):
    story.lapcast("import", "-", input=json.dumps(run).encode()).ok()
    (story.work / "prices.csv").write_text(
        "name,machine_type,price_usd_per_hour,boot,as_of,source\n"
        "a,m,1,,2999-01,x\nb,m,1,,2999,x\nc,m,1,300d,2021,x\nd,m,1,24h,2021,x\n")
    ended = story.lapcast("catalog", "--offers", "prices.csv", "--json").ok()
    assert [row["name"] for row in ended.rows("offers")] == ["d"]
    for line, why in (("2", "as_of is in the future"), ("3", "as_of is in the future"),
                      ("4", "boot is longer than a day")):
        assert f"prices.csv:{line}: {why}" in ended.err
    machine = '[[machine]]\nname = "m"\nprice = "1"\n'
    for extra, why in (('as_of = "2999-01-01"', "as_of is in the future"),
                       ('boot = "2d"', "boot is longer than a day")):
        story.fleet(f"{machine}{extra}\n")
        story.lapcast("sweep", "fleet.toml", "--", "true").refused(3, why)


def test_i_a_store_of_an_older_lapcast_stays_readable(story):
    story.probe("--max-laps", 20, "--epochs", 3, "--price", "0.36").ok()
    database = sqlite3.connect(story.store)
    (record,) = database.execute("SELECT record FROM runs").fetchone()
    odd = with_value(json.loads(record), "machine.cores", -8)
    odd["started_at"] = "9999-01-01T00:00:00Z"
    odd["price"]["boot_ns"] = 292 * YEAR
    line = json.dumps(odd)
    database.execute("UPDATE runs SET record = ?, record_bytes = ?, started_at = ?",
                     (line.encode(), len(line.encode()), odd["started_at"]))
    database.commit()
    database.close()
    shown = story.lapcast("show", "last", "--json").ok()
    notes = "\n".join(shown.notes("run"))
    for what in ("machine.cores is negative", "started_at is not a time", "boot is longer than a day"):
        assert f"warning: {what}" in notes or what in notes
    assert shown.json["profile"]["lap_s"] > 0  # all laps are present
    story.lapcast("runs").ok()
    [row] = story.lapcast("rank", "--json").ok().rows("candidates")
    assert row["cost_usd"] is None  # it has no possible price
    # Every lapcast accepts what it exports.
    text = story.lapcast("export").ok().out
    story.lapcast("--store", story.folder / "other.db", "import", "-", input=text.encode()).ok()


def test_i_one_bad_line_of_any_length_does_not_stop_an_import(story, run):
    file = story.work / "runs.jsonl"
    file.write_text("x" * 3_000_000 + "\n" + json.dumps(run) + "\n" + json.dumps(run)[:-9])
    ended = story.lapcast("import", "runs.jsonl").ok(3)
    assert [line.split(":")[2] for line in ended.err.splitlines()] == ["1", "3"]
    assert len(story.runs()) == 1
