"""Tests machines that are silent, trainings that are forgotten, and secrets."""

import os
import re
import shlex
import signal
import subprocess
from pathlib import Path

import pytest

import sshd
from conftest import HANGS, eventually
from silence import SilentServer, SlowServer
from sshd import fleet_entry

pytestmark = pytest.mark.skipif(bool(sshd.why_not_here()), reason=sshd.why_not_here())

PATIENCE = {"LAPCAST_PATIENCE": "6s"}
# Runs only the login's commands before the one that lapcast sends, which prints the marker.
ONLY_THE_LOGIN = '#!/bin/sh\neval "${2%%exec *}"\nexec sleep 1000\n'


def named(remote, name, port):
    """Adds another host to the ssh config, on a port of this machine, with the key of `remote`."""
    network = remote.network
    with network.config.open("a") as config:
        config.write(f"Host {name}\n HostName 127.0.0.1\n Port {port}\n IdentityFile {network.folder}/id\n"
                     f" IdentitiesOnly yes\n UserKnownHostsFile {network.known_hosts}\n"
                     f" GlobalKnownHostsFile /dev/null\n")
    with network.known_hosts.open("a") as known:
        known.write(remote.known_key().replace(f":{remote.port} ", f":{port} "))


@pytest.fixture
def silence(remote):
    """Adds four hosts that are silent, each at another step of a connection."""
    mute, banner = SilentServer(), SilentServer(b"SSH-2.0-OpenSSH_9.2\r\n")
    named(remote, "mute", mute.port)
    named(remote, "banner", banner.port)
    remote.network.machine("login", login="exec sleep 1000")
    shell = remote.network.folder / "only-the-login"
    shell.write_text(ONLY_THE_LOGIN)
    shell.chmod(0o755)
    remote.network.machine("stalls", shell=str(shell))
    yield ("mute", "banner", "login", "stalls")
    mute.stop()
    banner.stop()


# Silence -----------------------------------------------------------------------------------------


def test_r_silence_at_every_step_is_a_row(story, silence):
    fleet = story.fleet("".join(map(fleet_entry, ("remote", *silence))))
    checked = story.lapcast("fleet", "check", fleet.name, env=PATIENCE).ok(1)
    for host in silence:
        assert re.search(rf"^{host}: {host} does not answer: ", checked.out, re.M), checked
    assert re.search(r"^remote +ssh remote +ready ", checked.out, re.M), checked
    swept = story.lapcast("sweep", fleet.name, "--json", "--max-laps", 5, "--", *story.trainer("--lap-ms", 2),
                          env=PATIENCE).ok(1)
    rows = {row["machine_type"]: row["outcome_text"] for row in swept.rows("probes")}
    assert rows["remote"].startswith("budget spent"), swept
    for host in silence:
        assert rows[host].startswith(f"not started: {host} does not answer: "), swept


def test_r_other_first_contacts(story, silence):
    fleet = story.fleet("".join(map(fleet_entry, silence)))
    for host in ("mute", "login"):
        story.lapcast("offload", "--to", host, fleet.name, "--", *story.trainer(),
                      env=PATIENCE).refused(6, f"{host} does not answer: ")
        story.lapcast("fleet", "from-slurm", "--login", host, env=PATIENCE).refused(
            6, f"{host} does not answer: ")
    said = story.folder / "relayed"
    with said.open("w") as file:  # a shared connection holds the ends of a pipe
        relayed = story.start("ssh-relay", "login", "rsync", env=PATIENCE, stdout=file, stderr=file)
        assert relayed.wait(HANGS) == 255
    assert said.read_text() == "lapcast: login: the first contact timed out\n"
    soak = story.start("soak", "--to", "login", fleet.name, "--for", "60s", "--every", "1s",
                       "--heartbeats", "beats", env=PATIENCE)
    assert "login does not answer: " in soak.communicate(timeout=HANGS)[1].decode()


