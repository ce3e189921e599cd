"""Tests what `show` notices in a run, and what a probe takes from a run that went further."""

import copy
import json
import random
import re

import pytest

from conftest import GOLDEN

TEMPLATE = json.loads((GOLDEN / "runs.jsonl").read_text().splitlines()[0])
START_NS = 1_000_000_000
VERSION = "lapcast-laps 1\n"
HELLO = "0 hello clock={clock} wall=1790000000.0 pid=1 rank=0 world=1 host=box emitter=story\n"


class Log:
    """Is a lap log with chosen times, in seconds."""

    def __init__(self, init_s, **plan):
        self.now = 0.0
        self.init_s = init_s
        fields = " ".join(f"{key}={value}" for key, value in plan.items())
        self.lines = [f"0 plan {fields}\n"] if fields else []
        self.noise = random.Random(7)

    def event(self, seconds, text):
        self.now += seconds
        self.lines.append(f"{round(self.now * 1e9)} {text}\n")
        return self

    def laps(self, count, seconds):
        for _ in range(count):
            self.event(seconds * self.noise.gauss(1, 0.01), "i 32")
        return self

    def validation(self, seconds, samples):
        return self.event(0, "validation-begin").event(seconds, f"validation-end {samples}")

    def run(self, number, machine="small", ended=True):
        run = copy.deepcopy(TEMPLATE)
        run.update(id=f"{number:012x}", kind="full" if ended else "probe", program=["./train"],
                   settings={}, sweep="", started_ns=START_NS, warnings=[])
        run["machine_type"]["name"] = run["price"]["name"] = run["price"]["machine_type"] = machine
        run["outcome"] = {"kind": "ended"} if ended else {"kind": "enough", "rule": "a story"}
        run["started_at"] = f"2026-11-20T12:{number:02}:00Z"
        clock = START_NS + round(self.init_s * 1e9)
        run["ended_ns"] = clock + round((self.now + 0.1) * 1e9)
        run.pop("stop_sent_ns", None)
        run["lap_logs"] = [VERSION + HELLO.format(clock=clock) + "".join(self.lines)]
        return run


def stored(story, *runs):
    file = story.work / "runs.jsonl"
    file.write_text("".join(json.dumps(run) + "\n" for run in runs))
    story.lapcast("import", file).ok()


def effects(story, run, *options):
    ended = story.lapcast("show", run["id"], "--json", *options).ok()
    return {row["effect"]: row for row in ended.rows("effects")}


def test_every_effect_is_named_with_its_share(story):
    log = Log(2, epochs=6, iterations=40, batch=32, train=1280, validation=100)
    for epoch, factor in enumerate([1.5, 1.2, 1, 1, 1, 1], 1):
        log.event(0.2, f"epoch-begin {epoch}").laps(20, 0.1 * factor)
        if epoch == 5:
            log.event(4, "i 32")
        log.laps(20 - (epoch == 5), 0.1 * factor).event(0, f"epoch-end {epoch}")
        if epoch % 2 == 0:
            log.validation(1.5, 100)
        log.event(0, "checkpoint-begin").event(0.4, "checkpoint-end 1000")
    run = log.run(1)
    stored(story, run)
    found = effects(story, run)
    assert set(found) == {"slow first epochs", "stalls", "validation", "epoch overhead",
                          "checkpoints"}
    wall = (run["ended_ns"] - run["started_ns"]) / 1e9
    seconds = {"slow first epochs": 40 * (0.05 + 0.02), "stalls": 3.9, "validation": 4.5,
               "epoch overhead": 1, "checkpoints": 2.4}
    for name, expected in seconds.items():
        assert found[name]["time_s"] == pytest.approx(expected, rel=0.1), name
        assert found[name]["share"] == pytest.approx(expected / wall, rel=0.1), name
    assert "the first 2 epochs were slower" in found["slow first epochs"]["what"]
    assert "after every 2 epochs" in found["validation"]["forecast"]
    text = story.lapcast("show", run["id"]).ok().out
    for name in found:
        assert name in text


def test_changed_work_gives_a_warning(story):
    found_by_itself = Log(1, steps=1000).laps(60, 0.1).laps(60, 0.2).run(1)
    log = Log(1, steps=1000).event(0, "phase 128px").laps(60, 0.1)
    reported = log.event(0, "phase 224px").laps(60, 0.2).run(2)
    stored(story, found_by_itself, reported)
    changed = effects(story, found_by_itself)["work per lap changed"]
    assert "holds only while" in changed["forecast"] and "lap 60" in changed["what"]
    phases = effects(story, reported)["phases"]
    assert "holds only while" in phases["forecast"] and "224px" in phases["what"]


