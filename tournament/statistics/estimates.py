"""All estimates of a tournament with their bootstraps, once, for the tables and figures.

Models are in the order of the leaderboard, games in that of the slot table. Replicates of the overall strengths, the
variance components and the ablation number B; those of slopes, jaggedness, tertiles, pairs and cells are the first
500 of the same resamples (N6). Besides these, the paper's, there are 500 of the stratified bootstrap, in which the
games and how often each pair met there stay: what stands beside the paper's figures comes from them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from antemill.tournament.statistics import precision
from antemill.tournament.statistics.bootstrap import (
    FEWER,
    REPLICATES,
    cluster_bootstrap,
    game_noise,
    stratified_bootstrap,
    within_cell_bootstrap,
)
from antemill.tournament.statistics.cells import Cells, cells_of, game_spread, unit_sums
from antemill.tournament.statistics.complexity import Composite, composite, tertiles
from antemill.tournament.statistics.few import enough, masked, units_of_models
from antemill.tournament.statistics.game_axes import GameAxes
from antemill.tournament.statistics.intervals import Floats, Interval, percentile
from antemill.tournament.statistics.jaggedness import (
    Jaggedness,
    jaggedness,
    local_jaggedness,
    neighbourhoods,
    studentized,
)
from antemill.tournament.statistics.matches import Flags, Integers, SlotTable
from antemill.tournament.statistics.profile import (
    Control,
    Profile,
    capability_profile,
    controlled_profile,
    slope_errors,
)
from antemill.tournament.statistics.ranks import Ranks, resampled
from antemill.tournament.statistics.rare import freedom
from antemill.tournament.statistics.sheets import NOISE_UNKNOWN, ONE_CLUSTER
from antemill.tournament.statistics.stability import Joint, Reversals, Stability, joint_test, reversals, stability
from antemill.tournament.statistics.strength import Fit, game_strengths, strengths
from antemill.tournament.statistics.variance import Variance, decomposition


@dataclass(frozen=True, eq=False)
class Stratified:
    """Replicates of the stratified bootstrap."""

    overall: Floats  # float64[fewer, models]
    per_game: Floats  # float64[fewer, games, models]
    scale: Floats  # float64[fewer, games]


@dataclass(frozen=True, eq=False)
class Estimates:
    """Arrays by model are in leaderboard order; NaN where the data do not determine a figure."""

    table: SlotTable  # its own order of models
    cells: Cells  # of the models in leaderboard order
    drawn: Cells  # the same, with a leading axis of B replicates
    overall: Floats  # float64[models]
    overall_drawn: Floats  # float64[B, models]
    per_game: Floats  # float64[games, models]
    per_game_drawn: Floats  # float64[fewer, games, models]
    within_drawn: Floats  # float64[B, games, models]; within-cell replicates
    these: Stratified
    scale: Floats  # float64[games]; sigma_g
    scale_drawn: Floats  # float64[fewer, games]
    fewest_runs: Integers  # int64[games]; resampling units of any pair that met on the game
    fewest_units: Integers  # int64[games]; resampling units of any model that plays the game
    axes: GameAxes
    seed: int
    fit: Fit  # the overall strengths of cells
    unranked: frozenset[str] = frozenset()  # models that take no rank

    @property
    def models(self) -> tuple[str, ...]:
        """Names in leaderboard order."""
        return self.cells.models

    @property
    def games(self) -> tuple[str, ...]:
        """Names of the games."""
        return self.cells.games

    @property
    def known(self) -> Flags:
        """bool[games]: which games have axes."""
        return np.asarray(np.isfinite(self.axes.values).all(axis=1), np.bool_)

    @property
    def z_scores(self) -> Floats:
        """float64[games, models]: the studentized deviations."""
        return studentized(self.per_game, self.overall, self.scale)

    @property
    def table_cells(self) -> Cells:
        """The cells with models in the table's own order."""
        return cells_of(self.table)

    @property
    def place(self) -> list[int]:
        """The code in the table of every model in leaderboard order."""
        return [self.table.models.index(name) for name in self.models]

    @property
    def noise_unknown(self) -> str:
        """The reason where nothing shows the noise."""
        return ONE_CLUSTER if self.table.clustered else NOISE_UNKNOWN

    def why_not_overall(self) -> str:
        """Why there are no overall strengths, or not of all models."""
        return "a game of the average has no strength for it"

    def enough(self, part: SlotTable | None = None) -> Flags:
        """bool[models]: which play enough for an interval, in the whole table or a part of it."""
        part = self.table if part is None else part
        return np.isin(self.models, [name for name, there in zip(part.models, enough(part), strict=True) if there])

    def why_not(self, game: int, model: int) -> str:
        """Why a model has no strength on a game."""
        mine = self.cells.game == game
        played = ((self.cells.low == model) | (self.cells.high == model)) & mine
        return "players of this game never met" if played.any() else "did not play this game"


