"""Trains a program in sessions (`offload --sessions`), and checks what the answer says of the whole."""

import glob
import math
import os
from pathlib import Path

import pytest

from conftest import eventually

EPOCHS, LAPS = 8, 3
HERE = '[[machine]]\nname = "{name}"\nprice = "{price}"\ncpus = "0"\n'
RESUME = ["--resume-flag", "--from {checkpoint}", "--checkpoints", "epoch-*"]
# Each session waits in its third epoch, after one lap of it, unless there is the file `go`.
TRAIN = f"""#!/bin/sh
echo "$@" >>"$LAPCAST_RUN_DIR/calls"
n=1 mine=0
[ "$2" ] && n=$(($(cat "$2") + 1))
while [ $n -le {EPOCHS} ]; do
  "$LAPCAST" lap epoch-begin $n
  for i in $(seq {LAPS}); do
    sleep 0.05  # a lap takes longer than the clock of files is imprecise
    "$LAPCAST" lap iteration 8
    while [ $mine = 2 ] && [ ! -e "$GO" ]; do sleep 0.05; done
  done
  "$LAPCAST" lap epoch-end $n
  echo $n >"$LAPCAST_RUN_DIR/new" && mv "$LAPCAST_RUN_DIR/new" "$LAPCAST_RUN_DIR/epoch-$n"
  n=$((n + 1)) mine=$((mine + 1))
done
"""


class Sessions:
    """Trains that program in sessions."""

    def __init__(self, story):
        self.story, self.go, self.known = story, story.folder / "go", []
        program = story.work / "train.sh"
        program.write_text(TRAIN)
        program.chmod(0o700)
        self.program = ["env", f"LAPCAST={os.environ['LAPCAST']}", f"GO={self.go}", "./train.sh"]

    def command(self, names, *options):
        return ["offload", "--json", "fleet.toml", "--sessions", names, *RESUME, *options, "--", *self.program]

    def run(self, names, *options):
        return self.story.lapcast(*self.command(names, *options))

    def waiting(self):
        """Returns the id of the next session, once it waits in its third epoch."""
        def found():
            logs = map(Path, glob.glob(f"{self.story.folder}/**/runs/*/lapcast-run-*/laps/*", recursive=True,
                                       include_hidden=True))
            return [log.parents[2].name for log in logs if log.is_file() and log.parents[2].name not in self.known
                    and log.read_text(errors="replace").count(" i ") == 2 * LAPS + 1]
        assert eventually(found)
        [run] = found()
        self.known.append(run)
        return run

    def files(self):
        [folder] = [path for path in self.story.work.glob("lapcast-*") if path.is_dir()]
        return folder


def check_sums(story, ended, prices):
    """Checks that the whole is what its sessions are, each at its machine's price, and each lap once."""
    whole, rows = ended.json["training"], ended.rows("training_sessions")
    runs = {run["id"]: run for run in story.export()}
    for row in rows:
        run = runs[row["run"]]
        assert row["time_s"] == pytest.approx((run["ended_ns"] - run["started_ns"]) / 1e9)
        log = "".join(run["lap_logs"])
        assert row["laps"] + row["lost_laps"] == log.count(" i ")
        price = prices[row["machine_type"]]
        assert float(row["cost_usd"]) == pytest.approx(price / 3600 * math.ceil(row["time_s"]))
    assert whole["is_ended"] and whole["sessions"] == len(rows)
    assert whole["laps"] == EPOCHS * LAPS == sum(row["laps"] for row in rows)
    for key in ("time_s", "lost_s", "lost_laps"):
        assert whole[key] == pytest.approx(sum(row[key] for row in rows))
    assert float(whole["cost_usd"]) == pytest.approx(sum(float(row["cost_usd"]) for row in rows))
    return whole, rows
