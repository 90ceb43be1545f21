"""All estimates of a tournament, once, for the tables and figures.

Models are in the order of the leaderboard, games in that of the slot table. Errors are those of `errors`. With
replicates there are the paper's bootstraps besides: B of the overall strengths, and the first 500 of the same for
slopes, tertiles, pairs and strengths by game (N6).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from antemill.tournament.statistics.bootstrap import FEWER, cluster_bootstrap
from antemill.tournament.statistics.cells import Cells, cells_of, game_spread
from antemill.tournament.statistics.errors import Error, Errors, Spread, errors_of
from antemill.tournament.statistics.game_axes import GameAxes
from antemill.tournament.statistics.intervals import Floats, Interval
from antemill.tournament.statistics.jaggedness import jaggedness, neighbourhoods, studentized
from antemill.tournament.statistics.matches import Flags, Integers, SlotTable
from antemill.tournament.statistics.ranks import Ranks, ranks
from antemill.tournament.statistics.strength import Fit, game_strengths, strengths

THESE, LIKE = "these games", "games like these"  # the two questions, as headings name them


@dataclass(frozen=True, eq=False)
class Estimates:
    """Arrays by model are in leaderboard order; NaN where the data do not determine a figure.

    table: with models in that order. drawn: cells with a leading axis of B replicates, None without bootstrap. once:
    whether every game counts once, however often it was played. unranked: players who take no rank.
    """

    table: SlotTable
    cells: Cells
    drawn: Cells | None
    overall: Floats  # float64[models]
    per_game: Floats  # float64[games, models]
    scale: Floats  # float64[games]; sigma_g
    errors: Errors
    axes: GameAxes
    seed: int
    fit: Fit  # the overall strengths of cells
    unranked: tuple[str, ...] = ()

    @property
    def models(self) -> tuple[str, ...]:
        """Names in leaderboard order."""
        return self.cells.models

    @property
    def games(self) -> tuple[str, ...]:
        """Names of the games."""
        return self.cells.games

    @property
    def once(self) -> bool:
        """Whether every game counts once."""
        return self.fit is not strengths

    @property
    def known(self) -> Flags:
        """bool[games]: which games have axes."""
        return np.asarray(np.isfinite(self.axes.values).all(axis=1), np.bool_)

    @property
    def z_scores(self) -> Floats:
        """float64[games, models]: the studentized deviations."""
        return studentized(self.per_game, self.overall, self.scale)

    @cached_property
    def overall_drawn(self) -> Floats:
        """float64[B, models]: the paper's replicates of the overall strengths; none without bootstrap."""
        return np.full((0, len(self.models)), np.nan) if self.drawn is None else self.fit(self.drawn)

    @cached_property
    def few_drawn(self) -> Cells | None:
        """The first replicates."""
        return None if self.drawn is None else self.drawn.map(lambda sums: sums[:FEWER])

    @cached_property
    def per_game_drawn(self) -> Floats | None:
        """float64[fewer, games, models]: the paper's replicates of strengths by game."""
        return None if self.few_drawn is None else game_strengths(self.few_drawn)

    def spread(self, question: str) -> Spread:
        """How the overall strengths vary: on THESE games, or on games LIKE these."""
        return self.errors.these if question == THESE else self.errors.like

    def error(self, question: str) -> Error:
        """Errors of the overall strengths, float64[models]."""
        found = self.spread(question).error
        return Error(np.where(np.isfinite(self.overall), found.error, np.nan), found.freedom)

    @cached_property
    def _ranks(self) -> dict[str, Ranks]:
        among = ~np.isin(self.models, self.unranked)
        return {question: ranks(self.overall, self.spread(question), among) for question in (THESE, LIKE)}

    def ranks(self, question: str) -> Ranks:
        """Ranks for a question, of the players who take one."""
        return self._ranks[question]


def estimate(
    table: SlotTable,
    axes: GameAxes,
    bootstrap: int = 0,
    seed: int = 0,
    fit: Fit = strengths,
    unranked: Sequence[str] = (),
) -> Estimates:
    """Fit everything that needs no axes. axes: of the table's games, in their order.

    bootstrap: replicates for the paper's columns, 0 for none. fit: the paper's pooled fit, or `game_average` where some
    games were played more than others on purpose.
    """
    table = reordered(table, leaderboard_order(table, fit))
    cells = cells_of(table)
    per_game = game_strengths(cells)
    return Estimates(
        table=table,
        cells=cells,
        drawn=cluster_bootstrap(table, bootstrap, seed) if bootstrap else None,
        overall=fit(cells),
        per_game=per_game,
        scale=game_spread(cells),
        errors=errors_of(table, per_game, fit is not strengths),
        axes=axes,
        seed=seed,
        fit=fit,
        unranked=tuple(unranked),
    )


def leaderboard_order(table: SlotTable, fit: Fit = strengths) -> Integers:
    """Codes of the models, strongest first; equal ones, and all if there are no strengths, by name."""
    overall = fit(table).round(12)
    return np.argsort(-np.where(np.isfinite(overall), overall, 0.0), kind="stable").astype(np.int64)


def reordered(table: SlotTable, order: Integers) -> SlotTable:
    """The table with its models in this order, and clusters by their new codes."""
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    moved = replace(table, models=tuple(table.models[i] for i in order), alice=place[table.alice], bob=place[table.bob])
    return moved.recoded()


def shown_interval(e: Estimates, question: str = THESE) -> tuple[Interval, str]:
    """The interval of the overall strengths that a page draws, and what it is."""
    return e.error(question).interval(e.overall), f"the 95% interval of {question}"


def jaggedness_without(e: Estimates, dropped: Sequence[int], neighbours: int) -> Floats:
    """float64[models]: J when these models (places on the leaderboard) never took part; NaN for them."""
    cells = e.cells
    for place in sorted(dropped, reverse=True):
        cells = cells.without_model(place)
    found = np.full(len(e.models), np.nan)
    kept = np.setdiff1d(np.arange(len(e.models)), np.asarray(dropped, np.int64))
    known = e.known
    if len(kept) > 1 and len(cells.game) and neighbours < known.sum():
        z = studentized(game_strengths(cells), e.fit(cells), game_spread(cells))
        found[kept] = jaggedness(z[known], neighbourhoods(e.axes.values[known], neighbours))
    return found
