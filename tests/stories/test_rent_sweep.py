"""Tests sweeps over machines that lapcast rents, over a fake cloud: what is spent, what is measured,
what goes wrong, and that nothing is left that costs money."""

import os
import re
import signal
import sqlite3

import pytest

from conftest import HANGS, eventually

RENT = '[rent]\nmax_time = "60s"\nboot_limit = "20s"\n'


def to_rent(name, type="small", more="", price="0.10", top=""):
    return (f'[[machine]]\nname = "{name}"\nprice = "{price}"\n{top}[machine.rent]\nby = "fakecloud"\n'
            f'type = "{type}"\n{more}\n')


def sweep(story, *machines, options=("--max-laps", 15), budget="1USD", program=None, rent=RENT):
    fleet = story.fleet(rent + "".join(machines), "rent.toml")
    program = program or story.trainer("--laps", 1000, "--lap-ms", 10)
    budgets = ["--search-budget", budget] if budget else []
    return ["sweep", fleet.name, "--json", *budgets, *options, "--", *program]


def outcomes(ended):
    return {row["machine_type"]: row["outcome_text"] for row in ended.rows("probes")}


def pending_runs(story):
    with sqlite3.connect(story.store) as store:
        return store.execute("SELECT id, purpose FROM errands").fetchall()


def leases(story):
    """Returns the states of all leases in the ledger."""
    [ledger] = story.folder.rglob("leases.db")
    with sqlite3.connect(ledger) as file:
        return [state for state, in file.execute("SELECT state FROM leases")]


# Money -------------------------------------------------------------------------------------------


def test_a_fleet_file_alone_never_spends_money(story, cloud):
    cloud.start()
    command = sweep(story, to_rent("a"), to_rent("b", "large", price="0.40"), budget=None)
    # 60 s of 0.10 and of 0.40 USD an hour are 0.00833 USD
    story.lapcast(*command).refused(2, "rents 2 machines for at most 1 min 00 s each, $0.00833 if all run to "
                                       "their deadline; add --search-budget 0.01USD")
    assert cloud.bill()["machines"] == [] and not story.store.exists()
    story.lapcast(*sweep(story, to_rent("a"), budget="10m")).refused(2, "--search-budget must be money")
    story.lapcast("repeat", "rent.toml", "--", *story.trainer("--laps", 5)).refused(2, "rent")


def test_machines_are_rented_measured_and_given_back(story, cloud):
    cloud.start()
    ended = story.lapcast(*sweep(story, to_rent("a"), to_rent("b", "large", price="0.40"))).ok()
    assert sorted(outcomes(ended)) == ["a", "b"]
    assert all("budget spent" in text or "enough" in text for text in outcomes(ended).values()), ended
    assert cloud.alive() == [] and len(cloud.bill()["machines"]) == 2
    assert leases(story) == ["gone", "gone"]
    assert pending_runs(story) == []
    rentals = sorted(ended.rows("rentals"), key=lambda row: row["machine_type"])
    assert [row["machine_type"] for row in rentals] == ["a", "b"]
    for row in rentals:
        assert row["boot_s"] > 0 and row["measuring_s"] > 0 and row["cost_usd"], row
    for run in story.export():
        assert run["preparation"][0]["what"] == "boot"
        assert run["place"].startswith("rented fakecloud ")
    # the measured boot is in the bill of the whole training
    ranked = story.lapcast("rank", "--json", "--bill", "--epochs", "10", "--samples", "1000").ok()
    assert "boot" in {line["what"] for line in ranked.rows("bills")}, ranked
    again = story.lapcast(*sweep(story, to_rent("a"), to_rent("b", "large", price="0.40"))).ok()
    assert len(cloud.bill()["machines"]) == 2, again  # all is measured: nothing is rented


def test_no_more_than_the_budget_is_ordered(story, cloud):
    cloud.start()
    # One machine costs at most 0.10 USD/h x 60 s = 0.00167 USD.
    ended = story.lapcast(*sweep(story, to_rent("a"), to_rent("b", "large", price="0.40"),
                                 budget="0.002USD")).ok(1)
    assert "budget" in outcomes(ended)["b"] and "not started" in outcomes(ended)["b"], ended
    assert len(cloud.bill()["machines"]) == 1
    assert cloud.bill()["cost"] <= 0.002