def test_a_short_run_is_mostly_start_up_and_a_clean_one_has_nothing(story):
    run = Log(10, steps=100).laps(100, 0.1).run(1)
    stored(story, run)
    start = effects(story, run)["start-up"]
    assert start["time_s"] == pytest.approx(10, rel=0.01) and "50 %" in start["forecast"]
    assert effects(story, run, "--steps", 10000) == {}
    assert "Effects" not in story.lapcast("show", run["id"], "--steps", 10000).ok().out


def test_validations_that_begin_after_the_probe(story):
    log = Log(1, epochs=40, iterations=20, batch=32, train=640, validation=640)
    for epoch in (1, 2, 3):
        log.event(0, f"epoch-begin {epoch}").laps(20, 0.1).event(0, f"epoch-end {epoch}")
    run = log.event(0, "epoch-begin 4").laps(5, 0.1).run(1, ended=False)
    stored(story, run)

    def validation(*options):
        return story.lapcast("show", run["id"], "--json", *options).ok().part("validation")

    one = validation("--validate-every", 40)
    assert one["time_s"] == pytest.approx(20 * 0.1 * 0.35, rel=0.02)
    # the number of validations is not known
    assert validation()["time_s_high"] > one["time_s_high"]
    five = validation("--validate-every", 5, "--validate-from", 20)  # 20, 25, 30, 35, 40
    assert five["time_s"] == pytest.approx(5 * one["time_s"])
    story.lapcast("show", run["id"], "--validate-every", 0).refused(2, "--validate-every")


def test_a_validation_cost_is_taken_from_another_machine(story):
    log = Log(1, epochs=4, iterations=20, batch=32, train=640)
    for epoch in (1, 2):
        log.event(0, f"epoch-begin {epoch}").laps(20, 0.4).event(0, f"epoch-end {epoch}")
        log.validation(1.2, 96)  # 3 laps' samples in the time of 3 laps
    whole = log.run(1, "cheap")
    probe = Log(1, epochs=4, iterations=20, batch=32, train=640).event(0, "epoch-begin 1")
    probe = probe.laps(15, 0.1).run(2, "fast", ended=False)
    stored(story, whole, probe)
    show = story.lapcast("show", probe["id"], "--json").ok()
    assert show.json["profile"]["validation_s"] == pytest.approx(0.3, rel=0.02)
    text = story.lapcast("show", probe["id"]).ok().out
    assert "carried over from run 000000000001 on cheap" in text
    part = show.part("validation")
    assert part["time_s"] == pytest.approx(1.2, rel=0.02)  # four validations
    assert part["time_s_low"] < 0.7 and part["time_s_high"] > 2
    [row] = story.lapcast("forecast", probe["id"], "--json").ok().rows("forecasts")
    assert row["forecast_s"] == pytest.approx(show.json["forecast"]["time_s"])
    ranked = story.lapcast("rank", "--all", "--json").ok()
    fast = next(row for row in ranked.rows("candidates") if row["machine_type"] == "fast")
    assert fast["time_s"] == pytest.approx(row["forecast_s"])


def test_what_made_a_run_shorter_has_its_size_in_words(story):
    log = Log(1, epochs=4, iterations=30, batch=32, train=960, validation=100)
    for epoch in range(1, 5):
        log.event(0, f"epoch-begin {epoch}").laps(30, 0.1).event(0, f"epoch-end {epoch}")
        log.validation(1.0 if epoch == 1 else 3.0 + epoch / 100, 100)
    later = Log(1, steps=1000).laps(15, 0.05).laps(100, 0.1)
    runs = log.run(1), later.run(2)
    stored(story, *runs)
    for run, name, words in zip(runs, ("first validation", "warm-up"),
                                ("took 1.00 s, later ones 3.", " less than steady ones")):
        effect = effects(story, run)[name]
        assert effect["time_s"] < 0 and effect["share"] < 0 and words in effect["what"], effect
        text = story.lapcast("show", run["id"]).ok().out
        [line] = [line for line in text.splitlines() if line.startswith(name) and words in line]
        assert not re.search(r"-\d", line) and re.search(r" -  +-  ", line), line
