"""Observes loops that use Hugging Face Accelerate.

Its prepared loaders fetch one batch ahead of the loop, so the passes over the prepared loader are
reported, not those over the DataLoader inside.
"""

from __future__ import annotations

from lapcast._log import rank_and_world
from lapcast._passes import Pass
from lapcast._report import report
from lapcast._torch_loop import torch_loop
from lapcast._trainings import bytes_in, is_version, length_of, skipped_of, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Callable, Iterator

SOURCE = "accelerate"


def attach(library: ModuleType) -> None:
    """Attaches to LIBRARY: accelerate, imported."""
    if not is_version(library, "accelerate", (0, 20), 1):
        return
    for name in ("DataLoaderShard", "DataLoaderDispatcher", "SkipDataLoader"):
        wrap(getattr(library.data_loader, name), "__iter__", iterate)
    wrap(library.Accelerator, "save_state", save_state)
    wrap(library.utils.memory, "should_reduce_batch_size", should_reduce)


def iterate(original: Callable[[Any], Iterator[Any]], loader: Any) -> Iterator[Any]:
    """Makes one pass over a prepared loader."""
    batches = iter(original(loader))
    passing = begin_pass(loader)
    return batches if passing is None else watched(batches, passing)


@report.guard
def begin_pass(loader: Any) -> Any:
    """Returns a new pass of the plain loop, or None while a trainer reports by itself."""
    if not torch_loop.observes():
        return None
    known = torch_loop.known(loader)
    known.length = length_of(loader)
    known.skipped = skipped_of(loader)
    known.samples = -(-length_of(getattr(loader, "dataset", None)) // rank_and_world()[1])
    return torch_loop.begin_pass(known)


def watched(batches: Iterator[Any], passing: Pass) -> Iterator[Any]:
    """Yields the same batches and tells the loop about each one when it is requested."""
    fetch: Callable[[Iterator[Any]], Any] = fetch_first
    while True:
        try:
            if report.trainer and not torch_loop.observes():
                batch = fetch(batches)
            else:
                batch = torch_loop.fetch(passing, fetch, batches)
        except StopIteration:
            return
        fetch = next
        yield batch


def fetch_first(batches: Iterator[Any]) -> Any:
    """Returns the first batch. Fetching it begins the pass over the DataLoader inside, which must
    not be observed."""
    loop, torch_loop.loop = torch_loop.loop, SilentLoop()
    try:
        return next(batches)
    finally:
        torch_loop.loop = loop


def should_reduce(original: Callable[[Any], bool], error: Any) -> bool:
    """Is asked by the search for a batch size, which makes a training that did not fit again."""
    reduces = original(error)
    if reduces:
        torch_loop.begin_anew()
    return reduces


class SilentLoop:
    """Replaces the loop while a pass begins that is not the program's own, and ignores every
    call."""

    def steps(self) -> int:
        return 0

    def __getattr__(self, name: str) -> Any:
        return self._ignore

    def _ignore(self, *arguments: Any) -> None:
        """Returns None: there is no pass, so its fetches are not watched."""


def save_state(original: Any, accelerator: Any, *arguments: Any, **options: Any) -> Any:
    """Reports one checkpoint of several files."""
    settle()
    report.checkpoint_begin(SOURCE)
    folder = None
    try:
        folder = original(accelerator, *arguments, **options)
        return folder
    finally:
        report.checkpoint_end(SOURCE, bytes_in(folder))


@report.guard
def settle() -> None:
    if torch_loop.observes():
        torch_loop.loop.settle()
