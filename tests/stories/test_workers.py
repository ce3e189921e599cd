"""Stories of a user who asks how many GPUs pay off: `sweep --workers` and `forecast --workers`."""

import json
import os

import pytest

from made_workers import run_on_workers


def store(story, *runs):
    (story.work / "runs.jsonl").write_text("".join(json.dumps(run) + "\n" for run in runs))
    story.lapcast("import", "runs.jsonl").ok()
    return [run["id"] for run in runs]


def rows_of(story, ids, *options):
    shown = story.lapcast("forecast", *ids, *options, "--json").ok().json
    return {row["workers"]: row for row in shown["workers"]}, shown


def test_two_probes_tell_the_training_on_more_workers(story):
    ids = store(story, run_on_workers(1, 1, 0.3, price="4"), run_on_workers(2, 2, 0.33))
    rows, shown = rows_of(story, ids, "--workers", "1,2,4,8", "--epochs", 90)
    assert [row["provenance"] for row in rows.values()] == ["measured", "measured", "scaled", "scaled"]
    assert [row["run"] for row in rows.values()] == [*ids, None, None]
    # 90 epochs of 50,000 samples, 32 in a lap of each worker; the program starts in 20 s.
    assert abs(rows[1]["time_s"] / (90 * 50000 / 32 * 0.3) - 1) < 0.02
    assert abs(rows[2]["speed_up"] - 2 * 0.3 / 0.33) < 0.01
    for count in (4, 8):
        row = rows[count]
        assert row["lap_s_low"] < row["lap_s"] < row["lap_s_high"] and row["lap_s"] > 0.33
        assert row["time_s_low"] < row["time_s"] < row["time_s_high"]
        assert row["time_s"] < rows[2]["time_s"] and 2 < row["speed_up"] < count
        assert abs(row["time_s"] - 20 - 90 * 50000 / 32 / count * row["lap_s"]) < 0.02 * row["time_s"]
        # The machine is paid whole, whatever is used of it.
        assert abs(row["cost_usd"] - 4 * row["time_s"] / 3600) < 0.01
    assert shown["worker_probe"]["workers"] == 8 and shown["worker_probe"]["nodes"] == 1
    assert shown["worker_probe"]["spread_after"] < shown["worker_probe"]["spread_now"]


def test_the_answer_says_where_rows_come_from_and_which_probe_is_worth_buying(story):
    ids = store(story, run_on_workers(1, 1, 0.3), run_on_workers(2, 2, 0.33))
    shown = story.lapcast("forecast", *ids, "--workers", "1,2,4,8").ok().out
    assert shown.startswith("8 workers are fastest: ") and "(scaled)" in shown.splitlines()[0]
    text = " ".join(shown.split())
    assert "a probe with 8 workers is worth most" in text
    assert "the batch size is that of each worker" in text and "slowest worker" in text


def lap_in(tensor, pipeline, data, micro=1, batch=64, compute=0.02):
    """Returns the seconds of a lap: a pipeline waits for its first and last micro-batches, and each more tensor
    parallel way costs a tenth of the computation."""
    return (batch / (micro * data) + pipeline - 1) / pipeline * micro * compute / tensor * (1 + 0.1 * (tensor - 1))


