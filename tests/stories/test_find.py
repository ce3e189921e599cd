"""Stories of a user who lets lapcast search for the best machine: over own machines, and over a fake cloud."""

import os
import re
import shlex
import signal

import pytest

from conftest import HANGS, eventually


def program(story, *more, laps=400_000, ms=40):
    """Returns a training whose laps take half as long on two CPUs as on one."""
    trainer = shlex.join(map(str, story.trainer("--exact", "--laps", laps, "--batch", 32, *more)))
    return ["sh", "-c", f"exec {trainer} --lap-ms $(({ms} / $(nproc)))"]


OFFERS = [{"type": "one", "price": 0.10, "cpus": 1}, {"type": "two", "price": 0.11, "cpus": 2},
          {"type": "dear", "price": 4.0, "cpus": 2}]
SURE = ("--regret", "0.1%")


def machine(name, price, more=""):
    return f'[[machine]]\nname = "{name}"\nprice = "{price}"\n{more}\n'


def own_fleet(story):
    """Returns a fleet of this machine: one CPU, two CPUs, which are dearer and cheaper in the end, and a dear one."""
    return story.fleet(machine("one", "0.06", 'cpus = "0"') + machine("two", "0.10", 'cpus = "0-1"') +
                       machine("dear", "0.90", 'cpus = "1"'), "own.toml")


def find(story, fleet, *options, laps=400_000, budget="1USD"):
    files = [fleet] if fleet else ["--adapter", "fakecloud"]
    budgets = ["--search-budget", budget] if budget else []
    return ["find", *files, "--json", *budgets, *options, "--max-laps", 12, "--", *program(story, laps=laps)]


# Over a fake cloud -------------------------------------------------------------------------------


def test_without_a_fleet_file_the_machines_are_those_that_adapters_rent_now(story, cloud):
    cloud.start(offers=OFFERS)
    command = find(story, None, *SURE)
    ended = story.lapcast(*command).ok().json
    assert {row["offer"] for row in ended["shortlist"]} == {f"fakecloud-{name}" for name in ("one", "two", "dear")}
    assert ended["search"]["machine_type"] == "fakecloud-two"
    # 400,000 laps of 20 ms are 2.2 h
    best = ended["shortlist"][0]
    assert best["provenance"] == "measured" and abs(best["time_s"] / 8000 - 1) < 0.1, best
    assert ended["search"]["expected_regret"] < 0.05
    probed = [row["machine_type"] for row in ended["search_probes"]]
    assert "fakecloud-dear" not in probed and len(probed) == len(cloud.bill()["machines"]) == ended["search"]["probes"]
    assert len(ended["rentals"]) == len(probed) and cloud.alive() == []
    assert cloud.bill()["cost"] < 1
    again = story.lapcast(*command).ok().json
    assert again["search"] == ended["search"] and len(cloud.bill()["machines"]) == len(probed)


def test_machines_with_several_accelerators_are_rented_for_a_program_that_is_told_its_workers(story, cloud):
    cloud.start(offers=[{"type": "single", "price": 0.10, "cpus": 1, "gpu": "T4", "gpu_count": 1},
                        {"type": "quad", "price": 0.36, "cpus": 1, "gpu": "T4", "gpu_count": 4}])
    (story.work / "laps.toml").write_text(
        'accelerator = "T4"\n[[lap]]\nbatch = 32\nseconds = 0.04\nworkers = 1\n')
    trainer = story.trainer("--exact", "--epochs", 400, "--train", 32_000, "--batch", 32, "--seed", "{workers}",
                            "--lap-ms", 40)
    ended = story.lapcast("find", "--adapter", "fakecloud", "--json", "--search-budget", "1USD", *SURE, "--profile",
                          "laps.toml", "--workers", 1, "--epochs", 400, "--samples", 32_000, "--max-laps", 12, "--", *trainer).ok().json
    rows = {row["offer"]: row for row in ended["shortlist"]}
    assert rows["fakecloud-single"]["accelerator"] == "T4" and rows["fakecloud-quad"]["accelerator"] == "4 x T4"
    # whether four are worth 3.6 times the price is not known before they are tried
    workers = {run["machine_type"]["name"]: run["settings"]["workers"] for run in story.export()}
    assert workers == {"fakecloud-quad": "4"} and rows["fakecloud-quad"]["provenance"] == "measured"
    assert cloud.alive() == []