def test_r_a_connection_that_went_silent(story, remote):
    """The shared connection exists, but nothing comes through it any more."""
    fleet = story.fleet(fleet_entry("remote"))
    story.lapcast("fleet", "check", fleet.name).ok()
    servers = [pid for pid, name in sshd.descendants(remote.process.pid) if name.startswith("sshd")]
    assert servers
    for pid in servers:
        os.kill(pid, signal.SIGSTOP)
    try:
        ended = story.lapcast("fleet", "check", fleet.name, env=PATIENCE).ok(1)
        assert "remote: remote does not answer: " in ended.out, ended
    finally:
        for pid in servers:
            os.kill(pid, signal.SIGCONT)


def test_r_a_slow_machine_is_not_a_silent_one(story, remote):
    """Login and sending lapcast each take longer than the patience of this test, but data never
    stop."""
    slow = SlowServer(remote.port, delay=0.2, rate=4e6)
    named(remote, "slow", slow.port)
    ended = story.lapcast("fleet", "check", story.fleet(fleet_entry("slow")).name, env={"LAPCAST_PATIENCE": "1500ms"})
    slow.stop()
    assert re.search(r"^slow +ssh slow +ready ", ended.ok().out, re.M), ended


def test_r_the_patience_is_checked_at_once(story):
    for bad in ("soon", "1ms", "2h", "-1s"):
        story.lapcast("runs", env={"LAPCAST_PATIENCE": bad}).refused(2, "LAPCAST_PATIENCE is '" + bad)


def test_r_a_forgotten_training_that_still_runs_is_reported(story, remote):
    fleet = story.fleet(fleet_entry("remote"))
    story.lapcast("offload", "--to", "remote", fleet.name, "--", *story.trainer("--laps", 1_000_000)).ok()
    [job] = story.lapcast("jobs", "--json").ok().rows("jobs")
    assert eventually(lambda: story.journal())
    remote.kill()
    silent = SilentServer(port=remote.port)
    jobs = story.lapcast("jobs", env=PATIENCE).ok()
    assert "out of reach: remote does not answer: " in jobs.out, jobs
    for command in (["attach"], ["fetch"], ["cancel"]):
        story.lapcast(*command, job["id"], env=PATIENCE).refused(6, "remote does not answer: ")
    forgotten = story.lapcast("cancel", "--forget", job["id"], env=PATIENCE).ok()
    silent.stop()
    assert "remote cannot be asked: the training may still run on it" in forgotten.err, forgotten
    assert story.living(), "it does"
    # The command that the message names ends the training.
    command = shlex.split(re.search(r"end it with: (ssh .*)", forgotten.err).group(1))
    remote.start()
    subprocess.run([command[0], "-F", remote.network.config, *command[1:]], check=True)
    assert eventually(lambda: not story.living())
    assert story.lapcast("jobs", "--json").ok().rows("jobs") == []


# Secrets -----------------------------------------------------------------------------------------

KEY, TOKEN, PASSWORD = "sk-0123456789abcdef", "hf_fedcba9876543210", "open-sesame-please"
SECRETS = (KEY, TOKEN, PASSWORD)


def program(story):
    """Returns a program that prints all arguments and variables and then makes its laps."""
    script = story.work / "train.sh"
    script.write_text(f'#!/bin/sh\necho "$@" $HF_TOKEN >&2\necho "$@" $HF_TOKEN\nexec {shlex.join(map(str, story.trainer("--laps", 60, "--lap-ms", 5)))}\n')
    script.chmod(0o755)
    return ["./train.sh", f"--api-key={KEY}", "--db-password", "{password}", "--tokenizer", "a-tokenizer"]


def swept(story, where=""):
    fleet = story.fleet(f'[[machine]]\nname = "m"\nprice = "1"\n{where}\n[machine.environment]\n'
                        f'HF_TOKEN = "{TOKEN}"\n')
    return story.lapcast("sweep", fleet.name, "--set", f"password={PASSWORD}", "--", *program(story))


def nothing_secret(ended):
    for secret in SECRETS:
        assert secret not in ended.out and secret not in ended.err, ended
    return ended


