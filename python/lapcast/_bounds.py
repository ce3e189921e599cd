"""Finds the loops that are running, and the numbers that they count to, in the source text of the
program.

    for epoch in range(first, self.num_epochs):      # counts from `first` to `self.num_epochs`
    for i in range(0, len(data), batch):             # counts its rounds from 0
        out = [self.train_step() for _ in range(self.iterations)]
    while step < max_steps: ...                      # counts from what `step` is to `max_steps`
    while True: ... if step > max_steps: break       # the same

The names of the variables do not matter. Only numbers that can be read without calling code of the
program are used: variables, members of objects, constants, lengths and shapes of arrays, and sums and
products of these.
"""

from __future__ import annotations

import ast
import linecache
import sys
from typing import Any, NamedTuple

from lapcast._expressions import number_of, own_members, text_of, value_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, FrozenSet, Iterator, List, Mapping, Optional, Tuple

    from lapcast._expressions import Variables

MOST_LINES = 20000  # of a source file that is read
MOST_FRAMES = 40
COMPREHENSIONS = ("<listcomp>", "<genexpr>", "<setcomp>", "<dictcomp>")
RANGES = ("range", "trange", "tnrange", "arange")
KEEPS_ORDER = ("enumerate", "iter", "tqdm", "bar", "progress", "track")
OPTIMIZED = 1  # the flag of a function's code, whose variables are read as a copy
# A loop over a range; over a list; a `while` that a comparison of a counter ends, in its head or with
# a break; one over anything else that a break ends when a counter reaches a number, or when that of
# enumerate() does.
RANGE, LISTED, COMPARISON, LIMIT, CUT = "range", "list", "comparison", "limit", "cut"


class Bound(NamedTuple):
    """Says what a running loop counts to."""

    name: str  # of the number: "self.num_epochs"
    start: int  # the first number that the loop counts; the present one where that is not known
    stop: int  # the first one that it does not count
    base: int  # what its counter is at the start of the whole training: 0 or 1
    kind: str = RANGE
    present: int = -1  # what it counts now, -1 where that has no name
    where: Any = None  # the loop and the code that it is in, for present_of()
    first: int = 0  # what its variable is in the first round, where it counts its rounds
    step: int = 1  # how much that grows each round
    within: bool = False  # its counter grows within a step
    counter: str = ""  # of a comparison: "self.step"

    def done(self) -> int:
        """Returns how many numbers come before its first one."""
        return max(0, self.start - self.base)

    def whole(self) -> int:
        """Returns how often the loop runs in the whole training."""
        return max(0, self.stop - self.base)

    def number(self) -> int:
        """Returns the present number, counted from 1; 0 where it is not known."""
        if self.kind == LISTED:
            return 0
        return (self.start if self.present < 0 else self.present) - self.base + 1


def running_loops(frames: List[Any]) -> List[Optional[Bound]]:
    """Returns the loops that are running in FRAMES, the innermost first: what each counts to, None
    for a loop over anything else."""
    return [bound for bound, _ in _located_loops(frames)]


def places_of_loops(frames: List[Any]) -> FrozenSet[Any]:
    """Returns where the running_loops() stand in the program."""
    return frozenset(place for _, place in _located_loops(frames))


def _located_loops(frames: List[Any]) -> List[Tuple[Optional[Bound], Any]]:
    found: List[Tuple[Optional[Bound], Any]] = []
    for frame in frames[:MOST_FRAMES]:
        if frame.f_code.co_name in COMPREHENSIONS:
            continue  # is part of the expression that runs in the frame around it
        tree = _tree_of(frame)
        if tree is not None:
            loops = _loops_at(tree, frame.f_lineno)
            while None in loops:  # those around the function do not run
                loops = loops[loops.index(None) + 1:]
            bounds = [(_bound_of(loop, frame), (frame.f_code, _line_of(loop))) for loop in reversed(loops)]
            if _is_of_library(frame):  # which loops over its plugins, jobs ...
                bounds = [each for each in bounds if not each[0] or each[0].kind != LISTED]
            found += bounds
    return found


def _line_of(loop: Any) -> int:
    return int(loop.target.lineno if isinstance(loop, ast.comprehension) else loop.lineno)


def _is_of_library(frame: Any) -> bool:
    file = frame.f_code.co_filename
    return "site-packages" in file or "dist-packages" in file or file.startswith(sys.base_prefix + "/lib")


_trees: Dict[str, Any] = {}  # by the name of the file; None where it cannot be read


def forget() -> None:
    """Frees the parsed text of the program."""
    _trees.clear()


