"""Waits for the libraries that lapcast understands, and attaches to each when it has been imported.

Nothing is imported on its behalf: a finder in front of `sys.meta_path` knows the names, and lets the
ordinary finders do the work. Every interpreter that is started loads this module (no other of the
package), so it stays small.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Callable, Optional, Sequence

# Library -> the module here that has `attach(library: ModuleType) -> None`. It is called once, as
# soon as the library's import has ended; what it raises makes the hook go quiet with a note.
ADAPTERS = {
    "torch": "lapcast._torch",
    "tensorflow": "lapcast._tensorflow",
    "keras": "lapcast._keras",
    "tf_keras": "lapcast._keras",
    "lightning.pytorch": "lapcast._lightning",
    "pytorch_lightning": "lapcast._lightning",
    "transformers.trainer": "lapcast._transformers",
    "accelerate": "lapcast._accelerate",
}


class Watcher:
    """A finder that finds nothing itself, but notices which libraries are being imported."""

    def __init__(self) -> None:
        self.waiting = dict(ADAPTERS)

    def find_spec(
        self, name: str, path: "Optional[Sequence[str]]" = None, target: "Optional[ModuleType]" = None
    ) -> "Any":
        """What the finders behind this one say; when the module has run, its adapter is attached."""
        if name not in self.waiting:
            return None
        adapter = self.waiting.pop(name)
        spec = _spec_of_others(self, name, path, target)
        self.waiting[name] = adapter  # who asks for a spec need not import: TensorFlow asks for keras
        if spec is not None and spec.loader is not None:
            _attach_after(spec.loader, self.imported)
        return spec

    def imported(self, library: "ModuleType") -> None:
        """A library that was waited for has run."""
        adapter = self.waiting.pop(library.__name__, None)
        if adapter is not None:
            attach(adapter, library)


def _spec_of_others(watcher: Watcher, name: str, path: "Any", target: "Any") -> "Any":
    for finder in list(sys.meta_path):
        find = getattr(finder, "find_spec", None)
        if finder is watcher or find is None:
            continue
        spec = find(name, path, target)
        if spec is not None:
            return spec
    return None


def _attach_after(loader: "Any", imported: "Callable[[ModuleType], None]") -> None:
    """LOADER stays what it is; only its next exec_module is followed by the attachment."""

    def exec_module(module: "ModuleType") -> None:
        del loader.exec_module
        loader.exec_module(module)
        imported(module)

    try:
        loader.exec_module = exec_module
    except AttributeError:
        pass  # a built-in loader: none of the libraries has one


def attach(adapter: str, library: "ModuleType") -> None:
    """Attaches the adapter module to its library, which has been imported."""
    from lapcast import _report

    if not _report.observed():
        return
    try:
        __import__(adapter)
        sys.modules[adapter].attach(library)
    except Exception as error:
        _report.failed(adapter, error)


def install() -> None:
    """Begins to wait, once; libraries that are there already are attached to at once."""
    if any(isinstance(finder, Watcher) for finder in sys.meta_path):
        return
    watcher = Watcher()
    sys.meta_path.insert(0, watcher)
    for name in ADAPTERS:
        if name in sys.modules:
            attach(watcher.waiting.pop(name), sys.modules[name])
