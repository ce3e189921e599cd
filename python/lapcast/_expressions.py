"""Computes simple expressions of the program's source text, without calling its code: variables,
members of objects, constants, lengths and shapes of arrays, and sums, products and quotients of these."""

from __future__ import annotations

import ast
import math
from typing import Any

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Mapping, Tuple, Union

    Variables = Callable[[str], Any]  # the value of a variable, by its name


CEILS = ("ceil", "math.ceil", "np.ceil")


def number_of(node: Any, values: Variables) -> int:
    """Returns the whole number that an expression is. Raises an exception for any other
    expression."""
    found = value_of(node, values)
    if type(found) is bool or type(found) not in (int, float) or found != int(found):
        raise ValueError
    return int(found)


def value_of(node: Any, values: Variables) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return values(node.id)
    if isinstance(node, ast.Attribute):
        return _member(value_of(node.value, values), node.attr)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        holder = value_of(node.value, values)
        if type(holder) in (dict, list, tuple):
            return holder[node.slice.value]
        if issubclass(type(holder), dict):
            return _item(holder, node.slice.value)
    if isinstance(node, ast.BinOp):
        return _computed(node, values)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "size":
        return shape_of(value_of(node.func.value, values))[number_of(node.args[0], values)]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1:
        if node.func.id == "int":
            found = value_of(node.args[0], values)
            return int(found) if type(found) is float else number_of(node.args[0], values)
        if node.func.id == "len":
            sized = value_of(node.args[0], values)
            if type(sized) in (list, tuple, dict, range):
                return len(sized)
            return shape_of(sized)[0]
    if isinstance(node, ast.Call) and text_of(node.func) in CEILS and len(node.args) == 1:
        return math.ceil(value_of(node.args[0], values))
    raise ValueError


def _computed(node: Any, values: Variables) -> Union[int, float]:
    left, right = number_of(node.left, values), number_of(node.right, values)
    if isinstance(node.op, ast.Add):
        return left + right
    if isinstance(node.op, ast.Sub):
        return left - right
    if isinstance(node.op, ast.Mult):
        return left * right
    if isinstance(node.op, ast.FloorDiv):
        return left // right
    if isinstance(node.op, ast.Div):
        return left / right
    raise ValueError


def shape_of(array: Any) -> Tuple[int, ...]:
    """Returns the shape of a tensor of torch or an array of NumPy. Raises an exception for any other
    object, whose code might be the program's."""
    if (type(array).__module__, type(array).__name__) not in (("torch", "Tensor"), ("numpy", "ndarray")):
        raise ValueError
    return tuple(array.shape)


def _member(holder: Any, name: str) -> Any:
    """Returns a member of an object without calling its own code."""
    own = own_members(holder)
    if name in own:
        return own[name]
    kind = type(holder)
    is_class = issubclass(kind, type)  # class Settings: epochs = 3
    for each in type.__dict__["__mro__"].__get__(holder if is_class else kind):
        if type(each.__dict__.get(name)) in (int, float):
            return each.__dict__[name]
    if name == "shape":
        return shape_of(holder)
    if issubclass(kind, dict):  # class Settings(dict): __getattr__ = dict.__getitem__
        return _item(holder, name)
    raise KeyError(name)


def _item(holder: Any, key: Any) -> Any:
    """Returns what an object of the program's own kind of dict holds, without calling its own
    code."""
    return dict.__getitem__(holder, key)


def own_members(holder: Any) -> Mapping[str, Any]:
    try:
        own = object.__getattribute__(holder, "__dict__")
    except AttributeError:
        return {}
    return own if isinstance(own, dict) else {}


def text_of(node: Any) -> str:
    return ast.unparse(node).replace(" ", "")
