"""Tests the calls that drive lapcast from Python, with the real binary."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import GOLDEN, HANGS, eventually, has_laps
from frameworks import python_with

PACKAGE = Path(__file__).parents[2] / "python"


def environment_of(story):
    """Returns an environment with the package and with a lapcast on its PATH."""
    tools = story.folder / "bin"
    tools.mkdir(exist_ok=True)
    if not (tools / "lapcast").exists():
        (tools / "lapcast").symlink_to(os.environ["LAPCAST"])
    return story.environment | {"PYTHONPATH": str(PACKAGE),
                                "PATH": f"{tools}:{story.environment['PATH']}"}


def start(story, text, interpreter=sys.executable):
    """Starts a text in a Python of its own process group, as a shell does."""
    program = ("import json, lapcast, lapcast.__main__\n"
               "import shutil; lapcast.__main__.binary = lambda: shutil.which('lapcast')\n"
               f"trainer = {[str(word) for word in story.trainer('--laps', 1000, '--lap-ms', 5)]}\n"
               + text)
    return subprocess.Popen([interpreter, "-c", program], env=environment_of(story),
                            cwd=story.work, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, start_new_session=True)


def printed(process):
    """Returns what the Python has printed as JSON when it has ended."""
    out, err = process.communicate(timeout=HANGS)
    assert process.returncode == 0, err
    return json.loads(out)


def python(story, text, interpreter=sys.executable):
    return printed(start(story, text, interpreter))


def test_a_probe_gives_the_forecast_and_every_lap(story):
    found = python(story, """
run = lapcast.probe(trainer, max_laps=20, steps=500, price=1.5)
again = lapcast.show(run.id, steps=1000)
print(json.dumps({"low": run.seconds.low, "mid": run.seconds.mid, "high": run.seconds.high,
                  "usd": run.usd.mid, "laps": len(run.laps()), "twice": again.seconds.mid,
                  "text": repr(run)}))
""")
    assert found["low"] < found["mid"] < found["high"] and found["usd"] > 0
    assert found["laps"] >= 20 and found["twice"] > 1.5 * found["mid"]
    [row] = story.runs()
    assert found["text"].startswith(f"run {row['run']}: ")


def test_a_sweep_is_ranked_as_on_the_command_line(story):
    found = python(story, """
rows = lapcast.sweep([*trainer, "--batch", "{batch}"], batch=[32, 64], max_laps=20, epochs=1,
                     samples=6400, price="2")
ranked = lapcast.rank(by="time")
print(json.dumps({"probes": len(rows), "rows": ranked.rows, "best": ranked.best,
                  "of_sweep": rows.best["time"]["run"], "html": ranked._repr_html_(),
                  "text": repr(ranked), "runs": len(lapcast.runs(here=True))}))
""")
    ended = story.lapcast("rank", "--by", "time", "--json").ok()
    assert found["rows"] == ended.rows("candidates")
    assert found["probes"] == found["runs"] == 2
    assert found["best"] == ended.json["best"] and found["of_sweep"] == found["best"]["time"]["run"]
    assert found["html"].count("<tr>") == 3 and "<td>batch=64</td>" in found["html"]
    assert found["text"].startswith("best by cost: this-machine batch=")


def test_the_laps_of_a_stored_run_are_plain_rows(story):
    found = python(story, """
run = lapcast.probe(trainer, max_laps=20)
laps = lapcast.runs()[-1].laps()
print(json.dumps({"laps": laps.rows, "same": laps.rows == run.laps().rows == lapcast.show().laps().rows,
                  "kinds": [type(row).__name__ for row in lapcast.runs()],
                  "html": run._repr_html_(), "id": lapcast.runs()[0].show().id,
                  "newest": lapcast.runs()[-3:][0].show().id, "some": laps[2:4].rows}))
""")
    assert found["same"] and found["kinds"] == ["StoredRun"] and found["newest"] == found["id"]
    assert found["some"] == found["laps"][2:4]
    assert [lap["lap"] for lap in found["laps"]] == list(range(len(found["laps"])))
    assert all(lap["lap_s"] > 0.004 and lap["begin_s"] > 0 for lap in found["laps"])
    assert f"<td>{found['id']}</td>" in found["html"]


def test_another_schema_is_refused_in_one_line(story):
    other = story.folder / "other"
    other.write_text("#!/bin/sh\necho '{\"schema\": 2, \"command\": \"runs\", \"notes\": []}'\n")
    other.chmod(0o755)
    found = python(story, f"""
lapcast.__main__.binary = lambda: {str(other)!r}
try:
    lapcast.runs()
except lapcast.LapcastError as error:
    print(json.dumps(str(error)))
""")
    assert found == (f"{other} prints JSON of schema 2, and this module reads schema 1: install the "
                     "same version of both")


def test_what_lapcast_refuses_is_an_exception_with_its_line(story):
    found = python(story, """
