"""Tests the fake cloud itself: what it rents, what it bills, and the faults that it plays."""

import http.client
import json
import os
import socket
import subprocess
import time
from pathlib import Path

import pytest

import rented
from conftest import eventually
from rented import fakecloud

ADAPTER = rented.FOLDER / "lapcast-rent-fakecloud"


@pytest.fixture
def fake(tmp_path):
    environment = {"HOME": str(tmp_path)}
    for cloud in rented.fake_cloud(tmp_path, environment):
        cloud.may_leave_machines = True
        for name in ("id", "host"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / name], check=True)
        yield cloud
    assert not cloud.root.exists()
    assert " fc" not in subprocess.run(["ip", "link"], capture_output=True, text=True).stdout


def create(fake, status=200, **more):
    key = (fake.folder / "id.pub").read_text().strip()
    return fake.ask("POST", "/machines", {"type": "small", "ssh_key": key, **more}, status)


def running(fake, **more):
    return fake.until(create(fake, **more), "running")


def ssh(fake, machine, command, code=0, known="/dev/null"):
    words = ["ssh", "-i", fake.folder / "id", f"root@{machine['address']}"]
    refused = code == 255  # what ssh itself ends with; else a machine is running before its sshd listens
    for option in ("BatchMode=yes", f"ConnectTimeout={2 if refused else 20}", f"ConnectionAttempts={1 if refused else 20}",
                   f"UserKnownHostsFile={known}", "GlobalKnownHostsFile=/dev/null", "ServerAliveInterval=1",
                   "ServerAliveCountMax=3",
                   f"StrictHostKeyChecking={'no' if known == '/dev/null' else 'yes'}", "LogLevel=ERROR"):
        words[1:1] = ["-o", option]
    done = subprocess.run([*words, command], capture_output=True, text=True, timeout=120)
    assert done.returncode == code, done
    return done.stdout + done.stderr


def in_a_moment(command):
    """Lets ssh end before a command that takes its connection away."""
    return f"(sleep 0.3; {command}) >/dev/null 2>&1 &"


def adapter(fake, verb, code=0, **ask):
    done = subprocess.run([ADAPTER, verb], input=json.dumps(ask), capture_output=True, text=True,
                          env={**os.environ, "FAKECLOUD": str(fake.root)}, timeout=120)
    assert done.returncode == code, done
    return json.loads(done.stdout)


def test_a_machine_is_rented_used_and_billed(fake):
    fake.start(offers=[{"type": "small", "price": 3.6, "boot": 0, "model": "Fast CPU", "memory_gib": 96}])
    machine = running(fake, name="one", tags={"owner": "me"})
    said = ssh(fake, machine, "hostname; nproc; pwd; grep -m1 'model name' /proc/cpuinfo; head -1 /proc/meminfo")
    assert said.split()[:2] == [machine["id"], "1"] and "/cloud/m-0001/home\n" in said
    assert "Fast CPU" in said and str(96 * 2**20) in said
    assert [row["name"] for row in fake.ask("GET", "/machines?owner=me")["machines"]] == ["one"]
    assert fake.ask("GET", "/machines?owner=you")["machines"] == []
    ended = fake.ask("DELETE", f"/machines/{machine['id']}")
    assert ended["state"] == "terminated" and fake.alive() == []
    assert ended["cost"] == pytest.approx(ended["billed_seconds"] * 0.001)  # 3.6 USD per hour


def test_twenty_machines_boot_and_leave_nothing_behind(fake):
    fake.start()
    machines = [fake.until(machine, "running") for machine in [create(fake) for _ in range(20)]]
    assert len({ssh(fake, machine, "hostname") for machine in machines}) == 20


def test_a_killed_cloud_takes_its_machines_along(fake):
    fake.start()
    mark = f"sleep 4242{os.getpid()}"
    ssh(fake, running(fake), f"setsid nohup {mark} >/dev/null 2>&1 &")
    assert eventually(lambda: subprocess.run(["pgrep", "-fx", mark], stdout=subprocess.DEVNULL).returncode == 0, 60)
    fakecloud.kill(fake.root)
    assert eventually(lambda: subprocess.run(["pgrep", "-fx", mark], stdout=subprocess.DEVNULL).returncode == 1, 60)
    fake.stop()


def test_a_token_makes_one_machine(fake):
    fake.start()
    fake.fault("create", "created_but_error")
    create(fake, 500, token="t")
    assert create(fake, token="t")["id"] == "m-0001"
    fake.fault("create", "answer_lost")
    with pytest.raises((OSError, http.client.HTTPException)):
        create(fake, token="u")
    assert [row["token"] for row in fake.bill()["machines"]] == ["t", "u"]


