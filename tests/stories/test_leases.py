"""Stories about rented machines: whatever dies, lies or fails, each one is given back, and what it
costs stays within what was allowed."""

import contextlib
import json
import os
import shutil
import signal
import sqlite3
from pathlib import Path

import pytest

from conftest import eventually
from paper_cloud import PaperCloud

# No machine on paper can be reached, so each trial waits until this time is over, or until it is killed.
TRY = ("rent", "try", "paper", "--type", "sheet", "--search-budget", "1USD")


@pytest.fixture
def paper(story):
    cloud = PaperCloud(story.folder / "paper.json").install(story.environment)
    yield cloud
    assert eventually(lambda: not cloud.alive(), 90), "a machine is left behind"


def ledger(story):
    """Returns the leases as they are on the disk."""
    with sqlite3.connect(story.folder / ".local/state/lapcast/leases.db") as base:
        return [json.loads(record) for record, in base.execute("SELECT record FROM leases ORDER BY seq")]


def all_gone(story):
    return all(lease["state"] == "gone" for lease in ledger(story))


def killed(story, *arguments):
    """Runs lapcast until a machine on paper ends it with kill -9."""
    ended = story.lapcast(*arguments)
    assert ended.code == -signal.SIGKILL, ended


def kill_when(story, condition, *arguments):
    """Starts lapcast, and ends it with kill -9 as soon as the condition holds."""
    process = story.start(*arguments)
    assert eventually(condition, 60)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def interrupted(story, paper):
    """Rents for a minute, and gives back by Ctrl-C once the machine is there. Returns what was said."""
    process = story.start(*TRY, "--time", "60s")
    assert eventually(paper.alive, 60)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=90)[1].decode()
    assert process.returncode == 130, said
    return said


def test_a_trial_without_a_budget_asks_for_nothing(story, paper):
    story.lapcast("rent", "try", "paper", "--type", "sheet").refused(2, "give --search-budget")
    story.lapcast("rent", "try", "paper", "--type", "sheet", "--search-budget", "1m").refused(2, "--search-budget")
    assert paper.calls("create") == 0


def test_what_would_cost_more_than_the_budget_is_not_asked_for(story, paper):
    """$0.36 an hour for 2 min are $0.012."""
    order = ("rent", "try", "paper", "--type", "sheet", "--search-budget")
    story.lapcast(*order, "0.0119USD").refused(2, "it may cost $0.012 until its deadline, and $0.00 of the search budget of $0.0119 are")
    assert paper.calls("create") == 0 and ledger(story) == []


def test_a_provider_without_a_deadline_is_refused(story, paper):
    paper.describe(deadline="none")
    story.lapcast(*TRY).refused(2, "--unprotected")
    paper.describe(deadline="machine")  # which goes on costing when it is off
    story.lapcast(*TRY).refused(2, "nothing but this computer would end it")
    assert paper.calls("create") == 0
    story.lapcast(*TRY, "--unprotected", "--time", "3s").ok(1)
    assert paper.calls("create") == 1


def test_a_machine_that_is_never_reached_is_given_back(story, paper):
    ended = story.lapcast(*TRY, "--time", "3s", "--json").ok(1)
    assert "giving it back" in ended.err
    [lease] = ledger(story)
    assert lease["state"] == "gone" and lease["deletes"] == 1
    parts = {row["part"]: row["cost_usd"] for row in ended.rows("trial")}
    assert 0 < parts["in all"] <= 0.0004  # 4 s at $0.36 an hour


@pytest.mark.parametrize("verb", ["create", "list", "delete"])
@pytest.mark.parametrize("moment", ["kill before", "kill after"])
@pytest.mark.parametrize("idempotent", [True, False])
def test_lapcast_may_be_killed_at_any_request(story, paper, verb, moment, idempotent):
    paper.describe(idempotent=idempotent)
    paper.fault(verb, moment)
    killed(story, *TRY, "--time", "3s")
    story.lapcast("leases", "--end").ok()
    # A keeper that took the lease over a moment before ends it at the same time.
    assert eventually(lambda: paper.alive() == [] and all_gone(story), 60)
    made = {machine["lease"] for machine in paper.machines()}
    assert len(paper.machines()) == len(made) <= 1
    assert made <= {lease["id"] for lease in ledger(story)}
    story.lapcast("leases").ok()


@pytest.mark.parametrize("kind", ["no answer", "made but error"])
def test_a_machine_whose_answer_was_lost_is_found_by_its_tag(story, paper, kind):
    paper.describe(idempotent=False)
    paper.fault("create", kind)
    story.lapcast(*TRY, "--time", "3s").ok(1)
    assert paper.calls("create") == 1, "a second request could have made a second machine"
    assert len(paper.machines()) == 1 and paper.alive() == [] and all_gone(story)


def test_a_token_lets_a_request_be_repeated(story, paper):
    paper.fault("create", "no answer", left=2)
    story.lapcast(*TRY, "--time", "6s").ok(1)
    assert paper.calls("create") == 3 and len(paper.machines()) == 1


