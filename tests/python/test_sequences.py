"""Tests what the hook notes of the lengths of a training's sequences: it reads shapes and plain
members, so the losses have the same bits as without it."""

import subprocess

import pytest

from conftest import environment, frameworks_python, observe_with_hook

PREAMBLE = """
import lapcast
from lapcast._sequences import sequences
from lapcast._time_axis import TimeAxis, size_of

class Shaped:
    def __init__(self, *shape, dtype="torch.int64"): self.shape, self.dtype = shape, dtype

def floats(*shape): return Shaped(*shape, dtype="float32")

class Lengths(Shaped):
    # Is a vector of whole numbers in main memory.
    def __init__(self, *lengths): Shaped.__init__(self, len(lengths)); self.lengths, self.is_cpu = lengths, True
    def tolist(self): return list(self.lengths)

def sizes_of(*batches):
    axis = TimeAxis()
    return [axis.size_of(batch) for batch in batches]

class Holder:
    def __init__(self, **members): self.__dict__.update(members)

def worked_on(*lengths, samples=4):
    for length in lengths: sequences.worked_on((samples, length))
    lapcast.iteration(1)
"""

# A part of an epoch has longer sequences than all before; the first batch of the second epoch is the
# longest; the longest of all are in a validation.
TRAIN = """
import torch
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(1)

class Texts(Dataset):
    def __init__(self, lengths): self.of_batch, self.max_length = lengths, 512
    def __len__(self): return len(self.of_batch) * 4
    def __getitem__(self, i): return torch.arange(self.of_batch[i // 4] - i % 4) % 50

def pad(items):
    return {"label": torch.zeros(len(items)), "input_ids": torch.nn.utils.rnn.pad_sequence(items, True)}

def loader(lengths): return DataLoader(Texts(lengths), batch_size=4, collate_fn=pad)

model = torch.nn.Sequential(torch.nn.Embedding(50, 8), torch.nn.Dropout(), torch.nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters())
for lengths in ([30, 20, 25, 40, 35, 60, 50], [90, 20, 30]):
    model.train()
    for batch in loader(lengths):
        loss = model(batch["input_ids"]).mean()
        optimizer.zero_grad(); loss.backward(); optimizer.step()
        print(loss.item())
    model.eval()
    with torch.no_grad():
        for batch in loader([400, 300]): model(batch["input_ids"])
"""


def sequences_of(log):
    """Returns the lengths of the log, and the fields of the last line."""
    words = [rest.split() for rest in log.rests("sequence")]
    fields = dict(word.split("=") for word in words[-1][1:]) if words else {}
    return [int(each[0]) for each in words], fields


def test_each_longer_batch_is_reported_with_the_peak_so_far(hooked):
    # The first line waits for three batches: the optimizer makes its states in the first step.
    log = hooked(PREAMBLE + "worked_on(30, 20, 25, 40, 35, 60, 50)").log
    lengths, fields = sequences_of(log)
    assert lengths == [30, 40, 60]
    assert fields["samples"] == "4" and int(fields["process"]) > 1 << 20
    assert "device" not in fields and "most" not in fields


def test_smaller_batches_tell_less_and_larger_ones_begin_anew(hooked):
    log = hooked(PREAMBLE + "worked_on(30, 20, 25)\nworked_on(99, samples=3)\nworked_on(20, 20, 22, 25, samples=8)").log
    assert sequences_of(log)[0] == [30, 22, 25]


def test_batches_by_tokens_are_told_by_their_tokens(hooked):
    log = hooked(PREAMBLE + """
sequences.read_limits(Holder(batch_sampler=Holder(max_tokens=900), dataset=Holder(max_length=512)))
for samples, length in ((20, 10), (20, 12), (20, 11), (7, 60), (3, 70), (2, 350), (10, 60), (1, 800), (30, 3)):
    sequences.worked_on((samples, length))
    lapcast.iteration(1)
""").log
    words = [rest.split() for rest in log.rests("sequence")]
    assert [int(each[0]) for each in words] == [12, 420, 700, 800]
    assert words[0][-2:] == ["most=512", "from=dataset.max_length"]
    assert words[-1][-3:] == ["most=900", "from=batch_sampler.max_tokens", "unit=tokens"]


