"""Which duels are played: all pairs, or with a base some opponents for each newcomer (The Token Games section 5).

A newcomer is a player who is not in the base. A meeting of two players is two duels, with each as the first proposer.

    all        a newcomer meets every other player
    spread     it meets `opponents` players of the base, evenly spread over their ratings
    adaptive   it meets as many, one after the other: each time the one that makes its rating most certain for the money
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from antemill.engine.errors import UsageError
from antemill.tournament.duel.base import Base
from antemill.tournament.duel.config import DuelConfig, Pair
from antemill.tournament.runs.config import MisplacedError
from antemill.tournament.statistics import elo
from antemill.tournament.statistics.bradley_terry import bradley_terry
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.next_duel import next_opponent, shares_of_costs

Duel = tuple[float, Mapping[str, Any]]  # dollars, and the row of a finished duel


class Schedule:
    """The duels of a set. Raises UsageError for pairs, opponents and newcomers that do not fit together."""

    def __init__(self, config: DuelConfig, base: Base) -> None:
        self._config, self._base = config, base
        self.newcomers = [name for name in config.players if name not in base.players]
        self._known = [name for name in config.players if name in base.players]
        table = config.duel
        if table.base is None:
            self.first = config.pairs()
            return
        if table.pairs == "all" and not self.newcomers:
            raise UsageError("every player is in the base: add a [players.NAME] who is not, or name `pairs`.")
        if table.opponents is not None and table.opponents > len(self._known):
            raise MisplacedError(
                f"`opponents` is {table.opponents}, and {len(self._known)} of the base's players are here: add their "
                "[players.NAME], or ask for fewer.",
                "duel",
                "opponents",
            )
        pairs = config.pairs()
        if table.pairs == "all":
            pairs = [pair for pair in pairs if set(pair) & set(self.newcomers)]
        self.first = pairs if table.opponents is None else self._sparse(table.opponents)

    @property
    def expected(self) -> list[Pair]:
        """All duels, for estimates: of the adaptive schedule those that an even spread would play."""
        count = self._config.duel.opponents
        return self.first if count is None else self._spread(count)

    def next(self, played: Sequence[Pair], duels: Sequence[Duel]) -> list[Pair]:
        """The duels to play next. played: the pairs planned so far; duels: the finished ones of this set."""
        table = self._config.duel
        if not played:
            return self.first
        if table.opponents is None or table.schedule != "adaptive":
            return []
        met: dict[str, set[str]] = {name: set() for name in self.newcomers}
        for pair in played:
            for name in set(pair) & met.keys():
                met[name] |= set(pair)
        due = [name for name in self.newcomers if len(met[name] - {name}) < table.opponents]
        return [pair for name in due for pair in _meeting(name, self._choose(name, met[name], duels))]

    def _sparse(self, count: int) -> list[Pair]:
        if self._config.duel.schedule != "adaptive":
            return self._spread(count)
        return [pair for name in self.newcomers for pair in _meeting(name, self._choose(name, set(), []))]

    def _spread(self, count: int) -> list[Pair]:
        """The base's players in the middle of each of `count` equal parts of the order by rating."""
        names = [*self._base.players]
        rating = dict(zip(names, bradley_terry(_wins(names, _rows(self._base)), "normal").strengths, strict=True))
        order = sorted(self._known, key=lambda name: (-rating[name], name))
        chosen = [order[int((k + 0.5) * len(order) / count)] for k in range(count)]
        return [pair for name in self.newcomers for other in chosen for pair in _meeting(name, other)]

    def _choose(self, newcomer: str, met: set[str], duels: Sequence[Duel]) -> str:
        names = [*self._base.players, *self.newcomers]
        place = {name: i for i, name in enumerate(names)}
        found = [*_rows(self._base), *duels]
        pairs = [(place[row["first"]], place[row["second"]]) for _, row in found]
        each = shares_of_costs(pairs, [dollars for dollars, _ in found], len(names))
        open_ = [name for name in self._known if name not in met]
        at = place[newcomer]
        costs = [float(each[place[name]] + each[at]) for name in open_]
        rounds = 2 * self._config.duel.turns
        return names[next_opponent(_wins(names, found), at, [place[name] for name in open_], costs, rounds)]


def _meeting(one: str, other: str) -> list[Pair]:
    return [(one, other), (other, one)]


def _rows(base: Base) -> list[Duel]:
    return [(one.dollars, one.row) for one in base.items if one.row["what"] == "duel"]


def _wins(names: Sequence[str], duels: Sequence[Duel]) -> Floats:
    """float64[names, names]: rounds won by the row's player."""
    place = {name: i for i, name in enumerate(names)}
    turns = [turn for _, row in duels for turn in row["turns"]]
    solver, proposer = (np.array([place[turn[role]] for turn in turns], np.int64) for role in ("solver", "proposer"))
    return elo.round_wins(len(names), solver, proposer, [turn["outcome"] for turn in turns])
