"""Checks that whatever lapcast prints about one store is computed from one number for each candidate
and plan: over random stores, every pair of statements agrees. Nothing is measured: the runs are made
here, so no story depends on the speed of a machine."""

import json
import random
import re

import pytest

from made_runs import made_run
from report_page import report

MOST = 30  # epochs that are ranked, one by one
ALL = ",".join(str(epochs) for epochs in range(1, MOST + 1))


def imported(story, runs):
    (story.work / "made.jsonl").write_text("".join(json.dumps(run) + "\n" for run in runs))
    story.lapcast("import", "made.jsonl").ok()
    return story


def some_store(seed):
    """Returns probes of four candidates, and the runs to the end of some, which correct them."""
    some = random.Random(seed)
    step_s, runs = some.choice((0, 1)), []
    for machine, price in (("small", "0.1"), ("large", "0.2")):
        for batch in (64, 128):
            lap = some.uniform(0.2, 0.24) / (2 if machine == "large" else 1)
            start = some.uniform(0.2, 2)
            later = some.uniform(0.8, 1.4)  # how long laps take after what a probe sees

            def laps(epoch, number):
                slow = later if epoch > 4 else 1
                return lap * slow * some.uniform(0.99, 1.02) + (start if (epoch, number) == (1, 0) else 0)

            def made(kind, epochs):
                runs.append(made_run(len(runs) + 1, kind, batch, epochs, laps,
                                     100 * (len(runs) + 1), machine, price, step_s))

            made("probe", 4)
            for _ in range(some.randint(0, 2)):
                made("full", some.randint(9, 20))
    return runs


def name_of(row):
    return f"{row['machine_type']} batch={row['settings']['batch']}"


def sides(row):
    return [row[f"machine_type_{side}"] and f"{row[f'machine_type_{side}']} "
            f"batch={row[f'settings_{side}']['batch']}" for side in ("below", "from")]


def first_by_crossovers(crossovers, otherwise):
    """Returns the candidate that is first at each number of epochs, as the crossovers say it."""
    winner, winners, left = sides(crossovers[0])[0] if crossovers else otherwise, {}, crossovers[:]
    for epochs in range(1, MOST + 1):
        if left and left[0]["epochs"] == epochs:
            below, winner = sides(left.pop(0))
            assert below == winners[epochs - 1]
        winners[epochs] = winner
    return winners


def rankings_of(ended):
    """Returns the rows of each ranking by its epochs."""
    epochs = {row["ranking"]: row["epochs"] for row in ended.rows("rankings")}
    rows = {number: [] for number in epochs.values()}
    for row in ended.rows("candidates"):
        rows[epochs[row["ranking"]]].append(row)
    return rows


@pytest.mark.parametrize("options", [["--by", "cost"], ["--by", "time"], ["--by", "score"],
                                     ["--deadline", "12s"], ["--max-cost", "0.0003"]])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_pick_at_every_number_of_epochs_is_what_all_notes_say(story, seed, options):
    imported(story, some_store(seed))
    ended = story.lapcast("rank", "--epochs", ALL, *options, "--json").ok()
    rankings = rankings_of(ended)
    first = {epochs: name_of(rows[0]) if rows else None for epochs, rows in rankings.items()}
    for epochs in (3, 10, MOST):  # crossovers are looked for up to 10 times the plan
        if not rankings[epochs]:
            continue
        crossovers = [row for row in ended.rows("crossovers") if row["ranking"] == epochs]
        assert first_by_crossovers(crossovers, first[1]) == first
        text = story.lapcast("rank", "--epochs", epochs, *options).ok().out
        said = re.findall(r"^from (\d+) epochs on (.*), below it (.*)$", text, re.MULTILINE)
        names = [[name or "none is within the limits" for name in sides(row)] for row in crossovers]
        assert said == [(f"{row['epochs']:.0f}", after + ("" if "none" in after else " wins"), below)
                        for row, (below, after) in zip(crossovers, names)]