def test_the_bill_counts_the_bytes_that_are_fetched(story, cloud):
    cloud.start(offers=[{"type": "small", "price": 0.10, "egress_usd_per_gb": "9"},
                        {"type": "large", "price": 0.40, "egress_usd_per_gb": 50},
                        {"type": "silent", "price": 0.10}])
    machines = [to_rent("told"), to_rent("own", "large", price="0.40", more='egress_usd_per_gb = "20"'),
                to_rent("unknown", "silent")]
    # 60 s of 0.10, 0.40 and 0.10 USD an hour are a little above 0.01 USD; what the adapter tells is not
    # known before the first order.
    story.lapcast(*sweep(story, *machines, budget=None)).refused(
        2, "$2.01 if all run to their deadline, $2.00 of it for the egress of 0.1 GB each; add --search-budget 2.02USD")
    checked = {row["machine_type"]: row for row in story.lapcast("rent", "check", "rent.toml", "--json").ok().rows("rentable")}
    assert [checked[name].get("egress_usd_per_gb") for name in ("told", "own", "unknown")] == [9, 20, None]
    ended = story.lapcast(*sweep(story, *machines, budget="10USD")).ok()
    rows = {row["machine_type"]: row for row in ended.rows("rentals")}
    logs = {run["machine_type"]["name"]: sum(map(len, run["lap_logs"])) for run in story.export()}
    for name, price in (("told", 9), ("own", 20)):
        row = rows[name]
        assert row["fetched_bytes"] >= logs[name] > 0, (row, logs)
        assert row["egress_usd"] == pytest.approx(row["fetched_bytes"] * price / 1e9, abs=2e-9)
        [machine] = [each for each in cloud.bill()["machines"] if each["type"] == ("small" if name == "told" else "large")]
        assert row["cost_usd"] - row["egress_usd"] == pytest.approx(machine["cost"], abs=5 * machine["price"] / 3600)
    assert rows["unknown"]["fetched_bytes"] > 0 and rows["unknown"].get("egress_usd") is None
    assert any("egress is not counted" in note for note in ended.notes("rentals")), ended
    dear = sweep(story, to_rent("told"), options=("--max-laps", 15, "--again"), budget="0.5USD")
    assert "$0.90 of it for 0.1 GB" in outcomes(story.lapcast(*dear).ok(1))["told"]


def test_a_rented_machine_is_tuned_and_given_back(story, cloud):
    cloud.start(offers=[{"type": "small", "price": 0.10, "cpus": 2}])
    story.fleet(RENT.replace('"60s"', '"5m"') + to_rent("small"), "rent.toml")
    tune = ["probe", "--tune", "wait", "--repeats", "2", "--to", "small", "rent.toml"]
    program = story.trainer("--laps", 2000, "--lap-ms", 4, "--faster-with", "OMP_WAIT_POLICY=PASSIVE,2")
    story.lapcast(*tune, "--", *program).refused(2, "add --search-budget 0.01USD")
    story.lapcast(*tune, "--search-budget", "5m", "--", *program).refused(2, "must be money")
    assert cloud.bill()["machines"] == [] and not story.store.exists()
    told = story.lapcast(*tune, "--search-budget", "0.02USD", "--json", "--", *program).ok()
    tuned = told.json["tuned"]
    assert tuned["settings"] == {"wait": "passive"} and tuned["machine_type"] == "small", told
    [bill] = told.rows("rentals")
    assert bill["machine_type"] == "small" and bill["measuring_s"] > 0 and bill["state"] == "gone"
    assert len(cloud.bill()["machines"]) == 1 and cloud.alive() == []
    assert {run["place"] for run in story.export()} == {"rented fakecloud small"}
    # All is measured: nothing is rented for the same command.
    again = story.lapcast(*tune, "--search-budget", "0.02USD", "--json", "--", *program).ok()
    assert again.json["tuned"]["settings"] == {"wait": "passive"}
    assert len(cloud.bill()["machines"]) == 1 and pending_runs(story) == []


# What goes wrong ---------------------------------------------------------------------------------


def test_where_a_zone_has_none_left_the_next_one_is_tried(story, cloud):
    cloud.start()
    cloud.fault("create", "capacity", zone="north-a", left=-1)
    ended = story.lapcast(*sweep(story, to_rent("a", more='zones = ["north-a", "north-b"]'))).ok()
    [machine] = cloud.bill()["machines"]
    assert machine["zone"] == "north-b" and ended.rows("rentals")[-1]["where"] == "north-b"