def test_layouts_that_were_not_measured_are_forecast_from_those_that_were(story):
    made = [(2, 1), (1, 2), (2, 2), (1, 1)]
    ids = store(story, *(run_on_workers(1 + i, 4, lap_in(tp, pp, 4 // (tp * pp)), batch=64, global_batch=True, price="4",
                                        settings={"tp": str(tp), "pp": str(pp), "micro": "1"}) for i, (tp, pp) in enumerate(made)))
    options = ["--layout", "tp=2,pp=1", "--layout", "tp=4", "--layout", "pp=4", "--epochs", 90]
    shown = story.lapcast("forecast", *ids, *options, "--json").ok().json
    rows = {row["layout"]: row for row in shown["layouts"]}
    assert list(rows) == ["tp=2,pp=1,dp=2", "tp=4,pp=1,dp=1", "tp=1,pp=4,dp=1"]
    assert [row["provenance"] for row in rows.values()] == ["measured", "scaled", "scaled"]
    for (tensor, pipeline), row in zip(((4, 1), (1, 4)), list(rows.values())[1:]):
        assert row["lap_s_low"] < lap_in(tensor, pipeline, 1) < row["lap_s_high"], row
        assert abs(row["time_s"] - 20 - 90 * 50000 / 64 * row["lap_s"]) < 0.02 * row["time_s"]
        assert abs(row["cost_usd"] - 4 * row["time_s"] / 3600) < 0.01
    said = " ".join(story.lapcast("forecast", *ids, *options).ok().out.split())
    assert "24 layers (assumed: --layers N)" in said and "memory is not looked at" in said
    more = story.lapcast("forecast", *ids, "--layout", "tp=4,dp=4", "--in-node", 4, "--json").ok().json["layouts"][0]
    assert (more["workers"], more["nodes"]) == (16, 4)


def test_layouts_that_do_not_fit_are_refused(story):
    ids = store(story, run_on_workers(1, 4, 0.3, batch=64, global_batch=True, settings={"tp": "2"}),
                run_on_workers(2, 4, 0.3, batch=64, global_batch=True, settings={"pp": "2"}))
    for layout, said in (("tp=3", "does not divide the 4 workers"), ("tp=2,xp=2", "is not a layout"),
                         ("tp=1,dp=128", "fewer than 128 micro-batches")):
        story.lapcast("forecast", *ids, "--layout", layout).refused(2, said)
    story.lapcast("forecast", *ids, "--in-node", 4).refused(2, "--in-node needs --workers or --layout")
    said = story.lapcast("forecast", *ids, "--layout", "tp=4").ok()
    assert "samples of a micro-batch are not known" in " ".join((said.out + said.err).split())


def test_a_batch_that_all_workers_share_is_seen(story):
    ids = store(story, run_on_workers(1, 1, 0.3, global_batch=True), run_on_workers(2, 2, 0.17, global_batch=True))
    rows, _ = rows_of(story, ids, "--workers", "2,4", "--epochs", 90)
    assert abs(rows[4]["time_s"] - 20 - 90 * 50000 / 32 * rows[4]["lap_s"]) < 0.02 * rows[4]["time_s"]
    shown = story.lapcast("forecast", *ids, "--workers", "2,4").ok().out
    assert "the batch size is that of all workers together" in " ".join(shown.split())


def test_workers_beyond_a_full_machine_take_more_machines_and_each_is_paid(story):
    ids = store(story, run_on_workers(1, 1, 0.3, price="4"), run_on_workers(2, 2, 0.33))
    rows, shown = rows_of(story, ids, "--workers", "8,16", "--in-node", 8, "--epochs", 90)
    assert [row["nodes"] for row in rows.values()] == [1, 2]
    assert abs(rows[16]["cost_usd"] - 2 * 4 * rows[16]["time_s"] / 3600) < 0.02
    spread = [row["lap_s_high"] / row["lap_s_low"] for row in rows.values()]
    assert spread[1] > spread[0]  # no run tells what crossing machines takes
    assert shown["worker_probe"]["nodes"] == 2


def test_each_machine_type_has_a_fit_of_its_own(story):
    """A GPU of another type that is three times as fast hides less of the exchange."""
    laps = {"8xA5000": (0.3, 0.33), "8xH100": (0.1, 0.18)}
    runs = [run_on_workers(2 * i + workers, workers, laps[name][workers - 1], price=str(4 * (i + 1)))
            for i, name in enumerate(laps) for workers in (1, 2)]
    for run in runs:
        run["machine_type"]["name"] = "8xA5000" if int(run["id"], 16) < 3 else "8xH100"
        run["price"]["name"] = run["price"]["machine_type"] = run["machine_type"]["name"]
    ids = store(story, *runs)
    options = ["--workers", "1,2,4,8", "--epochs", 90]
    shown = story.lapcast("forecast", *ids, *options, "--json").ok().json
    assert "worker_probe" not in shown
    machines = {row["machine_type"]: row for row in shown["workers_by_machine"]}
    for name, own in zip(laps, (ids[:2], ids[2:])):
        rows = [row for row in shown["workers"] if row["machine_type"] == name]
        assert [row["run"] for row in rows] == [*own, None, None]
        for chosen in ([*own], [*ids, "--machine", name]):
            alone = story.lapcast("forecast", *chosen, *options, "--json").ok().json
            assert alone["workers"] == rows and "workers_by_machine" not in alone
            assert machines[name]["probe_workers"] == alone["worker_probe"]["workers"]
        best = min(rows, key=lambda row: row["time_s"])
        assert machines[name]["fastest_workers"] == best["workers"] and machines[name]["fastest_time_s"] == best["time_s"]
    # As one type they have one fit, with the training and the price of the first run.
    both = story.lapcast("forecast", *ids, *options, "--machine", ",".join(laps), "--json").ok().json
    assert {row["machine_type"] for row in both["workers"]} == {"8xA5000,8xH100"} and len(both["workers"]) == 4
    assert both["workers"][3]["lap_s"] not in [row["lap_s"] for row in shown["workers"]]
    said = " ".join(story.lapcast("forecast", *ids, *options).ok().out.split())
    assert "8xA5000: 8 workers are fastest: " in said and "8xH100: a probe with 8 workers is worth most" in said
    assert "the runs on each machine type are a fit of their own" in said
    assert said.count("the batch size is that of each worker") == 1  # holds for both
    story.lapcast("forecast", *ids, *options, "--machine", "l4").refused(2, "--machine: the runs are on 8xA5000, 8xH100")
    story.lapcast("forecast", *ids, "--machine", "8xH100").refused(2, "--machine needs --workers or --layout")
    story.lapcast("forecast", *ids, "--layout", "tp=1").refused(2, "the runs are on several machine types")


def test_a_run_on_two_machines_is_one_of_two_nodes(story):
    ids = store(story, run_on_workers(1, 1, 0.3), run_on_workers(2, 2, 0.45, nodes=2))
    rows, _ = rows_of(story, ids, "--workers", "2,4", "--in-node", 1)
    assert rows[2]["provenance"] == "measured" and rows[2]["nodes"] == 2 and rows[4]["nodes"] == 4


def test_runs_without_laps_are_named(story):
    broken = run_on_workers(2, 2, 0.33)
    broken["lap_logs"] = []
    broken["outcome"] = {"kind": "no-laps", "why": "none"}
    ids = store(story, run_on_workers(1, 1, 0.3), broken)
    shown = story.lapcast("forecast", *ids, "--workers", "1,2").ok().out
    assert ids[1] in shown and "scaled" in shown
    refused = story.lapcast("forecast", ids[1], "--workers", "1,2").ok(1)
    assert ids[1] in refused.err


def test_larger_global_batches_take_the_epochs_that_they_need(story):
    ids = store(story, run_on_workers(1, 1, 0.3), run_on_workers(2, 2, 0.33))
    held, _ = rows_of(story, ids, "--workers", "1,2,4", "--epochs", 90)
    stated, _ = rows_of(story, ids, "--workers", "1,2,4", "--epochs-at", "32=90,64=90,128=180")
    for count, times in ((1, 1), (2, 1), (4, 2)):
        assert abs((stated[count]["time_s"] - 20) / (held[count]["time_s"] - 20) - times) < 0.02
    refused = story.lapcast("forecast", ids[0], "--workers", "2", "--epochs-at", "many").ok(2)
    assert "256=10,1024=12" in refused.err
    text = " ".join(story.lapcast("forecast", *ids, "--workers", "4").ok().out.split())
    assert "larger global batches may need more: --epochs-at" in text


def training(number, batch, epochs):
    """Returns a training on one worker until it stopped improving."""
    run = run_on_workers(number, 1, 0.3, batch=batch, laps=0)
    lines = run["lap_logs"][0].splitlines()[:2]
    for epoch in range(1, epochs + 1):
        at = (20 + epoch) * 10**9
        lines += [f"{at} epoch-begin {epoch}", f"{at + 3 * 10**8} i {batch}", f"{at + 4 * 10**8} epoch-end {epoch}"]
    return run | {"kind": "find-epochs", "outcome": {"kind": "ended"}, "lap_logs": ["\n".join(lines) + "\n"],
                  "ended_ns": run["started_ns"] + (21 + epochs) * 10**9}


def test_epochs_that_were_learned_serve_where_none_are_stated(story):
    trained = [(32, 80), (32, 90), (32, 100), (128, 170), (128, 180), (128, 190)]
    ids = store(story, run_on_workers(1, 1, 0.3), run_on_workers(2, 2, 0.33),
                *(training(10 + i, batch, epochs) for i, (batch, epochs) in enumerate(trained)))[:2]
    options = ["--workers", "1,2,4"]
    stated, _ = rows_of(story, ids, *options, "--epochs-at", "32=90,128=180")
    learned, _ = rows_of(story, ids, *options)
    for count, epochs in ((1, 90), (2, 135), (4, 180)):
        row = learned[count]
        assert row["epochs"] == pytest.approx(epochs) == stated[count]["epochs"]
        assert (row["epochs_from"], stated[count]["epochs_from"]) == ("learned", "stated")
        assert row["epochs_high"] - epochs == pytest.approx(49.7, abs=0.1) == epochs - row["epochs_low"]
        assert row["time_s"] == pytest.approx(stated[count]["time_s"], rel=0.001)
        # The epochs of one more training are in the interval.
        assert row["time_s_high"] > stated[count]["time_s_high"] and row["time_s_low"] < stated[count]["time_s_low"]
    text = " ".join(story.lapcast("forecast", *ids, *options).ok().out.split())
    assert "epochs are those that --find-epochs learned, at 32, 128 samples a lap" in text
    for held in (["--epochs", 90], ["--alone"]):
        rows, _ = rows_of(story, ids, *options, *held)
        assert rows[4]["epochs"] is None and rows[4]["epochs_from"] is None
        assert rows[4]["time_s"] < 0.6 * learned[4]["time_s"]


def test_a_sweep_that_finds_epochs_says_what_numbers_of_workers_bring_with_them(story):
    trainer = story.trainer("--epochs", 30, "--train", 640, "--batch", 64, "--lap-ms", 5, "--accuracy", "0.5,0.8,0.9,0.9,0.9")
    ended = story.lapcast("sweep", "--workers", "1,2", "--max-laps", 20, "--find-epochs", "--patience", 2, "--json", "--",
                          "sh", "-c", 'exec "$@"', "{workers}", *trainer).ok()
    rows = {row["workers"]: row for row in ended.rows("workers")}
    assert set(rows) == {1, 2}
    for row in rows.values():  # both trainings, of one global batch, stopped after five epochs
        assert (row["epochs"], row["epochs_from"], row["provenance"]) == (5, "learned", "measured")
        assert row["time_s"] < 10 * 5 * 2 * row["lap_s"]


def test_numbers_of_workers_are_checked(story):
    [one] = store(story, run_on_workers(1, 1, 0.3))
    for bad in ("0", "1,1", "two", "1,", ""):
        refused = story.lapcast("forecast", one, f"--workers={bad}").ok(2)
        assert "--workers" in refused.err
    assert "{workers}" in story.lapcast("sweep", "--workers", "1,2", "--", "./train").ok(2).err


def launcher(story, lap_s="0.02"):
    """Writes a launcher of `$1` processes on this machine, with laps of `lap_s`, which may use $rank."""
    script = story.work / "launch.sh"
    script.write_text("""#!/bin/sh
for rank in $(seq 0 $(($1 - 1))); do
  export RANK=$rank WORLD_SIZE=$1
  ("$LAPCAST" lap plan epochs=3 iterations=$((40 / $1)) batch=4 train=160
  for lap in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep LAP; "$LAPCAST" lap iteration 4; done) &
done
wait
""".replace("LAP;", lap_s + ";"))
    script.chmod(0o755)
    story.environment["LAPCAST"] = os.environ["LAPCAST"]
    return ["./launch.sh", "{workers}"]


def test_a_sweep_over_workers_measures_the_slowest_of_all(story):
    ended = story.lapcast("sweep", "--workers", "1,2", "--json", "--", *launcher(story)).ok()
    assert {row["settings"]["workers"] for row in ended.json["probes"]} == {1, 2}
    rows = {row["workers"]: row for row in ended.json["workers"]}
    assert {row["provenance"] for row in rows.values()} == {"measured"} and set(rows) == {1, 2}
    laps = story.lapcast("show", rows[2]["run"], "--laps", "--json").ok().rows("laps")
    assert {lap["samples"] for lap in laps} == {8}  # of both workers
    assert abs(rows[2]["speed_up"] * rows[2]["lap_s"] / rows[1]["lap_s"] - 2) < 0.01
    assert "worker_probe" not in ended.json


OWNED = 'gpus = 2\n[machine.owned]\npurchase = "17520"\nyears = 1\n'  # 2 USD an hour, 1 for each GPU


def test_the_gpus_of_a_machine_are_the_numbers_of_workers(story):
    fleet = story.fleet('[[machine]]\nname = "box"\n' + OWNED).name
    ended = story.lapcast("sweep", fleet, "--epochs", 20000, "--json", "--", *launcher(story)).ok()
    assert {row["settings"]["workers"] for row in ended.rows("probes")} == {1, 2}
    # An owned machine is paid by the GPUs that train.
    rows = {row["workers"]: row for row in ended.rows("workers")}
    for count, price in ((1, 1), (2, 2)):
        assert rows[count]["cost_usd"] == pytest.approx(price * rows[count]["time_s"] / 3600, rel=0.001)
    prices = {row["settings"]["workers"]: row["price_usd_per_hour"] for row in
              story.lapcast("rank", "--all", "--json").ok().rows("candidates")}
    assert prices == {1: 1, 2: 2}
    shown = " ".join(story.lapcast("rank", "--all").ok().out.split())
    assert "box workers=1: its price is that of box (1 of 2 GPUs)" in shown and "box workers=2:" not in shown
    shown = story.lapcast("forecast", *[rows[count]["run"] for count in (1, 2)], "--workers", "1,2").ok()
    text = " ".join(shown.out.split())
    assert "each worker's GPU is paid: its share of the price of a machine with 2" in text


def test_numbers_of_workers_that_pay_off_are_said_for_each_machine(story):
    fleet = story.fleet('[[machine]]\nname = "box"\n' + OWNED + '[[machine]]\nname = "small"\nprice = "3"\ncpus = "0"\n').name
    ended = story.lapcast("sweep", fleet, "--workers", "1,2", "--epochs", 20000, "--json", "--", *launcher(story)).ok()
    assert "workers" not in ended.json
    machines = {row["machine_type"]: row for row in ended.rows("workers_by_machine")}
    ranked = story.lapcast("rank", "--all", "--json").ok().rows("candidates")
    assert set(machines) == {"box", "small"} == {row["machine_type"] for row in ranked}
    for name, row in machines.items():
        own = [candidate for candidate in ranked if candidate["machine_type"] == name]
        for kind, key in (("fastest", "time_s"), ("cheapest", "cost_usd")):
            best = min(own, key=lambda candidate: candidate[key])
            assert row[f"{kind}_workers"] == best["settings"]["workers"]
            assert row[f"{kind}_time_s"] == pytest.approx(best["time_s"], rel=0.001)
            assert row[f"{kind}_cost_usd"] == pytest.approx(best["cost_usd"], rel=0.001)
        scores = {candidate["settings"]["workers"]: candidate["time_s"] * candidate["cost_usd"] for candidate in own}
        assert row["worth_workers"] == (1 if scores[1] < scores[2] else None)
    shown = story.lapcast("sweep", fleet, "--workers", "1,2", "--epochs", 20000, "--", *launcher(story)).ok().out
    assert "Numbers of workers that pay off, by machine" in shown
    assert ("waste beyond" in shown) == any(row["worth_workers"] for row in machines.values())


def test_more_workers_than_gpus_are_a_row_and_start_nothing(story):
    fleet = story.fleet('[[machine]]\nname = "box"\nprice = "2"\ngpus = 2\n').name
    ended = story.lapcast("sweep", fleet, "--workers", "1,2,4", "--epochs", 20000, "--json", "--",
                          *launcher(story)).ok(1)
    outcomes = {row["settings"]["workers"]: row for row in ended.rows("probes")}
    assert outcomes[4]["outcome"] == "not-started" and set(outcomes) == {1, 2, 4}
    assert "4 workers need as many GPUs, and it has 2" in outcomes[4]["outcome_text"]
    rows = {row["workers"]: row for row in ended.rows("workers")}
    assert set(rows) == {1, 2}  # nothing is forecast for what the machine cannot do
    for row in rows.values():  # rented: paid whole
        assert row["cost_usd"] == pytest.approx(2 * row["time_s"] / 3600, rel=0.001)
    none = story.lapcast("sweep", fleet, "--workers", "4", "--", *launcher(story)).ok(3)
    assert "no machine of the fleet can run it; box workers=4: 4 workers need as many GPUs" in none.err


def test_without_gpus_the_numbers_of_workers_are_asked_for(story):
    fleet = story.fleet('[[machine]]\nname = "box"\nprice = "2"\n').name
    refused = story.lapcast("sweep", fleet, "--", *launcher(story)).ok(2)
    assert "how many {workers} is not known for box: add --workers 1,2,4, or gpus = 8" in refused.err


def test_a_rank_with_longer_laps_is_named(story):
    program = launcher(story, "0.0$((2 + 2 * rank))")  # 20 ms, 40 ms
    story.lapcast("sweep", "--workers", "2", "--precision", "0.001%", "--", *program).ok()
    shown = " ".join(story.lapcast("show", "last").ok().out.split())
    assert "rank 1 is slower than the other: its laps take" in shown, shown
