"""Tests ranking by the papers' methods, probes of whole epochs, and the comparison of methods."""

import pytest

# So far apart that a busy machine does not turn them round.
FLEET = "".join(f'[[machine]]\nname = "{name}"\nprice = "{price}"\n[machine.environment]\n'
                f'FAKE_SPEED = {speed}\n' for name, price, speed in (("slow", "3.6", 1), ("fast", "1800", 50)))
NEAR = FLEET.replace("1800", "18").replace("FAKE_SPEED = 50", "FAKE_SPEED = 4")
METHODS = ["lapcast", "epoch", "iteration-with-validation", "iteration", "first-iteration",
           "second-iteration", "mean-2-10"]


def trainer(story, *more):
    return story.trainer("--epochs", 4, "--laps", 30, "--lap-ms", 20, "--batch", 8,
                         "--train", 240, "--validation", 64, "--validation-ms", 60, *more)


def sweep(story, *options, program=None):
    return story.lapcast("sweep", story.fleet(FLEET).name, *options, "--",
                         *(program or trainer(story))).ok()


def machines(rows):
    return {row["machine_type"]: row for row in rows}


def test_a_probe_of_whole_epochs_is_one_piece_with_their_validations(story):
    # The programs wait in their third epoch until they are ended.
    waiting = trainer(story, "--until", "never", "--until-lap", 61)
    ended = sweep(story, "--probe-epochs", 2, program=waiting)
    assert "enough: 2 whole epochs" in ended.out
    for run in story.export():
        log = "".join(run["lap_logs"]) if isinstance(run["lap_logs"], list) else str(run["lap_logs"])
        assert log.count("epoch-end") == 2 and log.count("epoch-begin") == 3
    started = len(story.journal("start"))
    assert started == 2

    # The number of epochs is part of what a sweep is: another one measures anew, the same does not.
    sweep(story, "--probe-epochs", 2, program=waiting)
    assert len(story.journal("start")) == started
    sweep(story, "--probe-epochs", 1, program=waiting)
    assert len(story.journal("start")) == started + 2


def test_a_budget_ends_a_probe_of_whole_epochs(story):
    program = story.trainer("--epochs", 5, "--laps", 1000, "--lap-ms", 50)
    ended = story.probe("--probe-epochs", 2, "--budget", "5s", "--json", program=program).ok()
    assert ended.json["run"]["outcome"] == "budget-spent"
    story.lapcast("sweep", "--race", "--probe-epochs", 2, "--", *program).refused(2, "--race")
    story.probe("--probe-epochs", 0, program=program).refused(2, "--probe-epochs")


def test_each_method_ranks_without_claiming_to_be_sure(story):
    sweep(story, "--probe-epochs", 2)
    for method in METHODS[1:]:
        ended = story.lapcast("rank", "--method", method, "--json").ok()
        rows = machines(ended.rows("candidates"))
        [ranking] = ended.rows("rankings")
        assert ranking["method"] == method and ranking["expected_regret"] is None
        for name, row in rows.items():
            run = story.lapcast("show", row["run"], "--methods", "--json").ok()
            by_method = {each["method"]: each["time_s"] for each in run.rows("methods")}
            assert row["time_s"] == pytest.approx(by_method[method])
            assert row["time_s_low"] is row["time_s_high"] is row["cost_usd_low"] is None
            assert row["p_cheapest"] is row["p_fastest"] is None
    text = story.lapcast("rank", "--method", "epoch").ok().out
    assert "how sure this is is not known" in text and "sure" not in text.splitlines()[0]
    assert "P(cheapest)" not in text and "expected regret" not in text
    story.lapcast("rank", "--method", "epoch", "--deadline", "1h", "--risk", "5%").refused(2, "--risk")
    story.lapcast("rank", "--method", "magic").refused(2, "--method")
    [ranking] = story.lapcast("rank", "--json").ok().rows("rankings")
    assert ranking["method"] == "lapcast"


def test_a_method_that_cannot_answer_says_what_to_do(story):
    # The programs wait in their second epoch, as one is ended late on a busy machine.
    sweep(story, "--max-laps", 12, program=trainer(story, "--until", "never", "--until-lap", 40))
    ended = story.lapcast("rank", "--method", "epoch", "--json")
    assert ended.code == 1
    for row in ended.rows("excluded"):
        assert "fewer than two whole epochs" in row["reason"] and "--probe-epochs 2" in row["reason"]
    rows = story.lapcast("rank", "--method", "second-iteration", "--json").ok().rows("candidates")
    assert len(rows) == 2