@pytest.mark.parametrize("moment, kind, says", [
    ("create", "capacity", "capacity"), ("create", "quota", "quota"),
    ("create", "credentials", "credentials"), ("create", "higher_price", "the provider bills $0.60/h"),
    ("create", "boot_fails", ""), ("create", "never_boots", "could not be reached within 5.00 s"), ("create", "no_ssh", "")])
def test_a_machine_that_does_not_come_is_a_row(story, cloud, moment, kind, says):
    cloud.start()
    cloud.fault(moment, kind, left=-1, type="large")
    rent = '[rent]\nmax_time = "60s"\nboot_limit = "5s"\n'
    ended = story.lapcast(*sweep(story, to_rent("a"), to_rent("b", "large", price="0.40"), rent=rent)).ok(1)
    text = outcomes(ended)["b"]
    assert text.startswith("not started") and says in text, ended
    assert "budget spent" in outcomes(ended)["a"] or "enough" in outcomes(ended)["a"], ended
    cloud.wait(lambda: not cloud.alive(), "the end of all machines")
    assert pending_runs(story) == []


def test_another_machine_than_the_ordered_one_is_given_back(story, cloud):
    cloud.start(offers=[{"type": "small", "price": 0.10, "boot": 0.2, "memory_gib": 2,
                         "zones": ["north-a"]}])
    (story.work / "cloud.csv").write_text(
        "name,provider,machine_type,vcpus,memory_gib,price_usd_per_hour,terms,as_of,source\n"
        "fake/small,fake,small,1,64,0.10,on-demand,2026-11-01,a story\n")
    machine = to_rent("a").replace('price = "0.10"', 'offer = "fake/small"')
    ended = story.lapcast(*sweep(story, machine, options=("--offers", "cloud.csv", "--set", "x=1,2"),
                                 program=story.trainer("--laps", 99, "--seed", "{x}"))).ok(1)
    rows = ended.rows("probes")
    assert len(rows) == 2 and all("ordered 64.0 GiB of memory, got 2.0 GiB" in row["outcome_text"]
                                  for row in rows), ended
    assert len(cloud.bill()["machines"]) == 1


def test_a_machine_with_too_little_free_disk_is_given_back(story, cloud):
    cloud.start()
    ended = story.lapcast(*sweep(story, to_rent("a", more='free_disk = "900TB"'))).ok(1)
    assert "ordered 818.5 TiB of free disk, got " in outcomes(ended)["a"], ended
    cloud.wait(lambda: not cloud.alive(), "the end of the machine")


def test_a_machine_that_dies_ends_its_row_and_its_laps_count(story, cloud):
    cloud.start()
    cloud.may_leave_machines = True
    command = sweep(story, to_rent("a"), options=("--budget", "10m", "--precision", "0.0001%"),
                    rent='[rent]\nmax_time = "5m"\nboot_limit = "20s"\n',
                    program=story.trainer("--laps", 100000, "--lap-ms", 20))
    process = story.start(*command, env={"LAPCAST_PATIENCE": "2s"})
    assert eventually(lambda: cloud.bill()["machines"] and has_laps_at(cloud, 4))
    cloud.happens("killed")
    out, err = process.communicate(timeout=HANGS)
    assert process.returncode == 0, (out, err)
    [run] = story.export()
    assert run["outcome"]["kind"] == "budget-spent" and "silent" in run["outcome"]["which"], run["outcome"]


def has_laps_at(cloud, seconds):
    """Returns whether a machine has been running for so long."""
    import time
    return any(machine["running"] and time.time() - machine["running"] > seconds + 4
               for machine in cloud.bill()["machines"])


def test_a_machine_that_is_taken_back_ends_its_probe_in_order(story, cloud):
    cloud.start()
    command = sweep(story, to_rent("a"), options=("--budget", "10m", "--precision", "0.0001%"),
                    rent='[rent]\nmax_time = "5m"\nboot_limit = "20s"\n',
                    program=story.trainer("--laps", 100000, "--lap-ms", 20))
    process = story.start(*command)
    assert eventually(lambda: cloud.bill()["machines"] and has_laps_at(cloud, 2))
    cloud.happens("preempted", seconds=25)
    out, err = process.communicate(timeout=HANGS)
    assert process.returncode == 0, (out, err)
    [run] = story.export()
    assert run["outcome"]["kind"] == "enough" and "taken back" in run["outcome"]["rule"], run["outcome"]


