"""Walks the tutorial, docs/first-hour.md: runs every command of its blocks in their order, with a stand-in for the
reader's program, and compares the outputs with what the page shows but for their figures. Blocks behind a comment
'output of' are those of test_page_outputs.py."""

import re

import page_walk
from page_walk import FENCE, ROOT, hosts, shape  # noqa: F401

TEXT = (ROOT / "docs/first-hour.md").read_text()
# The program of the page takes four times as long and costs as much: so costs have the same form.
PRICE = "4.80"
LAP_MS = "0.1 * batch + lap % 3 / 2"
TABLE = re.compile(r"^ *(#|-|\d+)  ")


def commands():
    """Returns the commands of the page's blocks, each with the output that follows it, or None."""
    text = re.sub(r"^<!-- output of:.*?-->\n```.*?^```$", "", TEXT, flags=re.M | re.S)
    found = []
    for language, body in FENCE.findall(text):
        found += [(command, None) for command in page_walk.plain(body)] if language == "sh" else page_walk.with_outputs(body)
    return found


def surely(text):
    """Returns the shape of an output without how near to certain a chance, and to nothing a regret, is."""
    return re.sub(r"> N%|below N%", "N%", shape(text))


def compare(said, shown):
    """Each line that the page shows must be said. Of a table the page shows some columns, and all rows."""
    header = [line for line in shown.splitlines() if line.startswith("#  ")]
    for line in shown.splitlines():
        if line and line != "..." and not TABLE.match(line):
            assert surely(line) in surely(said), (line, said)
    for line in header:
        [full] = [line for line in said.splitlines() if line.startswith("#  ")]
        assert set(re.split("  +", line)) <= set(re.split("  +", full)), full
        rows = [len(re.findall(r"^\d+  ", text, re.M)) for text in (shown, said)]
        assert rows[0] == rows[1], said


def test_every_command_of_the_tutorial(hosts):
    (hosts.work / "train.py").write_text(page_walk.program(LAP_MS, validation=800))
    walked = commands()
    assert len(walked) > 15 and sum(shown is not None for _, shown in walked) >= 6
    for command, shown in walked:
        ended = page_walk.run(hosts, command.replace("--price 1.20", f"--price {PRICE}"))
        assert ended.code == 0, (command, ended)
        if shown is not None:
            compare((ended.out + ended.err).replace(str(hosts.work), "~/project"), shown)
        if "> fleet.toml" in command:  # "fill in the prices"
            page_walk.fill_in_prices(hosts, PRICE)
