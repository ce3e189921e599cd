"""Tests a watched run: its output, limits of time and money, and the history of its forecasts."""

import fcntl
import os
import pty
import re
import signal
import subprocess
import termios

import pytest

from conftest import HANGS, UNAWARE_OF_OTHERS, Ended, as_imported, eventually

OVER_LIMIT = 7


def watch(story, *options, program=None, **more):
    """Runs `lapcast watch OPTIONS -- PROGRAM`, by default with 2 s of training."""
    program = program or story.trainer("--epochs", 4, "--laps", 50, "--lap-ms", 10)
    return story.lapcast("watch", *options, "--", *program, **more)


def endless(story, *options):
    """Returns a program of 10,000 s."""
    return story.trainer("--exact", "--epochs", 10000, "--laps", 100, "--lap-ms", 10, *options)


def forecasts_of(story):
    """Returns the forecasts that the run under way has in the store by now."""
    return [moment for run in story.export() for moment in run["forecasts"]] if story.store.exists() else []


def test_a_watched_run_keeps_its_output_and_its_forecasts(story):
    go_on = story.folder / "go-on"
    program = story.trainer("--epochs", 4, "--laps", 50, "--lap-ms", 30, "--say", "words of its own",
                            "--until", go_on, "--until-lap", 190)
    process = story.start("watch", "--price", "3.60", "--", *program)
    assert eventually(lambda: len(forecasts_of(story)) >= 2)
    go_on.touch()
    ended = Ended(0, *process.communicate(timeout=HANGS))
    assert process.returncode == 0, ended
    assert ended.out == "words of its own\n"
    assert re.search(r"^lapcast: ended after \d.*, 200 laps, \$0\.0\d+; lapcast show [0-9a-f]{12}$",
                     ended.err, re.M), ended
    assert "wrote outside" not in ended.err
    [row] = story.runs()
    assert row["kind"] == "full" and row["outcome_text"] == "ended"
    [run] = story.export()
    assert run["standard_output"] == "words of its own\n"
    forecasts = run["forecasts"]
    assert len(forecasts) >= 2
    for earlier, later in zip(forecasts, forecasts[1:]):
        assert later["elapsed_s"] >= 1.05 * earlier["elapsed_s"]
    for moment in forecasts:
        assert moment["elapsed_s"] <= moment["total_s_low"] <= moment["total_s"] <= moment["total_s_high"]


def test_show_tells_how_far_the_forecast_was_off(story):
    watch(story, program=story.trainer("--epochs", 4, "--laps", 50, "--lap-ms", 10, "--init-ms", 100)).ok()
    moments = story.lapcast("show", "last", "--json").ok().rows("moments")
    assert [row["share"] for row in moments[1:]] == [0.01, 0.05, 0.1, 0.25, 0.5]
    half = moments[-1]
    real = story.export()[0]
    assert moments[0]["forecast_s"] == pytest.approx(real["forecasts"][0]["total_s"])
    wall = (real["ended_ns"] - real["started_ns"]) / 1e9
    assert half["error"] == pytest.approx(half["forecast_s"] / wall - 1)
    assert half["inside"] == (half["forecast_s_low"] <= wall <= half["forecast_s_high"])
    text = story.lapcast("show", "last").ok().out
    assert "How the forecast moved" in text and "it really took" in text
    assert re.search(r"^ *first, \d+(\.\d+)? % ", text, re.M), text
    assert "the 95 % interval held the real time in" in text


def test_a_watched_run_survives_export_and_import(story):
    watch(story).ok()
    exported = story.lapcast("export").ok().out
    copy = story.folder / "copy.db"
    story.lapcast("--store", copy, "import", "-", input=exported.encode()).ok()
    assert story.lapcast("--store", copy, "export").ok().out == as_imported(exported)
    assert "How the forecast moved" in story.lapcast("--store", copy, "show").ok().out


def test_a_run_stops_as_soon_as_the_forecast_is_above_the_limit(story):
    ended = watch(story, "--max-time", "10m", program=endless(story)).ok(OVER_LIMIT)
    assert re.search(r"budget spent: the forecast of \d+ h \d+ min \(.*\) is above the time limit of "
                     r"10 min 00 s after \d.* s,", ended.err), ended
    assert story.journal("end")[0]["asked"]
    [run] = story.export()
    assert run["outcome"]["kind"] == "budget-spent"
    [moment] = story.lapcast("show", "--json").ok().rows("moments")
    assert moment["forecast_s_low"] > 600


