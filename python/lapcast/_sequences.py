"""Notes how long the sequences of training batches are, and the peak of memory with them.

The peak of memory of this process is that of its longest batch so far. So both are reported
together whenever a batch was worked on that is longer than all before: docs/lap-log.md, `sequence`.
Beside them stands how long the data may still get, where a number of the program says it: the
lengths that a sampler or data set keeps, the limit of a collator or tokenizer, the positions of a
model. Nothing of the program is called for that, and no item is read.

Where batches have as many tokens and not as many samples, so that those with longer sequences are
smaller, or where their samples stand in one row, the tokens of a batch take the place of its
length. Where all sequences are equally long, none may be longer, and nothing is reported.
"""

from __future__ import annotations

import sys

from lapcast._bounds import program_frames
from lapcast._expressions import own_members
from lapcast._log import log
from lapcast._passes import Pass
from lapcast._report import report
from lapcast._time_axis import NONE, TimeAxis, is_packed
from lapcast._torch_device import device

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator, List, Optional, Set, Tuple

    Limit = Tuple[int, str]  # of the length, and what says it: "tokenizer.model_max_length"

FIRST_BATCHES = 3  # an optimizer makes its states in the first step, and has them in the next peak
MOST_REPORTS = 200
SIZES_BY_TOKENS = 2  # of smaller batches with longer sequences
MOST_LENGTHS = 1_000_000  # that a sampler keeps and that are compared
LONGEST = 10**7  # tokenizers without a limit have one of 10**30
LIMITS = ("max_length", "max_len", "max_seq_length", "max_seq_len", "seq_length", "seq_len",
          "block_size", "context_length")
TOKENS = ("max_tokens", "max_num_tokens", "max_batch_tokens", "max_tokens_in_batch", "max_tokens_per_batch",
          "tokens_per_batch", "batch_tokens", "token_budget")
POSITIONS = ("max_position_embeddings", "n_positions", "max_seq_len")
PARTS = ("batch_sampler", "sampler", "dataset", "collate_fn",  # of a loader
         "_index_sampler", "_dataset", "_collate_fn")  # of its iterator
TOKENIZERS = ("tokenizer", "processing_class")


