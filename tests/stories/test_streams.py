"""Tests standard streams that are closed or full: the exit code says what happened, and no file
gets their numbers."""

import os

import pytest

CLOSED, FULL = "closed", "full"


def lapcast(story, *arguments, without, how):
    """Runs lapcast with the streams in `without` closed, or connected to a full device."""
    def close():
        for fd in without:
            os.close(fd)
    if how == CLOSED:
        return story.lapcast(*arguments, preexec_fn=close)
    names = {1: "stdout", 2: "stderr"}
    with open("/dev/full", "w") as full:
        return story.lapcast(*arguments, **{names[fd]: full for fd in without})


@pytest.mark.parametrize("how", [CLOSED, FULL])
def test_h_without_stderr_the_exit_code_says_what_happened(story, how):
    def code(*arguments):
        return lapcast(story, *arguments, without=[2], how=how).code
    fleet = story.fleet('[[machine]]\nname = "one"\nprice = "1"\n[[machine]]\nname = "many"\n'
                        'price = "1"\ncpus = "4000"\n')
    crash = story.trainer("--crash-after", 3, "--exit-code", 7, "--say", "words")
    good = story.trainer("--laps", 1000, "--lap-ms", 5)
    assert code("runs") == 5                                         # no store yet
    assert code("--no-such-option") == 2
    assert code("probe", "--max-laps", "10", "--", *good) == 0
    assert code("probe", "--write-nothing") == 2
    assert code("probe", "--", *crash) == 4                          # and its last lines are shown
    assert code("probe", "--", "no-such-program") == 4
    assert code("sweep", fleet, "--max-laps", "5", "--", *good) == 1  # warnings, a row that failed
    assert code("import", fleet) == 3                                # a message for each line
    assert code("watch", "--", *story.trainer("--laps", 20, "--lap-ms", 5)) == 0
    assert code("rank") in (0, 1)
    story.check_store()


@pytest.mark.parametrize("how", [CLOSED, FULL])
def test_h_without_stdout_a_lost_result_is_an_error(story, how):
    for arguments in (["--version"], ["--help"], ["machine"], ["completion", "bash"], ["man"]):
        ended = lapcast(story, *arguments, without=[1], how=how)
        assert ended.code == 6 and ended.err == "lapcast: cannot write to stdout (disk full?)\n", ended


def test_h_no_file_gets_the_number_of_a_closed_stream(story):
    """A store that is opened as descriptor 2 would get every message into its pages."""
    good = story.trainer("--laps", 1000, "--lap-ms", 5)
    for _ in range(2):
        ended = lapcast(story, "probe", "--max-laps", "10", "--", *good, without=[0, 1, 2], how=CLOSED)
        assert ended.code == 6
    assert lapcast(story, "no-such-command", without=[0, 1, 2], how=CLOSED).code == 2
    story.check_store()
    assert [run["outcome"] for run in story.runs()] == ["budget-spent"] * 2
