"""Tests that old logs become runs that show, rank and forecast treat like any other."""

import csv
import gzip
import json
import os
import re
import resource
import struct
from pathlib import Path

import pytest

from mlperf_log import mllog, training

PUBLIC = os.environ.get("LAPCAST_PUBLIC_DATA", "")
needs_public = pytest.mark.skipif(
    not (Path(PUBLIC) / "mlperf" / "rawlogs").is_dir(),
    reason="LAPCAST_PUBLIC_DATA does not name the folder of public MLPerf and DAWNBench logs",
)


def written(story, name, content):
    file = story.work / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def imported(story, form, *files, code=0):
    ended = story.lapcast("import", form, *files, "--json").ok(code)
    return ended.rows("imported_runs")


def test_an_mlperf_log_is_shown_ranked_and_forecast(story):
    slow = written(story, "slow.log", training(platform="Old box"))
    fast = written(story, "fast.log", training(epoch_s=10, platform="New box"))
    rows = imported(story, "mllog", slow, fast)
    assert [row["outcome"] for row in rows] == ["ended", "ended"]
    assert [round(row["time_s"], 9) for row in rows] == [216, 116]  # 10 + 5 + 10 epochs + 1

    show = story.lapcast("show", rows[0]["run"], "--json").ok()
    assert show.json["run"]["imported_from"] == "mllog slow.log"
    assert show.json["profile"]["lap_s"] == 20
    assert "laps and epochs are the log's epochs" in str(show.notes("run"))

    offers = written(story, "offers.csv", "name,machine_type,price_usd_per_hour,as_of,source\n"
                     "old,Old box,1,2026-11-01,a story\nnew,New box,3,2026-11-01,a story\n")
    for by, best in (("time", "New box"), ("cost", "Old box")):
        ranking = story.lapcast("rank", "--all", "--by", by, "--offers", offers, "--json").ok()
        rows_by = ranking.rows("candidates")
        assert rows_by[0]["machine_type"] == best and len(rows_by) == 2

    forecast = story.lapcast("forecast", rows[0]["run"], "--json").ok().rows("forecasts")[0]
    assert forecast["real_s"] == 216
    assert forecast["forecast_s"] == 216  # it was seen to its end


def test_forecast_from_the_first_epochs(story):
    run = imported(story, "mllog", written(story, "a.log", training()))[0]["run"]
    row = story.lapcast("forecast", run, "--after", 3, "--json").ok().rows("forecasts")[0]
    assert row["laps"] == 3 and row["real_s"] == 216
    assert abs(row["error"]) < 0.02  # only the last second of the end was not observed
    some = story.lapcast("forecast", run, "--epochs", 5, "--json").ok().rows("forecasts")[0]
    assert round(some["real_s"], 9) == 115  # 10 + 5 + 5 epochs of 20
    other = story.lapcast("forecast", run, "--epochs", 100, "--format", "csv").ok()
    row = next(csv.DictReader(other.out.splitlines()))
    assert row["real_s"] == "" and abs(float(row["forecast_s"]) - 2016) < 1
    none = story.lapcast("forecast", run, "--after", 10, "--json").ok(1)
    assert "no more than 10 epochs" in none.rows("forecasts")[0]["reason"]


# A version that counted laps one by one, also those that share the time up to one that waited, found
# no deviation among them, and stored that.
def test_no_table_repeats_how_precise_an_older_version_took_laps_to_be(story):
    story.probe("--max-laps", 20, "--epochs", 3).ok()
    [run] = story.export()
    story.store.unlink()
    run["outcome"] = {"kind": "enough", "rule": "17 steady laps within 0 %"}
    run["lap_logs"] = [re.sub(r" i (\d+)$", r" q \1", log, flags=re.M) for log in run["lap_logs"]]
    story.lapcast("import", "-", input=json.dumps(run).encode()).ok()
    for words in (["runs"], ["runs", "--json"], ["show", "last"], ["show", "last", "--json"]):
        assert "within 0 %" not in story.lapcast(*words).ok().out, words
    assert "17 steady laps" in story.lapcast("runs", "--json").ok().out


