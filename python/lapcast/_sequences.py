"""Notes how long the sequences of training batches are, and the peak of memory with them.

The peak of memory of this process is that of its longest batch so far. So both are reported
together whenever a batch was worked on that is longer than all before: docs/lap-log.md, `sequence`.
Beside them stands how long the data may still get, where a number of the program says it: the
lengths that a sampler or data set keeps, the limit of a collator or tokenizer, the positions of a
model. Nothing of the program is called for that, and no item is read.

Where batches have as many tokens and not as many samples, so that those with longer sequences are
smaller, the tokens of a batch take the place of its length.
"""

from __future__ import annotations

import sys

from lapcast._bounds import program_frames
from lapcast._expressions import own_members
from lapcast._log import log
from lapcast._torch_device import device

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator, List, Set, Tuple

    Limit = Tuple[int, str]  # of the length, and what says it: "tokenizer.model_max_length"

FIRST_BATCHES = 3  # an optimizer makes its states in the first step, and has them in the next peak
MOST_REPORTS = 200
SIZES_BY_TOKENS = 2  # of smaller batches with longer sequences
MOST_LENGTHS = 1_000_000  # that a sampler keeps and that are compared
LONGEST = 10**7  # tokenizers without a limit have one of 10**30
DEEPEST = 3  # levels of containers in which token ids are searched
LIMITS = ("max_length", "max_len", "max_seq_length", "max_seq_len", "seq_length", "seq_len",
          "block_size", "context_length")
TOKENS = ("max_tokens", "max_num_tokens", "max_batch_tokens", "max_tokens_in_batch", "max_tokens_per_batch",
          "tokens_per_batch", "batch_tokens", "token_budget")
POSITIONS = ("max_position_embeddings", "n_positions", "max_seq_len")
PARTS = ("batch_sampler", "sampler", "dataset", "collate_fn",  # of a loader
         "_index_sampler", "_dataset", "_collate_fn")  # of its iterator
TOKENIZERS = ("tokenizer", "processing_class")
NONE = (0, 0)


def size_of(batch: Any) -> Tuple[int, int]:
    """Returns the samples and the padded length of the token ids in BATCH, (0, 0) without any: the
    first array of whole numbers with two dimensions."""
    try:
        return _size_of(batch, DEEPEST)
    except Exception:
        return NONE  # an unknown kind of container


def _size_of(batch: Any, depth: int) -> Tuple[int, int]:
    shape = getattr(batch, "shape", None)
    if shape is not None:
        is_ids = len(shape) == 2 and str(batch.dtype).rpartition(".")[2] in ("int64", "int32")
        return (int(shape[0]), int(shape[1])) if is_ids else NONE
    if depth == 0 or isinstance(batch, (str, bytes)):
        return NONE
    if callable(getattr(batch, "values", None)):
        if "input_ids" in batch:
            return _size_of(batch["input_ids"], 0)
        batch = batch.values()
    elif not isinstance(batch, (list, tuple)):
        return NONE
    for part in batch:
        size = _size_of(part, depth - 1)
        if size != NONE:
            return size
    return NONE


class Sequences:
    """Is told which batches were worked on."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        self.loader: Any = None  # whose limits were read
        self.limits: List[Limit] = []
        self.limits_of_tokens: List[Limit] = []
        self.samples = 0  # of the largest batch: smaller ones with longer sequences tell less
        self.batches = 0  # of this size that were worked on
        self.longest = self.reported = self.reports = 0
        self.tokens = 0  # of the batch that has most, padded
        self.smaller: Set[int] = set()  # samples of batches that are smaller, with longer sequences
        self.by_tokens = False
        self.newest = NONE  # the batch that is being worked on, where a trainer tells its begin

    def read_limits(self, loader: Any, model: Any = None, tokenizer: Any = None) -> None:
        """Finds how long the sequences of LOADER, or of an iterator over it, may be. Without a MODEL
        it is searched in the variables of the program's modules."""
        parts = own_members(loader)
        holders = [(parts.get(name), name.strip("_")) for name in PARTS if name in parts]
        for holder, _ in holders[:]:
            holders.append((own_members(holder).get("sampler"), "sampler"))
        self.limits_of_tokens = [limit for holder, name in [(loader, "loader"), *holders]
                                 for limit in _numbers(holder, TOKENS, name)]
        holders.append((tokenizer, "tokenizer"))
        self.limits = [limit for holder, name in holders for limit in _limits_of(holder, name)]
        for each in [model] if model is not None else _models():
            config = own_members(_unwrapped(each)).get("config")
            self.limits += _numbers(config, POSITIONS, "config")

    def begins(self, batch: Any) -> None:
        """Is told by a trainer that a training step with BATCH begins; the one before was made."""
        self.worked_on(self.newest)
        self.newest = size_of(batch)

    def stop(self) -> None:
        """Reports nothing more: the peaks are those of an attempt that failed."""
        self.reports = MOST_REPORTS

    def worked_on(self, size: Tuple[int, int]) -> None:
        """Is told the size_of() a batch that a training step was made with."""
        samples, length = size
        self.tokens = max(self.tokens, samples * length)
        if self.by_tokens:
            if self.tokens > self.reported:
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

    def _report(self) -> None:
        if self.reports == MOST_REPORTS:
            return
        self.reports += 1
        by_tokens = self.by_tokens
        self.reported = self.tokens if by_tokens else self.longest
        fields = [f"samples={1 if by_tokens else self.samples}"]
        process, on_device = _peak_of_process(), device.peak()
        if process:
            fields.append(f"process={process}")
        if on_device:
            fields.append(f"device={on_device}")
        # A limit below what was seen was none.
        known = self.limits_of_tokens if by_tokens else self.limits
        limits = [limit for limit in known if limit[0] >= self.reported]
        if limits:
            most, name = min(limits)
            fields.append(f"most={most} from={name}")
        if by_tokens:
            fields.append("unit=tokens")
        log.untimed(f"sequence {self.reported} " + " ".join(fields))


def _peak_of_process() -> int:
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