def test_a_poorer_cloud_has_fewer_traits(fake):
    poor = {"tokens": False, "deadlines": False, "user_data": False, "power_off_ends": False, "tells_host_key": True}
    fake.start(traits=poor)
    machine = create(fake, token="t", deadline=1, user_data="#!/bin/sh\npoweroff\n", on_shutdown="terminate")
    assert create(fake, token="t")["id"] == "m-0002"
    machine = fake.until(machine, "running")
    assert machine["deadline"] is None
    fake.wait(lambda: fake.machine(machine)["host_key"], "a host key")
    ssh(fake, machine, in_a_moment("poweroff"))
    stopped = fake.until(machine, "stopped")
    assert stopped["ended"] is None and machine["id"] in fake.alive()
    assert fake.ask("PATCH", f"/machines/{machine['id']}", {"deadline": 5}, 400)["error"] == "CannotExtend"
    said = adapter(fake, "describe")
    assert (said["deadline"], said["power_off_ends_bill"], said["idempotent"]) == ("none", False, False)


def test_refusals(fake):
    fake.start(traits={"quota": 1})
    for kind, status in (("capacity", 503), ("quota", 403), ("credentials", 401), ("error", 500), ("throttled", 429)):
        fake.fault("create", kind)
        create(fake, status)
    fake.fault("create", "capacity", zone="north-b")
    create(fake, zone="north-a")
    create(fake, 503, zone="north-b")
    create(fake, 403)  # the quota
    create(fake, 404, zone="moon-a")
    fake.ask("GET", "/elsewhere", status=404)
    assert len(fake.bill()["machines"]) == 1


def test_boots_that_go_wrong(fake):
    fake.start()
    for kind in ("never_boots", "boot_fails", "no_ssh", "wrong_hardware", "higher_price"):
        fake.fault("create", kind)
    never, fails, silent, wrong, dear = [create(fake, type="large") for _ in range(5)]
    fake.until(fails, "error")
    silent, wrong = fake.until(silent, "running"), fake.until(wrong, "running")
    with socket.socket() as trial:
        assert trial.connect_ex((silent["address"], 22)) != 0
    assert "Something Older" in ssh(fake, wrong, "cat /proc/cpuinfo")
    assert fake.machine(never)["state"] == "pending" and fake.machine(never)["billed_seconds"] > 0
    assert dear["price"] == pytest.approx(0.6)


def test_lists_and_deletes_that_lie(fake):
    fake.start()
    machine, listed = running(fake), lambda: fake.ask("GET", "/machines")
    fake.fault("list", "empty")
    assert listed()["machines"] == [] and len(listed()["machines"]) == 1
    fake.fault("list", "stale", seconds=600)
    assert listed()["machines"] == []
    fake.fault("list", "partial")
    assert listed() == {"machines": [], "unreachable": ["north-a"]}
    for kind, status in (("error", 500), ("credentials", 401), ("throttled", 429)):
        fake.fault("list", kind)
        fake.fault("delete", kind)
        fake.ask("GET", "/machines", status=status)
        fake.ask("DELETE", f"/machines/{machine['id']}", status=status)
    fake.fault("delete", "lies")
    assert fake.ask("DELETE", f"/machines/{machine['id']}")["state"] == "running"
    assert fake.alive() == [machine["id"]]
    fake.fault("delete", "keeps_disk")
    fake.ask("DELETE", f"/machines/{machine['id']}")
    [disk] = fake.alive()
    fake.ask("DELETE", f"/machines/{disk}")
    assert fake.alive() == []


def test_ends_that_nobody_asked_for(fake):
    fake.start()
    first = running(fake)
    fake.happens("preempted", seconds=8)  # time enough for a slow ssh
    assert float(ssh(fake, first, "cat preemption-notice")) == fake.machine(first)["preempted_at"]
    assert fake.until(first, "terminated")["reason"] == "preempted"
    assert fake.until(create(fake, deadline=0.2), "terminated")["reason"] == "deadline"
    third = running(fake)
    ssh(fake, third, "true")  # a machine is running before its sshd listens
    fake.happens("killed")
    fake.wait(lambda: "timed out" in ssh(fake, third, "true", 255), "silence")
    assert fake.machine(third)["state"] == "running" and third["id"] in fake.alive()
    fourth = running(fake)
    ssh(fake, fourth, "true")
    fake.happens("hangs")
    fake.wait(lambda: "timed out" in ssh(fake, fourth, "true", 255), "silence")


def test_deadlines_are_ignored_and_moved(fake):
    fake.start()
    fake.fault("life", "deadline_ignored")
    ignored = running(fake, deadline=0.6)
    fake.wait(lambda: time.time() > ignored["deadline"] + 0.5, "the deadline")
    assert fake.machine(ignored)["state"] == "running"
    moved = running(fake, deadline=3600)
    fake.ask("PATCH", f"/machines/{moved['id']}", {"deadline": 0.1})
    assert fake.until(moved, "terminated")["reason"] == "deadline"