def test_a_training_that_is_cheaper_than_its_search_gets_none(story, cloud):
    cloud.start()
    ended = story.lapcast(*find(story, None, laps=100)).ok().json
    assert ended["search"]["probes"] == 0 and cloud.bill()["machines"] == []
    assert "no probe is worth its price" in ended["search"]["reason"] or "regret" in ended["search"]["reason"]


def test_nothing_is_rented_without_a_budget(story, cloud):
    cloud.start()
    story.lapcast(*find(story, None, budget=None)).refused(2, "add --search-budget")
    story.lapcast(*find(story, None, budget="10m")).refused(2, "--search-budget must be money")
    assert cloud.bill()["machines"] == [] and not story.store.exists()


def test_a_machine_that_cannot_be_had_is_left_out(story, cloud):
    cloud.start(offers=OFFERS)
    cloud.fault("create", "quota", type="two", left=-1)
    ended = story.lapcast(*find(story, None, *SURE)).ok().json
    assert ended["search"]["machine_type"] == "fakecloud-one"
    assert any("quota" in row["reason"] and row["example"] == "fakecloud-two" for row in ended["shortlist_excluded"])


def test_killed_it_goes_on_with_the_same_machine(story, cloud):
    cloud.start(offers=OFFERS)
    command = find(story, None, *SURE)
    process = story.start(*command)
    assert eventually(lambda: any(row["running"] for row in cloud.bill()["machines"]))
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    ended = story.lapcast(*command).ok().json
    machines = [row["machine_type"] for row in ended["search_probes"]]
    assert len(machines) == len(set(machines)) and cloud.alive() == []


def test_control_c_leaves_nothing_rented(story, cloud):
    cloud.start(offers=OFFERS)
    process = story.start(*find(story, None, *SURE))
    assert eventually(lambda: any(row["running"] for row in cloud.bill()["machines"]))
    os.kill(process.pid, signal.SIGINT)
    process.communicate(timeout=HANGS)
    assert process.returncode == 130
    cloud.wait(lambda: not cloud.alive(), "the end of all machines")


# Over own machines -------------------------------------------------------------------------------


def test_own_machines_take_part_at_their_price(story):
    fleet = own_fleet(story)
    ended = story.lapcast(*find(story, fleet)).ok().json
    assert ended["search"]["machine_type"] == "two"
    assert 1 <= ended["search"]["probes"] <= 3
    assert ended["search"]["probes_cost_usd"] < 0.01
    # by hand the same probes count: the sweep measures only what the search has not
    swept = story.lapcast("sweep", fleet, "--json", "--max-laps", 12, "--", *program(story)).ok()
    assert len(swept.rows("probes")) == 3


def test_the_money_ends_the_search(story):
    ended = story.lapcast(*find(story, own_fleet(story), *SURE, budget="0.000001USD")).ok().json
    assert ended["search"]["probes"] == 0
    assert "would cost more than is left of $0.000001" in ended["search"]["reason"]


def test_a_machine_without_a_price_is_refused_by_cost(story):
    fleet = story.fleet('[[machine]]\nname = "mine"\n', "mine.toml")
    story.lapcast(*find(story, fleet)).refused(3, "machine 'mine' has no price")
    assert story.lapcast(*find(story, fleet, "--by", "time")).ok().json["search"]["machine_type"] == "mine"


def test_the_answer_is_one_sentence(story):
    fleet = own_fleet(story)
    words = [word for word in find(story, fleet) if word != "--json"]
    ended = story.lapcast(*words).ok()
    assert re.match(r"take two: .* for \$.* the search is over because", " ".join(ended.out.split("\n\n")[0].split()))


@pytest.mark.parametrize("options, says", [(["--regret", "-1%"], "--regret"), (["--adapter", "nobody"], "nobody")])
def test_bad_options_are_refused(story, options, says):
    ended = story.lapcast("find", *options, "--search-budget", "1USD", "--", *story.trainer("--laps", 5))
    assert ended.code == 2 and says in ended.err and ended.err.count("\n") == 1