def _tree_of(frame: Any) -> Any:
    file = frame.f_code.co_filename
    if file not in _trees:
        lines = linecache.getlines(file, frame.f_globals)
        try:
            _trees[file] = ast.parse("".join(lines)) if 0 < len(lines) <= MOST_LINES else None
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            _trees[file] = None
    return _trees[file]


def _loops_at(node: Any, line: int) -> List[Any]:
    """Returns the loops of a function, or of a module, that are around the line, the outermost
    first; None begins a function. Of several comprehensions beside each other on the line the first counts."""
    for child in ast.iter_child_nodes(node):
        if not _covers(child, line):
            continue
        inner = _loops_at(child, line)
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return [None, *inner]
        if isinstance(child, (ast.For, ast.While)) and _in_body(child, line):
            return [child, *inner]
        if isinstance(child, (ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)):
            return [*child.generators, *inner]
        if inner:
            return inner
    return []


def _covers(node: Any, line: int) -> bool:
    begin = min([node.lineno] + [d.lineno for d in getattr(node, "decorator_list", [])]) if hasattr(
        node, "lineno") else 0
    if begin:
        return bool(begin <= line <= (node.end_lineno or begin))
    return any(_covers(child, line) for child in ast.iter_child_nodes(node))


def _in_body(loop: Any, line: int) -> bool:
    return bool(loop.body[0].lineno <= line <= (loop.body[-1].end_lineno or 0))


def _bound_of(loop: Any, frame: Any) -> Optional[Bound]:
    try:
        found = _counted_by(loop, _values_of(loop, frame))
    except Exception:  # an object of the program that is odd
        return None
    return found and found._replace(where=(loop, frame.f_code))


