"""Tests arguments and files that make no sense: one clear line on stderr, a documented exit code,
and nothing is started or changed."""

import os

import pytest

from conftest import as_imported

USAGE, BAD_INPUT, STORE_FAILED, SYSTEM_FAILED = 2, 3, 5, 6
MACHINE = '[[machine]]\nname = "a"\nprice = "1"\n'


@pytest.mark.parametrize("arguments, text", [
    (["nonsense"], "there is no command or option 'nonsense'"),
    (["--nonsense"], "there is no command or option '--nonsense'"),
    (["probe"], "no program given; write it behind --"),
    (["probe", "--"], "no program given"),
    (["probe", "--nonsense", "--", "true"], "--nonsense"),
    (["probe", "--epochs", "0", "--", "true"], "--epochs"),
    (["probe", "--epochs", "2", "--steps", "2", "--", "true"], "excludes"),
    (["probe", "--epochs", "1e99", "--", "true"], "--epochs"),
    (["probe", "--budget", "0", "--", "true"], "--budget must be above 0"),
    (["probe", "--budget", "soon", "--", "true"], "'soon' is not a duration"),
    (["probe", "--budget", "-5s", "--", "true"], "'-5s' is not a duration"),
    (["probe", "--grace", "x", "--", "true"], "'x' is not a duration"),
    (["probe", "--precision", "0", "--", "true"], "--precision must be above 0"),
    (["probe", "--precision", "often", "--", "true"], "'often' is not a share"),
    (["probe", "--max-laps", "-1", "--", "true"], "--max-laps"),
    (["probe", "--price", "-1", "--", "true"], "--price"),
    (["probe", "--price", "three", "--", "true"], "--price: 'three'"),
    (["probe", "--price", "1e400", "--", "true"], "--price"),
    (["probe", "--cpus", "0-", "--", "true"], "--cpus: bad CPU list '0-'"),
    (["probe", "--cpus", "5000", "--", "true"], "CPU 5000 cannot be used here"),
    (["probe", "--cpu-quota", "much", "--", "true"], "--cpu-quota"),
    (["probe", "--cpu-quota", "819200%", "--", "true"], "CPU quota above"),
    (["sweep"], "no program given; write it behind --"),
    (["sweep", "fleet.toml", "--price", "1", "--", "true"], "--price is for a sweep without a fleet"),
    (["sweep", "fleet.toml"], "no program given"),
    (["rank", "--weight", "2"], "--weight"),
    (["rank", "--by", "luck"], "--by"),
    (["rank", "--deadline", "soon"], "'soon' is not a duration"),
    (["rank", "--max-cost", "much"], "--max-cost: 'much'"),
    (["rank", "--max-cost", "-3"], "--max-cost must not be below 0, such as 20"),
    (["shortlist", "--max-cost", "-3"], "--max-cost must not be below 0, such as 20"),
    (["shortlist", "--max-price", "-3"], "--max-price must not be below 0, such as 2.50"),
    (["rent", "try", "exec", "--max-price", "-3"], "--max-price must not be below 0, such as 0.40"),
    (["rank", "--min-accuracy", "good"], "'good' is not a share"),
    (["rank", "--epochs", "5,x"], "--epochs"),
    (["rank", "--sweep", "a", "--all"], "excludes"),
    (["rank", "--", "true"], "takes no program"),
    (["verify", "--top", "0"], "--top"),
    (["verify", "--top", "1", "--all"], "excludes"),
    (["verify", "--repeats", "0"], "--repeats"),
    (["verify", "--repeats", "101"], "--repeats"),
    (["--format", "xml", "runs"], "unknown format 'xml'"),
    (["runs", "--kind", "slow"], "--kind"),
    (["completion", "tcsh"], "tcsh"),
    (["import"], "FILE is required"),
    (["lap"], "EVENT is required"),
    (["lap", "nonsense"], "no event is called 'nonsense'"),
    (["lap", "iteration", "many"], "iteration takes a number of samples"),
])
def test_usage(story, arguments, text):
    story.lapcast(*arguments).refused(USAGE, text)
    assert not story.store.exists()


