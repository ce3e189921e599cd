"""Stories about refused values: the error names the option, for every option of every command."""

import re

import pytest

NONSENSE = "?nonsense?"
# Values that a parser checks, by the name that the help gives them, besides choices ({a,b}).
CHECKED = {"N", "TIME", "SHARE", "USD", "SIZE", "PERCENT", "LIST", "KG", "GRAMS_PER_KWH", "DATE",
           "FLOAT", "TIME|MONEY", "TIME|none", "N,N"}
COMMANDS = ["probe", "sweep", "watch", "repeat", "shortlist", "find", "rank", "verify", "forecast", "epochs", "spot",
            "offload", "rent try", "transfer plan", "transfer run", "fleet check", "catalog", "runs", "show",
            "report", "suite build", "suite run", "suite split", "suite data", "suite memory", "suite prepare", "stopwatch", "soak"]
# A setting may have any text, a table of a paper any name, and boards and pictures have lists of
# their own.
FREE = {"--batch", "--table", "--sizes", "--checkpoint-signal"}


def checked_options(story, command):
    """Returns the options of a command whose values a parser checks."""
    text = story.lapcast(*command.split(), "--help").ok().out
    for line in text.splitlines():
        found = re.match(r"  (?:-\w,)?(--[\w-]+) (\{[^}]*\}|[A-Z_|,a-z]+)(?=\s|$)", line)
        if found and (found[2] in CHECKED or found[2].startswith("{")) and found[1] not in FREE:
            yield found[1]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_refused_value_names_its_option(story, command):
    options = list(checked_options(story, command))
    assert options
    for option in options:
        ended = story.lapcast(*command.split(), f"{option}={NONSENSE}")
        assert ended.code == 2 and option in ended.err, (option, ended)
        assert "in range" not in ended.err and "convert" not in ended.err, (option, ended)
