"""Exports runs for TensorBoard, Perfetto and Jupyter, and reads the files with those tools where the
frameworks' virtual environment has them."""

import base64
import json
import subprocess
import sys
import zlib

import pytest

from conftest import GOLDEN
from frameworks import python_with, run_python

USAGE, SOME_FAILED, SYSTEM_FAILED = 2, 1, 6
WITH_EPOCHS, WITHOUT = "5eeb00000001", "5eeb00000002"
RUN = "000000000003"


@pytest.fixture
def frozen(story):
    """Has the frozen runs, 10 s apart; two pauses cut one of them into three rounds."""
    lines = [json.loads(line) for line in (GOLDEN / "runs.jsonl").read_text().splitlines()]
    for number, run in enumerate(lines):
        run["lap_logs"] = [log.replace("wall=1790000000.0", f"wall={1790000000 + 10 * number}.0")
                           for log in run["lap_logs"]]
        if run["id"] == RUN:
            begin, length = run["started_ns"], run["ended_ns"] - run["started_ns"]
            run["pauses"] = [{"begin_ns": begin + length * part // 10,
                              "end_ns": begin + length * (part + 1) // 10} for part in (3, 6)]
    (story.work / "frozen.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
    story.lapcast("import", "frozen.jsonl").ok()
    return story


def laps_of(story, run):
    return story.lapcast("show", run, "--laps", "--json").ok().rows("laps")


# TensorBoard


def test_tensorboard_gets_a_folder_for_each_run_with_laps(frozen):
    ended = frozen.lapcast("export", "--format", "tensorboard", "boards").ok()
    assert ended.out == "" and "tensorboard --logdir boards" in ended.err
    runs = [run["run"] for run in frozen.runs("--newest", 0)]
    without = [run for run in runs if not laps_of(frozen, run)]
    folders = {path.name for path in (frozen.work / "boards").iterdir()}
    assert {name[-12:] for name in folders} == set(runs) - set(without)
    assert any(name.startswith("train_") and name.endswith(f"_batch=64_{RUN}") for name in folders)
    assert without and f"{len(without)} runs have no laps and are left out" in ended.err


def test_what_tensorboard_gets_can_be_imported_again(frozen):
    frozen.lapcast("export", RUN, "--format", "tensorboard", "boards").ok()
    [file] = (frozen.work / "boards").glob("*/*tfevents*")
    frozen.lapcast("--store", "copy.db", "import", "tensorboard", file).ok()
    [again] = frozen.lapcast("--store", "copy.db", "runs", "--json").ok().rows("runs")
    assert again["outcome"] != "no-laps"


def test_tensorboards_own_reader_reads_the_scalars(frozen):
    python = python_with("tensorboard")
    frozen.lapcast("export", RUN, "000000000001", "--format", "tensorboard", "boards").ok()
    found = json.loads(run_python(python, """
import json, pathlib, sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
found = {}
for folder in pathlib.Path(sys.argv[1]).iterdir():
    events = EventAccumulator(str(folder), size_guidance={"scalars": 0}).Reload()
    found[folder.name[-12:]] = {tag: [[e.step, e.value, e.wall_time] for e in events.Scalars(tag)]
                                for tag in events.Tags()["scalars"]}
print(json.dumps(found))
""", frozen.work / "boards"))
    assert set(found) == {RUN, "000000000001"}
    laps = laps_of(frozen, RUN)
    scalars = found[RUN]["lap/seconds"]
    assert [step for step, _, _ in scalars] == [lap["lap"] + 1 for lap in laps]
    assert [time for _, _, time in scalars] == sorted(time for _, _, time in scalars)
    rates = found[RUN]["lap/samples_per_second"]
    assert rates[-1][1] == pytest.approx(laps[-1]["samples"] / scalars[-1][1], rel=1e-5)
    assert found["000000000001"]["metrics/val_accuracy"][0][1] > 0


# Perfetto


def check_trace(document):
    """Holds a trace against the rules of the Trace Event Format."""
    assert set(document) == {"displayTimeUnit", "traceEvents"}
    open_slices, ends, names = {}, {}, set()
    for event in document["traceEvents"]:
        assert isinstance(event["name"], str) and event["ph"] in "XbeCiM"
        assert isinstance(event["pid"], int) and isinstance(event["tid"], int)
        if event["ph"] == "M":
            names.add((event["name"], event["pid"], event["tid"]))
            known = {"process_name": "name", "thread_name": "name", "process_labels": "labels",
                     "process_sort_index": "sort_index", "thread_sort_index": "sort_index"}
            assert known[event["name"]] in event["args"]
            continue
        assert event["ts"] >= 0
        if event["ph"] == "X":
            assert event["dur"] >= 0
            check_nesting(ends.setdefault((event["pid"], event["tid"]), []), event)
            assert ("thread_name", event["pid"], event["tid"]) in names
        if event["ph"] == "C":
            assert event["args"] and all(isinstance(v, (int, float)) for v in event["args"].values())
        if event["ph"] == "i":
            assert event["s"] in "gpt"
        if event["ph"] == "b":
            open_slices[event["cat"], event["id"]] = event
        if event["ph"] == "e":
            begun = open_slices.pop((event["cat"], event["id"]))
            assert begun["name"] == event["name"] and begun["ts"] <= event["ts"]
        assert ("process_name", event["pid"], 0) in names
    assert open_slices == {}


def check_nesting(track, event):
    """Complete events of one track must not overlap in part; rounding may take a nanosecond."""
    begin, end = event["ts"], event["ts"] + event["dur"]
    for other_begin, other_end in track[-3:]:
        apart = begin >= other_end - 0.002 or end <= other_begin + 0.002
        within = begin >= other_begin - 0.002 and end <= other_end + 0.002
        around = begin <= other_begin + 0.002 and end >= other_end - 0.002
        assert apart or within or around, (event, other_begin, other_end)
    track.append((begin, end))


def test_a_trace_keeps_the_rules_of_its_format(frozen):
    document = json.loads(frozen.lapcast("export", "--format", "chrome-trace").ok().out)
    check_trace(document)
    events = document["traceEvents"]
    named = {event["args"]["name"] for event in events if event["name"] == "process_name"}
    assert {f"sweep {WITH_EPOCHS}", f"sweep {WITHOUT}"} <= named
    assert f"train on small batch=64 ({RUN})" in named
    laps = sum(len(laps_of(frozen, run["run"])) for run in frozen.runs("--newest", 0))
    assert sum(event["name"] == "lap" for event in events) == laps


def test_the_rounds_of_a_run_are_on_its_track_and_on_that_of_its_candidate(frozen):
    frozen.lapcast("export", RUN, "--format", "chrome-trace", "run.json").ok()
    events = json.loads((frozen.work / "run.json").read_text())["traceEvents"]
    for name, count in (("round 1", 2), ("round 2", 2), ("round 3", 2), ("paused", 4)):
        assert sum(event["name"] == name for event in events) == count
    [run] = frozen.export(RUN)
    last = max(event["ts"] + event["dur"] for event in events if event["name"] == "round 3")
    assert last == pytest.approx((run["ended_ns"] - run["started_ns"]) / 1e3, abs=1)


# Notebooks


def executed(story, python, name, library):
    """Returns the outputs of a notebook after running it where it lies, with that library."""
    file = story.work / name
    file.write_text(file.read_text().replace('LIBRARY = \\"matplotlib\\"', f'LIBRARY = \\"{library}\\"'))
    environment = story.environment | {"MPLBACKEND": "module://matplotlib_inline.backend_inline"}
    done = subprocess.run([python, "-m", "nbconvert", "--to", "notebook", "--execute", "--output",
                           "executed.ipynb", name], cwd=story.work, env=environment,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    cells = json.loads((story.work / "executed.ipynb").read_text())["cells"]
    return [output for cell in cells for output in cell.get("outputs", [])]


@pytest.mark.parametrize("library, kind", [("matplotlib", "image/png"),
                                           ("plotly", "application/vnd.plotly.v1+json")])
def test_a_notebook_executes_with_names_that_are_hostile(frozen, library, kind):
    python = python_with("nbconvert", "ipykernel", library)
    lines = frozen.lapcast("export", "--sweep", WITHOUT).ok().out.replace(
        '"name":"small"', json.dumps({"name": '"""$x\\frac{<script>\u202e'})[1:-1].replace(" ", ""))
    (frozen.work / "hostile.jsonl").write_text(lines)
    frozen.lapcast("--store", "hostile.db", "import", "hostile.jsonl").ok()
    for store, name in ((frozen.store, "one.ipynb"), ("hostile.db", "two.ipynb")):
        frozen.lapcast("--store", store, "report", "--all", "--notebook", name).ok()
    outputs = executed(frozen, python, "two.ipynb", library)
    assert not [output for output in outputs if output["output_type"] == "error"]
    title = "".join(next(each["text"] for each in outputs if each.get("name") == "stdout"))
    assert "train" in title
    assert sum(kind in output.get("data", {}) for output in outputs) == 2


def test_values_are_data_of_a_notebook_and_not_in_its_cells(frozen):
    frozen.lapcast("report", "--all", "--notebook", "all.ipynb").ok()
    notebook = json.loads((frozen.work / "all.ipynb").read_text())
    values = notebook["metadata"]["lapcast"]["values"]
    assert len(values["runs"]) == len(frozen.runs("--newest", 0)) and values["rank"]["candidates"]
    sources = "".join(line for cell in notebook["cells"] for line in cell["source"])
    assert RUN not in sources and "small" not in sources
    assert notebook["metadata"]["lapcast"]["key"] in sources


def packed(values):
    """Returns whole numbers as the pages of a report carry them."""
    plain = b"".join(value.to_bytes(8, "little", signed=True) for value in values)
    shuffled = b"".join(plain[byte::8] for byte in range(8))
    deflate = zlib.compressobj(wbits=-15)
    return base64.b64encode(deflate.compress(shuffled) + deflate.flush()).decode()


def test_the_cells_read_packed_laps_with_the_standard_library_alone(frozen):
    frozen.lapcast("report", RUN, "--notebook", "run.ipynb").ok()
    notebook = json.loads((frozen.work / "run.ipynb").read_text())
    [run] = notebook["metadata"]["lapcast"]["values"]["runs"]
    run["laps"] = {"count": 2, "columns": {"gap_ns": packed([500_000_000, -1]),
                                           "time_ns": packed([2_000_000_000, 3_000_000_000]),
                                           "samples": packed([8, 4])}}
    (frozen.work / "run.ipynb").write_text(json.dumps(notebook))
    (frozen.work / "other.ipynb").write_text('{"metadata": {}}')
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    program = "\n".join(["import sys", "sys.modules['pandas'] = None", *cells[:2],
                         "print(json.dumps(laps))"])
    printed = run_python(sys.executable, program, cwd=frozen.work)
    assert json.loads(printed.splitlines()[-1]) == [
        {"run": RUN, "lap": 0, "begin_s": 0.5, "lap_s": 2.0, "samples": 8},
        {"run": RUN, "lap": 1, "begin_s": 2.499999999, "lap_s": 3.0, "samples": 4}]


# Bad input


@pytest.mark.parametrize("form, place", [("tensorboard", "out"), ("chrome-trace", "out.json")])
def test_runs_that_are_not_there_write_nothing(frozen, form, place):
    frozen.lapcast("export", "zzz", "--format", form, place).refused(USAGE, "there is no run 'zzz'")
    assert not (frozen.work / place).exists()
    frozen.lapcast("export", "--sweep", "zzz", "--format", form, place).refused(SOME_FAILED, "")
    assert not (frozen.work / place).exists() and not list(frozen.work.glob("*.part"))


@pytest.mark.parametrize("form, place", [("tensorboard", "out"), ("chrome-trace", "out.json")])
def test_what_exists_is_replaced_only_when_told(frozen, form, place):
    frozen.lapcast("export", RUN, "--format", form, place).ok()
    before = sorted((frozen.work / place).rglob("*")) or (frozen.work / place).read_bytes()
    frozen.lapcast("export", RUN, "--format", form, place).refused(USAGE, "--overwrite")
    frozen.lapcast("export", RUN, "--format", form, "--overwrite", place).ok()
    assert before == (sorted((frozen.work / place).rglob("*")) or (frozen.work / place).read_bytes())


def test_places_that_cannot_be_written(frozen):
    (frozen.work / "file").write_text("mine")
    frozen.lapcast("export", "--format", "tensorboard", "file").refused(SYSTEM_FAILED, "cannot write")
    frozen.lapcast("export", "--format", "tensorboard").refused(USAGE, "no folder given")
    frozen.lapcast("export", "--format", "chrome-trace", "nowhere/x.json").refused(
        SYSTEM_FAILED, "nowhere/x.json")
    assert (frozen.work / "file").read_text() == "mine"


def test_runs_without_laps(story):
    story.lapcast("probe", "--", "false")
    story.lapcast("export", "--format", "tensorboard", "boards").refused(
        SOME_FAILED, "none of the 1 runs has a lap")
    assert not (story.work / "boards").exists()
    document = json.loads(story.lapcast("export", "--format", "chrome-trace").ok().out)
    check_trace(document)
    assert [event["name"] for event in document["traceEvents"] if event["ph"] == "X"] == ["run"]


def test_a_default_format_of_tables_is_none_of_exports(frozen):
    (frozen.work / "lapcast.toml").write_text('format = "csv"\n')
    assert len(frozen.export()) == len(frozen.lapcast("runs").ok().out.splitlines()) - 1
    frozen.lapcast("export", "--format", "xml").refused(USAGE, "xml")


def test_secrets_are_in_none_of_them(story):
    program = ["env", "API_KEY=hunter2hunter2", *story.trainer("--laps", 1000, "--lap-ms", 5)]
    story.probe("--max-laps", 20, program=program).ok()
    assert "hunter2" not in story.lapcast("export", "--format", "chrome-trace").ok().out
    story.lapcast("report", "--notebook", "run.ipynb").ok()
    assert "hunter2" not in (story.work / "run.ipynb").read_text()
