"""Counts replays of CUDA graphs (and XPU graphs) that hold the step of an optimizer.

A graph is recorded after some ordinary steps that warm up. These steps and the recording are part of
the start-up: steps that look like them are held back until it is known what follows.
"""

from __future__ import annotations

import os
import threading
from time import monotonic_ns

from lapcast import _torch, _torch_device
from lapcast._report import report
from lapcast._evaluations import SOURCE
from lapcast._trainings import wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List, Tuple

STAGE = "graph-capture"  # from the first step that warms up to the end of the recording
PHASE = "graph"
MOST_HELD = 16
LONGEST_HELD_NS = 3_000_000_000

_lock = threading.Lock()
_recorded: Dict[int, List[Any]] = {}  # thread -> the graphs that it records, the innermost last
held: List[Tuple[Any, int, Any]] = []  # steps as _loop.Loop.step takes them
_announced = False  # a graph with a step was recorded


def attach(torch: Any) -> None:
    """Attaches to torch, which has been imported."""
    for kind in ("cuda", "xpu"):
        graph = getattr(getattr(torch, kind, None), f"{kind.upper()}Graph", None)
        if hasattr(graph, "replay"):
            watch(graph)
    os.register_at_fork(after_in_child=_forget_recordings)


def watch(graph: Any) -> None:
    """Watches the graphs of a class that has the methods of torch.cuda.CUDAGraph."""
    wrap(graph, "capture_begin", _capture_begin)
    wrap(graph, "capture_end", _capture_end)
    wrap(graph, "replay", _replay)


def forget() -> None:
    """Forgets the training so far."""
    global _announced
    _announced = False
    held.clear()


def _forget_recordings() -> None:
    global _lock
    _lock = threading.Lock()
    _torch_device.capturing = 0
    _recorded.clear()


def _capture_begin(original: Any, graph: Any, *arguments: Any, **options: Any) -> Any:
    with _lock:
        _torch_device.capturing += 1
        _recorded.setdefault(threading.get_ident(), []).append(graph)
    try:
        graph._lapcast_optimizers = []
    except AttributeError:
        pass  # a class that takes no attributes: its replays are not seen
    try:
        return original(graph, *arguments, **options)
    except BaseException:
        _recording_ended(graph)
        raise


def _capture_end(original: Any, graph: Any, *arguments: Any, **options: Any) -> Any:
    try:
        return original(graph, *arguments, **options)
    finally:
        _recording_ended(graph)
        _recorded_steps(graph)


def _recording_ended(graph: Any) -> None:
    with _lock:
        for thread, graphs in list(_recorded.items()):
            if graph in graphs:
                graphs.remove(graph)
                _torch_device.capturing -= 1
            if not graphs:
                del _recorded[thread]


def captured(optimizer: Any) -> bool:
    """Returns whether OPTIMIZER has stepped in a graph that this thread records."""
    graphs = _recorded.get(threading.get_ident())
    if not graphs:
        return False
    optimizers = getattr(graphs[-1], "_lapcast_optimizers", None)
    if optimizers is not None and not any(optimizer is known for known in optimizers):
        optimizers.append(optimizer)
    return True


@report.guard
def _recorded_steps(graph: Any) -> None:
    """Makes the recording of a graph with a step, and the steps before it that warmed up, a stage of
    the start-up. Laps that were reported before it did other work than the replays."""
    global _announced
    if not getattr(graph, "_lapcast_optimizers", None) or report.trainer or _announced:
        return
    _announced = True
    loop = _torch._loop
    if loop.steps == 0:
        _torch_device.drain()  # what the steps that warmed up have queued is not of the first replay
        now = monotonic_ns()
        held.clear()
        for passing in loop.aside.unknown:
            passing.begin_again(now, 0)  # its batches were those of the steps that warmed up
        report.stage_begin(STAGE, loop.begun)
        report.stage_end(STAGE, now)
        loop.begun = now
    else:
        loop.close_lap()
        report.phase(SOURCE, PHASE)


def _replay(original: Any, graph: Any, *arguments: Any, **options: Any) -> Any:
    result = original(graph, *arguments, **options)
    optimizers = getattr(graph, "_lapcast_optimizers", None)
    if optimizers:
        _replayed(optimizers)
    return result


@report.guard
def _replayed(optimizers: List[Any]) -> None:
    if not report.trainer:
        for optimizer in optimizers:
            _torch.stepped(optimizer)


def holds(optimizer: Any, at: int, queued: Any) -> bool:
    """Returns whether the first steps of a training wait here until something else happens, because
    they look like those before the recording of a graph: on a stream of their own, or by an
    optimizer that can be recorded."""
    loop = _torch._loop
    if loop.steps or _announced:
        return False
    first = held[0][1] if held else at
    if len(held) == MOST_HELD or at - first > LONGEST_HELD_NS or not _warms_up(optimizer):
        release()
        return False
    held.append((optimizer, at, queued))
    return True


def release() -> None:
    """Tells the loop the steps that were held back: no graph is being prepared."""
    steps, held[:] = held[:], []
    for step in steps:
        _torch._loop.step(*step)


def _warms_up(optimizer: Any) -> bool:
    try:
        group = optimizer.param_groups[0]
        if group.get("capturable"):
            return True
        device = group["params"][0].device
        module = getattr(_torch._torch, str(device.type))
        return bool(module.current_stream(device) != module.default_stream(device))
    except Exception:  # a device without streams, or without a default one
        return False
