"""Planted tournaments, and which intervals hold their truth: what `benches.coverage` puts into a table.

Every world has games of its own with known strengths. Margins carry the noise of a match, and the luck of the cards,
which both matches of a run share. All figures come from the functions that `tournament analyze` calls.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct

from antemill.tournament.statistics import estimates as of
from antemill.tournament.statistics.estimates import Estimates
from antemill.tournament.statistics.game_axes import GameAxes, no_axes
from antemill.tournament.statistics.intervals import Floats, Interval, percentile
from antemill.tournament.statistics.jaggedness import (
    Jaggedness,
    beyond_profile,
    jaggedness,
    neighbourhoods,
    studentized,
)
from antemill.tournament.statistics.matches import Integers, SlotTable, from_codes, slot_table
from antemill.tournament.statistics.profile import least_squares, zscore
from antemill.tournament.statistics.rating import RatingOptions, rate
from antemill.tournament.statistics.strength import game_average, strengths
from antemill.tournament.statistics.variance import components
from tests.tournament.statistics.planted import PLAYED, POT, RARE, Truth, play, truth

REPLICATES = 200
DRAWS = {"": 0.8, "no draws": 0.0, "half draws": 2.0, "95% draws": 38.0}  # weight of a draw; 1 + 1 are the level wins'
Figures = dict[str, float]  # of one world: shares of intervals that hold, flags, errors


class Setting(Struct, frozen=True):
    """How the worlds of a line are drawn. Chips are those of one match."""

    name: str
    players: int = 6
    games: int = 16
    runs: int = 8  # of each pair on each game; the most, if uneven
    interaction: float = 0.4  # standard deviation of what a game adds to a player's strength
    luck: float = 3.0  # of the cards, standard deviation
    noise: float = 2.0  # of the rest, standard deviation
    gap: float = 1.0  # overall strengths reach from gap to -gap
    correlation: float = 0.0  # of the axes
    uneven: bool = False
    few: int = 0  # runs of the last player in all, if not 0
    shape: str = ""  # of the margins, one of planted.SHAPES; normal if not given. Of matches that are won: one of DRAWS
    matches: int = 0  # if not 0: so many of all players together, won, drawn or lost, and the first player has more


def world(setting: Setting, seed: int) -> tuple[Truth, SlotTable]:
    """A truth and its tournament."""
    s = setting
    slope = s.interaction / 4.0
    t = truth(s.players, s.games, seed, slope, s.interaction, s.gap, s.correlation)
    rows = play(t, s.runs, seed, s.noise, s.luck, uneven=s.uneven, shape=s.shape)
    if s.few:
        rows = rows.take(_few(rows.to_pydict(), t.models[-1], s.few, seed))
    return t, slot_table(rows)


def estimated(setting: Setting, seed: int) -> tuple[Estimates, Truth]:
    """The estimates of one world, and the truth about the players that are in them."""
    t, table = world(setting, seed)
    fit = game_average if setting.uneven else strengths
    axes = no_axes(table.games)
    axes = GameAxes(t.axes, axes.rulebook_length, axes.source, {})
    e = of.estimate(table, axes, REPLICATES, REPLICATES, seed, fit)
    place = [t.models.index(name) for name in e.models]
    return e, Truth(t.axes, t.overall[place], t.slopes[place], t.strengths[:, place])


def measured(setting: Setting, seed: int) -> Figures:
    """What one world shows."""
    if setting.matches:
        return _wins(setting, seed)
    e, true = estimated(setting, seed)
    if setting.few:
        return _one_player(e, true, f"m{setting.players - 1}")
    found = (
        _strengths(e, true)
        | _rated(e, true, setting)
        | _slopes(e, true)
        | _variance(e, true)
        | _jagged(e, true, setting)
    )
    return found | _order(e) if setting.interaction == 0.0 else found


def _held(interval: Interval, want: Floats) -> float:
    """The share that holds, of the intervals that there are."""
    there = np.isfinite(interval.low) & np.isfinite(want)
    return float(np.mean(((interval.low <= want) & (want <= interval.high))[there])) if there.any() else float("nan")


def _width(interval: Interval) -> float:
    return float(np.nanmean(interval.high - interval.low))


def _strengths(e: Estimates, t: Truth) -> Figures:
    paper, (these, like) = percentile(e.overall_drawn), (error.interval(e.overall) for error in of.strength_errors(e))
    here = t.strengths.mean(axis=0)
    return {
        "strength, these, paper": _held(paper, here),
        "strength, these": _held(these, here),
        "strength, like, paper": _held(paper, t.overall),
        "strength, like": _held(like, t.overall),
        "width": _width(paper) / _width(these),
        "game strength": _held(percentile(e.per_game_drawn), t.strengths),
    }


def _rated(e: Estimates, t: Truth, setting: Setting) -> Figures:
    """Ratings by margin, and ranks: shares of intervals, and whether all of a tournament hold together."""
    if setting.uneven:
        return {}
    here, level = t.strengths.mean(axis=0), of.ranks_of(e)
    found = rate(e.table, RatingOptions("margin"))
    true = dict(zip(e.models, here.tolist(), strict=True))
    held = [one.low <= true[one.player] <= one.high for one in found if np.isfinite(one.low)]
    return {"rate": float(np.mean(held))} | _ranked(here, level.low, level.high)


def _ranked(true: Floats, low: Integers, high: Integers) -> Figures:
    above, below = ((sign * true > sign * true[:, None] + 1e-9).sum(axis=1) for sign in (1.0, -1.0))
    return {"ranks": float(((low <= 1 + above) & (len(true) - below <= high)).all())}


def _wins(setting: Setting, seed: int) -> Figures:
    """Ratings by wins with Davidson's draws and an advantage of the first, drawn from that model."""
    random = np.random.default_rng(seed)
    level = np.linspace(setting.gap, -setting.gap, setting.players)
    a = random.integers(0, setting.players, setting.matches)
    b = (a + random.integers(1, setting.players, setting.matches)) % setting.players
    d = (level[a] - level[b] + 0.4) / 2.0
    draw = DRAWS[setting.shape]
    place = random.random(len(a)) * (np.exp(d) + np.exp(-d) + draw)
    margin = np.where(place < np.exp(d), 1.0, np.where(place < np.exp(d) + draw, 0.0, -1.0))
    names = tuple(f"m{k}" for k in range(setting.players))
    table = from_codes(names, ("all",), np.zeros(len(a), np.int64), np.arange(len(a)), a, b, margin)
    options = RatingOptions("bradley-terry", draws="davidson" if draw else "half", first_mover=True)
    found = {one.player: one for one in rate(table, options)}
    rated = [found[name] for name in names]
    held = _held(Interval(np.array([one.low for one in rated]), np.array([one.high for one in rated])), level)
    low, high = (np.array([getattr(one, key) or 0 for one in rated]) for key in ("rank_low", "rank_high"))
    return {"rate": held} | (_ranked(level, low, high) if low.all() else {})


