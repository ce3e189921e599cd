"""Finds how long a training is planned to be: numbers of epochs or steps in the program's
variables.

When the first step has been seen, the variables of the functions that are running, the settings
that they hold (`args.epochs`, `cfg.train.max_steps`) and the globals of their modules are searched
once, the innermost function first. What a parser made of the command line is usually one of these
(a DictConfig of hydra, the parameters of a function that fire or click calls); otherwise the
numbers that argparse, click or absl have parsed are taken.
"""

from __future__ import annotations

import functools
import sys

from lapcast._bounds import program_frames
from lapcast._length_names import (BATCHES, CLICKS, EPOCHS, HOLDERS, MAYBE_EPOCHS, NAMES, NUMBERS, OF_ROLLOUTS,
                                   OWN_MAPPINGS, PRESENT_EPOCH, STEPS, STEPS_OF_SETTINGS, STEPS_PER_EPOCH)
from lapcast._nest import MOST_STEPS, Nest
from lapcast._report import report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, FrozenSet, Iterable, Iterator, List, Mapping, Optional, Tuple

    Found = Tuple[int, str]  # the number, and the name of its variable

DEEPEST = 3  # cfg.train.epochs
MOST_MEMBERS = 500
OPTIMIZED = 1  # the flag of a function's code, whose variables are read as a copy


class CommandLine:
    """Holds the numbers that parsers have made of the command line. Use the one object
    `command_line`."""

    def __init__(self) -> None:
        self._parsed: Dict[str, int] = {}  # by argparse, by name

    def attach(self, argparse: Any) -> None:
        """Attaches to argparse, which has been imported, and keeps the numbers that it parses."""
        parse = argparse.ArgumentParser.parse_known_args

        def parse_known_args(*arguments: Any, **options: Any) -> Any:
            result = parse(*arguments, **options)
            self._keep(result)
            return result

        argparse.ArgumentParser.parse_known_args = functools.wraps(parse)(parse_known_args)

    @report.guard
    def _keep(self, result: Any) -> None:
        members = _members(result[0])
        self._parsed.update({name: value for name, value in members.items() if name in NUMBERS})

    def scopes(self) -> List[Mapping[str, Any]]:
        """Returns what argparse, click (the commands that run, the innermost first) and absl have
        made of the command line, as far as they are imported."""
        found: List[Mapping[str, Any]] = [{"argparse": self._parsed}]
        try:
            for name in CLICKS:
                click: Any = sys.modules.get(name)
                context = click and click.get_current_context(silent=True)
                while context is not None:
                    found.append({"click": context.params})
                    context = context.parent
            flags: Any = sys.modules.get("absl.flags")
            found += [{"absl": flags.FLAGS}] if flags else []
        except Exception:
            pass  # a module of the program's own has this name
        return found


command_line = CommandLine()
attach = command_line.attach


