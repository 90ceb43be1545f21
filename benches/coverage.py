"""How often the 95% intervals hold: `python -m benches.coverage [SETTING...]` simulates tournaments, in some minutes.

Every world has games of its own with known strengths. Margins carry the noise of a match, and the luck of the cards,
which both matches of a run share. Then come a guest with a few matches beside a round robin, two groups that few runs
tie, and what thinking is worth. All figures come from the functions that an analysis calls. A line has the share of
intervals that hold the truth, of the paper's and of ours; of tests it has the share that rejects, where 5% is right.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

import numpy as np
import pyarrow as pa
from msgspec import Struct

from antemill.tournament.statistics import estimates as of
from antemill.tournament.statistics.ablation import effect, siblings
from antemill.tournament.statistics.bootstrap import cluster_bootstrap
from antemill.tournament.statistics.cells import cells_of
from antemill.tournament.statistics.clustered import clustered, stretched
from antemill.tournament.statistics.estimates import Estimates
from antemill.tournament.statistics.few import enough, masked, placed, set_apart
from antemill.tournament.statistics.game_axes import GameAxes, no_axes
from antemill.tournament.statistics.intervals import Floats, Interval, percentile
from antemill.tournament.statistics.jaggedness import (
    Jaggedness,
    beyond_profile,
    jaggedness,
    neighbourhoods,
    studentized,
)
from antemill.tournament.statistics.leaderboards import leaderboard
from antemill.tournament.statistics.matches import Integers, SlotTable, from_codes, slot_table
from antemill.tournament.statistics.precision import Error, noise_of, overall_influence, propagated
from antemill.tournament.statistics.profile import least_squares, zscore
from antemill.tournament.statistics.rating import RatingOptions, rate
from antemill.tournament.statistics.strength import game_average, strengths
from antemill.tournament.statistics.variance import components
from tests.tournament.statistics.planted import PLAYED, POT, RARE, Truth, play, shaped, truth

WORLDS, GUEST_WORLDS, EFFECT_WORLDS = 40, 200, 400  # tournaments of a line
REPLICATES, EFFECT_REPLICATES = 200, 400
DRAWS = {"": 0.8, "no draws": 0.0, "half draws": 2.0, "95% draws": 38.0}  # weight of a draw; 1 + 1 are the level wins'
MAIN = 5  # players who play enough, beside a guest
LEAST = 5  # matches with which a guest has an interval
GUESTS, TIES, EFFECT_GAMES = (1, 3, 5, 12), (2, 8), (4, 20)  # matches of a guest; runs between two groups; games
DELTA, ROUGH = 0.4, 0.5  # what thinking gains, chips a match: the mean effect, and the deviation of games around it
ANCHORS, EFFECT_RUNS = ("a", "b"), 10  # of each variant against each anchor on each game, in each seat
PLAIN = ("width", "sigma2_MG bias")  # figures that are no shares
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


GRID = (
    Setting("6 players, 16 games, 8 runs"),
    Setting("3 players", players=3),
    Setting("40 games", games=40),
    Setting("2 runs", runs=2),
    Setting("much luck", luck=10.0),
    Setting("uneven schedule", runs=16, uneven=True),
    Setting("no interaction", interaction=0.0),
    Setting("jackpots", shape="jackpots"),
    Setting("wins, draws and a first move, 60 matches", matches=60),
    Setting("a player with 5 runs", interaction=0.0, few=5),
)


def run(setting: Setting, worlds: int) -> Figures:
    """Means over worlds of all that a setting shows; NaN is left out."""
    return _means([measured(setting, seed) for seed in range(worlds)])


def _means(found: Sequence[Figures]) -> Figures:
    names = {name: None for figures in found for name in figures}
    return {name: _mean(figures.get(name, np.nan) for figures in found) for name in names}


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


# ------------------------------------------------------------------------------------------ a guest, and two groups


def with_guest(matches: int, seed: int, runs: int = 8) -> tuple[Floats, pa.Table]:
    """A round robin of MAIN players on four games, and single matches of the guest `m5`; the true strengths."""
    random = np.random.default_rng(seed)
    level = np.linspace(1.0, -1.0, MAIN + 1)
    low, high = np.triu_indices(MAIN, 1)
    game, pair, number = (part.ravel() for part in np.meshgrid(range(4), range(len(low)), range(runs), indexing="ij"))
    alice, bob = np.concatenate((low[pair], high[pair])), np.concatenate((high[pair], low[pair]))
    cards = np.tile(random.normal(size=len(pair)), 2)
    alice = np.concatenate((alice, np.full(matches, MAIN)))
    bob = np.concatenate((bob, random.integers(0, MAIN, matches)))
    cards = np.concatenate((cards, random.normal(size=matches)))
    margin = level[alice] - level[bob] + cards + 2.0 * random.normal(size=len(alice))
    names = np.array([f"m{k}" for k in range(MAIN + 1)])
    return level, pa.table(
        {
            "game": np.concatenate((np.tile(game, 2), random.integers(0, 4, matches))),
            "run": np.concatenate((np.tile(number, 2), 100 + np.arange(matches))),
            "alice": names[alice],
            "bob": names[bob],
            "margin": margin,
        }
    )


def tied(ties: int, seed: int, runs: int = 10) -> tuple[Floats, pa.Table]:
    """Two groups of three players, a round robin on four games within each, and a few runs of one pair on one game."""
    random = np.random.default_rng(seed)
    level = np.linspace(1.0, -1.0, 6)
    inside = [(a, b) for group in (range(3), range(3, 6)) for a in group for b in group if a < b]
    met = [(game, *pair, run) for game in range(4) for pair in inside for run in range(runs)]
    game, low, high, run = np.array(met + [(0, 0, 3, run) for run in range(ties)]).T
    alice, bob = np.concatenate((low, high)), np.concatenate((high, low))
    cards = np.tile(random.normal(size=len(game)), 2)
    names = np.array([f"m{k}" for k in range(6)])
    return level, pa.table(
        {
            "game": np.tile(game, 2),
            "run": np.tile(run, 2),
            "alice": names[alice],
            "bob": names[bob],
            "margin": level[alice] - level[bob] + cards + 2.0 * random.normal(size=len(alice)),
        }
    )


def guest_world(matches: int, seed: int) -> Figures:
    """Which intervals hold: of the others (with the guest in the fit) and, as `own ...`, the guest's."""
    level, rows = with_guest(matches, seed)
    table = slot_table(rows)
    whole = level[: len(table.models)]
    fitted = _held_each(percentile(strengths(cluster_bootstrap(table, REPLICATES, seed))), whole - whole.mean())
    found = {"fitted": float(fitted[:MAIN].mean())}
    for kind, interval in (_intervals(table, seed) | (_tried(table, seed) if matches == LEAST else {})).items():
        there = enough(table)
        held = _held_each(interval, whole - whole[there].mean())
        found |= {kind: float(held[:MAIN].mean()), f"own {kind}": float(held[MAIN]) if len(held) > MAIN else np.nan}
    return found


