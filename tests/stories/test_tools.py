"""Tests the smaller commands: lap, machine, catalog, help, completions, the manual page."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]
COMMANDS = ["demo", "help", "probe", "sweep", "watch", "shortlist", "find", "rank", "verify", "suite", "stopwatch", "compare", "runs",
            "show", "report", "export", "import", "machine", "fleet", "offload", "jobs", "attach", "fetch",
            "cancel", "transfer", "soak", "catalog", "rent", "leases", "serve", "lap", "completion", "man"]
PAGES = ["remote", "lap-log", "ranking", "security"]
# Pages that became sections of others.
SECTIONS = {"exit-codes": "reference", "store": "reference", "secrets": "security", "import": "formats",
            "race": "measuring", "offload": "remote", "spot": "money", "epochs": "forecast"}
BELOW = ["fleet init", "rent check", "rent try", "suite list", "suite build", "suite run", "suite split", "suite data", "suite memory", "suite prepare", "catalog why", "catalog import", "catalog update", "catalog diff", "fleet from-slurm", "soak report", "transfer plan", "transfer run", "transfer link"]


def test_a_shell_script_reports_its_laps(story):
    script = story.work / "train.sh"
    script.write_text("""#!/bin/sh
set -e
"$LAPCAST" lap plan epochs=2 batch=8 train=80
"$LAPCAST" lap stage-begin data-load
"$LAPCAST" lap stage-end data-load
for epoch in 1 2; do
  "$LAPCAST" lap epoch-begin $epoch
  for lap in 1 2 3 4 5 6 7 8 9 10; do sleep 0.01; "$LAPCAST" lap iteration 8; done
  "$LAPCAST" lap epoch-end $epoch
  "$LAPCAST" lap metric val_accuracy 0.$epoch