def test_shutdown_from_within(fake):
    fake.start()
    ends = create(fake, on_shutdown="terminate", user_data="#!/bin/sh\n(sleep 0.3; poweroff) &\n")
    stops = running(fake)
    assert "Failed to parse" in ssh(fake, stops, "shutdown -h +0.5", 1)
    ssh(fake, stops, "shutdown -h +1 && shutdown -c")
    ssh(fake, stops, in_a_moment("shutdown -h now"))
    assert fake.until(ends, "terminated")["reason"] == "shut down by itself"
    fake.until(stops, "stopped")
    assert fake.alive() == [stops["id"]]  # and is billed


def test_a_machine_deletes_itself_and_no_other(fake):
    fake.start()
    machine, other = running(fake), running(fake)
    delete = """python3 -c 'import json, sys, urllib.request as u
me = json.load(open("instance.json"))
request = u.Request(me["url"] + "/machines/" + sys.argv[1], headers={"Authorization": "Bearer " + me["key"]})
request.method = "DELETE"
u.urlopen(request)' """
    assert "401" in ssh(fake, machine, delete + other["id"], 1)
    ssh(fake, machine, delete + machine["id"], 255)
    assert fake.until(machine, "terminated")["reason"] == "deleted"
    assert fake.alive() == [other["id"]]


def test_host_keys_from_user_data_and_reused_addresses(fake):
    fake.start()
    key, known = (fake.folder / "host").read_text(), fake.folder / "known"
    machine = running(fake, user_data=f"#!/bin/sh\numask 077\ncat >/etc/ssh/ssh_host_ed25519_key <<X\n{key}X\n")
    known.write_text(f"{machine['address']} {(fake.folder / 'host.pub').read_text()}")
    assert ssh(fake, machine, "hostname", known=known) == f"{machine['id']}\n"
    fake.fault("life", "address_reused")
    fake.ask("DELETE", f"/machines/{machine['id']}")
    fake.wait(lambda: b"SSH" in first_bytes(machine), "a stranger's machine")
    assert "Host key verification failed" in ssh(fake, machine, "true", 255, known)
    assert len(fake.bill()["machines"]) == 1


def first_bytes(machine):
    try:
        with socket.create_connection((machine["address"], 22), 1) as server:
            return server.recv(9)
    except OSError:
        return b""


def test_its_adapter_speaks_the_contract(fake):
    fake.start(offers=[{"type": "small", "price": 0.1, "zones": ["a-1", "b-1"], "gpu": "L4", "gpu_count": 1}])
    key = (fake.folder / "id.pub").read_text().strip()
    order = {"lease": "5cb6fbbacaca", "type": "small", "region": "b", "zone": "b-1", "ssh_key": key, "seconds": 3600}
    [offer] = adapter(fake, "offers", types=["small"], regions=["b"])
    assert (offer["zone"], offer["usd_per_hour"], offer["gpu"], offer["vcpus"]) == ("b-1", "0.1", "L4", 1)
    machine = adapter(fake, "create", **order)
    assert machine["state"] == "starting" and machine["costs"] and machine["usd_per_hour"] == "0.1"
    fake.until({"id": machine["machine"]}, "running")
    listed = adapter(fake, "list", lease="5cb6fbbacaca")
    assert listed["complete"] and [row["state"] for row in listed["machines"]] == ["running"]
    assert adapter(fake, "list", lease="other")["machines"] == []
    assert adapter(fake, "extend", machine=machine["machine"], seconds=7200)["state"] == "running"
    fake.fault("delete", "keeps_disk")
    assert adapter(fake, "delete", machine=machine["machine"]) == {}
    assert adapter(fake, "delete", machine="m-4711") == {}  # what is not there any more is not an error
    gone, disk = adapter(fake, "list")["machines"]
    assert (gone["state"], gone["costs"], disk["kind"], disk["costs"]) == ("gone", False, "disk", True)
    for fault, kind in (("capacity", "capacity"), ("quota", "quota"), ("credentials", "credentials"),
                        ("throttled", "limit"), ("error", "unclear"), ("answer_lost", "unclear")):
        fake.fault("create", fault)
        assert adapter(fake, "create", 1, **{**order, "lease": f"new-{fault}"})["error"] == kind
    assert adapter(fake, "create", 1, **{**order, "type": "huge"})["error"] == "no-such-offer"
    fake.fault("list", "partial", zone="b-1")
    assert adapter(fake, "list") == {"machines": [], "complete": False}