def _counted_by(loop: Any, values: Variables) -> Optional[Bound]:
    if isinstance(loop, ast.While):
        return _bound_of_while(loop, values)
    found = _range_of(loop.iter, values)
    if found is None:
        return _bound_of_break(loop, values)
    if found.kind == LISTED:
        return found
    present = _present(_counter(loop), values)
    return found._replace(present=present if present < 0 else (present - found.first) // found.step)


def _counter(loop: Any) -> str:
    """Returns the name of the variable that a loop over a range sets."""
    target = loop.target
    if isinstance(target, ast.Tuple) and target.elts:  # of enumerate()
        target = target.elts[0]
    # "_" is often the name of several counters.
    return target.id if isinstance(target, ast.Name) and target.id != "_" else ""


def _present(counter: str, values: Variables) -> int:
    try:
        found = values(counter) if counter else -1
    except KeyError:  # of a comprehension, which has variables of its own
        return -1
    return found if type(found) is int else -1


def bound_now(bound: Bound, frames: List[Any]) -> Optional[Bound]:
    """Returns what a loop counts to now, None where it does not run any more."""
    loop, code = bound.where
    for frame in frames:
        if frame.f_code is code:
            return _bound_of(loop, frame)
    return None


def _values_of(loop: Any, frame: Any) -> Variables:
    """Returns the values of the variables that the loop names. See `_variables._variables()` on the
    copy of a function's variables."""
    code, missing = frame.f_code, object()
    names = _names_in(loop)
    kept: Dict[str, Any] = {}
    if not code.co_flags & OPTIMIZED or "locals" not in code.co_names:
        variables = frame.f_locals
        kept = {name: variables[name] for name in names if name in variables}
        if code.co_flags & OPTIMIZED and isinstance(variables, dict):
            variables.clear()
    scopes: List[Mapping[str, Any]] = [kept, frame.f_globals]

    def value(name: str) -> Any:
        for scope in scopes:
            found = scope.get(name, missing)
            if found is not missing:
                return found
        raise KeyError(name)

    return value


def _names_in(loop: Any) -> FrozenSet[str]:
    """Returns the variables that a loop names. They are kept with it, as it may be read at each lap."""
    if not hasattr(loop, "names"):
        loop.names = frozenset(node.id for node in ast.walk(loop) if isinstance(node, ast.Name))
    names: FrozenSet[str] = loop.names
    return names


# What a loop runs over.


def _range_of(node: Any, values: Variables) -> Optional[Bound]:
    """Returns what an expression counts to: range(...), or that within another call, such as
    tqdm(range(9)) or enumerate(range(9)); a variable that is a range or a bar with a total."""
    if isinstance(node, ast.NamedExpr):
        return _range_of(node.value, values)
    if isinstance(node, ast.Name):
        return _range_of_object(values(node.id), node.id)
    if isinstance(node, (ast.List, ast.Tuple)):
        return Bound(text_of(node), 0, len(node.elts), 0, LISTED)
    if isinstance(node, ast.Attribute):
        return _range_of_object(value_of(node, values), text_of(node))
    if not isinstance(node, ast.Call) or not node.args:
        return None
    called: str = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if called not in RANGES:
        wraps = len(node.args) == 1 or called == "enumerate"
        found = _range_of(node.args[0], values) if wraps else None
        if found and called == "enumerate":  # whose own number counts the rounds
            found = found._replace(first=0, step=1)
        keeps = any(word in called.lower() for word in KEEPS_ORDER)
        return found if keeps or found is None else found._replace(kind=LISTED)
    limits = node.args[:2]
    step = number_of(node.args[2], values) if len(node.args) > 2 else 1
    if step > 1:
        numbers = range(number_of(limits[0], values), number_of(limits[1], values), step)
        return _rounds_of(numbers, f"{text_of(limits[1])}-by-{text_of(node.args[2])}")
    if step < 1:
        return None
    stop, start, base = number_of(limits[-1], values), 0, 0
    if len(limits) == 2:
        start = number_of(limits[0], values)
        is_one = isinstance(limits[0], ast.Constant) and start == 1
        base = int(is_one or text_of(limits[-1]).endswith("+1"))
    return Bound(text_of(limits[-1]).removesuffix("+1"), start, stop, base)


def _rounds_of(numbers: range, name: str) -> Bound:
    """Returns how many rounds a loop over numbers with gaps makes."""
    return Bound(name, 0, len(numbers), 0, first=numbers.start, step=numbers.step)


def _range_of_object(found: Any, name: str) -> Optional[Bound]:
    if type(found) in (list, tuple, dict):
        return Bound(name, 0, len(found), 0, LISTED)
    within = found if type(found) is range else own_members(found).get("iterable")  # of tqdm
    if type(within) is not range or within.step < 1:
        return None
    if within.step > 1:
        return _rounds_of(within, name)
    return Bound(name, within.start, within.stop, int(within.start == 1))


def _bound_of_while(loop: Any, values: Variables) -> Optional[Bound]:
    """Returns what `while a < b` counts to, also as a part of `... and ...`, or in the break at
    the level of its body."""
    tests = loop.test.values if isinstance(loop.test, ast.BoolOp) else [loop.test]
    is_and = not isinstance(loop.test, ast.BoolOp) or isinstance(loop.test.op, ast.And)
    for test in tests if is_and else []:
        found = _compared(test, values, (ast.Lt, ast.LtE, ast.NotEq))
        if found is not None:
            return found
    return _bound_of_break(loop, values)


def _bound_of_break(loop: Any, values: Variables) -> Optional[Bound]:
    """Returns the number that a loop's counter reaches at a `break` of the loop."""
    counter = "" if isinstance(loop, ast.While) else _counter(loop)
    for node in getattr(loop, "body", []):
        if not isinstance(node, ast.If) or not isinstance(node.body[-1], (ast.Break, ast.Return)):
            continue
        found = _compared(node.test, values, (ast.Gt, ast.GtE, ast.Eq))
        if found is None:
            continue
        left = node.test.left if isinstance(node.test, ast.Compare) else None
        if counter and isinstance(left, ast.Name) and left.id == counter:
            # A break at the end of the body comes after the batch with that number.
            late = int(node is not loop.body[0]) - _first_number(loop.iter, values)
            return found._replace(start=0, stop=found.stop + late, base=0, kind=CUT)
        return found if isinstance(loop, ast.While) else found._replace(kind=LIMIT)
    return None


def _first_number(node: Any, values: Variables) -> int:
    """Returns the number from which enumerate(..., number) counts."""
    given = [*node.args[1:], *[each.value for each in node.keywords]] if isinstance(node, ast.Call) else []
    return number_of(given[0], values) if given else 0


def _compared(test: Any, values: Variables, kinds: Any) -> Optional[Bound]:
    """Returns what a comparison of two numbers, one of which is a counter, says of its end."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], kinds):
        return None
    counter, limit = test.left, test.comparators[0]
    if not isinstance(counter, (ast.Name, ast.Attribute, ast.Subscript)):
        return None
    within = isinstance(counter, ast.Subscript)  # run[0], which a closure can change
    present, stop = number_of(counter, values), number_of(limit, values)
    late = int(isinstance(test.ops[0], (ast.LtE, ast.Gt)))
    return Bound(text_of(limit), present, stop + late, late, COMPARISON, present, within=within,
                 counter=text_of(counter))


def program_frames() -> Iterator[Any]:
    """Yields the frames of the program that are running, the innermost first."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        module = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if module not in ("lapcast", "torch", "tensorflow", "keras"):
            yield frame
        frame = frame.f_back
