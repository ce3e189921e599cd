"""Story of a user whose texts differ in length: the longest comes hours later, and must fit, too."""

import json

from conftest import as_measured
from frameworks import python_with
from made_runs import made_run

# 0.25 MiB of main memory for each token of the longest of 8 texts.
TRAIN = """
import sys
import torch
from torch.utils.data import DataLoader, Dataset

class Texts(Dataset):
    def __init__(self, lengths): self.of_batch, self.max_length = lengths, 1024
    def __len__(self): return len(self.of_batch) * 8
    def __getitem__(self, i): return torch.arange(self.of_batch[i // 8]) % 50

def pad(items): return {"input_ids": torch.nn.utils.rnn.pad_sequence(items, True)}

first = torch.nn.Embedding(50, 8192, _weight=torch.ones(50, 8192), _freeze=True)
last = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(last.parameters(), lr=0.1)
lengths = [int(word) for word in sys.argv[1].split(",")]
for epoch in range(3):
    for batch in DataLoader(Texts(lengths), batch_size=8, collate_fn=pad):
        loss = last(first(batch["input_ids"]).mean().reshape(1, 1)).mean()
        optimizer.zero_grad(); loss.backward(); optimizer.step()
"""
MIB = 1 << 20


def test_what_the_longest_text_needs_is_forecast_from_shorter_ones(story):
    python = python_with("torch")
    (story.work / "train.py").write_text(TRAIN)
    text = "200,150,180,260,120,330,300,412,100"
    shown = story.lapcast("probe", "--", python, "train.py", text).ok()
    asked = ["forecast", "last", "--memory", "--json", "--in"]
    ended = story.lapcast(*asked, "8GiB").ok()
    [row] = ended.rows("sequence_memory")
    assert (row["meter"], row["lengths"], row["longest_length"]) == ("process", 4, 412)
    assert (row["most_length"], row["most_from"]) == (1024, "dataset.max_length")
    assert row["verdict"] == "fits at every length up to 1024 (dataset.max_length)"
    assert "not surely" not in shown.out  # the machine has enough
    grown = row["estimate_bytes"] - row["peak_bytes"]
    assert abs(grown / ((1024 - 412) * 8 * 8192 * 4) - 1) < 0.15  # 0.25 MiB a token
    memory = row["estimate_bytes"] // MIB + 60
    said = story.lapcast(*asked, f"{memory}MiB").ok()
    assert said.rows("sequence_memory")[0]["verdict"].startswith("fits at the lengths seen (up to 412), not surely at 1024")
    out = " ".join(story.lapcast("forecast", "last", "--memory", "--in", f"{memory}MiB").ok().out.split())
    assert "main memory fits at the lengths seen (up to 412), not surely at 1024" in out
    [longer] = story.lapcast(*asked, f"{memory}MiB", "--length", 300).ok().rows("sequence_memory")
    assert (longer["most_length"], longer["most_from"], longer["reason"]) == (300, None, "the longest was seen")
    # The truth: a run with a text of 1024 tokens.
    story.lapcast("probe", "--", python, "train.py", text + ",1024").ok()
    truth = story.lapcast("show", "last", "--json").ok().json["run"]
    assert row["estimate_bytes_low"] <= truth["peak_memory_bytes"] <= row["estimate_bytes_high"]


def test_a_line_needs_two_lengths_and_a_length_that_may_come(story):
    for number, lines, length, reason in (
            (1, ["sequence 30 samples=8 process=1000000"], [],
             "only sequences of length 30 were seen; a line needs two lengths"),
            (2, ["sequence 30 samples=8 process=1000000", "sequence 60 samples=8 process=1200000"], [],
             "how long the sequences may get is not known: --length N"),
            (2, [], ["--length", 90], None)):
        if lines:
            run = made_run(number, "probe", 8, 1, lambda epoch, lap: 1, 10)
            version, hello, events = run["lap_logs"][0].split("\n", 2)
            run["lap_logs"][0] = "\n".join([version, hello, *(f"0 {line}" for line in lines), events])
            (story.work / "run.jsonl").write_text(json.dumps(run) + "\n")
            story.lapcast("import", "run.jsonl").ok()
            as_measured(story)
        ended = story.lapcast("forecast", f"{number:012x}", "--memory", "--in", "64GiB", *length, "--json")
        [row] = ended.rows("sequence_memory")
        assert (row["reason"], ended.code) == (reason, int(reason is not None)), ended
        assert (row["estimate_bytes"] is None) == (reason is not None)
    assert abs(row["estimate_bytes"] - 1_400_000) < 2000 and row["verdict"] == "fits at every length up to 90"