@pytest.mark.parametrize("seed", [4, 5])
def test_every_table_has_the_numbers_of_the_ranking(story, seed):
    imported(story, some_store(seed))
    ended = story.lapcast("rank", "--epochs", ALL, "--json").ok()
    rankings = rankings_of(ended)
    relative = {name_of(row): row for row in ended.rows("relative")}
    for epochs, rows in rankings.items():
        for what, value in (("time", "time_s"), ("cost", "cost_usd")):
            least = min(row[value] for row in rows)
            for row in rows:
                assert row[f"relative_{what}"] == pytest.approx(row[value] / least)
                assert relative[name_of(row)][f"relative_{what}_{epochs}_epochs"] == pytest.approx(
                    row[f"relative_{what}"])
    for epochs in (1, 7, MOST):
        alone = story.lapcast("rank", "--epochs", epochs, "--explain", "--json").ok()
        without_number = [dict(row, ranking=epochs) for row in alone.rows("candidates")]
        assert without_number == rankings[epochs]
        assert alone.json["best"]["cost"]["time_s"] == rankings[epochs][0]["time_s"]
        drawn = [row for row in alone.rows("times_by_epochs") if row["epochs"] in rankings]
        assert len(drawn) >= 2 * len(rankings[epochs])
        for row in drawn:
            [time] = [each["time_s"] for each in rankings[row["epochs"]]
                      if name_of(each) == name_of(row)]
            assert row["time_s"] == pytest.approx(time)
        for row in alone.rows("explanation"):  # as many epochs would do, one more would not
            if not 1 <= (row["needed_epochs"] or 0) < epochs:
                continue
            time_of = {number: each["time_s"] for number, rows in rankings.items() for each in rows
                       if name_of(each) == name_of(row)}
            assert time_of[row["needed_epochs"]] <= row["needed_training_s"] + 1e-6
            assert time_of[row["needed_epochs"] + 1] > row["needed_training_s"]
        _, document = report(story, "--epochs", epochs)
        for table in ("candidates", "crossovers", "explanation"):
            assert document["rank"][table] == alone.rows(table)


def test_a_candidate_with_learned_epochs_has_a_time_above_0(story):
    """Its first 20 laps are four times as fast as later ones, so that a line through the times of
    longer trainings is below 0 at one epoch."""
    def laps(epoch, number):
        return (0.05 if epoch <= 5 else 0.2) * (1 + 0.001 * ((epoch + number) % 3))

    runs = [made_run(1, "probe", 64, 12, laps, 100)]
    stopped = {"kind": "enough", "rule": "val_accuracy has not improved"}
    runs += [made_run(2 + i, "find-epochs", 64, epochs, laps, 200 + 100 * i, outcome=stopped)
             for i, epochs in enumerate((2, 5, 8))]
    imported(story, runs)
    ended = story.lapcast("rank", "--json").ok()
    assert ended.rows("excluded") == []
    [row] = ended.rows("candidates")
    assert row["epochs"] == 5 and 0 < row["time_s_low"] < row["time_s"] < row["time_s_high"]
    assert 0 < row["cost_usd_low"] <= row["cost_usd"] <= row["cost_usd_high"]


def test_equal_costs_are_said_to_be_a_tie_and_settled_alike(story):
    """Both take less than an hour, which is billed in whole hours; the slower one is stored first."""
    imported(story, [made_run(number, "probe", batch, 4, lambda epoch, lap, s=seconds: s, 100 * number, step_s=3600)
                     for number, batch, seconds in ((1, 64, 0.24), (2, 128, 0.2))])
    ranked = story.lapcast("rank", "--epochs", 5).ok().out
    first, tie = ranked.splitlines()[:2]
    assert "batch=128" in first and first.startswith("CHEAPEST AND FASTEST")
    assert re.fullmatch(r"a tie: as cheap as small batch=128, and not faster: small batch=64", tie), ranked
    apart = story.lapcast("rank", "--epochs", 100000).ok().out  # 27 h and 22 h
    assert "a tie" not in apart