def test_intervals_between_evaluations_are_laps_of_a_training(story):
    # 1000 steps of 0.5 s between evaluations of 100 s, after a start of 60 s.
    rows = [(1, 60, 40)] + [(1 + 1000 * n, 60 + 600 * n, 40 + 100 * n) for n in (1, 2, 3, 4)]
    table = "global_step,total_duration,accumulated_eval_time,loss\n" + "".join(
        f"{step},{seconds},{evaluated},0.5\n" for step, seconds, evaluated in rows)
    known, = imported(story, "algoperf", written(story, "eval_measurements.csv", table))
    assert known["time_s"] == 2460
    found = story.lapcast("import", story.work / "eval_measurements.csv", "--json").ok()
    assert found.rows("imported_runs")[0]["import"] == "known before"
    total = story.lapcast("show", known["run"], "--epochs", 8, "--json").ok().json["forecast"]
    assert 60 + 8 * 600 <= total["time_s"] <= 1.02 * (60 + 8 * 600)
    story.lapcast("forecast", known["run"], "--steps", 8000).refused(2, "about 1000 steps: for 8000 steps say --epochs 8")
    named = written(story, "log.csv", table.replace("global_step", "batch"))
    story.lapcast("import", "csv-intervals", named).ok(3)
    ended = story.lapcast("import", "csv-intervals", named, "--columns", "step=batch", "--json").ok()
    assert ended.rows("imported_runs")[0]["time_s"] == 2460
    story.lapcast("import", "csv-intervals", named, "--columns", "steps=batch").refused(2, "steps")
    story.lapcast("import", named, "--columns", "step=batch").refused(2, "csv-intervals")


def test_importing_twice_is_one_run(story):
    file = written(story, "a.log", training())
    packed = written(story, "b.log.gz", gzip.compress(file.read_bytes()))
    assert imported(story, "mllog", file)[0]["import"] == "imported"
    assert imported(story, "mllog", file, packed)[0]["import"] == "known before"
    assert len(story.runs()) == 1


def test_stdin_and_export(story):
    story.lapcast("import", "mllog", "-", input=training().encode()).ok()
    run, = story.export()
    assert run["imported_from"] == "mllog stdin" and run["kind"] == "full"
    text = story.lapcast("export").ok().out
    (story.folder / "store" / "lapcast.db").unlink()
    story.lapcast("import", "-", input=text.encode()).ok()
    assert story.export() == [run]


def test_dawnbench_pairs(story):
    folder = story.work / "CIFAR10"
    folder.mkdir()
    (folder / "net.json").write_text(json.dumps(
        {"model": "net", "hardware": "p3", "costPerHour": 3.6, "timestamp": "2018-11-06"}))
    (folder / "net.tsv").write_text("hours\tepoch\ttop1Accuracy\n0.01\t0\t50\n0.015\t1\t94\n")
    rows = imported(story, "dawnbench", folder / "net.json", folder / "net.tsv")
    assert len(rows) == 1
    row = story.lapcast("forecast", "last", "--json").ok().rows("forecasts")[0]
    assert float(row["real_cost_usd"]) == 0.054  # 0.015 h * 3.6 USD/h
    (folder / "alone.tsv").write_text("epoch\thours\n1\t0.5\n2\t1\n")
    ended = story.lapcast("import", "dawnbench", folder / "alone.tsv").ok(3)
    assert "its JSON is missing" in ended.err and "1 imported" in ended.out


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def event_record(wall_time, step, loss):
    value = b"\x0a\x04loss\x15" + struct.pack("<f", loss)
    value = b"\x0a" + bytes([len(value)]) + value
    data = b"\x09" + struct.pack("<d", wall_time) + b"\x10" + bytes([step])
    data += b"\x2a" + bytes([len(value)]) + value
    length = struct.pack("<Q", len(data))
    return (length + struct.pack("<I", crc32c(length)) + data + struct.pack("<I", crc32c(data)))


