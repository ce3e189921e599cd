"""Tests power limits of GPUs as settings, with an imitation of nvidia-smi on the PATH that keeps the
limits of two GPUs in a file and writes down what it is asked."""

import os
import signal

import pytest

import sshd
from conftest import HANGS, UNAWARE_OF_OTHERS, eventually
from imitated_gpus import gpus as driver  # noqa: F401 (a fixture)

IMITATION = """#!/bin/sh
# The limits are in the file `limits`, a line for each GPU.
cd {folder} || exit 1
case "$1" in
--query-gpu=index,power.limit,*)
  n=0
  while read -r limit; do echo "$n, $limit, 100.00, 350.00"; n=$((n + 1)); done <limits ;;
-i)
  [ "$3" = -pl ] || exit 2
  [ -e refuse-$2 ] && {{ echo "Insufficient Permissions"; exit 4; }}
  echo "$2 $4" >>asked
  [ -e ignore ] && exit 0
  sed -i "$(($2 + 1))s/.*/$4/" limits ;;
*) exit 1 ;;
esac
"""


class Gpus:
    def __init__(self, story):
        self.folder = story.folder / "gpus"
        self.folder.mkdir()
        (self.folder / "nvidia-smi").write_text(IMITATION.format(folder=self.folder))
        (self.folder / "nvidia-smi").chmod(0o755)
        (self.folder / "limits").write_text("300.00\n320.50\n")
        story.environment["PATH"] = f"{self.folder}:{story.environment['PATH']}"

    def limits(self):
        return [float(line) for line in (self.folder / "limits").read_text().split()]

    def asked(self):
        file = self.folder / "asked"
        return file.read_text().splitlines() if file.exists() else []


USUAL = [300, 320.5]


@pytest.fixture
def gpus(story):
    return Gpus(story)


def swept(story, limits, *options, lap_ms=4, env=None):
    return ["sweep", "--power-limits", limits, "--max-laps", 30, "--price", "2", *options, "--",
            *story.trainer("--laps", 1000, "--lap-ms", lap_ms, "--epochs", 3, "--train", 320)]


def reasons(ended):
    return {row["settings"]["power"]: row for row in ended.rows("probes")}


def test_each_limit_is_a_candidate_and_is_set_back(story, gpus):
    story.lapcast(*swept(story, "200,250"), env=UNAWARE_OF_OTHERS).ok()
    assert gpus.limits() == USUAL
    asked = gpus.asked()
    assert sorted(asked[0:2] + asked[4:6]) == ["0 200", "0 250", "1 200", "1 250"]
    assert asked[2:4] == asked[6:8] == ["0 300", "1 320.5"] and len(asked) == 8
    rank = story.lapcast("rank", "--energy", "--json").ok()
    assert {row["settings"]["power"] for row in rank.rows("candidates")} == {"200W", "250W"}
    assert all(row["energy_kwh"] > 0 for row in rank.rows("energy"))
    # The same command goes on with the sweep: nothing is left to do.
    story.lapcast(*swept(story, "200,250"), env=UNAWARE_OF_OTHERS).ok()
    assert len(gpus.asked()) == 8


# The machine is described before the limits are set.
def test_a_run_keeps_its_limit_in_the_set_up_of_its_gpus(story, gpus, driver):  # noqa: F811
    env = UNAWARE_OF_OTHERS | driver("90,0") | {"CUDA_VISIBLE_DEVICES": "0"}
    story.lapcast(*swept(story, "200,250"), env=env).ok()
    limits = {}
    for run in story.runs():
        first, _ = story.lapcast("show", run["run"], "--json").ok().rows("gpu_set_up")
        limits[run["settings"]["power"]] = first["power_limit_w"]
    assert limits == {"200W": 200, "250W": 250}
    assert gpus.limits() == USUAL


def test_a_probe_with_several_limits(story, gpus):
    ended = story.probe("--power-limits", "150,300", "--max-laps", 20, "--json").ok()
    assert {row["settings"]["power"] for row in ended.rows("probes")} == {"150W", "300W"}
    assert gpus.limits() == USUAL and "0 150" in gpus.asked()
    assert "next: lapcast rank" in story.probe("--power-limits", "150,300", "--max-laps", 20).ok().out
    nothing = story.probe("--power-limits", "150,300", program=["true"]).ok(1)
    assert "next: lapcast show last says why" in nothing.out and "lapcast rank" not in nothing.out


def test_limits_out_of_range_and_those_of_the_range(story, gpus):
    ended = story.lapcast(*swept(story, "90,200,351", "--json")).ok(1)
    rows = {run["settings"]["power"]: run["outcome_text"] for run in story.runs()}
    assert "90 W is out of the range of GPU 0: 100 to 350 W" in rows["90W"]
    assert "out of the range" in rows["351W"] and "range" not in rows["200W"]
    assert len(ended.rows("probes")) == 3
    assert gpus.limits() == USUAL


@pytest.mark.parametrize("file, what", [
    ("refuse-0", "cannot be set to 200 W, which needs root"),
    ("refuse-1", "power limit of GPU 1 cannot be set"),
    ("ignore", "did not set the power limit of GPU 0")])
def test_what_nvidia_smi_refuses_is_the_reason_of_the_row(story, gpus, file, what):
    (gpus.folder / file).touch()
    story.lapcast(*swept(story, "200")).ok(1)
    [run] = story.runs()
    assert run["outcome"] == "not-started" and what in run["outcome_text"]
    assert gpus.limits() == USUAL
    assert story.journal() == []  # the program did not start