@pytest.mark.parametrize("text, message", [
    (MACHINE + "[[machine]\n", "fleet.toml:7:11: "),
    (MACHINE + "pirce = 3\n", "fleet.toml:7:1: unknown key 'pirce' in [[machine]]; did you mean 'price'?"),
    (MACHINE + MACHINE, "fleet.toml:8:8: name: a machine 'a' stands above already"),
    (MACHINE + MACHINE.replace('"a"', '"b"'), "a, b are all this computer: give each a host, or here"),
    ('[[machine]]\nname = "a"\nprice = "-1"\n', "fleet.toml:6:9: price: negative amount"),
    ('[[machine]]\nname = "a"\nprice = -1\n', "fleet.toml:6:9: price: "),
    ('[[machine]]\nprice = "1"\n', "fleet.toml:4:1: "),
    (MACHINE + 'cpus = "2-1"\n', "fleet.toml:7:8: cpus: bad CPU list"),
    (MACHINE + 'cpu_quota = "half"\n', "fleet.toml:7:13: "),
    (MACHINE + '[machine.environment]\nLAPCAST_RUN_DIR = "x"\n', "fleet.toml:8:"),
    ("", "no machine types"),
    (MACHINE + 'cpus = "4000"\n', "no machine of the fleet can run it; a: CPU 4000"),
    ("\0", "fleet.toml:4:1: "),
])
def test_fleet_files(story, text, message):
    fleet = story.fleet(text)
    story.lapcast("sweep", fleet.name, "--", *story.trainer()).refused(BAD_INPUT, message)
    assert not story.journal() and not story.store.exists()


def test_all_that_is_wrong_with_a_fleet_file_is_told_at_once(story):
    (story.work / "fleet.toml").write_text(MACHINE + "pirce = 1\n[[machine]]\nprice = 1\n")
    ended = story.lapcast("sweep", "fleet.toml", "--", "true")
    assert ended.code == BAD_INPUT and ended.out == ""
    first, second = ended.err.splitlines()
    assert first.startswith("lapcast: fleet.toml:4:1: ") and "did you mean 'price'?" in first
    assert second.startswith("lapcast: fleet.toml:5:1: ") and "has no name" in second


def test_fleet_files_that_cannot_be_read(story):
    (story.work / "folder").mkdir()
    story.lapcast("sweep", "nothere.toml", "--", "true").refused(BAD_INPUT, "nothere.toml")
    story.lapcast("sweep", "folder", "--", "true").refused(BAD_INPUT, "folder")


@pytest.mark.parametrize("options, text", [
    ([], "the placeholder {batch} in the program has no values"),
    (["--batch", "1,1"], "repeated value"),
    (["--batch", ","], "empty value"),
    (["--batch", "1", "--set", "batch=2"], "given twice"),
    (["--batch", "1", "--set", "lr=2"], "no placeholder {lr}"),
    (["--set", "Batch"], "is not NAME=VALUE"),
])
def test_placeholders(story, options, text):
    fleet = story.fleet(MACHINE)
    story.lapcast("sweep", fleet, *options, "--", *story.trainer("--batch", "{batch}")).refused(
        USAGE, text)
    assert not story.journal()


def test_catalog_rows_without_date_or_source_are_left_out_with_a_warning(story):
    story.probe("--max-laps", 20, "--epochs", 3, "--samples", 320).ok()
    catalog = story.work / "prices.csv"
    catalog.write_text("name,machine_type,price_usd_per_hour,as_of,source\n"
                       "a,this-machine,1,,paper\nb,this-machine,1,2026-11,\n"
                       "c,this-machine,-2,2026-11,paper\nd,this-machine,2,2026-11,paper\n")
    ended = story.lapcast("rank", "--json", "--offers", "prices.csv").ok()
    warnings = ended.err.splitlines()
    assert ["prices.csv:2: as_of" in warnings[0], "prices.csv:3: source" in warnings[1],
            "prices.csv:4: price_usd_per_hour" in warnings[2], len(warnings)] == [True] * 3 + [3]
    assert [row["offer"] for row in ended.rows("candidates")] == ["d"]