def test_a_delete_that_lies_is_repeated_until_the_machine_is_gone(story, paper):
    paper.fault("delete", "lies", left=3)
    said = interrupted(story, paper)
    assert paper.calls("delete") == 4
    assert "still lists it; trying on; by hand: burn p-1" in said
    events = " ".join(what for lease, at, what in events_of(story))
    assert events.count("delete answered") == 4


def events_of(story):
    with sqlite3.connect(story.folder / ".local/state/lapcast/leases.db") as base:
        return base.execute("SELECT * FROM lease_events ORDER BY rowid").fetchall()


@pytest.mark.parametrize("kind", ["empty", "incomplete", "error"])
def test_one_wrong_list_is_not_believed(story, paper, kind):
    paper.fault("delete", "lies")
    for _ in range(3):  # by turns with true lists
        paper.fault("list", kind)
        paper.fault("list", "none", left=2)
    interrupted(story, paper)
    assert paper.alive() == [] and paper.machines()[0]["ended"] is not None


def test_the_next_zone_is_tried_where_capacity_is_lacking(story, paper):
    paper.fault("create", "capacity")
    paper.fault("create", "quota")
    ended = story.lapcast(*TRY, "--time", "3s", "--zone", "a,b,c").ok(1)
    assert "no sheet in a (capacity); trying b" in ended.err and "no sheet in b (quota); trying c" in ended.err
    assert [machine["zone"] for machine in paper.machines()] == ["c"]
    assert [lease["state"] for lease in ledger(story)] == ["gone"] * 3


def test_no_other_zone_is_tried_without_credentials(story, paper):
    paper.fault("create", "credentials")
    ended = story.lapcast(*TRY, "--time", "3s", "--zone", "a,b").ok(1)
    assert "credentials: as ordered" in ended.err and len(ledger(story)) == 1


def test_the_keeper_ends_what_a_killed_lapcast_left(story, paper):
    kill_when(story, paper.alive, *TRY, "--time", "60s")
    assert eventually(lambda: all_gone(story), 60)
    [machine] = paper.machines()
    assert machine["ended"] is not None, "before the deadline of the provider"


@contextlib.contextmanager
def stopped(processes):
    """Stops the processes for as long as the block takes."""
    numbers = [int(process.name) for process in processes]
    for number in numbers:
        os.kill(number, signal.SIGSTOP)
    try:
        yield
    finally:
        for number in numbers:
            os.kill(number, signal.SIGCONT)


def test_every_command_says_what_nobody_holds(story, paper):
    paper.fault("delete", "lies", left=1)
    process = story.start(*TRY, "--time", "30s")
    assert eventually(lambda: paper.alive() and keepers(story), 60)
    with stopped(keepers(story)):  # else it may hold the machine at once
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        said = story.lapcast("machine").ok().err
        assert "lapcast: warning: a rented machine of a lapcast that was killed costs $0.36/h: lapcast leases" in said
        listed = story.lapcast("leases", "--json").ok(1)
        [row] = listed.rows("leases")
        assert row["state"] in ("created", "asked") and not row["held"] and row["usd_per_hour"] == 0.36
        story.lapcast("leases", "--end", row["lease"][:4]).ok()
        assert story.lapcast("leases", "--json").ok().rows("leases") == []
        [row] = story.lapcast("leases", "--all", "--json").ok().rows("leases")
        assert row["state"] == "gone" and row["reason"] == "lapcast leases --end"
        assert "warning" not in story.lapcast("machine").ok().err


def test_a_machine_that_a_living_lapcast_holds_is_ended_by_it(story, paper):
    process = story.start(*TRY, "--time", "60s")
    assert eventually(paper.alive, 60)
    [lease] = ledger(story)
    story.lapcast("leases", "--end").ok()
    assert paper.alive() != [], "it is held"
    story.lapcast("leases", "--end", lease["id"]).ok()
    assert paper.alive() == []
    process.communicate(timeout=60)
    assert process.returncode == 1


def test_two_lapcasts_cannot_spend_the_same_money(story, paper):
    """A month allows $0.02, and each machine costs at most $0.012."""
    with (story.folder / ".config/lapcast.toml").open("a") as file:
        file.write('rent-per-month = "0.02USD"\n')
    processes = [story.start(*TRY) for _ in range(2)]
    assert eventually(lambda: any(process.poll() is not None for process in processes), 60)
    refused = next(process for process in processes if process.poll() is not None)
    assert refused.returncode == 2 and b"of this month's limit of $0.02 are spent or promised" in refused.communicate()[1]
    assert eventually(lambda: len(paper.machines()) == 1, 60) and len(ledger(story)) == 1
    [other] = [process for process in processes if process is not refused]
    other.send_signal(signal.SIGINT)
    other.communicate(timeout=60)
    assert other.returncode == 130 and paper.alive() == []


def test_the_limit_of_a_month_stands_in_the_users_own_file_alone(story):
    (story.work / "lapcast.toml").write_text('rent-per-month = "5USD"\n')
    story.lapcast("runs").refused(3, "rent-per-month can only stand in your own file of defaults")
    (story.work / "lapcast.toml").unlink()
    (story.folder / ".config/lapcast.toml").write_text('rent-per-month = "soon"\n')
    story.lapcast("runs").refused(3, "lapcast.toml:1:18: rent-per-month")


