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
from lapcast._length_names import (BATCHES, CLICKS, EPOCHS, MAYBE_EPOCHS, NUMBERS, OF_ROLLOUTS, STEPS,
                                   STEPS_OF_SETTINGS, STEPS_PER_EPOCH)
from lapcast._nest import MOST_STEPS, Nest
from lapcast._report import report
from lapcast._rounds import SAYS_IT
from lapcast._variables import (first_number, members_of, numbers_in, numbers_of_settings, present_epoch,
                                scopes_of)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List, Mapping, Optional, Tuple

    from lapcast._rounds import Rounds

    Found = Tuple[int, str]  # the number, and the name of its variable


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
        members = members_of(result[0])
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
        self.rounds: Optional[Rounds] = None  # of the loops around, for a loop without loaders
        self.made = 0  # laps, which the plan may not exceed
        self.counted: Optional[Found] = None  # steps that a counter tells, where others are planned
        self.before = 0  # steps made before the loops that `nest` has, in others

    def find(self, source: str, at: int, in_epochs: bool, fetches: int = 1) -> None:
        """Searches the variables, and reports a plan at the time AT. in_epochs: the epochs of the
        loop are seen, with FETCHES batches a lap. If not, planned epochs help only where the program also has the steps of an
        epoch, or `watch` finds them."""
        self.nest.read()
        frames = list(program_frames())
        is_counted = present_epoch(other_than=MAYBE_EPOCHS) >= 0
        names = EPOCHS | MAYBE_EPOCHS if is_counted else EPOCHS
        everywhere = [*scopes_of(frames)], command_line.scopes()
        steps: Optional[Found] = None
        for scopes in everywhere:
            epochs = first_number("epochs", names, scopes, at)
            steps = None if epochs and in_epochs else first_number("steps", STEPS, scopes, at)
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
        if not in_epochs and not steps and not self.guessed:
            self.rounds = self.nest.rounds()

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
        self.nest, self.epochs, self.guessed, self.rounds = Nest(), None, None, None
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
        self.rounds = self.nest.rounds()

    def _of_all_trainings(self, epochs: Found) -> Found:
        """Returns the epochs of all trainings, where a loop makes several of so many epochs."""
        loop, several = self.nest.epoch_loop(), self.nest.trainings()
        if loop is None or several is None or loop.whole() != epochs[0]:
            return epochs
        return epochs[0] * several[0], f"{epochs[1]}-x-{several[1]}"

    def _find_for_steps(self, source: str, at: int, scopes: List[Any]) -> None:
        """Searches for what a loop without loaders does not show: the samples of a step and, where
        the plan has no steps yet, the steps of an epoch, or of the whole training."""
        rolls_out = next(numbers_in(OF_ROLLOUTS, scopes), None) is not None
        if not rolls_out:
            self.batch = next((number for number, _ in numbers_of_settings(BATCHES, scopes)), 0)
        if report.planned("steps"):
            return
        if self.epochs is not None:
            per_epoch = next(numbers_in(STEPS_PER_EPOCH, scopes), None)
            if per_epoch is not None:
                steps, name = per_epoch
                epochs, name_of_epochs = self.epochs
                _plan(source, "steps", (steps * epochs, f"{name_of_epochs}-x-{name}"), at)
        elif not rolls_out:
            self.guessed = next(numbers_of_settings(STEPS_OF_SETTINGS, scopes), None)
            if self.guessed is not None:
                _plan(source, "steps", self.guessed, at)

    def watch(self, source: str, at: int) -> None:
        """Is called at each lap of a loop without loaders. Two epochs in a row with the same number
        of laps tell the steps of each planned epoch."""
        self.watch_counter(source, at)
        if self.rounds is not None:
            self._watch_rounds(self.rounds, source, at)
        if self.epochs is None:
            return
        present = present_epoch()
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
        self.made += 1
        if self.nest.is_checking():
            counted = self.nest.check()
            if counted is not None:
                self._plan_steps(source, counted, at)
        if not self.nest.is_watching():
            return
        found = self.nest.watch(is_over, looks)
        if not found or self.nest.ends_in_epoch() and self.rounds is None:
            return
        number, name = found
        if self.rounds is not None and self.rounds.decides:
            number, name = self.rounds.all_of(number), f"{name}-x-{self.rounds.name}"
        if self.guessed or report.planned("steps") or report.planned("epochs"):
            self.counted = self.before + number, name
        elif number:
            _plan(source, "steps", (self.before + number, name), at)

    def _watch_rounds(self, rounds: Rounds, source: str, at: int) -> None:
        """Corrects the plan by the steps that the rounds of the loops around have made so far."""
        laps, planned = rounds.watch(), report.planned("steps")
        if not rounds.decides:
            return
        if rounds.reason:
            self._withdraw(source, rounds.reason, at)
        elif laps:
            laps += self.before or report.planned("done")
            if rounds.corrects(planned, laps):
                self.epochs = None
                _plan(source, "steps", (laps, rounds.name), at)

    def check(self, source: str, at: int) -> None:
        """Is called after each lap. Takes the planned steps back when the training has made more."""
        planned, made = report.planned("steps"), report.planned("done") + self.made
        if made <= planned or not planned:
            return
        rounds, name = self.rounds, report.origin()
        more = rounds.goes_on() if rounds is not None and rounds.decides else 0
        if more:
            _plan(source, "steps", (made - 1 + more, name), at)
        elif self.counted and self.counted[0] >= made:
            _plan(source, "steps", self.counted, at)
        else:
            self._withdraw(source, f"{_said(name, planned)}, but the loop made more steps: how many it "
                           f"makes {SAYS_IT}", at)

    def check_epochs(self, source: str, epoch: int, at: int) -> None:
        """Is called after the first lap of an EPOCH. Takes the planned epochs back when the training
        has more, or a later one of several trainings has another number of them."""
        planned, name = report.planned("epochs"), report.origin()
        reason = self.nest.other_epochs() if planned else ""
        if 0 < planned < epoch:
            reason = f"{_said(name, planned)}, but another epoch has begun"
        if reason:
            report.plan(source, epochs=0, at=at)
            report.note(f"{reason}: how many epochs the program makes is not known, --epochs N says it")

    def _withdraw(self, source: str, reason: str, at: int) -> None:
        """Takes the planned steps back, and all from which others would follow."""
        self.epochs = self.guessed = self.rounds = None
        self.nest.stop_watching()
        report.plan(source, steps=0, at=at)
        report.note(reason)


def _said(name: str, planned: int) -> str:
    return f"the plan was {planned}" if name in ("", str(planned)) else f"{name} is {planned}"


def _plan(source: str, key: str, found: Found, at: int) -> None:
    number, name = found
    report.plan(source, **{key: number}, origin=name, at=at)
