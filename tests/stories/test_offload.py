"""Tests detached trainings on a chosen machine: this one, and one of the tests that ssh reaches."""

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from conftest import HANGS, eventually
from offloaded import HERE, job, kill_all_of, offload
from sshd import fleet_entry


@pytest.fixture
def remote(remote, story):
    story.fleet(fleet_entry("remote", price="0.36"))
    return remote


def trainer(story, *options):
    return ["--", *story.trainer("--epochs", 2, "--laps", 15, "--lap-ms", 10, *options)]


def ended(story, run):
    return eventually(lambda: job(story, run)["state"] == "ended")


def listens(process):
    """Returns whether the process catches SIGINT."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    caught = [line.split()[1] for line in status.splitlines() if line.startswith("SigCgt")]
    return int(caught[0], 16) >> (signal.SIGINT - 1) & 1


def test_a_training_from_its_start_to_its_results(story):
    story.fleet(HERE)
    run = offload(story, "--to", "box", "fleet.toml", *trainer(story, "--checkpoint"))
    attached = story.lapcast("attach", run).ok()
    assert "ended after" in attached.err and f"lapcast fetch {run}" in attached.err
    row = job(story, run)
    assert (row["state"], row["laps"], row["epoch"]) == ("ended", 30, 2)
    assert 0 < float(row["cost_usd"]) == float(row["cost_so_far_usd"])
    assert story.runs() == []  # it is stored only when it is fetched
    story.lapcast("fetch", run, "--into", "results").ok()
    assert list((story.work / "results").glob("epoch-2"))
    [stored] = story.export()
    assert (stored["id"], stored["kind"]) == (run, "full") and stored["lap_logs"]
    assert story.lapcast("jobs", "--json").ok().rows("jobs") == []
    assert not list((story.folder / ".cache/lapcast/runs").glob("*"))


def test_files_that_would_stay_on_the_machine_are_named_before(story, remote):
    """A probe has seen that the program writes beside its run folder, which fetch does not bring."""
    program = story.trainer("--epochs", 2, "--laps", 15, "--lap-ms", 10, "--write", "model.pt")
    story.probe("--max-laps", 10, program=program).ok()
    ended = story.lapcast("offload", "--json", "--to", "remote", "fleet.toml", "--", *program).ok()
    assert "warning: of its last run: the program wrote outside its run folder: " in ended.err, ended
    assert "model.pt" in ended.err and "not brought home" in ended.err, ended
    assert eventually(lambda: job(story, ended.json["offloaded"]["id"])["state"] == "ended")


def test_c_a_host_cannot_change_which_run_it_returns(story):
    story.probe("--max-laps", 10).ok()
    [own] = story.export()
    story.fleet(HERE)
    run = offload(story, "--to", "box", "fleet.toml", *trainer(story))
    assert ended(story, run)
    [record] = (story.folder / ".cache/lapcast/runs").glob(f"{run}/record")
    lines = record.read_text().splitlines()
    [at] = [i for i, line in enumerate(lines) if line.startswith("R ")]
    sent = json.loads(lines[at][2:])
    sent |= {"id": own["id"], "kind": "probe", "program": ["sh", "-c", "touch pwned"],
             "sweep": own["sweep"], "started_at": "9999-01-01T00:00:00Z"}
    sent["machine"]["cores"] = -8
    lines[at] = "R " + json.dumps(sent)
    record.write_text("\n".join(lines) + "\n")
    story.lapcast("fetch", run).ok()
    stored = {each["id"]: each for each in story.export()}
    assert set(stored) == {own["id"], run} and stored[own["id"]] == own
    assert stored[run]["kind"] == "full" and stored[run]["program"][0] == os.environ["FAKE_TRAINER"]
    assert stored[run]["lap_logs"] == sent["lap_logs"]
    assert stored[run]["started_at"] < "9999" and stored[run]["machine"]["cores"] == 0
    assert any("machine.cores is negative" in warning for warning in stored[run]["warnings"])


def test_a_training_continues_when_the_user_detaches(story):
    story.fleet(HERE)
    run = offload(story, "--to", "box", "fleet.toml", *trainer(story, "--until", story.folder / "go-on"))
    process = story.start("attach", "last")
    assert eventually(lambda: listens(process) and story.living())
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=HANGS)
    assert process.returncode == 130 and b"detached; the training goes on" in err, err
    (story.folder / "go-on").touch()
    assert ended(story, run)
    assert story.lapcast("cancel", "--forget", run).ok()
    assert [row["run"] for row in story.runs()] == [run]


def test_a_cancelled_training_ends_in_order(story):
    story.fleet(HERE)
    run = offload(story, "--to", "box", "fleet.toml", *trainer(story, "--lap-ms", 1000))
    assert eventually(story.living)
    story.lapcast("cancel", run).ok()
    assert not story.living()
    assert job(story, run)["state"] == "interrupted"
    story.lapcast("fetch", run).ok(130)
    assert story.runs()[0]["outcome"] == "interrupted"


def test_limits_are_watched_without_the_user(story):
    story.fleet(HERE)
    run = offload(story, "--to", "box", "--max-time", "1s", "fleet.toml",
                  *trainer(story, "--lap-ms", 400))
    assert "time limit of 1.00 s" in story.lapcast("attach", run).ok(7).err
    story.lapcast("cancel", "--forget", run).ok()


def test_best_is_what_the_ranking_says(story):
    story.fleet('[[machine]]\nname = "slow"\nprice = "0.10"\ncpus = "0"\n[machine.environment]\n'
                'FAKE_SPEED = 1\n[[machine]]\nname = "quick"\nprice = "0.20"\ncpus = "0"\n'
                '[machine.environment]\nFAKE_SPEED = 8\n')
    program = story.trainer("--epochs", 2, "--laps", 40, "--lap-ms", 40, "--batch", "{batch}")
    story.lapcast("sweep", "fleet.toml", "--batch", "32", "--max-laps", "12", "--", *program).ok()
    rows = story.lapcast("rank", "--json").ok().rows("candidates")
    assert rows[0]["machine_type"] == "quick"
    story.lapcast("offload", "--", "true").refused(2, "the ranking is of another program")
    run = offload(story)
    story.lapcast("attach", run).ok()
    story.lapcast("fetch", run).ok()
    [stored] = [line for line in story.export() if line["kind"] == "full"]
    assert stored["machine_type"]["name"] == "quick" and stored["settings"] == {"batch": "32"}


def test_what_makes_no_sense_is_refused(story):
    story.fleet(HERE)
    program = trainer(story)
    story.lapcast("offload", "--to", "box", *program).refused(2, "needs the fleet file")
    story.lapcast("offload", "--to", "bix", "fleet.toml", *program).refused(2, "no machine 'bix'")
    story.lapcast("offload", "--to", "box", "fleet.toml", "--", "nonesuch").refused(4, "nonesuch")
    story.lapcast("offload", "--to", "box", "fleet.toml", "--", "true", "{lr}").refused(2, "lr")
    story.lapcast("offload", "--to", "box", "fleet.toml", "--resume-flag", "--r", "--checkpoints",
                  "../*", *program).refused(2, "--checkpoints")
    story.lapcast("attach", "last").refused(5, "does not exist")
    assert not (story.folder / ".cache/lapcast/runs").exists()


def test_a_tool_that_is_replaced_while_it_runs(story):
    """Two commands may send the tool at once, but Slurm must always find a whole file to run."""
    story.fleet(HERE)
    run = offload(story, "--to", "box", "fleet.toml", *trainer(story))
    request = (story.folder / ".cache/lapcast/runs" / run / "request.json").read_text()
    story.lapcast("cancel", run).ok()
    story.lapcast("cancel", "--forget", run).ok()
    tool = story.folder / "tool"
    shutil.copy(os.environ["LAPCAST"], tool)
    process = subprocess.Popen([tool, "agent", "prepare", story.folder / "run"], text=True,
                               env=story.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert eventually(lambda: Path(f"/proc/{process.pid}/exe").resolve() == tool)
    shutil.copy(os.environ["LAPCAST"], story.folder / "other")
    os.replace(story.folder / "other", tool)
    answer, _ = process.communicate(request + "\n", timeout=HANGS)
    assert answer.splitlines() == ["B", str(story.folder / "run"), str(tool)]


def test_over_ssh_with_a_link_that_breaks(story, remote):
    run = offload(story, "--to", "remote", "fleet.toml", *trainer(
        story, "--checkpoint", "--until", story.folder / "go-on", "--until-lap", 5))
    process = story.start("attach", run)
    assert eventually(lambda: job(story, run)["laps"])
    remote.break_links()
    (story.folder / "go-on").touch()
    _, err = process.communicate(timeout=HANGS)
    assert process.returncode == 0, err
    story.lapcast("fetch", run, "--into", "results").ok()
    [stored] = story.export()
    assert (stored["id"], stored["place"]) == (run, "ssh remote")
    assert list((story.work / "results").glob("epoch-2")) and remote.runs() == []


def test_a_training_that_is_cut_off_continues_from_its_checkpoint(story, remote):
    run = offload(story, "--to", "remote", "--resume-flag", "--from {checkpoint}", "--checkpoints",
                  "epoch-*", "fleet.toml", "--", *story.resumable())
    record = remote.cache() / "runs" / run
    assert eventually(lambda: list(record.glob("lapcast-run-*/run/epoch-2")))
    remote.kill()
    kill_all_of(run)
    remote.start()
    attached = story.lapcast("attach", run).ok()
    assert "ended after" in attached.err
    story.lapcast("fetch", run, "--into", "results").ok()
    stored = story.resumed(story.work / "results")
    assert [step["what"] for step in stored["preparation"]].count("earlier attempt") == 1