def tied_world(ties: int, seed: int) -> Figures:
    """The shares of all players' intervals that hold."""
    level, rows = tied(ties, seed)
    found = _intervals(slot_table(rows), seed).items()
    return {kind: float(np.nan if np.isnan(each.low).all() else _held_each(each, level).mean()) for kind, each in found}


def coverage(world: Callable[[int, int], Figures], count: int, worlds: int = GUEST_WORLDS) -> Figures:
    """Means over worlds. count: of the guest's matches, or of the runs that tie two groups."""
    return _means([world(count, seed) for seed in range(worlds)])


def _intervals(table: SlotTable, seed: int) -> dict[str, Interval]:
    """The leaderboard's as the paper has them, those of `rate --method margin`, and those on these games."""
    rated = {one.player: one for one in rate(table, RatingOptions("margin"))}
    bounds = np.array([[rated[name].low, rated[name].high] for name in table.models]).T
    main, apart = set_apart(table)
    there = ~np.isin(table.models, apart)
    these = np.full((2, len(there)), np.nan)
    error = propagated(overall_influence(cells_of(main)), noise_of(main)).interval(strengths(main))
    these[:, there] = error.low, error.high
    paper = leaderboard(table, REPLICATES, seed).interval
    return {"paper": paper, "rate": Interval(*bounds), "these": masked(Interval(*these), enough(table))}