class Sequences:
    """Is told which batches were worked on."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        self.loader: Any = None  # whose limits were read
        self.time_axis = TimeAxis()  # of its batches
        self.limits: List[Limit] = []
        self.limits_of_tokens: List[Limit] = []
        self.samples = 0  # of the largest batch: smaller ones with longer sequences tell less
        self.batches = 0  # of this size that were worked on
        self.longest = self.reported = self.reports = 0
        self.tokens = 0  # of the batch that has most, padded
        self.smaller: Set[int] = set()  # samples of batches that are smaller, with longer sequences
        self.by_tokens = False
        self.last = 0  # length of the batch before
        self.varies = False  # not all of them are equally long
        self.waiting = ""  # the first line, until it is known that they vary
        self.newest = NONE  # the batch that is being worked on, where a trainer tells its begin

    def read_limits(
        self, loader: Any, model: Any = None, tokenizer: Any = None,
        time_axis: Optional[TimeAxis] = None
    ) -> None:
        """Finds how long the sequences of LOADER, or of an iterator over it, may be. Without a MODEL
        it is searched in the variables of the program's modules."""
        self.time_axis = time_axis or TimeAxis()
        self.newest = NONE
        parts = own_members(own_members(loader).get("base_dataloader", loader))  # of Accelerate
        holders = [(parts.get(name), name.strip("_")) for name in PARTS if name in parts]
        if not holders:  # batches without a loader of PyTorch
            holders.append((loader, "dataset"))
        for holder, _ in holders[:]:
            holders.append((own_members(holder).get("sampler"), "sampler"))
        self.limits_of_tokens = [limit for holder, name in [(loader, "loader"), *holders]
                                 for limit in _numbers(holder, TOKENS, name)]
        holders.append((tokenizer, "tokenizer"))
        self.limits = [limit for holder, name in holders for limit in _limits_of(holder, name)]
        for each in [model] if model is not None else _models():
            config = own_members(_unwrapped(each)).get("config")
            self.limits += _numbers(config, POSITIONS, "config")

    @report.guard
    def begin_source(self, loader: Any) -> None:
        """Is told that a pass over LOADER begins, whose batches are trained with."""
        if self.loader is not loader:
            self.loader = loader
            self.read_limits(loader)

    def fetched(self, passing: Pass, batches: Any, batch: Any, samples: int, trains: bool) -> None:
        """Is told that an iterator BATCHES gave BATCH of so many samples; if PASSING trains, the one
        before was worked on."""
        loader, axis = passing.loader, passing.loader.time_axis
        if axis is None:
            return
        found = size = axis.size_of(batch)
        packed = size[0] == 1 != samples and is_packed(batch)
        if size[0] != samples and not packed:
            # Has the samples in its second dimension, or is not a batch of them.
            size = (samples, size[0]) if 1 < loader.batch and size[1] == samples else NONE
        if size == NONE and (axis.has_none or axis.batches == 1 and found != NONE):
            loader.time_axis = None
        if trains:
            if self.loader is not loader:
                self.loader = loader
                self.read_limits(batches, time_axis=axis)
            self.by_tokens |= packed
            self.worked_on(passing.sequences)
        passing.sequences = size

    @report.guard
    def begins(self, batch: Any, samples: int = 0) -> None:
        """Is told by a trainer that a training step with BATCH begins, for which it asked for so
        many samples; the one before was made."""
        if self.time_axis.has_none:
            return
        self.worked_on(self.newest)
        self.newest = self.time_axis.size_of(batch)
        if self.batches == 0 and self.newest[0] == 1 and (samples > 1 or is_packed(batch)):
            self.by_tokens = True

    @report.guard
    def ended(self) -> None:
        """Is told by a trainer that the newest step was made."""
        self.worked_on(self.newest)
        self.newest = NONE

    def stop(self) -> None:
        """Reports nothing more: the peaks are those of an attempt that failed."""
        self.reports = MOST_REPORTS

    def worked_on(self, size: Tuple[int, int]) -> None:
        """Is told the size_of() a batch that a training step was made with."""
        samples, length = size
        self.tokens = max(self.tokens, samples * length)
        self._compare(length)
        if self.by_tokens:
            self.batches += length > 0
            if self.tokens > self.reported and self.batches >= FIRST_BATCHES:
                self._report()
            return
        if samples < self.samples or length == 0:
            if length > self.longest > 0:
                self.smaller.add(samples)
            if len(self.smaller) == SIZES_BY_TOKENS:  # the last batch of an epoch has one size
                self.by_tokens = True
                self._report()
            return
        if samples > self.samples:
            self.samples, self.batches = samples, 0
            self.longest = self.reported = 0
        self.batches += 1
        self.longest = max(self.longest, length)
        if self.longest > self.reported and self.batches >= FIRST_BATCHES:
            self._report()

    def _compare(self, length: int) -> None:
        if length == 0 or self.varies:
            return
        self.varies = self.last not in (0, length)
        self.last = length
        if self.varies and self.waiting:
            log.untimed(self.waiting)

    def _report(self) -> None:
        if self.reports == MOST_REPORTS:
            return
        self.reports += 1
        by_tokens = self.by_tokens
        self.reported = self.tokens if by_tokens else self.longest
        fields = [f"samples={1 if by_tokens else self.samples}"]
        process, on_device = peak_of_process(), device.peak()
        if process:
            fields.append(f"process={process}")
        if on_device:
            fields.append(f"device={on_device}")
        # A limit below what was seen was none.
        known = self.limits_of_tokens if by_tokens else self.limits
        if self.time_axis.has_frames():
            known = []  # those are of tokens or of seconds
        limits = [limit for limit in known if limit[0] >= self.reported]
        if limits:
            most, name = min(limits)
            fields.append(f"most={most} from={name}")
        if by_tokens:
            fields.append("unit=tokens")
        line = f"sequence {self.reported} " + " ".join(fields)
        if self.varies:
            log.untimed(line)
        else:
            self.waiting = line


def peak_of_process() -> int:
    """Returns the most bytes of main memory that this process has held."""
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _limits_of(holder: Any, name: str) -> Iterator[Limit]:
    """Yields the limits of a part of a loader, and those of its tokenizer."""
    members = own_members(holder)
    lengths: Any = members.get("lengths")
    if type(lengths) in (list, tuple) and 0 < len(lengths) <= MOST_LENGTHS:
        longest = max(lengths)
        if type(longest) is int and 0 < longest <= LONGEST:
            yield longest, f"{name}.lengths"
    yield from _numbers(holder, LIMITS, name)
    for tokenizer in TOKENIZERS:
        yield from _numbers(members.get(tokenizer), ("model_max_length",), tokenizer)
    if name == "tokenizer":
        yield from _numbers(holder, ("model_max_length",), name)


def _numbers(holder: Any, names: Tuple[str, ...], path: str) -> List[Limit]:
    members = own_members(holder)
    return [(members[name], f"{path}.{name}") for name in names
            if type(members.get(name)) is int and 0 < members[name] <= LONGEST]


def _models() -> Iterator[Any]:
    """Yields the models in the variables of the program's modules."""
    torch = sys.modules.get("torch")
    if torch is None:
        return
    seen: List[Any] = []
    for frame in program_frames():
        if any(frame.f_globals is each for each in seen):
            continue
        seen.append(frame.f_globals)
        for value in list(frame.f_globals.values()):
            if isinstance(value, torch.nn.Module):
                yield value


def _unwrapped(model: Any) -> Any:
    """Returns the model in a wrapper such as DistributedDataParallel."""
    inner = own_members(model).get("_modules", {}).get("module")
    return model if inner is None else inner


sequences = Sequences()  # of this process

