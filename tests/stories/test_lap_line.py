"""Tests laps that are found in what a program prints, and the whole run as one lap."""

import os

import pytest

LINES = """
import sys, time
for step in range(1, 61):
    time.sleep(0.02)
    print(f"it={step} | {1 / step:.3f}")
"""


def python(story, text, *arguments):
    file = story.work / "train.py"
    file.write_text(text)
    return ["/usr/bin/env", "python3", str(file), *arguments]


def laps(story):
    """Returns the lines of the log of the newest run that were made of its output, as words."""
    [log] = [log for log in story.export()[-1]["lap_logs"] if "emitter=lapcast-output/1" in log]
    return [line.split()[1:] for line in log.splitlines()[2:]]


def count(story, kind):
    return sum(words[0] == kind for words in laps(story))


def test_lines_that_the_user_names_are_laps(story):
    # The program waits for its end before its last line.
    many = LINES.replace("range(1, 61):", "range(1, 601):\n    if step == 600: time.sleep(3600)")
    ended = story.probe("--lap-line", r"it=(?P<step>\d+)", "--steps", 600, "--max-laps", 40,
                        "--precision", "0.01%", program=python(story, many)).ok()
    assert 40 <= count(story, "i") < 600, "it did not come line by line"
    assert ended.out.startswith("Time ")


def test_a_program_that_is_named_gets_no_hook_and_no_folder_for_laps(story):
    program = python(story, """
import os
print("it=1", os.environ["LAPCAST_LOG_DIR"] or "none", "hook-" in os.environ.get("PYTHONPATH", ""))
""")
    story.probe("--lap-line", "it=1 none False", program=program).ok()
    assert count(story, "i") == 1


@pytest.mark.parametrize("lines, plan", [
    (["Epoch {}/9"], "plan epochs=9 iterations=1 from=epoch/9"),
    (["step {}0/90 loss 0.5"], "plan steps=90 from=step/90"),
], ids=["epochs", "steps"])
def test_usual_forms_are_found(story, lines, plan):
    program = python(story, f"""
import time
for n in range(1, 10):
    for line in {lines!r}:
        print(line.format(n), flush=True)
    time.sleep(0.02)
""")
    ended = story.probe(program=program).ok()
    assert plan.split() in laps(story)
    assert "laps are from its output, such as: " + lines[0].format(1) in ended.err


def test_a_counter_without_a_total_is_found(story):
    """As XGBoost prints, with warnings between whose clock is not a counter."""
    program = python(story, """
import sys, time
for n in range(20):
    if n % 6 == 3:
        print("[04:56:20] WARNING: learner.cc:782: Parameters are not used", file=sys.stderr, flush=True)
    print(f"[{n}]\\ttrain-auc:{0.8 + n / 200:.5f}", flush=True)
    time.sleep(0.02)
""")
    said = story.probe("--steps", 40, program=program).ok()
    assert count(story, "i") == 20
    assert "damaged" not in said.err and "the first lap is assumed to be as long" in " ".join((said.out + said.err).split())


def test_the_steps_of_a_table_are_found(story):
    """As spaCy prints, a row after each 200 steps."""
    program = python(story, """
import time
print("E    #       LOSS TOK2VEC  LOSS NER  ENTS_F  SCORE ")
print("---  ------  ------------  --------  ------  ------", flush=True)
for n in range(20):
    print(f"{n // 7:3} {200 * n:7}  {0.01 * n:12.2f}  {48 - n:8.2f}  {n:6.2f}  {n / 100:6.2f}", flush=True)
    time.sleep(0.02)
""")
    story.probe("--steps", 8000, program=program).ok()
    assert count(story, "i") == 19 * 200 + 1


def test_lines_of_a_validation_beside_usual_ones_are_one(story):
    """As the references of torchvision print, and what was made from them."""
    program = python(story, """
import time
for epoch in range(2):
    for step in range(0, 40, 10):
        print(f"Epoch: [{epoch}]  [{step:2}/40]  eta: 0:00:10  loss: {1 / (step + 1):.4f} (0.5)  time: 0.005", flush=True)
        time.sleep(0.05)
    for step in range(0, 30, 10):
        print(f"Test:  [{step:2}/30]  eta: 0:00:01  loss: 0.5 (0.5)  time: 0.005", flush=True)
        time.sleep(0.05)
""")
    said = story.probe("--epochs", 5, program=program).ok()
    assert count(story, "epoch-end") == 2 and count(story, "validation-end") == 2
    assert "damaged" not in said.err


def test_rows_of_a_table_of_epochs_are_epochs(story):
    program = python(story, """
import time
print("  epoch    train_loss     dur\\n-------  ------------  ------", flush=True)
for n in range(1, 9):
    time.sleep(0.02)
    print(f"{n:7}  \\x1b[36m{1 / n:12.4f}\\x1b[0m  {0.02:6.4f}", flush=True)
""")
    story.probe("--epochs", 20, program=program).ok()
    assert count(story, "epoch-end") == count(story, "i") == 8


def test_bars_are_found(story):
    program = python(story, """
import sys, time
for epoch in range(3):
    for n in range(11):
        print(f"\\r{n * 10}%|{'#' * n}| {n}/10 [00:0{n % 10}<00:09,  5.0it/s]", end="",
              file=sys.stderr, flush=True)
        time.sleep(0.01)
""")
    story.probe("--epochs", 5, program=program).ok()
    assert count(story, "i") == 30 and count(story, "epoch-end") == 3
    assert "plan iterations=10".split() in laps(story)


