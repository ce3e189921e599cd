"""Counts replays of CUDA graphs (and XPU graphs) that hold the step of an optimizer.

A graph is recorded after some ordinary steps that warm up. These steps and the recording are part
of the start-up: steps that look like them are delayed until it is known what follows
(`_torch_warm_up.py`). """

from __future__ import annotations

import os
import threading
from time import monotonic_ns

from lapcast._report import report
from lapcast._torch_device import device
from lapcast._torch_loop import TorchLoop
from lapcast._trainings import wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List

STAGE = "graph-capture"  # from the first step that warms up to the end of the recording
PHASE = "graph"


class Graphs:
    """Observes the recordings and the replays of graphs."""

    def __init__(self, told: TorchLoop) -> None:
        self.told = told
        self._lock = threading.Lock()
        self._recorded: Dict[int, List[Any]] = {}  # thread -> the graphs that it records, innermost last

    def attach(self, torch: Any) -> None:
        for kind in ("cuda", "xpu"):
            graph = getattr(getattr(torch, kind, None), f"{kind.upper()}Graph", None)
            if hasattr(graph, "replay"):
                self.watch(graph)
        os.register_at_fork(after_in_child=self._forget)

    def watch(self, graph: Any) -> None:
        """Watches the graphs of a class that has the methods of torch.cuda.CUDAGraph."""
        wrap(graph, "capture_begin", self._capture_begin)
        wrap(graph, "capture_end", self._capture_end)
        wrap(graph, "replay", self._replay)

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._recorded.clear()
        device.capturing = 0

    # Recordings.

    def captured(self, optimizer: Any) -> bool:
        """Returns whether OPTIMIZER has stepped in a graph that this thread records."""
        graphs = self._recorded.get(threading.get_ident())
        if not graphs:
            return False
        optimizers = getattr(graphs[-1], "_lapcast_optimizers", None)
        if optimizers is not None and not any(optimizer is known for known in optimizers):
            optimizers.append(optimizer)
        return True

    def _capture_begin(self, original: Any, graph: Any, *arguments: Any, **options: Any) -> Any:
        with self._lock:
            device.capturing += 1
            self._recorded.setdefault(threading.get_ident(), []).append(graph)
        try:
            graph._lapcast_optimizers = []
        except AttributeError:
            pass  # a class that takes no attributes; its replays are not seen
        try:
            return original(graph, *arguments, **options)
        except BaseException:
            self._recording_ended(graph)
            raise

    def _capture_end(self, original: Any, graph: Any, *arguments: Any, **options: Any) -> Any:
        try:
            return original(graph, *arguments, **options)
        finally:
            self._recording_ended(graph)
            self._recorded_steps(graph)

    def _recording_ended(self, graph: Any) -> None:
        with self._lock:
            for thread, graphs in list(self._recorded.items()):
                if graph in graphs:
                    graphs.remove(graph)
                    device.capturing -= 1
                if not graphs:
                    del self._recorded[thread]

    @report.guard
    def _recorded_steps(self, graph: Any) -> None:
        """Reports the recording of a graph with a step, and the steps that warmed up for it, as a
        stage of the start-up. Where laps were reported before, the replays are another phase: they
        do other work."""
        loop, warm_up = self.told.loop, self.told.warm_up
        if not getattr(graph, "_lapcast_optimizers", None) or report.trainer or warm_up.is_over:
            return
        warm_up.is_over = True
        if loop.steps() == 0:
            device.drain()  # the queued work of the warm-up is not part of the first replay
            now = monotonic_ns()
            warm_up.steps.clear()
            report.stage_begin(STAGE, loop.begin_again(now))
            report.stage_end(STAGE, now)
        else:
            loop.close_lap()
            report.phase(report.PLAIN, PHASE)

    # Replays.

    def _replay(self, original: Any, graph: Any, *arguments: Any, **options: Any) -> Any:
        result = original(graph, *arguments, **options)
        optimizers = getattr(graph, "_lapcast_optimizers", None)
        if optimizers:
            self._replayed(optimizers)
        return result

    @report.guard
    def _replayed(self, optimizers: List[Any]) -> None:
        if not report.trainer:
            for optimizer in optimizers:
                self.told.stepped(optimizer)