def estimate(
    table: SlotTable,
    axes: GameAxes,
    bootstrap: int = REPLICATES,
    fewer: int = FEWER,
    seed: int = 0,
    fit: Fit = strengths,
    unranked: Collection[str] = (),
) -> Estimates:
    """Fit everything that needs no axes. axes: of the table's games, in their order.

    fit: the paper's pooled fit, or `game_average` where some games were played more than others on purpose. unranked:
    models that take no rank.
    """
    order = leaderboard_order(table, fit)
    cells = _reordered(cells_of(table), order)
    drawn = _reordered(cluster_bootstrap(table, bootstrap, seed), order)
    few = drawn.map(lambda sums: sums[:fewer])
    these = _reordered(stratified_bootstrap(table, fewer, seed), order)
    return Estimates(
        table=table,
        cells=cells,
        drawn=drawn,
        overall=fit(cells),
        overall_drawn=fit(drawn),
        per_game=game_strengths(cells),
        per_game_drawn=game_strengths(few),
        within_drawn=within_cell_bootstrap(table, bootstrap, seed)[:, :, order],
        these=Stratified(fit(these), game_strengths(these), game_spread(these)),
        scale=game_spread(cells),
        scale_drawn=game_spread(few),
        fewest_runs=fewest_runs(table),
        fewest_units=np.array([units_of_models(table.only_games([game])).min() for game in table.games], np.int64),
        axes=axes,
        seed=seed,
        fit=fit,
        unranked=frozenset(unranked),
    )


def leaderboard_order(table: SlotTable, fit: Fit = strengths) -> Integers:
    """Codes of the models, strongest first; equal ones, and all if there are no strengths, by name."""
    overall = fit(table).round(12)
    return np.argsort(-np.where(np.isfinite(overall), overall, 0.0), kind="stable").astype(np.int64)


def fewest_runs(table: SlotTable) -> Integers:
    """int64[games]: the number of units of the pair that met in fewest on the game."""
    parts = unit_sums(table)
    fewest = np.full(len(table.games), len(parts.cell), np.int64)
    np.minimum.at(fewest, parts.sums.game, np.bincount(parts.cell))
    return fewest


def variance_of(e: Estimates, dropped: int | None = None) -> Variance:
    """The variance decomposition, of all models or without one (by its place on the leaderboard)."""
    if dropped is None:
        return decomposition(e.per_game, e.within_drawn, e.these.per_game)
    kept = e.table.without_models([e.models[dropped]])
    within = within_cell_bootstrap(kept, len(e.within_drawn), e.seed)
    stratified = game_strengths(stratified_bootstrap(kept, len(e.these.per_game), e.seed))
    return decomposition(game_strengths(kept), within, stratified)


def strength_errors(e: Estimates) -> tuple[precision.Error, precision.Error]:
    """Errors of the overall strengths, float64[models], on these games, and for games like these."""
    cells, noise = e.table_cells, precision.noise_of(e.table)
    influence = precision.overall_influence(cells) if e.fit is strengths else precision.average_influence(cells)
    these = precision.propagated(influence[:, e.place], noise)
    like = precision.with_common(precision.jackknife(e.cells, e.fit), these, influence[:, e.place], noise)
    return these, like.at_least(these)


def shown_interval(e: Estimates) -> tuple[Interval, str]:
    """The interval of the overall strengths that a page draws, and what it is.

    It says how far the strengths would move on these games. If no pair played a game twice, that is unknown, and the
    interval is the paper's.
    """
    found = masked(strength_errors(e)[0].interval(e.overall), e.enough())
    if np.isfinite(found.low).any():
        return found, "the 95% interval if these games were played again, *these games* in the table"
    return masked(
        percentile(e.overall_drawn), e.enough()
    ), "the paper's 95% bootstrap interval, *low* and *high* in the table"