def test_token_ids_are_whole_numbers_in_two_dimensions(hooked):
    run = hooked(PREAMBLE + """
ids, mask = Shaped(8, 100), Shaped(8, 7)
print(size_of({"attention_mask": mask, "input_ids": ids}), size_of([Shaped(8), (ids, mask)]), size_of(ids))
print(size_of(Shaped(8, 100, dtype="torch.float32")), size_of(Shaped(8, 3, 32, 32)), size_of("text"),
      size_of({"text": ["a", "b"]}), size_of(None), size_of([[[[ids]]]]))
lapcast.iteration(1)
""")
    assert run.out.splitlines() == ["(8, 100) (8, 100) (8, 100)", " ".join(["(0, 0)"] * 6)]


@pytest.mark.parametrize("made, limit", [
    ("Holder(dataset=Holder(lengths=[100, 300, 200]))", ("300", "dataset.lengths")),
    ("Holder(batch_sampler=Holder(sampler=Holder(lengths=[70])), dataset=Holder(max_length=512))", ("70", "sampler.lengths")),
    ("Holder(dataset=Holder(max_length=512), collate_fn=Holder(max_len=256))", ("256", "collate_fn.max_len")),
    ("Holder(_collate_fn=Holder(tokenizer=Holder(model_max_length=128)))", ("128", "tokenizer.model_max_length")),
    ("Holder(collate_fn=Holder(tokenizer=Holder(model_max_length=10**30)))", (None, None)),
    ("Holder(dataset=Holder(max_length=59))", (None, None)),
    ("Holder(base_dataloader=Holder(sampler=Holder(lengths=[80, 90])))", ("90", "sampler.lengths")),  # Accelerate's
    ("Holder(max_length=300)", ("300", "dataset.max_length")),  # Keras's PyDataset
    ("None, Holder(config=Holder(n_positions=1024)), Holder(model_max_length=512)", ("512", "tokenizer.model_max_length")),
    ("None, Holder(_modules={'module': Holder(config=Holder(max_position_embeddings=1024))})",
     ("1024", "config.max_position_embeddings"))])
def test_how_long_they_may_get_is_read_where_it_stands(hooked, made, limit):
    log = hooked(PREAMBLE + f"sequences.read_limits({made})\nworked_on(30, 40, 60)").log
    fields = sequences_of(log)[1]
    assert (fields.get("most"), fields.get("from")) == limit, log.rests("sequence")


def test_equally_long_sequences_say_nothing_and_the_first_line_waits_for_a_second_length(hooked):
    assert hooked(PREAMBLE + "worked_on(30, 30, 30, 30, 30)").log.rests("sequence") == []
    assert sequences_of(hooked(PREAMBLE + "worked_on(30, 30, 30, 30)\nworked_on(40)").log)[0] == [30, 40]


def test_samples_in_one_row_are_told_by_their_tokens(hooked):
    log = hooked(PREAMBLE + """
sequences.read_limits(Holder(dataset=Holder(max_length=512)), Holder(config=Holder(n_positions=2048)))
for length in (190, 175, 164, 221, 285):
    sequences.begins({"input_ids": Shaped(1, length), "position_ids": Shaped(1, length)}, 4)
sequences.ended()
lapcast.iteration(4)
""").log
    lengths, fields = sequences_of(log)
    assert lengths == [190, 221, 285] and fields["unit"] == "tokens"
    assert "most" not in fields  # the positions are those of one sample


TIME_AXES = [
    # Speech is known by its name or by a vector of lengths, once two batches differ.
    ("[{'input_values': floats(4, n), 'labels': Shaped(4, 9 + n % 3)} for n in (900, 800, 990)]", [(4, 800), (4, 990)]),
    ("[{'input_features': floats(4, 80, n), 'labels': Shaped(4, 9)} for n in (90, 80, 100)]", [(4, 80), (4, 100)]),
    ("[(floats(3, n, 40), Shaped(3, 12 + n % 5), Lengths(20, n, 30), Lengths(4, 5, 6)) for n in (90, 80, 100)]",
     [(3, 80), (3, 100)]),
    ("[(floats(3, 1, 40, n), floats(3, 12), [n, 20, 30]) for n in (90, 80, 100)]", [(3, 80), (3, 100)]),
    ("[[floats(2, n, 8), Lengths(n, n)] for n in (50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 60)]", [(2, 60)]),
    # What is as long as the token ids changes with them; choices and whole items are rows.
    ("[{'input_ids': Shaped(4, n), 'mask': floats(4, 1, n, n), 'weight': floats(4)} for n in (30, 20, 40)]",
     [(4, 30), (4, 20), (4, 40)]),
    ("[{'input_ids': Shaped(1, 4, n)} for n in (30, 20)]", [(4, 30), (4, 20)]),
    ("[(Shaped(8, n, dtype='int32'), Shaped(8)) for n in (30, 20)]", [(8, 30), (8, 20)])]


