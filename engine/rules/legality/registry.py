"""The table of rules, the limits that they enforce, and functions that several rules use.

A rule is a function of the facts, the phase of a node, and the node. It returns the fault as a sentence, or None.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar, get_args

from antemill.engine.rules.legality.facts import Facts
from antemill.engine.rules.spec import If, Phase, Step, Transfer
from antemill.engine.rules.walk import PLAYER_FIELDS, Node

MAX_CONDITIONALS = 250
MAX_DEPTH = 12  # phases on the way from a main phase down to the innermost performed one
MAX_IF_DEPTH = 16
MAX_CONDITION_DEPTH = 8
MAX_PLAY = 20_000  # steps and conditions of one play, counted as if every branch were taken
MAX_RANK = 1_000
MAX_CHANGE = 10_000  # of a variable, by one step
MAX_ODDS = 10

Rule = Callable[[Facts, Any, Any], str | None]
R = TypeVar("R", bound=Callable[..., str | None])

RULES: dict[type, list[Rule]] = {}
PHASES: tuple[type, ...] = get_args(Phase)
# The kinds of node that name a player; `Transfer` has a rule of its own.
ACTORS = [kind for kind in get_args(Node) if PLAYER_FIELDS[kind] and kind is not Transfer]
PRIZE_WORDS = ("winner", "loser")


def rule(*kinds: type) -> Callable[[R], R]:
    """Register a rule for nodes of these kinds. A rule for `GameSpec` is about the game as a whole."""

    def register(function: R) -> R:
        for kind in kinds:
            RULES.setdefault(kind, []).append(function)
        return function

    return register


def repeated(names: Iterable[str]) -> list[str]:
    """The names that occur more than once."""
    return [name for name, times in Counter(names).items() if times > 1]


def plain(text: str) -> bool:
    """Whether a text fits into a line of a rulebook: printable, and no space around it."""
    return text.isprintable() and text == text.strip() and text != ""


def quoted(names: Iterable[object]) -> str:
    """The names in quotes, separated by commas."""
    return ", ".join(f"'{name}'" for name in names)


def performs(steps: Sequence[Step]) -> bool:
    """Whether a phase is performed somewhere in the steps."""
    for step in steps:
        if step.plays or (isinstance(step, If) and (performs(step.then) or performs(step.otherwise))):
            return True
    return False
