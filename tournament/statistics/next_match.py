"""Which matchup to play next: the pair and game that make the leaderboard most certain for the money.

A run (both seat assignments) of a pair on a game is chosen so that the leaderboard's variance falls most per unit of
cost. Not from the papers. With d = e_i - e_j the contrast of a pair, and for each of G games the Laplacian L_g of the
rows that each pair played on it:

    1. What is estimated is the average of the games' own strengths (`strength.game_average`), in which every game
       counts once. Playing some games or pairs more then moves nothing but the variance. The pooled fit
       (`strength.strengths`) would lean toward the games that are played most.
    2. A row on game g has noise of variance s_g, estimated from the runs of each (pair, game) and shrunk toward the
       common value while there are few. So the strengths have the covariance sum of s_g inverse(L_g) / G^2.
    3. The criterion is its trace, the summed variance of the centred strengths (A-optimality). A further run changes
       one L_g by a term of rank one, so that the drop of the trace has a closed form (Sherman and Morrison). The
       best drop per cost is taken, counted as played, and so on.
    4. Coverage first: until every model has met two opponents on every game (N2), runs that bring that about go ahead
       of all others, the ones that fill most gaps per cost first.
    5. Then a least number of runs: until every model has played four runs on every game, only runs of models that lack
       some are taken, the best drop per cost first. Otherwise an expensive model would end with one run of each of its
       pairs, which does not show its noise, and its interval would hold too rarely (docs/runs.md).

Strengths that a game's rows do not connect have a large prior variance, so that runs which connect them win.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from msgspec import Struct

from antemill.engine.errors import UsageError
from antemill.tournament.statistics.cells import cells_of, cluster_sums, pair_codes, pair_table
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.matches import Flags, Integers, SlotTable
from antemill.tournament.statistics.strength import laplacian

OPPONENTS = 2  # of every model on every game, before variance counts
LEAST_RUNS = 4  # of every model on every game, before models with more take part
ROWS = 2.0  # of a run: one for each seat assignment

_SHRINKAGE = 2.0  # the common noise counts as so many runs of each game
_PRIOR_ROWS = 1e-3  # the prior knows as much as so many rows
_UNKNOWN_NOISE = 1.0  # before any pair has met twice; only ratios matter


class Matchup(Struct, frozen=True):
    """A run of two models on a game."""

    game: str
    a: str
    b: str


class Choice(Struct, frozen=True):
    """What to play, and why."""

    matchup: Matchup
    cost: float
    reduction: float  # of the summed variance of the centred strengths, chips^2
    coverage: int  # how many of the two models thereby meet one of their first opponents on the game


def game_noise(table: SlotTable) -> Floats:
    """float64[games]: the variance of one row's margin on the game, given the pair, in chips^2. Positive.

    From the spread of a pair's runs on a game around their mean, whose two matches count as correlated.
    """
    sums, starts = cluster_sums(table)
    cells = cells_of(table)
    of_cell = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, table.clusters)))
    deviation = sums.total / sums.count - (cells.total / cells.count)[of_cell]
    size = len(table.games)
    spread = np.bincount(cells.game[of_cell], weights=sums.count * deviation**2, minlength=size)
    free = np.bincount(cells.game[of_cell], minlength=size) - np.bincount(cells.game, minlength=size)
    common = spread.sum() / free.sum() if free.sum() and spread.sum() > 0.0 else _UNKNOWN_NOISE
    return np.asarray((spread + _SHRINKAGE * common) / (free + _SHRINKAGE), np.float64)


def next_matchups(
    table: SlotTable | None,
    candidates: Sequence[Matchup],
    costs: Floats | Sequence[float],
    count: int = 1,
    pending: Sequence[Matchup] = (),
    opponents: int = OPPONENTS,
    least_runs: int = LEAST_RUNS,
) -> list[Choice]:
    """The next runs, in the order to play them; each candidate may be chosen more than once.

    table: the results so far, None if there are none. costs: positive, one a candidate, for its whole run. pending:
    runs in progress, counted as played. opponents: how many every model meets on every game first; least_runs: how many
    it plays there next. Equal gains go to the game played least, then to the first candidate. Raises UsageError
    for a cost that is not positive, for costs of another number, or for a model paired with itself.
    """
    costs = _checked(candidates, np.asarray(costs, np.float64))
    if not candidates:
        return []
    design = _Design(table, [*candidates, *pending])
    for matchup in pending:
        design.play(*design.place(matchup))
    places = [design.place(matchup) for matchup in candidates]
    games, pairs = np.array([g for g, _ in places], np.int64), np.array([p for _, p in places], np.int64)
    chosen = []
    for _ in range(count):
        reduction = design.reductions()[games, pairs]
        filled = design.filled(opponents)[games, pairs]
        score = filled / costs
        if not filled.any():
            short = design.short(least_runs)[games, pairs]
            score = np.where((short > 0) | (not short.any()), reduction, 0.0) / costs
        best = int(np.argmax(np.where(score >= score.max() * (1.0 - 1e-12), -design.rows[games], -np.inf)))
        chosen.append(Choice(candidates[best], float(costs[best]), float(reduction[best]), int(filled[best])))
        design.play(int(games[best]), int(pairs[best]))
    return chosen


class _Design:
    """How often each pair has played each game, and what one more run would do."""

    def __init__(self, table: SlotTable | None, matchups: Sequence[Matchup]) -> None:
        known = ((), ()) if table is None else (table.models, table.games)
        self.models = sorted({*known[0], *(m.a for m in matchups), *(m.b for m in matchups)})
        self.games = sorted({*known[1], *(m.game for m in matchups)})
        self.low, self.high = pair_table(len(self.models))
        self.contrast = np.zeros((len(self.low), len(self.models)))
        self.contrast[np.arange(len(self.low)), self.low] = 1.0
        self.contrast[np.arange(len(self.low)), self.high] = -1.0
        self.count = np.zeros((len(self.games), len(self.low)))
        self.noise = np.full(len(self.games), _UNKNOWN_NOISE)
        if table is not None:
            self._count(table)

    @property
    def rows(self) -> Floats:
        """float64[games]: rows played."""
        return np.asarray(self.count.sum(axis=1), np.float64)

    def place(self, matchup: Matchup) -> tuple[int, int]:
        """Codes of the game and the pair."""
        a, b = sorted((self.models.index(matchup.a), self.models.index(matchup.b)))
        code = pair_codes(np.array(a), np.array(b), len(self.models))
        return self.games.index(matchup.game), int(code)

    def play(self, game: int, pair: int) -> None:
        """Count one more run."""
        self.count[game, pair] += ROWS

    def filled(self, opponents: int) -> Integers:
        """int64[games, pairs]: how many of the two lack opponents on the game; 0 for a pair that has met there."""
        met = self.count > 0.0
        lacking: Flags = met.astype(np.int64) @ np.abs(self.contrast) < min(opponents, len(self.models) - 1)
        both = lacking[:, self.low].astype(np.int64) + lacking[:, self.high]
        return np.where(met, 0, both)

    def short(self, runs: int) -> Integers:
        """int64[games, pairs]: how many of the two have played fewer runs on the game."""
        lacking: Flags = self.count @ np.abs(self.contrast) < ROWS * runs
        return lacking[:, self.low].astype(np.int64) + lacking[:, self.high]

    def reductions(self) -> Floats:
        """float64[games, pairs]: by how much one more run lowers the trace of the strengths' covariance."""
        models = len(self.models)
        mean = np.full((models, models), 1.0 / models)
        inverse = np.linalg.inv(laplacian(self.count, models) + _PRIOR_ROWS * (np.eye(models) - mean) + mean)
        moved = self.contrast @ inverse  # float64[games, pairs, models]
        drop = ROWS * (moved**2).sum(axis=2) / (1.0 + ROWS * (moved * self.contrast).sum(axis=2))
        return np.asarray(self.noise[:, None] * drop / len(self.games) ** 2, np.float64)

    def _count(self, table: SlotTable) -> None:
        cells = cells_of(replace(table, weight=np.ones(len(table.weight))))
        model = np.searchsorted(self.models, table.models)
        game = np.searchsorted(self.games, table.games)
        pair = pair_codes(model[cells.low], model[cells.high], len(self.models))
        self.count[game[cells.game], pair] = cells.count
        found = game_noise(table)
        self.noise[:] = found.mean()
        self.noise[game] = found


def _checked(candidates: Sequence[Matchup], costs: Floats) -> Floats:
    if len(costs) != len(candidates):
        raise UsageError(f"there are {len(costs)} costs for {len(candidates)} candidates; give one for each.")
    if not (np.isfinite(costs) & (costs > 0.0)).all():
        raise UsageError("a matchup's cost is not a positive number; give every run a cost, 1 if all are the same.")
    for matchup in candidates:
        if matchup.a == matchup.b:
            raise UsageError(f"'{matchup.a}' cannot play against itself; leave that candidate out.")
    return costs
