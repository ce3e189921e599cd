"""Stands for torch._dynamo in programs that compile nothing: each optimizer imports it at its first
step, which takes as long as the import of torch itself."""

import importlib.machinery
import sys


class StandIn:
    """Finds and makes the module."""

    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self) if name == "torch._dynamo" else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        module.disable = lambda function, recursive=True, **_: function
        module.graph_break = lambda: None


sys.meta_path.insert(0, StandIn())
