"""The turns of duels as a table, and how they ended (T8; TTG sections 3.3, 4.3 and 4.5, tables 5 and 6).

The players' rates are `antemill.tournament.statistics.win_rates`. Over-ambition is the share of penalties,
under-ambition that of solved puzzles, both among all turns as the proposer (section 4.5).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from msgspec import Struct

from antemill.tournament.duel.rounds import Outcome
from antemill.tournament.statistics.win_rates import Rounds, count_rounds


class TurnRow(Struct, frozen=True, kw_only=True):
    """One turn of one duel, with the players' names.

    number: of the turn, from 1 on. puzzle: a name of the puzzle, the same for equal code; "" if the proposer's reply
    could not be read.
    """

    duel: str
    number: int
    proposer: str
    solver: str
    outcome: Outcome
    puzzle: str


class TurnRecord(Struct, frozen=True):
    """How the duels' turns of one number ended (table 6). unreadable: penalties without a puzzle that could be read."""

    number: int
    solved: int
    unsolved: int
    penalties: int
    unreadable: int

    @property
    def penalty_rate(self) -> float | None:
        """Share of penalties among all turns."""
        return share(self.penalties, self.solved + self.unsolved + self.penalties)


def share(part: int, whole: int) -> float | None:
    """part / whole; None if the whole is 0."""
    return part / whole if whole else None


def rounds(turns: Sequence[TurnRow]) -> tuple[list[str], Rounds]:
    """The players by name, and their turns in both roles."""
    players = sorted({turn.proposer for turn in turns} | {turn.solver for turn in turns})
    place = {name: i for i, name in enumerate(players)}
    solver = np.array([place[turn.solver] for turn in turns], np.int64)
    proposer = np.array([place[turn.proposer] for turn in turns], np.int64)
    return players, count_rounds(len(players), solver, proposer, [str(turn.outcome) for turn in turns])


def unreadable(turns: Iterable[TurnRow]) -> Counter[str]:
    """By proposer, the turns in which its reply could not be read."""
    return Counter(turn.proposer for turn in turns if not turn.puzzle)


def by_turn(turns: Sequence[TurnRow]) -> list[TurnRecord]:
    """How the turns ended, by their number."""
    ended = Counter((turn.number, turn.outcome) for turn in turns)
    empty = Counter(turn.number for turn in turns if not turn.puzzle)
    return [
        TurnRecord(
            number,
            ended[number, Outcome.SOLVED],
            ended[number, Outcome.UNSOLVED],
            ended[number, Outcome.PENALTY],
            empty[number],
        )
        for number in sorted({turn.number for turn in turns})
    ]


def valid(turns: Iterable[TurnRow]) -> list[TurnRow]:
    """The turns whose puzzle's sample solution holds."""
    return [turn for turn in turns if turn.outcome != Outcome.PENALTY]
