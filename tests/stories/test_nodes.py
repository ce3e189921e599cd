"""Stories of a user who trains on several machines at once, without a queue: `hosts` of a fleet file."""

import glob
import os
import signal
from pathlib import Path

import pytest

import sshd
from conftest import HANGS, eventually
from offloaded import processes_of, programs_of

pytestmark = pytest.mark.skipif(bool(sshd.why_not_here()), reason=sshd.why_not_here())

# Arguments: node, nodes, head, the file of starts, the node that fails.
TRAIN = """#!/bin/sh
export RANK=$1 WORLD_SIZE=$2
echo "$1 of $2 behind $3" >>"$4"
until [ "$(grep -c " of $2 " "$4")" -ge "$2" ]; do sleep 0.05; done  # as a rendezvous
"$LAPCAST" lap plan epochs=3 iterations=10 batch=4 train=80
for lap in $(seq 1000); do
  sleep 0.03
  "$LAPCAST" lap iteration 4
  [ "$1:$lap" = "$5:5" ] && exit 3
done
"""


@pytest.fixture
def pair(story):
    """Makes two machines; returns the command that sweeps over both at once."""
    network = sshd.Network(story.folder / "network")
    story.environment |= network.environment
    boxes = [network.machine(name) for name in ("one", "two")]
    (story.work / "train.sh").write_text(TRAIN)
    (story.work / "train.sh").chmod(0o755)
    fleet = story.fleet('[[machine]]\nname = "pair"\nhosts = ["one", "two"]\nprice = "3"\n'
                        f'[machine.environment]\nLAPCAST = "{os.environ["LAPCAST"]}"\n').name

    def sweep(laps=12, fails="none", code=0):
        # Both machines are this one: --no-wait lets them run on the same CPUs.
        return story.lapcast("sweep", fleet, "--max-laps", laps, "--no-wait", "--json", "--", "./train.sh",
                             "{node}", "{nodes}", "{head}", story.folder / "starts", fails).ok(code)
    yield sweep, boxes
    network.stop()


def test_a_program_starts_once_on_each_host(story, pair):
    sweep, boxes = pair
    [row] = sweep().rows("probes")
    assert sorted((story.folder / "starts").read_text().splitlines()) == [
        "0 of 2 behind one", "1 of 2 behind one"]
    laps = story.lapcast("show", row["run"], "--laps", "--json").ok().rows("laps")
    assert {lap["samples"] for lap in laps} == {8}  # of both nodes
    [run] = story.export()
    assert run["place"] == "ssh one + two" and len(run["lap_logs"]) >= 2
    assert all(eventually(lambda box=box: box.runs() == []) for box in boxes)
    [choice] = story.lapcast("rank", "--all", "--json").ok().rows("candidates")
    assert choice["price_usd_per_hour"] == 6  # each of the two is paid


def test_one_command_serves_machines_of_one_host_and_of_several(story, pair):
    sweep, _ = pair
    machines = (story.work / "fleet.toml").read_text()
    machines = machines[machines.index("[[machine]]"):]
    environment = machines[machines.index("[machine.environment]"):]
    story.fleet(machines + "".join(
        f'[[machine]]\nname = "{name}"\nprice = "1"\n{place}\n{environment}'
        for name, place in (("remote", 'host = "one"'), ("own", 'cpus = "0"'))))
    rows = {row["machine_type"]: row["run"] for row in sweep().rows("probes")}
    assert sorted((story.folder / "starts").read_text().splitlines()) == [
        "0 of 1 behind 127.0.0.1"] * 2 + ["0 of 2 behind one", "1 of 2 behind one"]
    assert [run["settings"] for run in story.export()] == [{}] * 3
    assert {row["machine_type"]: row["run"] for row in sweep().rows("probes")} == rows  # nothing anew
    # A single probe passes on what was typed.
    (story.work / "tell.sh").write_text('#!/bin/sh\necho "$1" >told\n"$LAPCAST" lap iteration 4\n')
    (story.work / "tell.sh").chmod(0o755)
    story.lapcast("probe", "--", "env", f"LAPCAST={os.environ['LAPCAST']}", "./tell.sh", "{node}")
    assert (story.work / "told").read_text() == "{node}\n"


def test_all_end_when_one_node_fails(story, pair):
    sweep, boxes = pair
    [row] = sweep(100000, fails="1", code=1).rows("probes")
    assert "two: failed with exit status 3" in row["outcome_text"], row
    assert all(eventually(lambda box=box: box.runs() == []) for box in boxes)


def test_a_host_out_of_reach_is_named_and_nothing_goes_on(story, pair):
    sweep, boxes = pair
    boxes[1].kill()
    [row] = sweep(code=1).rows("probes")
    assert "two" in row["outcome_text"] and row["outcome"] == "not-started", row
    assert eventually(lambda: boxes[0].runs() == [])
    assert eventually(lambda: not processes_of(row["run"]))


