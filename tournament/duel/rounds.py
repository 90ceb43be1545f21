"""A duel's turns and points (TTG section 3.1 and algorithm 1, T1 and T2).

A duel has ten turns; the players alternate between proposer and solver, and the player named first proposes first. A
turn in which the proposer gives no puzzle that its own solution solves is a penalty: the solver scores and is not
asked. Otherwise the proposer scores if the solver's attempt fails; a solved puzzle is a draw. A penalty for a reply
that no puzzle could be read from has a word of its own wherever turns are shown.

A turn is the plain JSON that `play` records: its number (from 1 on), the names of proposer and solver, the outcome, and
the texts `code`, `explanation`, `solution` and `attempt`, which are empty if there is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, TypeAlias

TURNS = 10
UNREADABLE = "unreadable"
Turn: TypeAlias = Mapping[str, Any]


class Outcome(StrEnum):
    """How a turn ended."""

    SOLVED = "solved"
    UNSOLVED = "unsolved"
    PENALTY = "penalty"


def ended(turn: Turn) -> str:
    """The outcome of a turn; a penalty for the form is UNREADABLE."""
    return str(turn["outcome"]) if turn["code"] else UNREADABLE


def points(turns: Iterable[Turn], first: str) -> tuple[int, int]:
    """The points of the player named first, and of the second."""
    scored = [0, 0]
    for turn in turns:
        place = int(turn["proposer"] != first)
        if turn["outcome"] != Outcome.SOLVED:
            scored[place if turn["outcome"] == Outcome.UNSOLVED else 1 - place] += 1
    return scored[0], scored[1]
