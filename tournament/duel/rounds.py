"""A duel's turns and points (TTG section 3.1 and algorithm 1, T1 and T2).

A duel has ten turns; the players alternate between proposer and solver, and the player named first proposes first. A
turn in which the proposer gives no puzzle that its own solution solves is a penalty: the solver scores and is not
asked. Otherwise the proposer scores if the solver's attempt fails; a solved puzzle is a draw.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

import msgspec

TURNS = 10


class Outcome(StrEnum):
    """How a turn ended."""

    SOLVED = "solved"
    UNSOLVED = "unsolved"
    PENALTY = "penalty"


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """One turn. Missing texts are empty.

    number: from 1 on. proposer: 0 or 1, the place in the duel's pair; the solver is the other. explanation: the
    proposer's text outside of the puzzle, which no other player sees (T14).
    """

    number: int
    proposer: int
    puzzle: str
    solution: str
    explanation: str
    attempt: str
    outcome: Outcome


def proposer_of(number: int) -> int:
    """The proposer, 0 or 1, in turn `number` (from 1 on): the first player in odd turns."""
    return (number - 1) % 2


def points(turns: Iterable[Turn]) -> tuple[int, int]:
    """The points of the first and of the second player."""
    scored = [0, 0]
    for turn in turns:
        if turn.outcome == Outcome.UNSOLVED:
            scored[turn.proposer] += 1
        elif turn.outcome == Outcome.PENALTY:
            scored[1 - turn.proposer] += 1
    return scored[0], scored[1]