def test_the_axis_of_time_is_found(hooked):
    code = "\n".join(f"print([size for size in sizes_of(*{batches}) if size != (0, 0)])" for batches, _ in TIME_AXES)
    run = hooked(PREAMBLE + code + "\nlapcast.iteration(1)")
    assert run.out.splitlines() == [str(sizes) for _, sizes in TIME_AXES], run.err


NO_SEQUENCES = [
    "[(floats(8, 3, 32, n), Shaped(8)) for n in (32, 48, 64)]",  # sides of images
    "[(floats(8, 3, n, 32), Lengths(3, 9, 32, 1, 2, 3, 4, n % 7)) for n in (32, 48, 64, 80)]",  # and a label that is as long
    "[(floats(8, n), Shaped(8)) for n in (10, 12, 14)]",  # features
    "[{'nodes': floats(n, 5), 'edges': Shaped(2, 3 * n)} for n in (40, 50, 60)]",  # graphs
    "[(floats(50, 5), Shaped(2, n), Shaped(50)) for n in (40, 50, 60)]",
    "[{'points': floats(4, n, 3), 'boxes': Shaped(4, 6)} for n in (40, 50, 60)]",  # clouds of points
    "[(floats(n, 4, 40), Shaped(4, 9 + n % 5)) for n in (90, 80, 100)]",  # frames in front, and nothing says so
    "[(floats(8, 3, n, n), Shaped(8, 5 + n % 3)) for n in (32, 48, 64)]",  # images of any size with captions
]


def test_what_is_no_sequence_has_no_length(hooked):
    code = "\n".join(f"for size in sizes_of(*{batches}, *{batches}): sequences.worked_on(size)\nsequences.forget()"
                     for batches in NO_SEQUENCES)
    assert hooked(PREAMBLE + code + "\nlapcast.iteration(1)").log.rests("sequence") == []


def test_a_loop_of_torch_tells_its_lengths_and_keeps_its_bits(tmp_path):
    python = frameworks_python()
    if not python.exists():
        pytest.skip(f"no virtual environment with the frameworks: {python}")
    observed = observe_with_hook([python, "-c", TRAIN], tmp_path, environment())
    lengths, fields = sequences_of(observed.log)
    assert lengths == [30, 40, 60, 90], observed.err
    assert (fields["most"], fields["from"]) == ("512", "dataset.max_length")
    assert int(fields["process"]) > 50 << 20
    plain = subprocess.run([python, "-c", TRAIN], env=environment(), cwd=tmp_path, capture_output=True, text=True)
    assert observed.out == plain.stdout and len(plain.stdout.split()) == 10, plain.stderr


@pytest.mark.parametrize("item, answer", [
    ("[Shaped(128, 13), Shaped(128, 1)]", True),
    ("{'x': Shaped(50, 8), 'y': Shaped(50)}", True),
    ("(Shaped(32, 13), Shaped(4, 32), [Shaped(7)], Shaped(32, 1))", True),
    ("(Shaped(1, 13), Shaped(1))", False),  # what PyTorch makes of one sample
    ("(Shaped(3, 64, 64), Shaped(3, 4))", False),  # an image with three boxes
    ("(Shaped(500, 80), Shaped(31))", False),  # speech and its letters
    ("[Shaped(128, 13)]", False), ("Shaped(128, 13)", False), ("7", False),
])
def test_an_item_may_be_a_batch_by_itself(hooked, item, answer):
    run = hooked(PREAMBLE + f"from lapcast._batch import is_made_of_samples\nprint(is_made_of_samples({item}))")
    assert run.out == f"{answer}\n"