def test_hosts_that_are_no_list_are_refused(story):
    for bad in ('"one"', '["one"]', '["one", "one"]', '["one", "-x"]', "[1, 2]"):
        fleet = story.fleet(f'[[machine]]\nname = "pair"\nhosts = {bad}\nprice = "3"\n').name
        refused = story.lapcast("sweep", fleet, "--", "./train").ok(3)
        assert 'write two or more different ssh hosts, such as ["gpu1", "gpu2"]' in refused.err


def test_fleet_check_looks_at_each_host(story, pair):
    _, boxes = pair
    checked = story.lapcast("fleet", "check", "fleet.toml", "--json").ok().rows("machines")
    assert [row["place"] for row in checked] == ["ssh one", "ssh two"]
    boxes[1].kill()
    plain = story.lapcast("fleet", "check", "fleet.toml").ok(1)
    assert "pair, node 1" in plain.out + plain.err


# Arguments: node, nodes, and with which checkpoint it goes on. Each node writes its part of an epoch before the head
# writes the epoch, and waits in its third epoch, after one lap of it, unless there is the file `go`.
TRAIN_IN_PARTS = """#!/bin/sh
export RANK=$1 WORLD_SIZE=$2
cd "$LAPCAST_RUN_DIR"
echo "node $1 of $2: $4 has $(ls | tr '\\n' ' ')" >>log
n=1 mine=0
[ "$4" ] && n=$(($(cat "$4") + 1))
while [ $n -le 5 ]; do
  "$LAPCAST" lap epoch-begin $n
  for lap in 1 2 3; do
    sleep 0.05
    "$LAPCAST" lap iteration 8
    while [ $mine = 2 ] && [ ! -e "$GO" ]; do sleep 0.05; done
  done
  "$LAPCAST" lap epoch-end $n
  echo $n >part-$1
  [ "$1" = 0 ] && until [ "$(cat "$PARTS" 2>/dev/null || echo 0)" -ge $n ]; do sleep 0.05; done
  [ "$1" = 0 ] || echo $n >"$PARTS"
  [ "$1" = 0 ] && echo $n >epoch-$n
  n=$((n + 1)) mine=$((mine + 1))
done
"""


def test_sessions_on_several_hosts_bring_the_files_of_all_nodes(story, pair):
    _, boxes = pair
    go = story.folder / "go"
    (story.work / "train.sh").write_text(TRAIN_IN_PARTS)
    command = ["offload", "--json", "fleet.toml", "--sessions", "pair", "--resume-flag", "--from {checkpoint}",
               "--checkpoints", "epoch-*", "--", "env", f"LAPCAST={os.environ['LAPCAST']}", f"GO={go}",
               f"PARTS={story.folder / 'parts'}", "./train.sh", "{node}", "{nodes}"]
    process = story.start(*command)

    def waiting():
        """Returns the folders of the runs that wait in their third epoch."""
        logs = [Path(log) for box in boxes for log in glob.glob(f"{box.cache()}/runs/*/lapcast-run-*/laps/*")]
        return [log.parents[2] for log in logs if log.is_file() and log.read_text(errors="replace").count(" i ") == 7]
    assert eventually(lambda: len(waiting()) == 2)
    [other] = [run for run in waiting() if run.name.endswith("-n1")]
    for pid in programs_of(other.name):
        os.kill(pid, signal.SIGKILL)
    assert eventually(lambda: len(waiting()) == 2 and other not in waiting())
    go.touch()
    out, err = process.communicate(timeout=HANGS)
    assert process.returncode == 0, (out, err)
    ended = story.lapcast(*command).ok()
    first, second = ended.rows("training_sessions")
    assert "two: crashed with signal 9" in first["outcome"], first
    assert (first["laps"], first["lost_laps"], second["laps"], second["lost_laps"]) == (6, 1, 9, 0)
    assert ended.json["training"]["is_ended"]
    [home] = story.work.glob("lapcast-????????????")
    assert sorted(file.name for file in home.iterdir()) == [*(f"epoch-{n}" for n in range(1, 6)), "log", "part-0", "part-1"]
    assert (home / "part-0").read_text() == (home / "part-1").read_text() == "5\n"
    # Both nodes went on from the same checkpoint, each with the parts of both.
    for node, log in enumerate((home / "log", story.work / f"{home.name}-node-1/log")):
        said = log.read_text().splitlines()[-1]
        assert said.startswith(f"node {node} of 2: ") and said.endswith("epoch-2 has epoch-1 epoch-2 log part-0 part-1 ")
    assert all(eventually(lambda box=box: box.runs() == []) for box in boxes)


def test_a_training_that_nobody_looks_after_is_refused(story, pair):
    refused = story.lapcast("offload", "--to", "pair", "fleet.toml", "--", "./train.sh", "{node}").ok(2)
    assert "nobody would end a training on the other hosts" in refused.err