def ranks_of(e: Estimates) -> Ranks:
    """Ranks by the replicates of the overall strengths, of the models that play enough for an interval."""
    units = units_of_models(e.table)[e.place]
    there = e.enough() & ~np.isin(e.models, list(e.unranked))
    return resampled(np.where(there, e.overall, np.nan), e.overall_drawn, units)


def slope_errors_of(e: Estimates) -> tuple[precision.Error, precision.Error]:
    """Errors of the slopes, float64[models, axes], on these games, and for games like these."""
    cells, noise, known = e.table_cells, precision.noise_of(e.table), e.known
    used = known[cells.game]
    influence = precision.game_influence(cells)[used][:, e.place]
    game = (np.cumsum(known) - 1)[cells.game[used]]
    these, like = slope_errors(e.axes.values[known], e.per_game[known], influence, game, noise.select(used))
    return these, like.at_least(these)


def stability_of(e: Estimates) -> tuple[Stability, Reversals]:
    """Rank stability by game as printed, and all single reversals. Without two units of every pair a game
    has no known noise."""
    drawn = np.where((e.fewest_runs > 1)[None, :, None], e.per_game_drawn, np.nan)
    error, code = precision.gap_error(e.table), np.array(e.place)
    single = reversals(e.overall, e.per_game, drawn, lambda game, a, b: error(game, code[a], code[b]))
    return stability(e.overall, e.per_game, drawn), single


def joint_stability_of(e: Estimates) -> Joint:
    """Rank stability by game with noise that the pairs share."""
    drawn = _reordered(game_noise(e.table, len(e.these.per_game), e.seed), np.array(e.place))
    deviations = game_strengths(drawn) - e.fit(drawn)[:, None, :]
    return joint_test(e.overall, e.per_game, deviations, e.seed, freedom(e.table))


def profile_of(e: Estimates) -> Profile:
    """The capability profile on the games with axes."""
    known = e.known
    return capability_profile(e.axes.values[known], e.per_game[known], e.per_game_drawn[:, known])


def control_of(e: Estimates) -> Control | None:
    """The profile with the rulebook's length; None unless every game with axes has a length."""
    known = e.known
    lengths = e.axes.rulebook_length[known]
    if not known.any() or not (lengths > 0.0).all():
        return None
    return controlled_profile(e.axes.values[known], e.per_game[known], e.per_game_drawn[:, known], np.log10(lengths))


def composite_of(e: Estimates, profile: Profile) -> tuple[Composite, Integers]:
    """The composite complexity of the games (NaN for those without axes), and their thirds (-1 there)."""
    known = e.known
    found = composite(e.axes.values[known], profile.slopes)
    scores = np.full(len(e.games), np.nan)
    scores[known] = found.scores
    return Composite(found.weights, scores, found.explained, found.reason), tertiles(scores)


def jaggedness_of(e: Estimates) -> Jaggedness:
    """J with its interval, on the games with axes."""
    known = e.known
    replicates = studentized(e.per_game_drawn, e.overall_drawn[: len(e.per_game_drawn)], e.scale_drawn)
    stratified = studentized(e.these.per_game, e.these.overall, e.these.scale)
    return local_jaggedness(
        e.z_scores[known], e.axes.values[known], replicates[:, known], stratified=stratified[:, known]
    )


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


def _reordered(cells: Cells, order: Integers) -> Cells:
    """The cells with models in this order; sums are turned where low and high change places."""
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    a, b = place[cells.low], place[cells.high]
    sign = np.where(a < b, 1.0, -1.0)
    names = tuple(cells.models[i] for i in order)
    low, high = np.minimum(a, b), np.maximum(a, b)
    part = replace(cells, models=names, low=low, high=high, total=cells.total * sign)
    ascending = np.lexsort((high, low, part.game))
    part = replace(part, game=part.game[ascending], low=low[ascending], high=high[ascending])
    return part.map(lambda sums: sums[..., ascending])