def test_a_cost_limit_is_compared_with_the_bill(story):
    # At 2 USD a begun second, the bill has 20 USD after 9 s. No epoch ends: there is no forecast.
    program = endless(story, "--no-plan", "--laps", 100000)
    ended = watch(story, "--price", "7200", "--max-cost", "20", program=program).ok(OVER_LIMIT)
    assert "cost limit of $20.00 reached" in ended.err
    [run] = story.export()
    assert run["stop_sent_ns"] - run["started_ns"] > 9e9


def test_without_a_plan_the_clock_decides_and_a_warning_says_what_is_missing(story):
    program = endless(story, "--no-plan", "--laps", 100000)  # no epoch ends
    ended = watch(story, "--max-time", "10s", program=program).ok(OVER_LIMIT)
    assert "budget spent: time limit of 10.0 s reached" in ended.err
    assert "How the forecast moved" not in story.lapcast("show").ok().out


def test_a_program_without_laps_has_limits_too(story):
    ended = watch(story, "--max-time", "1s", program=["sleep", "60"]).ok(OVER_LIMIT)
    assert "no laps: none until the time limit of 1.00 s" in ended.err
    ended = watch(story, program=["sh", "-c", "echo done"]).ok()
    assert ended.out == "done\n" and "no laps: the program ended without reporting one" in ended.err


def test_a_limit_may_only_warn(story):
    # It waits near its end until it was warned of.
    go_on = story.folder / "go-on"
    process = story.start("watch", "--max-time", "900ms", "--on-exceed", "warn", "--", *story.trainer(
        "--epochs", 4, "--laps", 5, "--until", go_on, "--until-lap", 19))
    err = b""
    while b"warning: time limit" not in err:
        err += process.stderr.readline()
    go_on.touch()
    out, rest = process.communicate(timeout=HANGS)
    ended = Ended(process.returncode, out, err + rest).ok()
    [run] = story.export()
    assert run["outcome"]["kind"] == "ended"
    assert ended.err.count("lapcast: warning: time limit of 900 ms reached\n") == 1
    assert "time limit of 900 ms reached" in run["warnings"]
    assert story.journal("end")[0]["asked"] is False


def test_limits_that_make_no_sense_are_refused(story):
    watch(story, "--max-cost", "20").refused(2, "--max-cost needs a price")
    watch(story, "--max-time", "soon").refused(2, "--max-time")
    watch(story, "--max-time", "0").refused(2, "--max-time must be above 0")
    watch(story, "--max-cost", "0", "--price", "3").refused(2, "--max-cost")
    watch(story, "--offer", "nobody/has/this").refused(2, "no catalog has an offer")
    watch(story, "--on-exceed", "panic").refused(2, "--on-exceed")
    assert not story.journal()


def test_an_offer_of_a_catalog_is_the_price(story):
    catalog = story.folder / "catalog"
    catalog.mkdir()
    source = os.path.join(os.path.dirname(__file__), "../../catalog")
    for name in os.listdir(source):
        if name.endswith((".csv", ".gz")):
            (catalog / name).write_bytes(open(os.path.join(source, name), "rb").read())
    watch(story, "--offer", "aws/ec2/p3.2xlarge/on-demand").ok()
    [run] = story.export()
    assert run["price"]["usd_per_hour"] == "3.06" and run["price"]["as_of"] == "2021-02"


def test_a_program_that_fails(story):
    ended = watch(story, program=story.trainer("--crash-after", 8, "--exit-code", 7)).ok(4)
    assert "fake_trainer: the loss is not a number\n" in ended.err
    assert "lapcast: failed with exit status 7 after" in ended.err
    watch(story, program=["./nothing-here"]).refused(4, "does not exist")


def test_quiet_leaves_stderr_to_the_program(story):
    program = ["sh", "-c", "echo out; echo err >&2"]
    ended = watch(story, "--quiet", program=program).ok()
    assert (ended.out, ended.err.splitlines()[0]) == ("out\n", "err")
    assert not [line for line in ended.err.splitlines() if "so far" in line]