def test_nothing_waits_for_the_money_of_machines_that_are_kept(story, cloud):
    """60 s of 0.10 and of 0.40 USD an hour are 0.00833 USD."""
    cloud.start()
    cloud.may_leave_machines = True
    command = sweep(story, to_rent("a"), to_rent("b", "large", price="0.40"), budget="0.0075USD",
                    options=("--max-laps", 15, "--keep-machines", "10m"))
    ended = story.lapcast(*command).ok(1)
    # Either may be the first to be ordered.
    assert re.search("^[ab]: not rented", ended.err, re.M) and len(cloud.bill()["machines"]) == 1
    assert len(cloud.alive()) == 1, "it did not wait until the kept machine was gone"
    story.lapcast("leases", "--end")
    cloud.wait(lambda: not cloud.alive(), "the end of the machine")


# Kills -------------------------------------------------------------------------------------------


def test_after_a_kill_the_same_command_goes_on_with_the_same_machine(story, cloud):
    cloud.start()
    command = sweep(story, to_rent("a"), options=("--budget", "4s"),
                    program=story.trainer("--laps", 100000, "--lap-ms", 20))
    process = story.start(*command)
    assert eventually(lambda: cloud.bill()["machines"] and has_laps_at(cloud, -3))
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    ended = story.lapcast(*command).ok()
    assert len(cloud.bill()["machines"]) == 1, ended
    assert len(story.export()) == 1 and cloud.alive() == []


def test_control_c_gives_all_back(story, cloud):
    cloud.start()
    command = sweep(story, to_rent("a"), to_rent("b", "large", price="0.40"), options=("--budget", "10m"),
                    program=story.trainer("--laps", 100000, "--lap-ms", 20))
    process = story.start(*command)
    assert eventually(lambda: len(cloud.alive()) == 2)
    os.kill(process.pid, signal.SIGINT)
    process.communicate(timeout=HANGS)
    assert process.returncode == 130
    cloud.wait(lambda: not cloud.alive(), "the end of all machines")


# Other ways to measure ---------------------------------------------------------------------------


def test_a_race_over_rented_machines_stays_within_its_budget(story, cloud):
    cloud.start()
    ended = story.lapcast(*sweep(story, to_rent("a"), to_rent("b", "large", price="0.40"),
                                 options=("--race", "--by", "cost"))).ok()
    assert len(ended.rows("race")) == 2 and len(ended.rows("rentals")) == 2, ended
    assert cloud.alive() == [] and cloud.bill()["cost"] < 1


def test_kept_machines_serve_the_next_command(story, cloud):
    cloud.start()
    command = sweep(story, to_rent("a"), options=("--keep-machines", "40s", "--max-laps", 15))
    story.lapcast(*command).ok()
    assert len(cloud.alive()) == 1
    again = [word for word in command if word not in ("--keep-machines", "40s")]
    story.lapcast(*again[:2], "--retry-failed", *again[2:]).ok()
    assert len(cloud.bill()["machines"]) == 1
    cloud.wait(lambda: not cloud.alive(), "the end of the machine")


def test_the_winner_is_run_to_its_end_on_a_rented_machine(story, cloud):
    cloud.start()
    program = story.trainer("--laps", 60, "--lap-ms", 10)
    story.lapcast(*sweep(story, to_rent("a"), program=program)).ok()
    story.lapcast("verify").refused(2, "add --search-budget")
    verified = story.lapcast("verify", "--search-budget", "1USD", "--json").ok()
    assert len(verified.rows("verified")) == 1, verified
    assert len(cloud.bill()["machines"]) == 2 and cloud.alive() == []


def test_a_run_to_the_end_is_rented_for_as_long_as_it_takes(story, cloud):
    """The file lets a machine live for a minute, which is meant for probes; the training takes hours."""
    cloud.start()
    program = story.trainer("--laps", 1_000_000, "--lap-ms", 10)  # 2.8 h
    story.lapcast(*sweep(story, to_rent("a"), program=program)).ok()
    refused = story.lapcast("verify").ok(2)
    hours = re.search(r"for at most (\d+) h ", refused.err)
    assert hours and int(hours[1]) >= 3, refused
