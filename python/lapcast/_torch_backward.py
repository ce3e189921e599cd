"""Finds steps of trainings whose parameters change without an optimizer of torch.optim.

Such parameters are updated by hand, in a compiled step, or by an optimizer of a library's own
class. Until an optimizer of torch.optim steps, backward passes are observed: where a parameter has
changed when the next batch is fetched or the next backward pass begins, the end of each backward
pass counts as a step. After the first step of torch.optim nothing of this costs anything.
"""

from __future__ import annotations

import functools
import weakref
from time import monotonic_ns

from lapcast._report import report
from lapcast._torch_loop import TorchLoop

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List

MOST_PASSES = 256  # without a step or a change, after which none is expected
MOST_NUMBERS = 4096  # of the parameter that is compared
MOST_NODES = 10000  # of the graph in which a parameter is searched


class Backward:
    """Observes torch.autograd.backward, and takes the place of the optimizer where none steps."""

    is_noticed_late = True  # its step is seen when the next pass begins

    def __init__(
        self, torch: Any, optim: Any, told: TorchLoop, after_step: Callable[[Any, Any, Any], None]
    ) -> None:
        self.torch, self.told, self.after_step = torch, told, after_step
        self.active = True
        self.found = False  # parameters changed without an optimizer of torch.optim
        self.ended = 0  # the end of the last backward pass
        self.parameter: Any = _no_parameter  # weak reference to the one that is compared
        self.numbers: Any = None  # its numbers before it may have changed
        self.nested = False
        told.check_backward = self.check
        self._original = torch.autograd.backward
        self._wrapper = self._wrapped(self._original)
        torch.autograd.backward = self._wrapper
        self._before_step = optim.register_optimizer_step_pre_hook(self._optimizer_steps)

    def _wrapped(self, original: Any) -> Any:
        @functools.wraps(original)
        def backward(*arguments: Any, **options: Any) -> Any:
            tensors = arguments[0] if arguments else options.get("tensors")
            if self.nested or not self._begin(tensors):
                return original(*arguments, **options)
            self.nested = True  # checkpointing calls it again inside
            try:
                result = original(*arguments, **options)
            finally:
                self.nested = False
            self._end()
            return result

        return backward

    def _optimizer_steps(self, optimizer: Any, arguments: Any, options: Any) -> None:
        """Is called before a step, which may run backward passes itself, as LBFGS does."""
        if not self.told.is_compiling():
            self.active = self.active and self.found

    def stop(self) -> None:
        """Removes the observer, because the steps of optimizers are enough. Must not be called
        within a hook that runs before a step."""
        told = self.told
        told.loop.backward_passes(told.backward_passes)
        told.backward_passes, told.check_backward = 0, None
        self.active = False
        self._before_step.remove()
        if self.torch.autograd.backward is self._wrapper:
            self.torch.autograd.backward = self._original

    def _begin(self, tensors: Any) -> bool:
        """Returns whether the backward pass that begins is observed."""
        if not self.active or report.trainer or self.told.is_compiling():
            return False
        self.check()
        try:
            if self.active and not self.found and self.parameter() is None:
                self._choose(tensors)
        except Exception:  # an unknown kind of graph or tensor
            self.active = False
        if self.told.backward_passes == 0:
            self._begun()
        return self.active

    @report.guard
    def _begun(self) -> None:
        self.told.loop.backward(monotonic_ns())

    def _choose(self, tensors: Any) -> None:
        parameter = first_parameter(self.torch, tensors)
        self.numbers = None
        if parameter is not None and not self._is_capturing(parameter):
            self.parameter = weakref.ref(parameter)
            self.numbers = numbers_of(parameter)

    def _is_capturing(self, parameter: Any) -> bool:
        return bool(parameter.is_cuda and self.torch.cuda.is_current_stream_capturing())

    def _end(self) -> None:
        self.told.backward_passes += 1
        if self.found:
            self.after_step(self, (), {})
            return
        self.ended = monotonic_ns()
        if self.told.backward_passes == MOST_PASSES:
            self.active = False
            self._lost()

    @report.guard
    def _lost(self) -> None:
        self.told.loop.no_step(self.told.backward_passes)

    def check(self) -> None:
        """Counts the last backward pass as a step if the parameter has changed since."""
        if self.found or not self.ended or not self.active:
            return
        try:
            self.active = self.told.loop.steps() == 0
            parameter = self.parameter()
            if parameter is None or self._is_capturing(parameter):
                return
            if not self.active or self.torch.equal(numbers_of(parameter), self.numbers):
                return
        except Exception:
            self.active = False
            return
        self.found, self.numbers = True, None
        self._counts_as_step(queued=not parameter.is_cpu)

    @report.guard
    def _counts_as_step(self, queued: bool) -> None:
        self.told.loop.step(self, self.ended, queued)
        if report.active() == report.PLAIN:
            report.note("no optimizer of torch.optim stepped, but parameters changed: the end of each "
                        "backward pass counts as a lap")

    @property
    def param_groups(self) -> List[Dict[str, Any]]:
        """Returns what an optimizer has, for `_torch_device.Device`."""
        parameter = self.parameter()
        return [{"params": [] if parameter is None else [parameter]}]


def _no_parameter() -> None:
    return None


def numbers_of(parameter: Any) -> Any:
    """Returns a copy of the first numbers of a parameter."""
    return parameter.detach().reshape(-1)[:MOST_NUMBERS].clone()


def first_parameter(torch: Any, tensors: Any) -> Any:
    """Returns the parameter that is nearest to TENSORS, from which a backward pass begins;
    otherwise another tensor with gradients, or None. Only ordinary tensors can be compared."""
    tensors = [tensors] if isinstance(tensors, torch.Tensor) else list(tensors)
    nodes = [tensor.grad_fn for tensor in tensors]
    seen = set()
    leaf = None
    for node in nodes:  # grows while it is searched
        if node is None or node in seen:
            continue
        seen.add(node)
        variable = getattr(node, "variable", None)
        if type(variable) is torch.nn.Parameter:
            return variable
        if leaf is None and type(variable) is torch.Tensor:
            leaf = variable
        if len(nodes) < MOST_NODES:
            nodes.extend(following for following, _ in node.next_functions)
    return leaf
