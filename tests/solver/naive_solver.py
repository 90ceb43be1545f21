"""Values and best responses in exact fractions, straight from the machine's states: no tree, no sequence form."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy.typing as npt

from antemill.engine.machine import layout as at
from antemill.engine.machine.branches import branches, root_state
from antemill.engine.machine.layout import CHANCE, OVER
from antemill.engine.machine.observe import recall_key
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import payoff
from antemill.engine.machine.vm import advance

State = npt.NDArray[Any]
Policy = Mapping[tuple[int, int], tuple[Fraction, ...]]  # (seat, recall key) -> probabilities by ascending action


def follow(program: Program, state: State, choice: int) -> State:
    after = state.copy()
    after[at.CHOICE] = choice
    advance(program.code, after)
    return after


def who(state: State) -> tuple[int, int]:
    """The seat that decides and its information set."""
    seat = int(state[at.SEAT])
    return seat, int(recall_key(state, seat, int(state[at.DECISION])))


def outcomes(program: Program, state: State, policy: Policy) -> list[tuple[Fraction, State]]:
    """What can come next, chance or choice, and how likely that is."""
    ways = branches(program, state)
    if state[at.STOP] == CHANCE:
        odds = tuple(Fraction(way.weight, int(state[at.MENU])) for way in ways)
    else:
        odds = policy[who(state)]
    return [(p, follow(program, state, way.choice)) for p, way in zip(odds, ways, strict=True)]


def expected_value(program: Program, policy: Policy) -> Fraction:
    """Alice's expected payoff."""

    def value(state: State) -> Fraction:
        if state[at.STOP] == OVER:
            return Fraction(int(payoff(state)))
        return sum((p * value(after) for p, after in outcomes(program, state, policy)), Fraction())

    return value(root_state(program))


def best_value(program: Program, seat: int, policy: Policy) -> Fraction:
    """What `seat` gets at best against the other seat's policy: one choice for all histories that look alike."""

    def best(histories: list[tuple[Fraction, State]]) -> Fraction:
        total = Fraction()
        alike: dict[int, list[tuple[Fraction, State]]] = defaultdict(list)
        while histories:
            weight, state = histories.pop()
            if state[at.STOP] == OVER:
                total += weight * int(payoff(state)) * (1 - 2 * seat)
            elif state[at.STOP] != CHANCE and who(state)[0] == seat:
                alike[who(state)[1]].append((weight, state))
            else:
                histories += [(weight * p, after) for p, after in outcomes(program, state, policy)]
        for group in alike.values():
            choices = [way.choice for way in branches(program, group[0][1])]
            total += max(best([(w, follow(program, state, choice)) for w, state in group]) for choice in choices)
        return total

    return best([(Fraction(1), root_state(program))])