def test_tensorboard_keras_and_stopwatch(story):
    events = b"".join(event_record(1.6e9 + 10 + 2 * i, 10 * i, 1 / (i + 1)) for i in range(12))
    rows = imported(story, "tensorboard", written(story, "events", events))
    assert rows[0]["time_s"] == 22
    # Ten steps lie between two logged ones.
    assert story.lapcast("show", rows[0]["run"], "--json").ok().json["profile"]["lap_median_s"] == 0.2
    cut = story.lapcast("import", "tensorboard", written(story, "cut", events[:-5])).ok(3)
    assert "cut off after record 11" in cut.err

    keras = written(story, "log.csv", "epoch,accuracy,loss\n0,0.5,1.2\n1,0.6,1\n")
    assert "no times" in imported(story, "keras-csv", keras)[0]["outcome_text"]
    timed = written(story, "timed.csv", "epoch,loss,epoch_time\n0,1.2,12\n1,1,10\n2,1,10\n")
    assert imported(story, "keras-csv", timed)[0]["time_s"] == 32

    printed = written(story, "net.log", "  epoch    train_loss     dur\n-------  ------------  ------\n"
                      "      1        0.6905  12.000\n      2        0.6648  10.000\n")
    history = written(story, "history.json", json.dumps([{"epoch": n, "batches": [], "dur": 5} for n in (1, 2)]))
    rows = story.lapcast("import", printed, history, "--json").ok().rows("imported_runs")
    assert [(row["format"], row["time_s"]) for row in rows] == [("keras-csv", 22), ("epochs-json", 10)]
    steps = written(story, "metrics.json", "".join(json.dumps({"iteration": n, "time": 0.5, "data_time": 0.1, "loss": float(
        "nan")}) + "\n" for n in (19, 39, 59)))
    progress = written(story, "progress.csv", "time/time_elapsed,time/total_timesteps\n" + "".join(
        f"{n},{400000 * n}\n" for n in (1, 2, 3)))
    [long] = story.lapcast("import", progress, "--json").ok().rows("imported_runs")
    story.lapcast("forecast", long["run"], "--steps", 1200000).refused(2, "is 4 steps: for 1200000 steps say --steps 300000")
    other = written(story, "other.jsonl", '{"loss": 1}\n{"loss": 2}\n')
    assert len(story.lapcast("import", other).ok(3).err.splitlines()) == 1, "a line for the file, not for each of its rows"
    [row] = story.lapcast("import", steps, "--json").ok().rows("imported_runs")
    assert (row["format"], round(row["time_s"], 6)) == ("metrics-json", 29.5), "59 iterations of 0.5 s"

    lines = ("# csv,data-load,ok,1.5,1.5,2022-03-01 12:00:00,mlp,box,ann,Linux,1\n"
             "# csv,train,ok,10,10,2022-03-01 12:00:02,mlp,box,ann,Linux,1\n")
    header = "# csv,timer,status,time,sum,start,tag,uname.node,user,uname.system,platform.version\n"
    rows = imported(story, "stopwatch", written(story, "a.txt", "noise\n" + lines),
                    written(story, "b.txt", header + lines))
    assert [row["import"] for row in rows] == ["imported", "known before"]
    assert rows[0]["time_s"] == 11.5 and rows[0]["machine_type"] == "box"


def test_bad_input(story):
    story.lapcast("import", "mllog").refused(2, "needs a file")
    story.lapcast("import", "mllog", "nowhere.log").refused(3, "nowhere.log")
    story.lapcast("import", "mllog", story.work).refused(3, "folder")
    story.lapcast("import", "dawnbench", "nowhere.json").refused(3, "nowhere.json")
    for form in ("mllog", "dawnbench", "tensorboard", "keras-csv", "stopwatch", "algoperf",
                 "csv-intervals", "epochs-json", "metrics-json"):
        for name, content in (("empty", b""), ("noise", bytes(range(256)) * 100)):
            ended = story.lapcast("import", form, written(story, name, content)).ok(3)
            assert name in ended.err and "0 imported" in ended.out
    text = training()
    half = gzip.compress(text.encode())[:-20]
    ended = story.lapcast("import", "mllog", written(story, "cut.gz", half)).ok(3)
    assert "end too early" in ended.err
    lost = mllog(0, "init_start")[:-20] + text.replace(":::MLLOG", "\x1b[31m:::MLLOG", 1)
    ended = story.lapcast("import", "mllog", written(story, "\x1b[31mred", lost)).ok(3)
    assert "line 1: a line of an MLPerf log" in ended.err and "\x1b" not in ended.err + ended.out
    assert "1 imported" in ended.out


