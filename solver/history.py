"""A match that was played, as a path through the game: every answer that the machine was given, chance's too.

Answers that no rule tells apart are one branch (`engine.branches`). A history has each branch's first answer in place
of the one that was given, as the tree (`solver.tree`) has. Which of two like cards was drawn decides how the deck lies
afterwards, so branches are looked up in a twin of the match in which only first answers were given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy.typing as npt

from engine import layout as at
from engine.branches import Branch, branches, outcome_card, root_state
from engine.chance import below, subkey
from engine.describe import SEATS
from engine.errors import UsageError
from engine.layout import CHANCE, OVER
from engine.policy import action_index
from engine.program import Program
from engine.rollout import payoff, streams
from engine.vm import advance
from solver.tree import ExtensiveForm

Array = npt.NDArray[Any]


class Step(NamedTuple):
    """A branch that was taken."""

    choice: int  # its first answer
    child: int  # its number among the state's `ways`, and among the children of the tree's node


class History(NamedTuple):
    """A whole match."""

    digest: str  # of the program
    steps: tuple[Step, ...]
    payoff: int  # Alice's, chips


def ways(program: Program, state: Array) -> list[Branch]:
    """The branches of a state in the order of the tree's children."""
    return sorted(branches(program, state))


def play_out(program: Program, state: Array, play_seed: int, answer: Callable[[Array], int]) -> History:
    """Play to the end with the cards of a play seed, on `state`, which is at the first question.

    answer: gives a menu index for the decision at which the state stopped.
    """
    key = int(subkey(streams(play_seed).chance, 0)) or 1
    steps = []
    twin = root_state(program)
    while state[at.STOP] != OVER:
        chance = state[at.STOP] == CHANCE
        choice = int(below(key, state[at.ADDRESS], state[at.MENU])) if chance else answer(state)
        step = _branch(program, state, choice, twin)
        steps.append(step)
        for each, index in ((state, choice), (twin, step.choice)):
            each[at.CHOICE] = index
            advance(program.code, each)
    return History(program.digest, tuple(steps), int(payoff(state)))


def logged_history(program: Program, play_seed: int, actions: Iterable[int]) -> History:
    """The match of a play seed in which these actions were taken, as `rollout` logs them."""
    rest = iter(actions)
    return play_out(program, root_state(program), play_seed, lambda state: int(action_index(state, int(next(rest)))))


def _branch(program: Program, state: Array, choice: int, twin: Array) -> Step:
    """The twin's branch that an answer belongs to: that of the same card, else the last one not above it."""
    found = ways(program, twin)
    card = int(outcome_card(program.code, state, choice)) if state[at.STOP] == CHANCE else -1
    if card < 0:
        child = sum(way.choice <= choice for way in found) - 1
    else:
        keys = [twin[at.CARD_KEY + int(outcome_card(program.code, twin, way.choice))] for way in found]
        child = keys.index(state[at.CARD_KEY + card])
    return Step(found[child].choice, child)


def end_node(tree: ExtensiveForm, history: History) -> int:
    """The node at which a match has ended. Raises UsageError if it is not one of the tree's game."""
    check_game(history, tree.digest, tree.game)
    node = 0
    for step in history.steps:
        node = int(tree.first[node]) + step.child
    return node


def check_game(history: History, digest: str, game: str) -> None:
    """Raise UsageError if the match is not one of the game with this digest."""
    if history.digest != digest:
        raise UsageError(f"the match is not one of {game}: pass the game that was played.")


def strange(game: str, seat: int) -> str:
    """What to say of a match that a policy can not have played."""
    return (
        f"in this match of {game}, {SEATS[seat]} made a choice that the policy never makes: "
        "pass the policy and the seat that were played."
    )
