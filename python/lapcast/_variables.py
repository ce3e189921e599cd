"""Searches the variables of the functions that are running, and the settings that they hold, for
numbers with known names."""

from __future__ import annotations

from lapcast._bounds import OPTIMIZED, program_frames
from lapcast._length_names import HOLDERS, NAMES, OWN_MAPPINGS, PRESENT_EPOCH
from lapcast._report import report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, FrozenSet, Iterable, Iterator, List, Mapping, Optional, Tuple

    Found = Tuple[int, str]  # the number, and the name of its variable

DEEPEST = 3  # cfg.train.epochs
MOST_MEMBERS = 500


def first_number(what: str, names: Any, scopes: Iterable[Any], at: int) -> Optional[Found]:
    """Returns the innermost number with one of the names. A note names another one that
    disagrees."""
    first: Optional[Found] = None
    for found in numbers_in(names, scopes):
        if first is None:
            first = found
        elif found[0] != first[0]:
            report.note(f"the program has two numbers of {what}: {first[1]} is {first[0]} and "
                        f"{found[1]} is {found[0]}; {first[0]} is used, --{what} N says "
                        "otherwise", at=at)
            return first
    return first


def numbers_in(names: Any, scopes: Iterable[Any]) -> Iterator[Found]:
    """Yields the numbers with one of the names, the innermost first."""
    for variables in scopes:
        yield from _search(variables, names, "", DEEPEST)


def numbers_of_settings(names: Any, scopes: Iterable[Any]) -> Iterator[Found]:
    """Yields the numbers that are part of settings. A plain variable may count something else."""
    return (found for found in numbers_in(names, scopes) if "." in found[1])


def scopes_of(frames: List[Any]) -> Iterator[Mapping[str, Any]]:
    seen: List[Any] = []
    for frame in frames:
        yield _variables(frame)
    for frame in frames:
        if not any(frame.f_globals is each for each in seen):
            seen.append(frame.f_globals)
            yield frame.f_globals


def _variables(frame: Any) -> Mapping[str, Any]:
    """Returns the variables of a function that may tell the length of the training. Before Python
    3.13 a copy of all of them stays with the frame once they were read, and would keep the first
    batch alive, so the copy is cleared. A function that calls locals() owns
    that copy, so its variables are not read."""
    code = frame.f_code
    if not code.co_flags & OPTIMIZED or "locals" in code.co_names:
        return {}
    variables = frame.f_locals
    kept = {name: value for name, value in variables.items() if name.lower() in NAMES}
    if isinstance(variables, dict):
        variables.clear()
    return kept


def _search(variables: Mapping[str, Any], names: Any, path: str, depth: int) -> Iterator[Found]:
    """Yields the numbers of VARIABLES that have one of the names, then those of the settings that
    they hold."""
    try:
        members = [item for item in list(variables.items()) if isinstance(item[0], str)]
    except Exception:  # a mapping class of the program
        return
    for name, value in members:
        if name.lower().replace("-", "_") in names:
            number = _whole(value)
            if number:
                yield number, path + name
    if depth == 0:
        return
    for name, value in members:
        if name.lower() in HOLDERS:
            yield from _search(members_of(value), names, f"{path}{name}.", depth - 1)


def members_of(holder: Any) -> Mapping[str, Any]:
    """Returns the members of an object that holds settings, without calling its own code, except
    for the mappings of known libraries."""
    try:
        if isinstance(holder, dict):
            return holder if len(holder) <= MOST_MEMBERS else {}
        if type(holder).__module__.partition(".")[0] in OWN_MAPPINGS:
            return {name: _member(holder, name) for name in list(holder)}
        if isinstance(holder, type) and hasattr(holder, "__dataclass_fields__"):
            return {}  # The defaults of a dataclass are not what its objects hold.
        of_class = holder if isinstance(holder, type) else type(holder)
        return {**vars(of_class), **getattr(holder, "__dict__", {})}
    except Exception:
        return {}


def _member(holder: Any, name: Any) -> Any:
    """Returns a member of a known library's mapping, None where it has no value, as `???` in
    OmegaConf."""
    try:
        return getattr(holder, name)
    except Exception:
        return None


def _whole(value: Any) -> int:
    """Returns VALUE where it is a whole number above 0, otherwise 0."""
    if type(value) is int or (type(value) is float and value.is_integer()):
        return int(value) if 0 < value <= 10**12 else 0
    return 0


def present_epoch(other_than: FrozenSet[str] = frozenset()) -> int:
    """Returns the number of the current epoch, -1 where no variable has such a name."""
    for variables in scopes_of(list(program_frames())):
        for name in PRESENT_EPOCH:
            if name not in other_than and type(variables.get(name)) is int:
                return int(variables[name])
    return -1
