"""The adaptive schedule: batch after batch of the runs that make the leaderboard most certain for the money.

The choice is that of `antemill.tournament.statistics.next_match`; here are the batches, what a run costs, and when to
end. A run costs what its two players have cost per match so far, at least a twentieth of the average; without any costs
all runs cost the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from antemill.tournament.cards import fixed
from antemill.tournament.cards.config import CardConfig
from antemill.tournament.cards.rows import slots_table, tallies
from antemill.tournament.cards.slots import Slot, play_seed, seatings
from antemill.tournament.runs import Record
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.matches import slot_table
from antemill.tournament.statistics.next_match import Matchup, next_matchups

_LEAST = 0.05  # of the average cost


class AdaptiveSchedule:
    """As many runs as `matches` allows, by default as many as the rotating schedule has."""

    def __init__(self, config: CardConfig, seeds: Mapping[str, int]) -> None:
        self._config = config
        self._seeds = seeds
        self._siblings = list(fixed.siblings(config, seeds))
        self._candidates = [Matchup(game, a, b) for game in seeds for a, b in combinations(config.players, 2)]
        wanted = config.tournament.matches
        self._runs = self._rotating_runs() if wanted is None else max(1, wanted // 2)

    @property
    def total(self) -> int:
        """How many slots there will be."""
        return 2 * self._runs + len(self._siblings)

    def next_slots(self, finished: Sequence[Record]) -> list[Slot]:
        """The next batch, with the ablation in the first."""
        main = [record for record in finished if record.item.data["ablation"] is None]
        count = min(self._config.tournament.batch, self._runs - len(main) // 2)
        if count <= 0:
            return []
        done = [record for record in main if record.status == "done"]
        table = slot_table(slots_table(done)) if done else None
        chosen = next_matchups(table, self._candidates, self._costs(done), count, opponents=self._opponents)
        slots = self._numbered([choice.matchup for choice in chosen], main)
        return slots if finished else [*slots, *self._siblings]

    @property
    def _opponents(self) -> int:
        return self._config.tournament.opponents

    def _rotating_runs(self) -> int:
        config = self._config.tournament
        pairs = fixed.rotating_pairs(list(self._config.players), list(self._seeds), config.opponents, config.seed)
        return config.matches_per_seat * sum(map(len, pairs.values()))

    def _numbered(self, matchups: Sequence[Matchup], main: Sequence[Record]) -> list[Slot]:
        """Slots for the chosen runs: each has the next number of its pair and game."""
        table, slots = self._config.tournament, []
        played = Counter(
            _meeting(record.item.data) for record in main if record.item.data["alice"] < record.item.data["bob"]
        )
        for matchup in matchups:
            a, b = sorted((matchup.a, matchup.b))
            run = played[matchup.game, a, b]
            played[matchup.game, a, b] += 1
            label = "" if table.play_seed == "game" else f"{a}\n{b}"
            seed = play_seed(self._seeds[matchup.game], run, label, table.seed)
            slots += seatings(matchup.game, run, matchup.a, matchup.b, seed)
        return slots

    def _costs(self, done: Sequence[Record]) -> Floats:
        """float64[candidates]: dollars a run, or ones."""
        rates = tallies(done, self._config.players)
        costs = {rate.player: rate.cost / rate.slots if rate.slots else None for rate in rates}
        known = [cost for cost in costs.values() if cost is not None]
        mean = float(np.mean(known)) if known else 0.0
        if mean == 0.0:
            return np.ones(len(self._candidates))
        each = {name: max(mean if cost is None else cost, _LEAST * mean) for name, cost in costs.items()}
        return np.array([each[matchup.a] + each[matchup.b] for matchup in self._candidates])


def _meeting(data: Mapping[str, str]) -> tuple[str, str, str]:
    return data["game"], data["alice"], data["bob"]