try:
    lapcast.probe(["no-such-program"])
except lapcast.LapcastError as error:
    print(json.dumps([error.code, str(error)]))
""")
    assert found[0] == 4 and "no-such-program" in found[1]


def test_a_store_is_read_as_data_frames(story):
    interpreter = python_with("pandas")
    story.lapcast("import", GOLDEN / "runs.jsonl").ok()
    found = python(story, """
import os
store = lapcast.read_store()
one = lapcast.read_store(os.environ["LAPCAST_STORE"], sweep="5eeb00000001")
print(json.dumps({"runs": len(store.runs), "batch": int(store.candidates["settings.batch"].max()),
                  "laps": store.laps.groupby("run").size().to_dict(), "same": store.laps is store.laps,
                  "one": sorted(one.runs["sweep"].unique()), "best": one.candidates["run"][0],
                  "text": repr(store)}))
""", interpreter)
    assert found["runs"] == len(story.runs("--newest", 0)) and found["batch"] == 64
    assert found["text"] == f"lapcast store: {found['runs']} runs"
    for run, laps in found["laps"].items():
        assert laps == len(story.lapcast("show", run, "--laps", "--json").ok().rows("laps"))
    ranked = story.lapcast("rank", "--sweep", "5eeb00000001", "--json").ok().rows("candidates")
    assert found["one"] == ["5eeb00000001"] and found["best"] == ranked[0]["run"]
    assert found["same"]


def test_a_store_that_cannot_be_read_is_told_at_once(story):
    found = python(story, """
try:
    lapcast.read_store("nothere.db")
except lapcast.LapcastError as error:
    print(json.dumps(str(error)))
""", python_with("pandas"))
    assert "nothere.db" in found
    story.lapcast("probe", "--", "false")
    assert python(story, "print(json.dumps([len(lapcast.read_store().candidates), "
                  "len(lapcast.read_store().laps)]))", python_with("pandas")) == [0, 0]


def endless(*options):
    """Returns the arguments of a probe that ends by itself only after minutes."""
    words = ", ".join(map(repr, ["--laps", "100000", "--noise", "0.5", *options]))
    return f"[*trainer, {words}], precision='0.01%', steps=1000, grace='60s'"


@pytest.mark.parametrize("send", [os.kill, os.killpg])  # a notebook's and a terminal's Ctrl-C
def test_ctrl_c_forecasts_from_the_laps_so_far(story, send):
    process = start(story, f"""
run = lapcast.probe({endless()})
print(json.dumps({{"outcome": run.document["run"]["outcome"], "seconds": run.seconds.mid}}))
""")
    assert eventually(lambda: has_laps(story))
    send(process.pid, signal.SIGINT)
    found = printed(process)
    assert found["outcome"] == "interrupted" and found["seconds"] > 0
    assert story.journal("end")[0]["asked"], "the program got no time to end"


def test_a_second_ctrl_c_is_a_keyboard_interrupt(story):
    process = start(story, f"""
try:
    lapcast.probe({endless("--ignore-term")})
except KeyboardInterrupt:
    print(json.dumps("interrupted"))
""")
    assert eventually(lambda: story.journal("start"))
    os.killpg(process.pid, signal.SIGINT)
    assert eventually(lambda: story.journal("signal"))
    os.killpg(process.pid, signal.SIGINT)
    assert printed(process) == "interrupted"


def test_ctrl_c_where_there_is_no_answer_is_a_keyboard_interrupt(story):
    slow = story.folder / "slow"
    slow.write_text(f"#!/bin/sh\ntouch {story.folder}/begun\nexec sleep 60\n")
    slow.chmod(0o755)
    process = start(story, f"""
lapcast.__main__.binary = lambda: {str(slow)!r}
try:
    lapcast.rank()
except KeyboardInterrupt:
    print(json.dumps("interrupted"))
""")
    assert eventually((story.folder / "begun").exists)
    os.killpg(process.pid, signal.SIGINT)
    assert printed(process) == "interrupted"


def test_the_module_is_the_command(story):
    venv = story.folder / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    environment = environment_of(story)

    def module(*words, **changes):
        return subprocess.run([venv / "bin/python", "-m", "lapcast", *words], text=True,
                              env=environment | changes, capture_output=True)

    version = story.lapcast("--version").ok().out
    assert module("--version").stdout == version  # the one on the PATH
    refused = module("no-such-command")
    assert refused.returncode == 2 and "no command" in refused.stderr
    absent = module("--version", PATH="/nowhere")
    assert absent.returncode == 1 and absent.stderr.startswith("lapcast: there is no binary")
    (venv / "bin/lapcast").symlink_to(os.environ["LAPCAST"])
    assert module("--version", PATH="/nowhere").stdout == version  # the one beside this Python
