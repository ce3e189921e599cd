"""Gives a PyTorch program settings that it does not have, as LAPCAST_TORCH lists them, for
`lapcast probe --tune`: "workers=2,channels-last,compile,bf16,tf32,loss".

`workers` starts so many processes in loaders of map-style data that have none. `channels-last`
changes the memory layout of convolutions when their optimizer is made. `bf16` runs the model under
autocast, `compile` compiles it; the model is the first module with parameters that is called while
it trains. `tf32` lets GPUs round products of float32. `loss` reports the loss of backward pass
number 1, 2, 4, 8 ... as step_loss, and changes nothing. `work` counts what the second step computes
and reports it as flops and activations (docs/shortlist.md); it makes that step slower, no other.
"""

from __future__ import annotations

import importlib
import sys

from lapcast._report import report
from lapcast._trainings import wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict


def attach(torch: Any, text: str) -> None:
    """Applies the settings of TEXT to torch. Raises ValueError for one that is not known."""
    settings = dict(word.partition("=")[::2] for word in text.split(",") if word)
    unknown = set(settings) - {"workers", "channels-last", "compile", "bf16", "tf32", "loss", "work"}
    if unknown:
        raise ValueError(f"LAPCAST_TORCH: {', '.join(sorted(unknown))} is not known")
    if "workers" in settings:
        _add_workers(torch, int(settings["workers"]))
    if "channels-last" in settings:
        _change_layout(torch)
    if "tf32" in settings:
        torch.set_float32_matmul_precision("high")
        torch.backends.cudnn.allow_tf32 = True
    if "compile" in settings or "bf16" in settings:
        _change_model(torch, settings)
    if "loss" in settings:
        _report_losses(torch)
    if "work" in settings:
        _count_work(torch)


def _add_workers(torch: Any, count: int) -> None:
    data = torch.utils.data

    def make(original: Any, loader: Any, dataset: Any, *arguments: Any, **options: Any) -> None:
        # num_workers is the sixth argument.
        is_asked = "num_workers" in options or len(arguments) > 4
        if not isinstance(dataset, data.IterableDataset):
            if not is_asked or options.get("num_workers") == 0:
                options["num_workers"] = count
        original(loader, dataset, *arguments, **options)

    wrap(data.DataLoader, "__init__", make)


def _change_layout(torch: Any) -> None:
    def make(original: Any, optimizer: Any, *arguments: Any, **options: Any) -> None:
        original(optimizer, *arguments, **options)
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                if parameter.dim() == 4:
                    parameter.data = parameter.data.contiguous(memory_format=torch.channels_last)

    wrap(torch.optim.Optimizer, "__init__", make)


def _change_model(torch: Any, settings: Dict[str, str]) -> None:
    module = torch.nn.Module
    original = module.__call__

    def call(self: Any, *arguments: Any, **options: Any) -> Any:
        first = next(self.parameters(), None) if self.training else None
        if first is not None:
            module.__call__ = original
            if "bf16" in settings:
                self.forward = _InBf16(self, first.device.type)
            if "compile" in settings:
                self.compile()
        return original(self, *arguments, **options)

    module.__call__ = call


class _InBf16:
    """Is the forward pass of a model under autocast. It is not a local function, so that the model
    can still be saved as a whole, and a deep copy of the model calls its own forward pass."""

    def __init__(self, model: Any, device: str) -> None:
        self.forward, self.device = model.forward, device

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        torch = sys.modules["torch"]
        with torch.autocast(self.device, torch.bfloat16):
            result = self.forward(*arguments, **options)
        return _as_float(torch, result)


def _as_float(torch: Any, value: Any) -> Any:
    """Returns the outputs of a model in float32, as a loss expects them."""
    if isinstance(value, torch.Tensor):
        return value.float() if value.dtype == torch.bfloat16 else value
    if type(value) in (list, tuple):
        return type(value)(_as_float(torch, each) for each in value)
    if type(value) is dict:
        return {key: _as_float(torch, each) for key, each in value.items()}
    return value


def _report_losses(torch: Any) -> None:
    passes = 0

    def backward(original: Any, loss: Any, *arguments: Any, **options: Any) -> Any:
        nonlocal passes
        result = original(loss, *arguments, **options)
        passes += 1
        if passes & (passes - 1) == 0:
            _report_loss(loss)
        return result

    wrap(torch.Tensor, "backward", backward)


@report.guard
def _report_loss(loss: Any) -> None:
    if loss.numel() == 1:
        report.metric(report.USER, "step_loss", loss.detach())


def _count_work(torch: Any) -> None:
    formulas: Any = importlib.import_module("torch.utils.flop_counter").flop_registry
    mode: Any = importlib.import_module("torch.utils._python_dispatch").TorchDispatchMode
    optim: Any = importlib.import_module("torch.optim.optimizer")

    class Counter(mode):  # type: ignore[misc]
        """Counts the operations of convolutions and matrix products, and what they write in the
        forward pass."""

        flops = activations = steps = 0

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (),
                               kwargs: Any = None) -> Any:
            result = func(*args, **(kwargs or {}))
            count = formulas.get(func._overloadpacket)
            if count is not None:
                self.flops += int(count(*args, **(kwargs or {}), out_val=result))
                if torch._C._current_autograd_node() is None:
                    first = result[0] if isinstance(result, tuple) else result
                    self.activations += first.numel()
            return result

    counter = Counter()

    @report.guard
    def stepped(optimizer: Any, arguments: Any, options: Any) -> None:
        if torch.compiler.is_compiling():
            return
        counter.steps += 1
        if counter.steps == 1:
            counter.__enter__()
        elif counter.steps == 2:
            counter.__exit__(None, None, None)
            for name in ("flops", "activations"):
                report.metric(report.USER, name, getattr(counter, name))

    optim.register_optimizer_step_post_hook(stepped)
