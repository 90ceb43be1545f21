"""A played match as a path through the game tree: the answers to all questions of the machine.

The machine asks players for decisions and chance for outcomes. Answers that no rule distinguishes are one branch (see
`antemill.engine.machine.branches`). The tree holds one child for each branch, and so does a history: in place of the
actual answer it has the first answer of the branch.

Replacing an answer has a consequence. The order of the deck depends on which of two equivalent cards was drawn, so
afterwards a number means different cards in the match and in the tree. A match is therefore played twice side by
side: as it was, and as a twin that takes the first answer of each branch. Each answer is looked up in the twin.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from antemill.engine.errors import UsageError
from antemill.engine.machine import layout as at
from antemill.engine.machine.branches import Branch, branches, outcome_card, root_state
from antemill.engine.machine.chance import below, subkey
from antemill.engine.machine.layout import CHANCE, OVER
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import payoff, streams
from antemill.engine.machine.vm import advance
from antemill.engine.text.labels import SEATS
from antemill.solver.game import Array, ExtensiveForm


class Step(NamedTuple):
    """A step of a history: one question of the machine, and the branch that was taken."""

    choice: int  # its first answer
    child: int  # the branch's number in `ordered_branches`, and the child's among those of the tree's node


class History(NamedTuple):
    """A whole match, from the first question to the end."""

    digest: str  # of the program
    steps: tuple[Step, ...]
    payoff: int  # Alice's, chips


def ordered_branches(program: Program, state: Array) -> list[Branch]:
    """The branches of a stopped state, int64[layout.SIZE], in the order of the children of its node in the tree."""
    return sorted(branches(program, state))


def play_out(program: Program, state: Array, play_seed: int, answer: Callable[[Array], int]) -> History:
    """The history of a match with the cards of a play seed. `state` is at the first question; it is played to the end.

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


def _branch(program: Program, state: Array, choice: int, twin: Array) -> Step:
    """The branch of the twin that an answer to the state's question belongs to.

    If the answer draws a card, it is the branch that draws a card of the same class; otherwise the last branch that
    begins at or before the answer.
    """
    found = ordered_branches(program, twin)
    card = int(outcome_card(program.code, state, choice)) if state[at.STOP] == CHANCE else -1
    if card < 0:
        child = sum(branch.choice <= choice for branch in found) - 1
    else:
        keys = [twin[at.CARD_KEY + int(outcome_card(program.code, twin, branch.choice))] for branch in found]
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


def impossible_choice(game: str, seat: int) -> str:
    """The message about a match that a policy cannot have played."""
    return (
        f"in this match of {game}, {SEATS[seat]} made a choice that the policy never makes: "
        "pass the policy and the seat that were played."
    )