done
""")
    script.chmod(0o755)
    ended = story.probe("--json", program=["./train.sh"],
                        env={"LAPCAST": os.environ["LAPCAST"]}).ok()
    assert ended.json["run"]["outcome_text"] == "ended"
    laps = story.lapcast("show", "--laps", "--json").ok().rows("laps")
    assert len(laps) == 20 and all(lap["lap_s"] > 0.005 for lap in laps)
    forecast = ended.json["forecast"]
    assert forecast["epochs"] == 2 and forecast["training_samples"] == 80


def test_lap_does_nothing_without_an_observer(story):
    ended = story.lapcast("lap", "iteration", "8").ok()
    assert ended.out == ended.err == ""
    ended = story.lapcast("lap", "iteration", "8", env={"LAPCAST_LOG_DIR": "/nowhere"})
    assert ended.code == 6 and ended.err.count("\n") == 1


def test_laps_from_many_processes_at_once_are_all_recorded(story):
    script = 'for i in 1 2 3 4 5 6 7 8; do (for j in 1 2 3 4 5; do "$LAPCAST" lap iteration 1; done) & done; wait'
    story.probe(program=["sh", "-c", script], env={"LAPCAST": os.environ["LAPCAST"]}).ok()
    [run] = story.export()
    assert sum(log.count(" i 1\n") for log in run["lap_logs"]) == 40 and run["warnings"] == []


def test_machine_describes_this_machine(story):
    machine = story.lapcast("machine", "--json").ok().json["machine"]
    assert machine["architecture"] == os.uname().machine
    assert machine["usable_cpus"] == len(os.sched_getaffinity(0)) and machine["usable_cpu_list"]
    for form in ("table", "csv", "jsonl", "markdown"):
        assert story.lapcast("machine", "--format", form).ok().out


def test_catalog_lists_offers_with_date_and_source(story):
    catalog = story.folder / "catalog"
    catalog.mkdir()
    (catalog / "mine.csv").write_text(
        "name,machine_type,price_usd_per_hour,as_of,source\n"
        "cheap,a100,1.5,2026-11,quote\ndear,h100,4,2026-11,quote\n")
    rows = story.lapcast("catalog", "--json").ok().rows("offers")
    assert [row["name"] for row in rows] == ["cheap", "dear"]
    assert all(row["as_of"] == "2026-11" and row["source"] == "quote" for row in rows)
    rows = story.lapcast("catalog", "--find", "H100", "--json").ok().rows("offers")
    assert [row["name"] for row in rows] == ["dear"]


def test_an_offer_of_a_catalog_prices_a_machine_of_the_fleet(story):
    (story.work / "mine.csv").write_text(
        "name,machine_type,price_usd_per_hour,as_of,source\nvm/1,a100,36,2026-11,quote\n")
    fleet = story.fleet('[[machine]]\nname = "as vm/1"\noffer = "vm/1"\n')
    story.lapcast("sweep", fleet.name, "--offers", "mine.csv", "--max-laps", 20, "--epochs", 9, "--",
                  *story.trainer("--laps", 1000)).ok()
    [row] = story.lapcast("rank", "--offers", "mine.csv", "--json").ok().rows("candidates")
    assert row["offer"] == "vm/1" and row["cost_usd"] > 0.3


def test_names_of_offers_match_without_case_and_the_nearest_one_is_named(story):
    (story.folder / "catalog").mkdir()
    (story.folder / "catalog" / "mine.csv").write_text(
        "name,machine_type,price_usd_per_hour,as_of,source\nlab/RTX4090,4090,0.5,2026-11,quote\n")
    ended = story.probe("--offer", "LAB/rtx4090", "--max-laps", 20, "--json").ok()
    assert ended.json["forecast"]["price_usd_per_hour"] == 0.5
    story.probe("--offer", "lab/rtx409").refused(2, "did you mean 'lab/RTX4090'?")
    story.probe("--offer", "xyz").refused(2, "`lapcast catalog` lists them")
    fleet = story.fleet('[[machine]]\nname = "a"\noffer = "Lab/Rtx4090"\n')
    story.lapcast("sweep", fleet.name, "--max-laps", 20, "--epochs", 1, "--",
                  *story.trainer("--laps", 1000)).ok()
    [row] = story.lapcast("rank", "--json").ok().rows("candidates")
    assert row["price_usd_per_hour"] == 0.5


def test_an_empty_list_of_offers_says_where_it_looked(story):
    catalog = story.folder / "catalog"
    catalog.mkdir()
    (catalog / "mine.csv").write_text("name,machine_type,price_usd_per_hour,as_of,source\n"
                                      "cheap,a100,1.5,2026-11,quote\n")
    out = story.lapcast("catalog", "--find", "h100").ok().out
    assert f"no offer matches in {catalog}/mine.csv" in out


def test_a_source_that_nobody_filled_in_is_no_source(story):
    text = story.lapcast("fleet", "init").ok().out
    (story.work / "fleet.toml").write_text(
        '[prices]\nsource = "FILL IN: where the prices come from"\n' + text + 'price = "1.20"\n')
    story.lapcast("sweep", "fleet.toml", "--max-laps", 20, "--epochs", 1, "--",
                  *story.trainer("--laps", 1000)).ok()
    out = story.lapcast("rank").ok().out
    assert "FILL IN" not in out and "prices: fleet file fleet.toml as of" in out, out


def test_an_unknown_offer_is_refused_with_the_nearest_name(story):
    fleet = story.fleet('[[machine]]\nname = "a"\noffer = "aws/ec2/p3.2xlarg/on-demand"\n')
    story.lapcast("sweep", fleet.name, "--", *story.trainer("--laps", 10)).refused(
        3, "did you mean 'aws/ec2/p3.2xlarge/on-demand'?")


@pytest.mark.parametrize("command", COMMANDS + BELOW)
def test_every_command_has_help_with_examples(story, command):
    ended = story.lapcast(*command.split(), "--help").ok()
    assert f"Usage: lapcast {command}" in ended.out
    assert "lapcast " in ended.out.split("Options:")[1]
    assert max(map(len, ended.out.splitlines())) <= 100


@pytest.mark.parametrize("page", PAGES)
def test_pages_are_part_of_the_binary(story, page):
    text = (ROOT / "docs" / f"{page}.md").read_text()
    for name in (page, f"docs/{page}.md"):
        assert story.lapcast("help", name).ok().out == text


@pytest.mark.parametrize("section, page", SECTIONS.items())
def test_a_former_page_is_still_found(story, section, page):
    printed = story.lapcast("help", f"{section}.md").ok().out
    assert printed.startswith("## ") and printed in (ROOT / "docs" / f"{page}.md").read_text()
    assert "\n## " not in printed and printed.count("\n") > 10


def test_help_knows_commands_and_what_is_nearly_one(story):
    assert story.lapcast("help", "sweep").ok().out == story.lapcast("sweep", "--help").ok().out
    assert story.lapcast("help", "fleet", "init").ok().out.count("Usage: lapcast fleet init") == 1
    everything = story.lapcast("help").ok().out
    assert everything.startswith(story.lapcast("--help").ok().out)
    assert "fleet-file" in everything
    story.lapcast("help", "fleet-flie").refused(2, "did you mean 'fleet-file'?")


@pytest.mark.parametrize("arguments, meant", [
    (["swepe"], "did you mean 'sweep'?"),
    (["rank", "--bye", "cost"], "did you mean '--by'?"),
    (["python3", "train.py", "--lr", "1"], "did you mean: lapcast probe -- python3 train.py --lr 1"),
    (["train.py"], "did you mean: lapcast probe -- python3 train.py"),
    (["probe", "python", "train.py"], "did you mean: lapcast probe -- python train.py"),
])
def test_a_wrong_word_is_answered_with_what_was_meant(story, arguments, meant):
    story.lapcast(*arguments).refused(2, meant)


def test_a_script_that_does_not_exist_is_answered_with_the_nearest_one(story):
    (story.work / "train.py").write_text("print(1)\n")
    (story.work / "train.sh").write_text("#!/bin/sh\n")
    ended = story.probe(program=["sh", "trian.sh"]).ok(4)
    assert "trian.sh does not exist; did you mean 'train.sh'?" in ended.out, ended
    story.probe(program=["./trian.py"]).refused(4, "./trian.py does not exist; did you mean './train.py'?")
    story.probe(program=["trian.py"]).refused(4, "not found on PATH; did you mean './train.py'?")


def test_messages_name_pages_that_help_prints(story):
    ended = story.probe(program=["true"]).ok(4)
    assert "(lapcast help lap-log)" in ended.err and "docs/" not in ended.err
    assert ended.out.startswith("no forecast: no training iteration was seen\n")
    assert "next: lapcast help any-program" in ended.out
    help = story.lapcast("help", "suite").ok().out
    assert help.endswith("The page of the docs: lapcast help suite.md\n")
    assert story.lapcast("help", "suite.md").ok().out.startswith("# ")


def test_options_are_explained_without_a_parsers_words(story):
    for command in ("probe", "sweep", "rank"):
        text = story.lapcast(command, "--help").ok().out
        assert "INT in" not in text and "Excludes:" not in text and "docs/" not in text


def test_a_fleet_file_can_be_written_for_hosts(story):
    text = story.lapcast("fleet", "init", "gpu1", "gpu2").ok().out
    assert 'host = "gpu1"' in text and 'name = "gpu2"' in text
    story.lapcast("fleet", "init", "--out", "own.toml").ok()
    story.lapcast("sweep", "own.toml", "--max-laps", 20, "--epochs", 1, "--",
                  *story.trainer("--laps", 1000)).ok()
    story.lapcast("fleet", "init", "--out", "own.toml").refused(2, "own.toml exists")
    story.lapcast("fleet", "init", 'a"b').refused(3, "the file:")


def test_the_demo_holds_forecasts_against_the_truth_and_leaves_nothing(story):
    ended = story.lapcast("demo", "--json", "--quiet").ok()
    assert {row["settings"]["batch"] for row in ended.rows("candidates")} == {8, 64}
    assert all(row["real_s"] > 0 and row["accuracy"] > 0.8 for row in ended.rows("verified"))
    assert not story.store.exists() and list(story.temporary.iterdir()) == []


def test_without_arguments_lapcast_says_how_to_begin(story):
    page = story.lapcast().ok().out
    assert "lapcast probe -- python3 train.py" in page
    groups = dict(re.findall(r"^  (\w+) +([a-z][a-z ]+)$", page, re.M))
    assert list(groups) == ["Measure", "Decide", "Remote", "Machines", "Data", "More"]
    assert sorted(" ".join(groups.values()).split()) == sorted({
        name.split()[0] for name in re.findall(r"^\.SS (.+)$", story.lapcast("man").ok().out, re.M)})
    computer = " ".join(page.split("This computer: ")[1].split())
    assert re.search(r"\d+ CPUs?, .*; no runs stored yet$", computer), page
    story.probe("--max-laps", 20).ok()
    again = " ".join(story.lapcast().ok().out.split())
    assert again.endswith(computer.replace("no runs stored yet", "1 run stored"))


def test_version_and_help(story):
    for option in ("--version", "-V"):
        assert re.fullmatch(r"lapcast \d+\.\d+\.\d+ \([\w -]+, \w+\)\n",
                            story.lapcast(option).ok().out)
    text = story.lapcast("--help").ok().out
    assert all(re.search(rf"^  {command} ", text, re.M) for command in COMMANDS)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions_parse(story, shell):
    text = story.lapcast("completion", shell).ok().out
    assert all(command in text for command in COMMANDS) and "--find-epochs" in text
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    file = story.work / "completion"
    file.write_text(text)
    checked = subprocess.run([shell, "-n", file], capture_output=True)
    assert (checked.returncode, checked.stderr) == (0, b"")


def bash_completes(story, words):
    file = story.work / "completion"
    file.write_text(story.lapcast("completion", "bash").ok().out)
    script = (f'source {file}; COMP_WORDS=({" ".join(words)} ""); COMP_CWORD={len(words)}; '
              'f=$(complete -p lapcast | sed "s/.*-F \\([^ ]*\\).*/\\1/"); $f "$LAPCAST" "" x; '
              'printf "%s\\n" "${COMPREPLY[@]}"')
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True,
                          env=story.environment | {"LAPCAST": os.environ["LAPCAST"]}).stdout.split()


def test_bash_completes_commands(story):
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    assert set(COMMANDS) <= set(bash_completes(story, ["lapcast"]))


def test_bash_completes_values_and_ids(story):
    if not shutil.which("bash"):
        pytest.skip("no bash here")
    assert bash_completes(story, ["lapcast", "rank", "--by"]) == [
        "cost", "time", "score", "energy", "co2"]
    assert bash_completes(story, ["lapcast", "export", "--format"]) == [
        "jsonl", "tensorboard", "chrome-trace"]
    assert bash_completes(story, ["lapcast", "show"])[-1] != "last"  # no store yet
    story.probe("--max-laps", 20).ok()
    run = story.runs()[0]["run"]
    assert bash_completes(story, ["lapcast", "show"])[-2:] == [run, "last"]
    assert "fleet-file" in bash_completes(story, ["lapcast", "help"])


def test_completed_names_hold_nothing_that_a_shell_expands(story):
    story.lapcast("sweep", "--name", "$(touch mark)", "--max-laps", 20, "--", *story.trainer()).ok()
    story.lapcast("sweep", "--name", "plain", "--max-laps", 20, "--", *story.trainer("--laps", 30)).ok()
    listed = story.lapcast("complete", "sweeps").ok().out.split()
    assert "plain" in listed and not any("$" in word for word in listed)


def test_bash_completes_commands_below_a_command(story):
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    assert {"list", "run", "data", "memory", "prepare"} <= set(bash_completes(story, ["lapcast", "suite"]))
    below = bash_completes(story, ["lapcast", "suite", "run"])
    assert "--repeats" in below and "--measure" not in below
    assert "--metric" in bash_completes(story, ["lapcast", "compare"])


def test_the_manual_page_has_no_warnings(story):
    page = story.work / "lapcast.1"
    page.write_text(story.lapcast("man").ok().out)
    if shutil.which("groff") is None:
        pytest.skip("groff is not installed")
    made = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", page], capture_output=True)
    assert (made.returncode, made.stderr) == (0, b"")
    if shutil.which("man"):
        made = subprocess.run(["man", "--warnings=all", "-l", page], capture_output=True,
                              env=os.environ | {"MANWIDTH": "80", "LC_ALL": "C.UTF-8"})
        assert made.stderr == b"", made.stderr
