"""Waits for the libraries that lapcast knows, and attaches to each when it has been imported.

The hook imports no library by itself: a finder at the front of `sys.meta_path` recognises the names
and leaves the work to the ordinary finders. Every interpreter loads this module (and no other of
the package), so it is small.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Callable, Optional, Sequence

# Maps each library to the module of this package with `attach(library: ModuleType) -> None`, which
# is called once, as soon as the library has been imported. If it raises, the hook stops with a
# note.
ADAPTERS = {
    "torch": "lapcast._torch",
    "tensorflow": "lapcast._tensorflow",
    "keras": "lapcast._keras",
    "tf_keras": "lapcast._keras",
    "lightning.pytorch": "lapcast._lightning",
    "pytorch_lightning": "lapcast._lightning",
    "transformers.trainer": "lapcast._transformers",
    "accelerate": "lapcast._accelerate",
    "argparse": "lapcast._length",
}


# The module that torch.compile imports when it begins to compile.
COMPILER = "torch._inductor.compile_fx"


class Watcher:
    """Is a finder that finds nothing, but notices which libraries are being imported."""

    def __init__(self) -> None:
        self.waiting = dict(ADAPTERS)
        self.watches_exceptions = False

    def find_spec(
        self, name: str, path: "Optional[Sequence[str]]" = None, target: "Optional[ModuleType]" = None
    ) -> "Any":
        """Returns the result of the other finders and attaches the adapter after the module has
        run."""
        if name == COMPILER:
            tell("compile")
        if name not in self.waiting:
            return None
        adapter = self.waiting.pop(name)
        spec = _spec_of_others(self, name, path, target)
        # A caller that asks for a spec need not import: TensorFlow asks for the spec of keras.
        self.waiting[name] = adapter
        if spec is not None and spec.loader is not None:
            _attach_after(spec.loader, self.imported)
        return spec

    def imported(self, library: "ModuleType") -> None:
        """Attaches the adapter of a library that has been imported."""
        adapter = self.waiting.pop(library.__name__, None)
        if adapter is not None:
            self.attach(adapter, library)

    def attach(self, adapter: str, library: "ModuleType") -> None:
        """Attaches the adapter module to its imported library."""
        from lapcast._report import report

        if not report.observed():
            return
        if library.__name__ != "argparse":
            tell(library.__name__.partition(".")[0])
            self._watch_exceptions()
        try:
            __import__(adapter)
            sys.modules[adapter].attach(library)
        except Exception as error:
            report.failed(adapter, error)

    def _watch_exceptions(self) -> None:
        from lapcast import _raised

        if not self.watches_exceptions:
            self.watches_exceptions = True
            _raised.watch(tell)


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
    """Makes LOADER attach after its next exec_module and leaves it unchanged otherwise."""

    def exec_module(module: "ModuleType") -> None:
        del loader.exec_module
        loader.exec_module(module)
        imported(module)

    try:
        loader.exec_module = exec_module
    except AttributeError:
        pass  # a built-in loader; no library of ADAPTERS has one


def tell(sign: str) -> None:
    """Leaves an empty file hook.SIGN beside the logs. It tells lapcast how far a program without
    laps has come (`python`: an interpreter runs; the name of a library: it is imported; `compile`:
    torch.compile compiles; `raised`: an exception ends the program), or that the program answers
    requests for a `pause`."""
    try:
        path = f"{os.environ.get('LAPCAST_LOG_DIR', '')}/hook.{sign}"
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except OSError:
        pass  # another process has told it, or nothing can be written


def install() -> None:
    """Starts to wait, once. Attaches at once to libraries that are imported already."""
    if any(isinstance(finder, Watcher) for finder in sys.meta_path):
        return
    tell("python")
    watcher = Watcher()
    sys.meta_path.insert(0, watcher)
    for name in ADAPTERS:
        if name in sys.modules:
            watcher.attach(watcher.waiting.pop(name), sys.modules[name])