def test_catalogs_that_cannot_be_used(story):
    story.probe("--max-laps", 20, "--epochs", 3).ok()
    (story.work / "bad.csv").write_text("name,bogus\n")
    story.lapcast("rank", "--offers", "bad.csv").refused(BAD_INPUT, "bad.csv:1: unknown column 'bogus'")
    story.lapcast("rank", "--offers", "nothere.csv").refused(BAD_INPUT, "nothere.csv")
    story.lapcast("catalog", "--offers", "bad.csv").refused(BAD_INPUT, "bad.csv:1")


def test_an_import_takes_the_good_lines_and_names_the_bad_ones(story):
    story.probe("--max-laps", 20).ok()
    good = story.lapcast("export").ok().out
    file = story.work / "mixed.jsonl"
    half = good[: len(good) // 2]
    file.write_text('{"x": 1\n' + good + '\n{"format": "lapcast-run", "version": 99}\n' + half)
    ended = story.lapcast("--store", story.folder / "copy.db", "import", "mixed.jsonl")
    ended.ok(BAD_INPUT)
    numbers = [line.split(":")[2] for line in ended.err.splitlines()]
    assert numbers == ["1", "4", "5"] and "newer lapcast" in ended.err
    assert story.lapcast("--store", story.folder / "copy.db", "export").ok().out == as_imported(good)


def test_imports_that_cannot_be_read(story):
    (story.work / "folder").mkdir()
    story.lapcast("import", "nothere.jsonl").refused(BAD_INPUT, "nothere.jsonl")
    ended = story.lapcast("import", "folder")
    assert ended.code == BAD_INPUT and "folder" in ended.err


def test_runs_and_sweeps_that_are_not_there(story):
    story.probe("--max-laps", 20).ok()
    story.lapcast("show", "zzz").refused(USAGE, "there is no run 'zzz'")
    story.lapcast("export", "zzz").refused(USAGE, "there is no run 'zzz'")
    story.lapcast("rank", "--sweep", "zzz").refused(1, "zzz")


@pytest.mark.parametrize("command", ["runs", "show", "rank", "verify", "export"])
def test_commands_that_read_make_no_store(story, command):
    story.lapcast(command).refused(STORE_FAILED, "does not exist")
    assert not story.store.exists()


def test_output_that_cannot_be_written(story):
    story.probe("--max-laps", 20, "--epochs", 2).ok()
    for command in ("runs", "show", "export", "machine", "man"):
        with open("/dev/full", "wb") as full:
            ended = story.lapcast(command, stdout=full)
        assert ended.code == SYSTEM_FAILED and "stdout" in ended.err, ended
    story.lapcast("export", "-o", "/dev/full").refused(SYSTEM_FAILED, "/dev/full")
    story.lapcast("export", "-o", "nowhere/x").refused(SYSTEM_FAILED, "nowhere/x")


def test_an_export_that_fails_leaves_the_file_that_was_there(story):
    story.probe("--max-laps", 20).ok()
    backup = story.work / "backup.jsonl"
    backup.write_text("precious\n")
    story.lapcast("export", "zzz", "-o", "backup.jsonl").ok(USAGE)
    story.lapcast("--store", "nothere.db", "export", "-o", "backup.jsonl").ok(STORE_FAILED)
    assert backup.read_text() == "precious\n"
    assert os.listdir(story.work) == ["backup.jsonl"]
    story.lapcast("export", "-o", "backup.jsonl").ok()
    assert backup.read_text() == story.lapcast("export").ok().out