def _slopes(e: Estimates, t: Truth) -> Figures:
    profile = of.profile_of(e)
    if not np.isfinite(profile.slopes).all():
        return {}
    z = zscore(t.axes)
    design = np.hstack([np.ones((len(z), 1)), z])
    truth_here = least_squares(design, t.strengths)
    here = truth_here[1:].T
    these, like = (error.interval(profile.slopes) for error in of.slope_errors_of(e))
    peak = np.tile(np.median(design, axis=0), (z.shape[1], 1))
    peak[np.arange(z.shape[1]), 1 + np.arange(z.shape[1])] = z.max(axis=0)
    return {
        "slope, these, paper": _held(profile.slope_interval, here),
        "slope, these": _held(these, here),
        "slope, like, paper": _held(profile.slope_interval, t.slopes),
        "slope, like": _held(like, t.slopes),
        "level": _held(profile.level_interval, (peak @ truth_here).T),
    }


def _variance(e: Estimates, t: Truth) -> Figures:
    found, want = of.variance_of(e), components(t.strengths)
    figures: Figures = {}
    for k, name in enumerate(("sigma2_M", "sigma2_MG", "ratio")):
        for kind, interval in (("paper", found.interval), ("beside", found.corrected_interval)):
            figures[f"{name}, {kind}"] = _held(Interval(interval.low[k], interval.high[k]), want[k])
    bias = {"paper": found.values, "beside": found.corrected}
    return figures | {f"sigma2_MG bias, {kind}": float(value[1] - want[1]) for kind, value in bias.items()}