class Length:
    """Knows the planned length of one training, as far as the program's variables tell it."""

    def __init__(self) -> None:
        self.nest = Nest()
        self.epochs: Optional[Found] = None  # planned, of a loop whose epochs are not seen
        self.present = -1  # the epoch of the last lap
        self.laps = 0  # of that epoch
        self.laps_before = 0  # of the epoch just before it; 0 when not known
        self.batch = 0  # samples of a step, for a loop without loaders; 0 when not known
        self.guessed: Optional[Found] = None  # planned steps that may be those of something else
        self.steps = 0  # made so far, while there is such a guess
        self.before = 0  # steps made before the loops that `nest` has, in others

    def find(self, source: str, at: int, in_epochs: bool, fetches: int = 1) -> None:
        """Searches the variables, and reports a plan at the time AT. in_epochs: the epochs of the
        loop are seen, with FETCHES batches a lap. If not, planned epochs help only where the program also has the steps of an
        epoch, or `watch` finds them."""
        self.nest.read()
        frames = list(program_frames())
        is_counted = _present_epoch(other_than=MAYBE_EPOCHS) >= 0
        names = EPOCHS | MAYBE_EPOCHS if is_counted else EPOCHS
        everywhere = [*_scopes(frames)], command_line.scopes()
        for scopes in everywhere:
            epochs = _first("epochs", names, scopes, at)
            steps = None if epochs and in_epochs else _first("steps", STEPS, scopes, at)
            if epochs and in_epochs:
                _plan(source, "epochs", self._of_all_trainings(epochs), at)
            elif steps:
                _plan(source, "steps", steps, at)
            else:
                self.epochs = epochs
            if epochs or steps:
                break
        loop = self.nest.epoch_loop() if in_epochs and not report.planned("steps") else None
        if loop is not None and not report.planned("epochs") and loop.whole() > 0:
            _plan(source, "epochs", self._of_all_trainings((loop.whole(), loop.name)), at)
        cut = self.nest.steps_of_cut() if in_epochs else None
        if cut and not report.planned("steps") and not report.planned("epochs"):
            _plan(source, "steps", (-(-cut[0] // max(1, fetches)), cut[1]), at)
        if not in_epochs:
            self._find_for_steps(source, at, [scope for scopes in everywhere for scope in scopes])
        if self.nest.counts_steps() and (in_epochs or not report.planned("steps") or self.guessed):
            self._plan_steps(source, self.nest.steps(), at)

    def _plan_steps(self, source: str, found: Found, at: int) -> None:
        """Reports the steps that loops count to, which is more certain than any name."""
        if 0 <= found[0] <= MOST_STEPS:
            self.epochs = self.guessed = None
            done = self.nest.steps_done()
            if not self.before:
                report.plan(source, epochs=0, steps=found[0], done=done, origin=found[1], at=at)
            elif found[0]:
                _plan(source, "steps", (self.before + found[0] - done, found[1]), at)

    def goes_on(self, source: str, at: int, laps: int, epochs: int, in_epochs: bool) -> None:
        """Adds the loops that run now to the plan, after all that it counted have ended, with so
        many LAPS and EPOCHS made in this process. in_epochs: a pass over a loader feeds them."""
        self.nest, self.epochs, self.guessed = Nest(), None, None
        self.nest.read()
        self.before = report.planned("done") + laps
        if in_epochs:
            loop = self.nest.epoch_loop()
            if report.planned("epochs"):
                more = loop.whole() - loop.done() if loop else 0
                found = (epochs + more, loop.name) if loop and more > 0 else (0, "")
                _plan(source, "epochs", found, at)
            return
        report.plan(source, epochs=0, iterations=0, steps=0, at=at)
        if self.nest.counts_steps():
            self._plan_steps(source, self.nest.steps(), at)
        elif self.nest.is_empty():
            _plan(source, "steps", (self.before + 1, ""), at)  # a single call

    def _of_all_trainings(self, epochs: Found) -> Found:
        """Returns the epochs of all trainings, where a loop makes several of so many epochs."""
        loop, several = self.nest.epoch_loop(), self.nest.trainings()
        if loop is None or several is None or loop.whole() != epochs[0]:
            return epochs
        return epochs[0] * several[0], f"{epochs[1]}-x-{several[1]}"

    def _find_for_steps(self, source: str, at: int, scopes: List[Any]) -> None:
        """Searches for what a loop without loaders does not show: the samples of a step and, where
        the plan has no steps yet, the steps of an epoch, or of the whole training."""
        rolls_out = next(_numbers(OF_ROLLOUTS, scopes), None) is not None
        if not rolls_out:
            self.batch = next((number for number, _ in _settings(BATCHES, scopes)), 0)
        if report.planned("steps"):
            return
        if self.epochs is not None:
            per_epoch = next(_numbers(STEPS_PER_EPOCH, scopes), None)
            if per_epoch is not None:
                steps, name = per_epoch
                epochs, name_of_epochs = self.epochs
                _plan(source, "steps", (steps * epochs, f"{name_of_epochs}-x-{name}"), at)
        elif not rolls_out:
            self.guessed = next(_settings(STEPS_OF_SETTINGS, scopes), None)
            if self.guessed is not None:
                _plan(source, "steps", self.guessed, at)

    def watch(self, source: str, at: int) -> None:
        """Is called at each lap of a loop without loaders. Two epochs in a row with the same number
        of laps tell the steps of each planned epoch."""
        if self.guessed is not None:
            self._check_guess(source, at)
        self.watch_counter(source, at)
        if self.epochs is None:
            return
        present = _present_epoch()
        if present < 0:
            self.epochs = None
        elif present == self.present:
            self.laps += 1
        else:
            ended = self.laps if present == self.present + 1 else 0
            if ended and ended == self.laps_before:
                number, name = self.epochs
                if report.planned("steps") != number * ended:
                    _plan(source, "steps", (number * ended, name), at)
                self.epochs = None
            self.present, self.laps, self.laps_before = present, 1, ended

    def watch_counter(self, source: str, at: int, is_over: bool = False, looks: bool = True) -> None:
        """Is called at each lap: a counter that a comparison ends tells the steps where nothing
        else did. is_over: the program is past the lap, as it asks for the next batch. looks: what
        the counter is now may be compared with other laps."""
        if self.nest.is_checking():
            counted = self.nest.check()
            if counted is not None:
                self._plan_steps(source, counted, at)
        if not self.nest.is_watching():
            return
        found = self.nest.watch(is_over, looks)
        if found and not self.guessed and not report.planned("steps") and not report.planned("epochs"):
            _plan(source, "steps", (self.before + found[0], found[1]), at)

    def _check_guess(self, source: str, at: int) -> None:
        """Takes a guessed number of steps back when the loop has made more."""
        self.steps += 1
        number, name = self.guessed or (0, "")
        if self.steps > number:
            self.guessed = None
            report.plan(source, steps=0, at=at)
            report.note(f"{name} is {number}, but the loop made more steps: how many it makes is not "
                        "known, --steps N says it")


def _plan(source: str, key: str, found: Found, at: int) -> None:
    number, name = found
    report.plan(source, **{key: number}, origin=name, at=at)


def _first(what: str, names: Any, scopes: Iterable[Any], at: int) -> Optional[Found]:
    """Returns the innermost number with one of the names. A note names another one that
    disagrees."""
    first: Optional[Found] = None
    for found in _numbers(names, scopes):
        if first is None:
            first = found
        elif found[0] != first[0]:
            report.note(f"the program has two numbers of {what}: {first[1]} is {first[0]} and "
                        f"{found[1]} is {found[0]}; {first[0]} is used, --{what} N says "
                        "otherwise", at=at)
            return first
    return first


def _numbers(names: Any, scopes: Iterable[Any]) -> Iterator[Found]:
    """Yields the numbers with one of the names, the innermost first."""
    for variables in scopes:
        yield from _search(variables, names, "", DEEPEST)


def _settings(names: Any, scopes: Iterable[Any]) -> Iterator[Found]:
    """Yields the numbers that are part of settings. A plain variable may count something else."""
    return (found for found in _numbers(names, scopes) if "." in found[1])


def _scopes(frames: List[Any]) -> Iterator[Mapping[str, Any]]:
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
            yield from _search(_members(value), names, f"{path}{name}.", depth - 1)


def _members(holder: Any) -> Mapping[str, Any]:
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


def _present_epoch(other_than: FrozenSet[str] = frozenset()) -> int:
    """Returns the number of the current epoch, -1 where no variable has such a name."""
    for variables in _scopes(list(program_frames())):
        for name in PRESENT_EPOCH:
            if name not in other_than and type(variables.get(name)) is int:
                return int(variables[name])
    return -1