def test_ctrl_c_stops_the_program_and_keeps_its_laps(story):
    process = story.start("watch", "--", *endless(story))
    assert eventually(lambda: forecasts_of(story))
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=HANGS)
    assert process.returncode == 130 and b"lapcast: interrupted after" in err
    assert story.journal("end")[0]["asked"]
    [run] = story.export()
    assert run["outcome"]["kind"] == "interrupted" and "i 32" in run["lap_logs"][0]
    assert run["forecasts"]


def test_a_killed_lapcast_has_stored_what_was_known(story):
    process = story.start("watch", "--", *endless(story))
    assert eventually(lambda: forecasts_of(story))
    [run] = story.export()
    assert run["outcome"]["kind"] == "not-ended" and run["lap_logs"][0].count(" i 32") > 100
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert eventually(lambda: story.journal("end") or story.journal("signal"))
    assert story.runs()[0]["outcome_text"] == "not ended: it goes on, or lapcast was killed"
    assert story.export()[0]["forecasts"]
    story.lapcast("show").ok()


def test_forecasts_of_a_watched_run_learn_from_earlier_ones(story):
    # Nothing in the first laps tells that the program takes 2 s to end after 2 s of laps. The laps
    # are the same on a busy machine: unlike runs teach nothing.
    program = story.trainer("--exact", "--epochs", 4, "--laps", 25, "--lap-ms", 20, "--teardown-ms", 2000)
    for _ in range(3):
        watch(story, "--quiet", program=program).ok()
    first, _, third = [run["forecasts"][0]["total_s"] for run in story.export()]
    assert third > 1.2 * first


def test_a_flood_passes_through_whole(story):
    size = 30_000_000
    ended = watch(story, program=story.trainer("--epochs", 1, "--laps", 20, "--flood", size)).ok()
    assert len(ended.out_bytes) == size
    [run] = story.export()
    assert len(run["standard_output"]) < 1 << 20


def test_a_reader_that_goes_away_does_not_end_the_training(story):
    process = story.start("watch", "--", *story.trainer("--epochs", 1, "--laps", 100, "--flood",
                                                        3_000_000))
    process.stdout.read(1000)
    process.stdout.close()
    process.stderr.read()
    assert process.wait(HANGS) == 0
    assert story.journal("end")[0]["laps"] == 100


def test_a_reader_that_does_not_read_does_not_suspend_the_limits(story):
    program = story.trainer("--epochs", 1000, "--no-plan", "--flood", 30_000_000)
    process = story.start("watch", "--max-time", "10s", "--", *program)
    assert eventually(lambda: story.journal("signal"))  # while its output is not read
    process.communicate(timeout=HANGS)
    assert process.returncode == OVER_LIMIT


def on_a_terminal(story, *arguments, then=lambda written: None):
    """Returns what lapcast writes to a terminal of its own, in the foreground. Calls `then` with
    what was written so far after each piece."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, b"\x18\x00\x78\x00\x00\x00\x00\x00")  # 24 x 120

    def own_terminal():
        os.setsid()
        fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)

    process = subprocess.Popen([os.environ["LAPCAST"], *map(str, arguments)], stdin=theirs,
                               stdout=theirs, stderr=theirs, cwd=story.work, env=story.environment,
                               preexec_fn=own_terminal)
    os.close(theirs)
    written = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:
            break
        if not piece:
            break
        written += piece
        then(written.decode("utf-8", "replace"))
    os.close(ours)
    return process.wait(HANGS), written.decode()


def test_the_live_line_shares_the_terminal_with_the_program(story):
    script = story.work / "train.sh"
    script.write_text("""#!/bin/sh
"$LAPCAST" lap plan steps=60
for lap in 1 2 3 4 5 6; do
  for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.02; "$LAPCAST" lap iteration 8; done
  while [ ! -e forecast ]; do sleep 0.02; done
  printf 'step %s' $lap
  while [ ! -e below ]; do sleep 0.02; done
  printf ' done\\n'