def test_without_a_gpu_there_is_a_reason(story):
    folder = story.folder / "none"
    folder.mkdir()
    (folder / "nvidia-smi").write_text("#!/bin/sh\necho 'NVIDIA-SMI has failed'; exit 9\n")
    (folder / "nvidia-smi").chmod(0o755)
    story.environment["PATH"] = f"{folder}:{story.environment['PATH']}"
    story.lapcast(*swept(story, "200")).ok(1)
    assert "power limits need an NVIDIA GPU" in story.runs()[0]["outcome_text"]


def test_limits_that_cannot_be_set_back_are_a_warning(story, gpus):
    go_on = story.folder / "go-on"
    process = story.start(*swept(story, "200"), "--until", go_on)
    assert eventually(lambda: gpus.limits() == [200, 200] and story.journal("held"))
    (gpus.folder / "refuse-1").touch()
    go_on.touch()
    process.communicate(timeout=HANGS)
    [run] = story.export()
    assert any("the power limit is not set back" in text for text in run["warnings"])
    assert gpus.limits() == [300, 200]


@pytest.mark.parametrize("how", ["INT to all", "TERM", "KILL", "KILL to all of lapcast"])
def test_the_limits_are_set_back_however_lapcast_ends(story, gpus, how):
    story.may_leave_run_folders = True
    process = story.start(*swept(story, "200"), env={"FAKE_HOLD": "1"})
    assert eventually(lambda: gpus.limits() == [200, 200] and story.journal("held"))
    if how == "INT to all":
        os.killpg(process.pid, signal.SIGINT)
    elif how == "TERM":
        process.terminate()
    else:
        with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as file:
            children = [int(child) for child in file.read().split()]
        # The guard has a session of its own, as no worker has.
        workers = [child for child in children if os.getsid(child) == process.pid]
        assert len(workers) == 1 and len(children) == 2
        if how == "KILL to all of lapcast":
            os.kill(workers[0], signal.SIGKILL)
        process.kill()
    process.communicate(timeout=HANGS)
    assert eventually(lambda: gpus.limits() == USUAL)


@pytest.mark.parametrize("limits, what", [
    ("0", "whole number of watts"), ("200W", "whole number of watts"), ("200,200", "repeated value"),
    ("1e9", "whole number of watts")])
def test_limits_that_cannot_be(story, limits, what):
    story.lapcast(*swept(story, limits)).refused(2, what)


def test_a_program_with_a_setting_of_that_name_keeps_it(story, gpus):
    program = story.trainer("--laps", 1000, "--lap-ms", 4, "--batch", "{power}")
    story.lapcast("sweep", "--power-limits", "200", "--", *program).refused(2, "{power}")
    story.lapcast("sweep", "--set", "power=16,32", "--max-laps", 15, "--", *program).ok()
    assert gpus.asked() == []


def test_limits_of_a_race_are_set_back_whenever_a_candidate_is_suspended(story, gpus):
    # Laps of such noise take several turns to become precise.
    program = story.trainer("--epochs", 50, "--train", 64000, "--lap-ms", 10, "--noise", 0.4, "--init-ms", 100)
    raced = story.lapcast("sweep", "--power-limits", "200,250", "--price", "2", "--race", "--precision", "3%",
                          "--json", "--", *program).ok()
    assert {row["settings"]["power"] for row in raced.rows("race")} == {"200W", "250W"}
    assert gpus.limits() == USUAL
    asked = gpus.asked()
    assert len(asked) > 8 and len(asked) % 4 == 0
    for i in range(0, len(asked), 4):
        assert asked[i:i + 2] in (["0 200", "1 200"], ["0 250", "1 250"])
        assert asked[i + 2:i + 4] == ["0 300", "1 320.5"]


def test_a_verified_candidate_runs_with_its_limit(story, gpus):
    story.lapcast(*swept(story, "200"), env=UNAWARE_OF_OTHERS).ok()
    before = len(gpus.asked())
    story.lapcast("verify", "--top", "1").ok()
    assert gpus.asked()[before:] == ["0 200", "1 200", "0 300", "1 320.5"]


@pytest.mark.skipif(bool(sshd.why_not_here()), reason=sshd.why_not_here())
def test_a_remote_machine_limits_its_own_gpus(story, gpus):
    usual = story.environment["PATH"]
    network = sshd.Network(story.folder / "network")
    try:
        network.machine("gpu-box", path=usual)  # with the imitation
        story.environment |= network.environment | {"PATH": usual.split(":", 1)[1]}
        fleet = story.fleet(sshd.fleet_entry("gpu-box"))
        program = story.trainer("--laps", 1000, "--lap-ms", 10)
        ended = story.lapcast("sweep", fleet.name, "--power-limits", "200,90", "--max-laps", 15,
                              "--json", "--", *program).ok(1)
        assert len(ended.rows("probes")) == 2
        rows = {run["settings"]["power"]: run for run in story.runs()}
        assert "90 W is out of the range" in rows["90W"]["outcome_text"]
        assert rows["200W"]["outcome"] == "enough" or rows["200W"]["outcome"] == "budget-spent"
        assert gpus.asked() == ["0 200", "1 200", "0 300", "1 320.5"]
    finally:
        network.stop()