def test_a_log_of_a_million_lines_takes_bounded_memory(story):
    noise = mllog(12, "tracked_stats", '{"loss": 0.25}', step=1) * 1000
    file = story.work / "large.log"
    with open(file, "w") as log:
        head, tail = training().split("\n", 5)[:5], training().split("\n", 5)[5]
        log.write("\n".join(head) + "\n")
        for _ in range(1000):
            log.write(noise)
        log.write(tail)

    def most_128_mib():
        resource.setrlimit(resource.RLIMIT_AS, (128 << 20, 128 << 20))

    assert file.stat().st_size > 120 << 20  # larger than the memory that the process may have
    ended = story.lapcast("import", "mllog", file, "--json", preexec_fn=most_128_mib).ok()
    assert ended.rows("imported_runs")[0]["time_s"] == 216


# The public logs ---------------------------------------------------------------------------------

@needs_public
def test_every_public_mlperf_log_gives_its_known_time(story):
    folder = Path(PUBLIC) / "mlperf"
    files = sorted((folder / "rawlogs").glob("*.gz"))
    known = {row["run_id"]: row for row in csv.DictReader((folder / "runs.csv").open())}
    assert len(imported(story, "mllog", *files)) == len(files)
    compared = 0
    for run in story.export():
        name = run["imported_from"].removeprefix("mllog ")
        row = known.get(name.removesuffix(".gz").removesuffix(".log").replace("__", "/"))
        log = run["lap_logs"][0]
        assert re.search(r"^\d+ i ", log, re.M), name
        if row is None:
            continue
        begin, end = (int(re.search(rf"^(\d+) stage-{what} train$", log, re.M)[1])
                      for what in ("begin", "end"))
        assert abs((end - begin) * 1e-9 - float(row["total_s"])) < 0.0015, name
        compared += 1
    assert compared >= 80
    runs = [row["run"] for row in story.runs()]
    forecasts = story.lapcast("forecast", *runs, "--json").ok().rows("forecasts")
    assert all(abs(row["error"]) < 0.15 for row in forecasts)


@needs_public
def test_every_public_dawnbench_entry(story):
    entries = sorted((Path(PUBLIC) / "dawnbench").glob("*/*.json"))
    rows = imported(story, "dawnbench", *entries)
    assert len(rows) == len(entries) > 25
    row = next(row for row in rows if "davidcpage" in row["file"])
    real = story.lapcast("forecast", row["run"], "--json").ok().rows("forecasts")[0]
    assert abs(real["real_s"] - row["time_s"]) < 1e-6


TRAINER_STATE = {"global_step": 100, "max_steps": 100, "train_batch_size": 8, "log_history": [
    {"epoch": 1.0, "loss": 1.2, "step": 100}, {"epoch": 1.0, "eval_loss": 1.1, "eval_runtime": 5.0, "step": 100},
    {"epoch": 1.0, "step": 100, "train_loss": 1.3, "train_runtime": 30.0}]}