done
""")
    script.chmod(0o755)
    story.environment |= {"LAPCAST": os.environ["LAPCAST"]} | UNAWARE_OF_OTHERS

    def go_on(written):
        # at a new line, and then below an unfinished one
        if re.search(r"\r\033\[K.*\d laps/s, .* left \(.* to .*\), \$[\d.]+ of \$[\d.]+", written):
            (story.work / "forecast").touch()
        if "\0337" in written:
            (story.work / "below").touch()

    code, written = on_a_terminal(story, "watch", "--price", "3.60", "--", "./train.sh", then=go_on)
    assert code == 0
    without = re.sub(r"\033D\033\[A\0337\033\[B\r\033\[K[^\033\n]*\0338", "", written)
    without = re.sub(r"\0337\033\[B\r\033\[K\0338", "", without)
    without = re.sub(r"\r\033\[K[^\033\r\n]*?(?=\r\033\[K)", "", without).replace("\r\033[K", "")
    lines = without.replace("\r\n", "\n").splitlines()
    assert lines[:6] == [f"step {lap} done" for lap in range(1, 7)], without
    assert lines[6].startswith("\033[1mlapcast: ended after") and len(lines) == 7


def test_on_a_terminal_quiet_shows_no_live_line(story):
    story.environment |= UNAWARE_OF_OTHERS
    code, written = on_a_terminal(story, "watch", "--quiet", "--", "sh", "-c", "echo one; sleep 1")
    assert code == 0 and written == "one\r\n"


def test_verify_compares_with_a_watched_run(story):
    program = story.trainer("--epochs", 3, "--laps", 50, "--lap-ms", 10)
    story.lapcast("probe", "--max-laps", 60, "--price", "1", "--", *program).ok()
    watch(story, "--price", "1", program=program).ok()
    other = story.trainer("--epochs", 1, "--laps", 50, "--lap-ms", 10)
    watch(story, program=other).ok()  # another program on the same machine does not count
    ended = story.lapcast("verify", "--json").ok()
    assert len(story.journal("start")) == 3
    [row] = ended.rows("verified")
    assert row["real_s"] > 1.5  # the other program sleeps for 0.5 s


def test_under_nohup_a_closed_terminal_is_ignored(story):
    program = story.trainer("--epochs", 2, "--laps", 100, "--lap-ms", 10)
    process = story.start("watch", "--", *program,
                          preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    assert eventually(lambda: story.journal("start"))
    os.kill(process.pid, signal.SIGHUP)
    process.communicate(timeout=HANGS)
    assert process.returncode == 0 and not story.journal("end")[0]["asked"]


SAVES = """
import os, signal, sys, time
saved = []
def say(text):  # print() must not be called in a handler while it is under way
    os.write(1, text.encode() + b"\\n")
def save(*_):
    saved.append(time.monotonic())
    say(f"saved {len(saved)}")
if sys.argv[1] == "hears":
    signal.signal(signal.SIGUSR1, save)
def end(*_):
    say(f"ended after {len(saved)}")
    sys.exit(0)
signal.signal(signal.SIGTERM, end)
say("ready")
while True:
    time.sleep(0.05)
"""


def test_a_program_is_asked_to_save_so_often_and_before_its_end(story):
    (story.work / "saves.py").write_text(SAVES)
    process = story.start("watch", "--checkpoint-signal", "USR1", "--checkpoint-every", "1s", "--",
                          "python3", "saves.py", "hears", stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    assert process.stdout.readline() == "saved 1\n"
    assert process.stdout.readline() == "saved 2\n"
    process.terminate()
    rest = process.communicate(timeout=HANGS)[0].splitlines()
    assert rest[-1].startswith("ended after") and int(rest[-1].split()[-1]) >= 3, rest
    assert int(rest[-1].split()[-1]) == 2 + len(rest) - 1  # the last request came before TERM


def test_a_program_that_would_be_ended_by_the_signal_is_not_asked(story):
    (story.work / "saves.py").write_text(SAVES)
    ended = watch(story, "--checkpoint-signal", "USR1", "--checkpoint-every", "1s", "--max-time", "10s",
                  program=["python3", "saves.py", "deaf"])
    assert ended.code == 7 and "ended after 0" in ended.out
    assert "the program had no handler for the signal" in ended.err
    for options, what in (
            (["--checkpoint-every", "5s"], "needs --checkpoint-signal"),
            (["--checkpoint-signal", "USR1", "--checkpoint-every", "0"], "must be from 1s"),
            (["--checkpoint-signal", "KILL"], "USR1")):
        watch(story, *options, program=["true"]).refused(2, what)