def test_a_machine_that_the_ledger_lacks_is_shown_and_given_back_by_name_only(story, paper):
    # The keeper would hold what was still asked for, to end it at once.
    is_created = lambda: paper.alive() and [lease["state"] for lease in ledger(story)] == ["created"]
    kill_when(story, is_created, *TRY, "--time", "60s")
    [lease] = ledger(story)
    story.lapcast("leases", "--forget", lease["id"]).ok()
    [stray] = story.lapcast("leases", "--strays", "--json").ok(1).rows("strays")
    assert stray["lease"] == lease["id"] and stray["provider_id"] == "p-1"
    story.lapcast("leases", "--strays", "--end").refused(2, "name those to end")
    story.lapcast("leases", "--strays", "--end", lease["id"]).ok()
    assert paper.alive() == []


def test_an_adapter_is_checked_without_renting(story, paper):
    checks = story.lapcast("rent", "check", "--adapter", "paper", "--json").ok().rows("adapter_checks")
    assert [check["check"] for check in checks] == ["describe", "offers", "list", "delete"]
    assert paper.calls("create") == 0
    paper.describe(contract=2)
    [check] = story.lapcast("rent", "check", "--adapter", "paper", "--json").ok(1).rows("adapter_checks")
    assert not check["passed"] and ".contract is 2, not 1" in check["found"]
    story.lapcast("rent", "check", "--adapter", "papr").refused(2, "did you mean 'paper'?")
    story.lapcast("rent", "check", "--adapter", "../x").refused(2, "is not the name of an adapter")


def test_the_whole_chain_with_a_machine_that_boots(story, cloud):
    """lapcast knows the host key before the first contact: it is in the user data."""
    cloud.start()
    ended = story.lapcast("rent", "try", "fakecloud", "--type", "small", "--search-budget", "0.05USD", "--json").ok()
    assert all(check["passed"] for check in ended.rows("adapter_checks")), ended
    assert "taken at the first contact" not in ended.err
    [lease] = ledger(story)
    bill = cloud.bill()
    in_all = ended.rows("trial")[-1]["cost_usd"]
    assert bill["cost"] <= in_all <= bill["cost"] + 3 * 0.1 / 3600, "from the request, in whole seconds"
    assert not (story.folder / ".local/state/lapcast/leases" / lease["id"]).exists(), "its keys are removed"


def test_without_user_data_the_host_key_is_taken_at_the_first_contact(story, cloud):
    cloud.start(traits={"user_data": False})
    ended = story.lapcast("rent", "try", "fakecloud", "--type", "small", "--search-budget", "0.05USD").ok()
    assert "its host key was taken at the first contact" in ended.err


def test_a_dearer_machine_is_given_back_at_once(story, cloud):
    cloud.start()
    cloud.fault("create", "higher_price")
    ended = story.lapcast("rent", "try", "fakecloud", "--type", "small", "--search-budget", "0.05USD").ok(1)
    assert "the provider bills $0.15/h, more than the $0.10/h that were allowed; giving it back" in ended.err


NOTING = """#!/usr/bin/env python3
import json, pathlib, sys
asked = sys.stdin.read()
if sys.argv[1] == "describe":
    print(json.dumps({"contract": 1, "deadline": "provider"}))
else:
    pathlib.Path(__file__).with_name("asked").write_text(asked)
    print(json.dumps([{"type": kind, "region": region, "usd_per_hour": "0.1"}
                      for kind in json.loads(asked)["types"] for region in ("north", "south")]))
"""


def test_prices_are_asked_for_where_the_machines_are(story):
    adapter = story.folder / ".config/lapcast/rent/lapcast-rent-noting"
    adapter.parent.mkdir(parents=True)
    adapter.write_text(NOTING)
    adapter.chmod(0o755)

    def regions_asked(*regions):
        story.fleet("".join(f'[[machine]]\nname = "m{i}"\nprice = "0.2"\n[machine.rent]\nby = "noting"\ntype = "t{i}"\n'
                            + f'region = "{region}"\n' * bool(region) for i, region in enumerate(regions)), "rent.toml")
        story.lapcast("rent", "check", "rent.toml").ok()
        return json.loads(adapter.with_name("asked").read_text())["regions"]

    assert regions_asked("south", "north", "south") == ["south", "north"]
    assert regions_asked("south", "") == []


def test_the_keeper_ends_with_the_ledger(story, paper):
    kill_when(story, lambda: paper.alive() and keepers(story), *TRY, "--time", "20s")
    [lock] = (story.folder / ".local/state/lapcast").glob("keeper.lock")
    shutil.rmtree(lock.parent)
    assert eventually(lambda: not keepers(story), 30)


def keepers(story):
    """Returns the keepers that have the home folder of the story."""
    def is_its(process):
        with contextlib.suppress(OSError):
            environment = (process / "environ").read_bytes().split(b"\0")
            return b"keeper" in (process / "cmdline").read_bytes() and os.fsencode(f"HOME={story.folder}") in environment
        return False
    return [process for process in Path("/proc").glob("[0-9]*") if is_its(process)]