def outputs_of_a_machine(folder, speed):
    """Writes what four tools leave of a training, on a machine of this speed."""
    (folder / "hf" / "checkpoint-50").mkdir(parents=True)
    (folder / "hf" / "checkpoint-100").mkdir()
    state = json.loads(json.dumps(TRAINER_STATE))
    state["log_history"][2]["train_runtime"] = 30.0 / speed
    (folder / "hf" / "trainer_state.json").write_text(json.dumps(state))
    for step in (50, 100):
        (folder / "hf" / f"checkpoint-{step}" / "trainer_state.json").write_text(
            json.dumps({"global_step": step, "log_history": [{"loss": 1.0, "step": step}]}))
    (folder / "wandb").mkdir()
    (folder / "wandb" / "history.jsonl").write_text("".join(
        json.dumps({"_step": 10 * n, "_runtime": 5 + n / speed, "loss": 1 / n}) + "\n" for n in range(1, 6)))
    metrics = folder / "mlruns" / "0" / "abc" / "metrics"
    metrics.mkdir(parents=True)
    (metrics.parent / "meta.yaml").write_text("run_id: abc\n")
    (metrics / "loss").write_text("".join(
        f"{1_600_000_000_000 + int(2000 * n / speed)} {1 / n} {10 * n}\n" for n in range(1, 5)))
    (folder / "lightning").mkdir()
    (folder / "lightning" / "metrics.csv").write_text("epoch,step,train_loss,val_loss\n0,49,0.9,\n0,49,,0.8\n1,99,0.7,\n")
    (folder / "notes.txt").write_text("the step was slow, the epoch too\n")


def test_a_folder_of_logs_of_two_machines_is_two_commands_from_a_comparison(story):
    for name, speed in (("slow", 1), ("fast", 2)):
        outputs_of_a_machine(story.work / name, speed)
        shown = story.lapcast("import", name, "--machine", name, "--json").ok()
        rows = shown.rows("imported_runs")
        assert sorted(row["format"] for row in rows) == ["keras-csv", "mlflow", "trainer-state", "trainer-state", "wandb"]
        assert {row["machine_type"] for row in rows} == {name}
    assert "1 other files are passed over" in story.lapcast("import", "fast", "--machine", "fast").ok().out
    compared = story.lapcast("compare", "--plot", "program=trainer-state,machine=slow",
                             "program=trainer-state,machine=fast").ok()
    assert "2 times" in compared.out or "100 %" in compared.out, compared.out
    ranked = story.lapcast("rank", "--all", "--by", "time", "--json").rows("candidates")
    assert {row["machine_type"] for row in ranked} == {"slow", "fast"}


def test_what_was_imported_on_a_day_is_removed_together(story):
    story.probe("--max-laps", 20, "--epochs", 3).ok()
    outputs_of_a_machine(story.work / "box", 1)
    story.lapcast("import", "box").ok()
    [probe, *logs] = sorted(story.runs(), key=lambda run: run["kind"] != "probe")
    [tag] = {run["tag"] for run in story.runs() if run["tag"]}
    assert tag.startswith("imported-")
    assert "is not a date" in story.lapcast("runs", "rm", "--imported", "monday").ok(2).err
    assert "5 runs are removed" in story.lapcast("runs", "rm", "--imported", tag.removeprefix("imported-")).ok().err
    assert len(story.runs()) == 1


def test_a_file_of_another_kind_is_one_line_that_names_the_formats(story):
    (story.work / "other.json").write_text('{"a": 1}\n' * 375)
    ended = story.lapcast("import", "other.json").ok(3)
    assert ended.err.count("\n") == 1
    assert "other.json: neither runs of lapcast nor a log of a known format (mllog, dawnbench" in ended.err


def test_event_files_of_a_folder_are_one_run_of_the_host_in_their_name(story):
    (story.work / "logs").mkdir()
    for number, steps in enumerate((range(1, 4), range(4, 7))):
        (story.work / "logs" / f"events.out.tfevents.1600000000.box-7.{number}.0").write_bytes(
            b"".join(event_record(1_600_000_000 + 2 * n, 10 * n, 1) for n in steps))
    [row] = story.lapcast("import", "logs", "--json").ok().rows("imported_runs")
    assert row["machine_type"] == "box-7" and row["format"] == "tensorboard"
    laps = story.lapcast("show", row["run"], "--json").ok().json["profile"]
    assert laps["laps"] == 60 and abs(laps["lap_s"] - 0.2) < 1e-6