def test_r_secrets_are_masked_in_all_output(story):
    nothing_secret(swept(story).ok())
    for command in (["runs"], ["runs", "--json"], ["show", "last"], ["show", "last", "--output", "--json"],
                    ["export"], ["forecast"], ["forecast", "--json"], ["rank"], ["rank", "--json"],
                    ["verify"], ["verify", "--json"], ["sweep", "fleet.toml", "--", "./train.sh", f"--api-key={KEY}", f"--nonsense={KEY}"],
                    ["rank", "--export", "skypilot"]):
        nothing_secret(story.lapcast(*command))
    first = story.export()[0]["id"]
    shown = story.lapcast("show", first).ok().out
    assert "./train.sh --api-key=*** --db-password *** --tokenizer a-tokenizer" in shown, shown
    assert "HF_TOKEN=***" in shown
    for run in story.export()[:2]:
        assert run["program"][1:] == ["--api-key=***", "--db-password", "***", "--tokenizer", "a-tokenizer"]
        assert run["settings"] == {"password": "***"}
        assert run["machine_type"]["environment"] == {"HF_TOKEN": "***"}
    # The store keeps what a restart needs: verify ran the program with all of it.
    calls = {(run["kind"], run["standard_output"].splitlines()[0]) for run in story.export()}
    said = "--api-key=*** --db-password *** --tokenizer a-tokenizer ***"
    assert {("probe", said), ("full", said)} <= calls


def test_r_more_patterns_can_be_named(story):
    story.probe("--max-laps", 3, program=[*story.trainer("--laps", 9), "--ignored", "--customer=ACME-1234567"])
    assert "ACME-1234567" in story.lapcast("export").ok().out
    more = {"LAPCAST_SECRETS": "licence,customer"}
    assert "ACME-1234567" not in story.lapcast("export", env=more).ok().out


def test_r_scrub_removes_the_bytes(story):
    swept(story).ok()
    files = lambda: b"".join(file.read_bytes() for file in story.store.parent.iterdir())
    before = story.export()
    reader = story.lapcast("runs", "--json").ok()
    nothing_secret(story.lapcast("runs", "scrub").ok())
    for secret in SECRETS:
        assert secret.encode() not in files()
    story.check_store()
    assert story.export() == before, "all else is as it was"
    assert story.lapcast("runs", "--json").ok().out == reader.out
    verified = story.lapcast("verify", "--again", "--json")
    assert "its secrets were masked" in verified.out + verified.err, verified
    refused = story.lapcast("offload")
    assert refused.code == 2 and "its secrets were masked" in refused.err, refused
    assert "secrets removed from 0 runs" in story.lapcast("runs", "scrub").ok().err


def command_lines(of):
    """Returns the command lines, which every user can read, of all lapcast processes with that
    variable."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "exe").readlink().name.startswith("lapcast") and of in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_bytes())
        except OSError:
            continue
    return found


def test_r_process_titles_hold_no_secret(story):
    program(story)
    store = f"LAPCAST_STORE={story.store}".encode()
    running = story.start("probe", "--", "./train.sh", f"--api-key={KEY}", "--db-password", PASSWORD)
    assert eventually(lambda: story.journal())
    lines = command_lines(store)
    running.communicate(timeout=HANGS)
    assert len(lines) >= 2 and all(b"--api-key=***" in line for line in lines), lines
    for secret in (KEY, PASSWORD):
        assert not any(secret.encode() in line for line in lines), lines


def test_r_errors_quote_no_secret(story):
    for command in (["probe", f"--api-key={KEY}"], ["probe", "--", "./missing", f"--api-key={KEY}"],
                    [f"--token={KEY}"], ["runs", "--", "x", f"--api-key={KEY}"],
                    ["sweep", "fleet.toml", "--set", f"token={KEY}", "--", "true"]):
        assert story.lapcast(*command).code != 0
        nothing_secret(story.lapcast(*command))


def test_r_no_secret_stays_on_the_remote_machine(story, remote):
    nothing_secret(swept(story, where='host = "remote"').ok())
    for file in remote.cache().rglob("*"):
        if file.is_file() and not file.name.startswith("lapcast-"):
            for secret in SECRETS:
                assert file.name == "fleet.toml" or secret.encode() not in file.read_bytes(), file
