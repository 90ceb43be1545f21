"""Records of solvers and proposers (T8; TTG sections 3.3, 4.3 and 4.5, tables 1, 5 and 6).

Two definitions of the solver's win rate are in use. The paper's tables divide the solved puzzles by those attempted,
S / (S + F); its section 3.3 also counts a proposer's failure as the solver's win. Both are given, named apart. So are
the proposer's: unsolved puzzles over all turns (table 1) and over the valid ones (table 5).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from tournament.duel.rounds import Outcome


class TurnRow(msgspec.Struct, frozen=True, kw_only=True):
    """One turn of one duel, with the players' names.

    puzzle: a name of the puzzle, the same for the same turn everywhere. number: of the turn, from 1 on.
    """

    duel: str
    number: int
    proposer: str
    solver: str
    outcome: Outcome
    puzzle: str


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One player's turns. Rates are shares, None where there is nothing to divide by."""

    player: str
    solved: int  # as the solver
    failed: int
    gifts: int  # turns as the solver in which the proposer failed
    drawn: int  # as the proposer: its puzzle was solved
    won: int  # unsolved
    penalties: int

    @property
    def solver_rate(self) -> float | None:
        """Solved over attempted (tables 1 and 5)."""
        return share(self.solved, self.solved + self.failed)

    @property
    def solver_success_rate(self) -> float | None:
        """Turns as the solver that did not fail, the proposer's failures included (section 3.3)."""
        return share(self.solved + self.gifts, self.solved + self.gifts + self.failed)

    @property
    def proposer_rate(self) -> float | None:
        """Unsolved over all turns as the proposer (section 3.3, table 1)."""
        return share(self.won, self.drawn + self.won + self.penalties)

    @property
    def stumping_rate(self) -> float | None:
        """Unsolved over valid puzzles (table 5)."""
        return share(self.won, self.drawn + self.won)

    @property
    def penalty_rate(self) -> float | None:
        """Over-ambition: turns as the proposer without a puzzle that the own solution solves (section 4.5)."""
        return share(self.penalties, self.drawn + self.won + self.penalties)

    @property
    def too_easy_rate(self) -> float | None:
        """Under-ambition: turns as the proposer whose puzzle was solved (section 4.5)."""
        return share(self.drawn, self.drawn + self.won + self.penalties)


class TurnRecord(msgspec.Struct, frozen=True, kw_only=True):
    """How the duels' turns of one number ended (table 6)."""

    number: int
    solved: int
    unsolved: int
    penalties: int

    @property
    def penalty_rate(self) -> float | None:
        """Share of penalties among all turns."""
        return share(self.penalties, self.solved + self.unsolved + self.penalties)


def share(part: int, whole: int) -> float | None:
    """part / whole; None if the whole is 0."""
    return part / whole if whole else None


def records(turns: Sequence[TurnRow]) -> list[Record]:
    """Every player's record, by name."""
    solving = Counter((turn.solver, turn.outcome) for turn in turns)
    proposing = Counter((turn.proposer, turn.outcome) for turn in turns)
    players = sorted({turn.proposer for turn in turns} | {turn.solver for turn in turns})
    return [
        Record(
            player=player,
            solved=solving[player, Outcome.SOLVED],
            failed=solving[player, Outcome.UNSOLVED],
            gifts=solving[player, Outcome.PENALTY],
            drawn=proposing[player, Outcome.SOLVED],
            won=proposing[player, Outcome.UNSOLVED],
            penalties=proposing[player, Outcome.PENALTY],
        )
        for player in players
    ]


def total(found: Iterable[Record]) -> Record:
    """The sum of records, under the name "total"."""
    rows = list(found)
    fields = ("solved", "failed", "gifts", "drawn", "won", "penalties")
    return Record(player="total", **{name: sum(getattr(row, name) for row in rows) for name in fields})


def by_turn(turns: Sequence[TurnRow]) -> list[TurnRecord]:
    """How the turns ended, by their number."""
    ended = Counter((turn.number, turn.outcome) for turn in turns)
    return [
        TurnRecord(
            number=number,
            solved=ended[number, Outcome.SOLVED],
            unsolved=ended[number, Outcome.UNSOLVED],
            penalties=ended[number, Outcome.PENALTY],
        )
        for number in sorted({turn.number for turn in turns})
    ]


def valid(turns: Iterable[TurnRow]) -> list[TurnRow]:
    """The turns whose puzzle's sample solution holds."""
    return [turn for turn in turns if turn.outcome != Outcome.PENALTY]