def _tried(table: SlotTable, seed: int) -> dict[str, Interval]:
    """Other intervals, of those who play enough."""
    main, apart = set_apart(table)
    point, errors = strengths(main), clustered(main)
    drawn = percentile(strengths(cluster_bootstrap(main, REPLICATES, seed)))
    freedom = errors[0].freedom
    widened = Error(np.sqrt((freedom + 1.0) / freedom), freedom), np.ones(len(point))
    found = {
        "normal": Error(errors[0].error, np.full(len(point), np.inf)).interval(point),
        "expanded": stretched(drawn, point, widened),
        "resampled": stretched(drawn, point, errors),
    }
    there = ~np.isin(table.models, apart)
    return {kind: Interval(placed(each.low, there), placed(each.high, there)) for kind, each in found.items()}


def _held_each(interval: Interval, want: Floats) -> Floats:
    """float64[players]: 1 where the interval holds, 0 where not, NaN where there is none."""
    inside = ((interval.low <= want) & (want <= interval.high)).astype(np.float64)
    return np.where(np.isfinite(interval.low), inside, np.nan)


def _mean(values: Iterable[float]) -> float:
    found = np.array(list(values))
    return float(np.nanmean(found)) if np.isfinite(found).any() else float("nan")


# ------------------------------------------------------------------------------------------ what thinking is worth


def effect_world(shape: str, games: int, seed: int) -> tuple[bool, bool]:
    """Whether a world's intervals hold the mean effect over games like these: the paper's and ours."""
    game, deck, alice, bob, margin = variants(shape, games, seed)
    pairs = siblings(game, deck.tolist(), alice.tolist(), bob.tolist(), margin, "high", "low")
    found = effect(pairs.game, pairs.difference, EFFECT_REPLICATES, seed)
    return found.low <= DELTA <= found.high, bool(found.student.low <= DELTA <= found.student.high)


def variants(shape: str, games: int, seed: int) -> tuple[np.ndarray, ...]:
    """Columns game, deck, Alice, Bob, margin: both variants meet the anchors with the same cards in both seats."""
    random = np.random.default_rng(seed)
    game, deck, anchor, seat, variant = (axis.ravel() for axis in np.indices((games, EFFECT_RUNS, len(ANCHORS), 2, 2)))
    cards = 3.0 * random.normal(size=(games, EFFECT_RUNS, len(ANCHORS)))[game, deck, anchor]
    effects = DELTA + ROUGH * random.normal(size=games)
    level = np.where(variant == 1, effects[game], 0.0) + 0.2 * anchor
    sign = np.where(seat == 0, 1.0, -1.0)
    mean = sign * level
    margin = mean + cards + 2.0 * random.normal(size=len(game))
    if shape:
        margin = shaped(shape, margin, mean, sign, random)
    mine, other = np.array(["low", "high"])[variant], np.array(ANCHORS)[anchor]
    alice, bob = np.where(seat == 0, mine, other), np.where(seat == 0, other, mine)
    return game, deck + EFFECT_RUNS * anchor, alice, bob, margin


def lines() -> Mapping[str, Callable[[], Figures]]:
    """What measures each line of the table, by its name."""
    found: dict[str, Callable[[], Figures]] = {one.name: partial(run, one, WORLDS) for one in GRID}
    found |= {f"a guest of {n} matches": partial(coverage, guest_world, n) for n in GUESTS}
    found |= {f"two groups, {n} runs between them": partial(coverage, tied_world, n) for n in TIES}
    return found | {f"thinking, {n} games": partial(_thinking, n) for n in EFFECT_GAMES}


def _thinking(games: int) -> Figures:
    held = np.mean([effect_world("", games, seed) for seed in range(EFFECT_WORLDS)], axis=0)
    return dict(zip(("effect, paper", "effect"), held.tolist(), strict=True))


def main(words: Sequence[str]) -> None:
    """Print the figures of the settings that are named, or of all."""
    known = lines()
    if unknown := [word for word in words if word not in known]:
        raise SystemExit(f"there is no setting {unknown[0]!r}; there are {', '.join(known)}.")
    for name in words or known:
        print(name, flush=True)
        for figure, share in known[name]().items():
            print(f"    {figure:32}" + (f"{share:8.2f}" if figure.startswith(PLAIN) else f"{share:8.1%}"))


if __name__ == "__main__":
    main(sys.argv[1:])