def test_strategies_before_and_after_runs_to_the_end(story):
    sweep(story, "--probe-epochs", 2)
    ended = story.lapcast("rank", "--strategies", "--json").ok()
    assert [row["method"] for row in ended.rows("strategy_picks")] == METHODS
    for row in ended.rows("strategy_picks"):
        assert row["machine_type"] == "slow"
        assert row["regret"] is row["is_right"] is row["tau"] is row["order_is_right"] is None
    ways = {row["way"]: row for row in ended.rows("search_ways")}
    assert ways["everything"]["forecast"] == 2 and ways["two-epochs"]["measured"] == 2
    assert "no candidate was run to its end" in story.lapcast("rank", "--strategies").ok().out

    story.lapcast("verify", "--all").ok()
    real = machines(story.lapcast("verify", "--all", "--json").ok().rows("verified"))
    for by, pick, unit in (("cost", "slow", "usd"), ("time", "fast", "s")):
        ended = story.lapcast("rank", "--strategies", "--by", by, "--json").ok()
        rows = machines(ended.rows("strategies"))
        assert set(rows) == {"slow", "fast"}
        smallest = min(row[f"real_{unit}"] for row in rows.values())
        for name, row in rows.items():
            assert row["real_runs"] == 1
            assert row[f"real_{unit}"] == pytest.approx(real[name][f"real_{'cost_usd' if by == 'cost' else 's'}"])
            assert row["relative_real"] == pytest.approx(row[f"real_{unit}"] / smallest)
        for row in ended.rows("strategy_picks"):
            assert row["machine_type"] == pick and row["best"] == pick
            assert row["regret"] == 0 and row["is_right"] and row["order_is_right"]
            assert row["tau"] == 1 and row["compared"] == 2 and not row["regret_is_lower_bound"]

    ways = {row["way"]: row for row in ended.rows("search_ways")}
    assert set(ways) == {"everything", "two-epochs", "two-iterations", "probes"}
    assert ways["everything"]["measured"] == 2 and ways["everything"]["forecast"] == 0
    assert ways["everything"]["time_s"] == pytest.approx(sum(row["real_s"] for row in real.values()))
    assert (ways["two-iterations"]["time_s"] < ways["two-epochs"]["time_s"]
            <= ways["probes"]["time_s"] < ways["everything"]["time_s"])
    for way in ("two-epochs", "two-iterations", "probes"):
        assert ways[way]["saving"] == pytest.approx(
            1 - ways[way]["cost_usd"] / ways["everything"]["cost_usd"])
    by_machine = machines(ended.rows("search_machines"))
    for key, way in (("everything", "everything"), ("two_epochs", "two-epochs"), ("probes", "probes")):
        assert sum(row[f"{key}_usd"] for row in by_machine.values()) == pytest.approx(
            ways[way]["cost_usd"], abs=1e-8)
    text = story.lapcast("rank", "--strategies").ok().out
    assert "it. 2-10" in text and "Real" in text and "every candidate to its end" in text
    assert "strategies" in story.lapcast("rank", "--help").ok().out
    for name in ("csv", "markdown"):
        assert "slow" in story.lapcast("rank", "--strategies", "--format", name).ok().out


def test_a_race_of_the_same_candidates_is_in_the_bill(story):
    program = trainer(story)
    fleet = story.fleet(NEAR).name
    story.lapcast("sweep", fleet, "--race", "--", *program).ok()
    story.lapcast("sweep", fleet, "--max-laps", 15, "--", *program).ok()
    ways = {row["way"]: row for row in
            story.lapcast("rank", "--strategies", "--json").ok().rows("search_ways")}
    assert ways["race"]["cost_usd"] > 0 and ways["probes"]["measured"] == 2
    assert ways["two-epochs"]["forecast"] == 2


def test_a_wrong_pick_has_its_regret(story):
    # The long first lap of batch 10 hides that its other laps take half as long.
    program = story.trainer("--epochs", 3, "--laps", 40, "--lap-ms", "{batch}", "--warm-up-laps", 1,
                            "--warm-up-ms", "{first}")
    fleet = '[[machine]]\nname = "box"\n'
    for lap, first in ((20, 0), (10, 300)):
        story.lapcast("sweep", story.fleet(fleet).name, "--max-laps", 20, "--batch", lap, "--set",
                      f"first={first}", "--", *program).ok()
        story.lapcast("verify", "--all").ok()
    ended = story.lapcast("rank", "--all", "--by", "time", "--strategies", "--json").ok()
    picks = {row["method"]: row for row in ended.rows("strategy_picks")}
    first, second = picks["first-iteration"], picks["second-iteration"]
    assert first["settings"]["batch"] == 20 and second["settings"]["batch"] == 10
    real = sorted(row["real_s"] for row in ended.rows("strategies"))
    assert first["regret"] == pytest.approx(real[1] / real[0] - 1) and first["regret"] > 0.2
    assert first["tau"] == -1 and not first["order_is_right"] and not first["is_right"]
    assert second["regret"] == 0 and second["tau"] == 1 and second["is_right"]


def test_strategies_are_for_cost_and_time(story):
    sweep(story, "--max-laps", 12)
    story.lapcast("rank", "--strategies", "--by", "score").refused(2, "--by cost or --by time")