def _jagged(e: Estimates, t: Truth, setting: Setting) -> Figures:
    found, want = of.jaggedness_of(e), true_jaggedness(e, t, setting)
    return {
        "J, paper": _held(found.interval, want),
        "J, beside": _held(found.corrected_interval, want),
        "J = 0 rejected": float(np.mean(found.p < 0.05)),
    } | _beyond(found, e, t, setting)


def _beyond(found: Jaggedness, e: Estimates, t: Truth, setting: Setting) -> Figures:
    """J of what the axes leave of the planted strengths."""
    if found.beyond_interval is None or len(t.axes) <= t.axes.shape[1] + 1:
        return {}
    rest = beyond_profile(true_z(e, t, setting), t.axes)
    return {"J beyond, beside": _held(found.beyond_interval, jaggedness(rest, neighbourhoods(t.axes)))}


def _order(e: Estimates) -> Figures:
    """False alarms where no game orders the players otherwise."""
    (paper, single), joint = of.stability_of(e), of.joint_stability_of(e)
    return {
        "order, paper": float((paper.q < 0.05).any()),
        "order, beside": float((joint.q < 0.05).any()),
        "order p, paper": float(np.mean(paper.p < 0.05)),
        "order p, beside": float(np.mean(joint.p < 0.05)),
        "reversal, paper": float((single.q < 0.05).any()),
        "reversal, beside": float((single.fair_q < 0.05).any()),
    }


def _one_player(e: Estimates, t: Truth, name: str) -> Figures:
    """The intervals of a player with few runs, and those of the others."""
    me = e.models.index(name)
    paper, these = percentile(e.overall_drawn), of.strength_errors(e)[0].interval(e.overall)
    here = t.overall  # games add nothing here, so that it does not matter which of them the player met
    others = np.arange(len(e.models)) != me
    return {
        f"{who}, {kind}": _held(Interval(interval.low[part], interval.high[part]), here[part])
        for who, part in (("few", [me]), ("others", others))
        for kind, interval in (("paper", paper), ("beside", these))
    }


def _few(rows: Mapping[str, list[object]], name: str, few: int, seed: int) -> list[int]:
    """The rows without the player, and both matches of a few runs of it, drawn at random."""
    random = np.random.default_rng([seed, few])
    key = [(g, *sorted((str(a), str(b))), r) for g, a, b, r in zip(*(rows[c] for c in ("game", "alice", "bob", "run")))]
    mine = sorted({k for k in key if name in k[1:3]}, key=str)
    kept = {mine[int(i)] for i in random.permutation(len(mine))[:few]}
    return [i for i, k in enumerate(key) if name not in k[1:3] or k in kept]


def true_jaggedness(e: Estimates, t: Truth, setting: Setting) -> Floats:
    """J of the planted strengths."""
    return jaggedness(true_z(e, t, setting), neighbourhoods(t.axes))


def true_z(e: Estimates, t: Truth, setting: Setting) -> Floats:
    """float64[games, models]: z of the planted strengths over the margins' true spread, on the schedule played."""
    cells = e.cells
    gap = t.strengths[cells.game, cells.low] - t.strengths[cells.game, cells.high]
    rows, squares = (np.bincount(cells.game, weights=w * cells.count) for w in (np.ones(len(gap)), gap**2))
    share, pots = PLAYED.get(setting.shape, 1.0), POT**2 * RARE * (1.0 - RARE) if setting.shape == "jackpots" else 0.0
    scale = np.sqrt((setting.noise**2 + setting.luck**2 + squares / rows) / share + pots)
    return studentized(t.strengths, t.strengths.mean(axis=0), scale)
