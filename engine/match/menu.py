"""A decision's menu with readable names, and the interpretation of a submitted choice (G24)."""

from __future__ import annotations

import math
import re
from typing import Literal, NamedTuple, SupportsIndex

from msgspec import Struct

from antemill.engine.arguments import described
from antemill.engine.match.errors import IllegalChoiceError

# The reason for which the played choice differs from the submitted one:
# above-maximum: an amount was clamped. below-minimum, malformed: a random legal amount was drawn for it.
# no-choice: the driver found no choice in the reply, and a random legal action was drawn.
Reason = Literal["above-maximum", "below-minimum", "malformed", "no-choice"]

_WHOLE = re.compile(r"\s*([+-]?)0*([0-9]+)(?:\.0*)?\s*", re.ASCII)
_LONGEST = 18  # significant digits of an amount


class Resolved(NamedTuple):
    """A choice on a menu: its index, or None if one must be drawn at random, and the reason for a change."""

    place: int | None
    reason: Reason | None = None


class Menu(Struct, frozen=True):
    """The legal actions: named options in the rules' order, or all amounts from `low` to `high`.

    An option menu has `low` and `high` 0; a menu of amounts has no labels.
    """

    labels: tuple[str, ...]
    actions: tuple[int, ...]  # the options' numbers among all options of the decision type
    low: int = 0
    high: int = 0

    @property
    def amounts(self) -> bool:
        """Whether this is a range of amounts."""
        return not self.labels

    def __len__(self) -> int:
        return len(self.labels) or self.high - self.low + 1

    def choice(self, index: int) -> str | int:
        """The choice at an index, as an argument of `resolve`: an option's name, or an amount."""
        return self.labels[index] if self.labels else self.low + index

    def action(self, index: int) -> int:
        """The action number at an index."""
        return self.actions[index] if self.labels else self.low + index

    def text(self) -> str:
        """The menu in words: "bet, check" or "a whole number from 1 to 8"."""
        if self.labels:
            return ", ".join(self.labels)
        return f"a whole number from {self.low} to {self.high}"

    def resolve(self, choice: object) -> Resolved:
        """Interpret a submitted choice.

        On a menu of options: an option's name (in any letter case if there is no exact match) or its index. On a range:
        an amount, as a whole number or the text of one. An amount above the range is clamped; one below it, or any
        other value, has place None. Raises IllegalChoiceError if it is not an option.
        """
        return self._amount(choice) if self.amounts else Resolved(self._option(choice))

    def _option(self, choice: object) -> int:
        if isinstance(choice, str):
            if choice in self.labels:
                return self.labels.index(choice)
            wanted = choice.strip().casefold()
            found = [i for i, label in enumerate(self.labels) if label.casefold() == wanted]
            if len(found) == 1:
                return found[0]
        elif (index := whole_of(choice)) is not None and 0 <= index < len(self.labels):
            return index
        shown = f"'{choice[:60]}'" if isinstance(choice, str) else described(choice)
        raise IllegalChoiceError(f"{shown} is not a legal choice here: choose one of {self.text()}.")

    def _amount(self, choice: object) -> Resolved:
        amount = _whole_number(choice)
        if amount is None:
            return Resolved(None, "malformed")
        if amount < self.low:
            return Resolved(None, "below-minimum")
        if amount > self.high:
            return Resolved(len(self) - 1, "above-maximum")
        return Resolved(amount - self.low)


def whole_of(choice: object) -> int | None:
    """A whole number of Python or numpy; None for anything else, including truth values."""
    if isinstance(choice, bool) or not isinstance(choice, SupportsIndex):
        return None
    try:
        return choice.__index__()
    except TypeError:  # an array
        return None


def _whole_number(choice: object) -> int | None:
    """The whole number that a choice is or spells; None for other choices."""
    if isinstance(choice, float):
        return int(choice) if math.isfinite(choice) and choice == int(choice) else None
    if isinstance(choice, str) and (match := _WHOLE.fullmatch(choice)):
        sign, digits = match.groups()
        size = int(digits) if len(digits) <= _LONGEST else 10**_LONGEST  # int() refuses thousands of digits
        return -size if sign == "-" else size
    return whole_of(choice)