def test_a_programs_own_laps_win(story):
    program = python(story, """
import os, subprocess, time
for step in range(1, 20):
    print(f"step {step}/19", flush=True)
    subprocess.run([os.environ["LAPCAST_BINARY"], "lap", "iteration", "8"])
""")
    story.probe("--steps", 19, program=program, env={"LAPCAST_BINARY": os.environ["LAPCAST"]}).ok()
    assert not any("lapcast-output" in log for log in story.export()[-1]["lap_logs"])


def test_lines_that_come_at_once_tell_no_times(story):
    program = python(story, """
import time
for step in range(1, 20):
    print(f"step {step}/19")
    time.sleep(0.01)
""")
    ended = story.probe(program=program)
    assert ended.code == 4 and "--lap-line 'step (?P<step>\\d+)' takes such lines" in ended.err


def test_without_laps_the_users_own_line_is_the_advice(story):
    ended = story.probe(program=python(story, LINES))
    assert ended.code == 4
    assert "it printed \"it=60 | 0.017\": --lap-line 'it=(?P<step>\\d+)' takes such lines" in ended.err


def test_the_whole_run_is_one_lap(story):
    ended = story.probe("--whole", "--price", "1", program=["sleep", "0.3"]).ok()
    assert laps(story) == [["plan", "steps=1"], ["i", "0"], ["bye"]]
    assert ended.out.startswith("Took ") and "/h (" in ended.out  # the price and its source


def test_a_whole_run_needs_its_end(story):
    ended = story.probe("--whole", "--budget", "0.3s", program=["sleep", "30"])
    assert ended.code == 4 and "--whole needs the program's end" in ended.err


def test_what_is_no_expression_is_refused(story):
    story.probe("--lap-line", "(", program=["true"]).refused(2, "not a regular expression")
    story.probe("--lap-line", "(?P<loss>.)", program=["true"]).refused(2, "'loss' means nothing")
    ended = story.probe("--lap-line", "x", "--whole", program=["true"])
    assert ended.code == 2


def test_hostile_output_does_no_harm(story):
    program = python(story, r"""
import os, sys
os.write(1, b"step 1/" + b"9" * 2000000)
os.write(1, b"\nstep \x00\xff\x1b[31m2/5\x1b]0;x\x07\r\n" + bytes(range(256)) * 100)
for n in (5, 3, 10**14, 7, 7, 0):
    os.write(2, b"\nstep %d/5\n" % n)
""")
    story.probe("--lap-line", r"step (?P<step>\d+)/(?P<steps>\d+)", program=program)
    assert len(story.export()) == 1
    story.check_store()


def test_a_watched_program_prints_what_it_prints(story):
    program = python(story, LINES)
    ended = story.lapcast("watch", "--lap-line", r"it=(?P<step>\d+)", "--steps", 60, "--", *program)
    ended.ok()
    assert ended.out == "".join(f"it={n} | {1 / n:.3f}\n" for n in range(1, 61))
    assert count(story, "i") == 60


COUNTING = """
import time
for step in range(1, 50001):
    print(f"step {step}/50000", flush=True)
    time.sleep(0.02)
"""


def test_usual_forms_count_while_the_program_runs(story):
    story.probe("--precision", "10%", program=python(story, COUNTING)).ok()
    [run] = story.export()
    assert run["outcome"]["kind"] == "enough", run["outcome"]


PREPARING = """
import sys, time
def bar(total, seconds):
    for n in range(total + 1):
        print(f"\\r{n * 100 // total}%|###| {n}/{total} [00:00<00:09,  5.0it/s]", end="",
              file=sys.stderr, flush=True)
        time.sleep(seconds / total)
bar(300, 9)
bar(50, 0.5)
"""


def test_a_bar_that_may_be_of_a_preparation_ends_no_probe(story):
    story.probe("--precision", "10%", program=python(story, PREPARING)).ok()
    [run] = story.export()
    assert run["outcome"]["kind"] == "ended", run["outcome"]


BESIDE_BARS = """
import sys, time
for n in range(1, 401):
    print(f"iter {n}: loss 0.5", flush=True)
    time.sleep(0.02)
    for k in range(1, 21 if n % 100 == 0 else 0):
        print(f"{5 * k}%|###| {k}/20 [00:00<00:00]", end="\\r", file=sys.stderr, flush=True)
"""


def test_bars_of_evaluations_are_no_laps_of_a_loop_without_a_length(story):
    story.lapcast("watch", "--", *python(story, BESIDE_BARS)).ok()
    assert count(story, "i") == 400 and count(story, "epoch-begin") == 0


def test_a_watched_program_has_a_forecast_from_its_lines(story):
    ended = story.lapcast("watch", "--max-time", "5m", "--", *python(story, COUNTING))
    assert ended.code == 7 and "is above the time limit of 5 min 00 s" in ended.err, ended
    assert story.export()[0]["forecasts"]


def test_printed_epochs_are_the_plan_of_laps_without_one(story):
    script = story.work / "train.sh"
    script.write_text("""#!/bin/sh
for n in 1 2 3; do
  echo "Epoch $n/9"; "$LAPCAST_BINARY" lap epoch-begin $n
  for i in 1 2 3 4; do sleep 0.05; "$LAPCAST_BINARY" lap iteration 8; done
  "$LAPCAST_BINARY" lap epoch-end $n
done
""")
    script.chmod(0o755)
    ended = story.probe("--json", program=[str(script)],
                        env={"LAPCAST_BINARY": os.environ["LAPCAST"]}).ok()
    assert ended.json["forecast"]["epochs"] == 9
    assert "9 epochs" in (text := story.lapcast("show", "last").ok().out)
    assert "from `epoch/9` printed by the program" in text
