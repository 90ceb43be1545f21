"""How often the 95% intervals hold: `python -m benches.coverage [WORLD...]` simulates tournaments, in some minutes.

Every world has games of its own with known strengths. Margins carry the noise of a match, and the luck of the cards,
which both matches of a run share. A line has the percentage of intervals that hold the truth, and of tournaments in
which all pairs, or all ranks, hold together. Everything comes from the functions that an analysis calls.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from scipy.special import expit

from antemill.tournament.statistics.cells import cells_of, game_spread
from antemill.tournament.statistics.errors import Errors, errors_of
from antemill.tournament.statistics.jaggedness import local_jaggedness, neighbourhoods
from antemill.tournament.statistics.losses import mean_loss
from antemill.tournament.statistics.matches import SlotTable, from_codes
from antemill.tournament.statistics.profile import slope_errors, zscore
from antemill.tournament.statistics.ranks import Ranks, ranks
from antemill.tournament.statistics.strength import game_average, game_strengths, strengths
from antemill.tournament.statistics.variance import components, decomposition
from antemill.tournament.statistics.wins import fit_matrix, fit_wins
from tests.tournament.statistics.planted import Truth, shaped, truth

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.intp]
LEAST = 92.0  # percent that every line must hold
WORLDS, NOISE, LUCK, INTERACTION = 100, 2.0, 3.0, 0.4  # standard deviations: of a match, of cards, of a game
Held: TypeAlias = dict[str, tuple[float, int]]  # by what is asked: how many intervals hold, of how many


class World(Struct, frozen=True):
    """How the tournaments of a line are drawn. matches: of each pair on each game; share: of the pairs that meet."""

    players: int
    games: int
    matches: int
    shape: str = ""  # of margins, see `planted.SHAPES`
    share: float = 1.0
    schedule: str = ""  # "uneven", or "adaptive": half of the runs go to the pairs that look close
    interaction: float = INTERACTION

    @property
    def name(self) -> str:
        parts = [f"{self.players} players, {self.games} games, {self.matches} matches"]
        parts += [self.shape] * bool(self.shape) + [f"{self.share:.0%} of pairs"] * (self.share < 1.0)
        parts += [self.schedule] * bool(self.schedule) + ["no interaction"] * (not self.interaction)
        return ", ".join(parts)


GRID = (
    *(World(players, games, 1) for players, games in ((3, 4), (3, 50), (10, 4), (10, 20), (40, 4))),
    *(World(players, games, 2) for players, games in ((3, 4), (3, 10), (10, 4), (10, 10), (10, 50))),
    World(3, 4, 10), World(10, 10, 10), World(10, 4, 40), World(6, 16, 16),
    *(World(10, 10, 2, shape) for shape in ("jackpots", "half ties", "95% ties", "skewed")),
    *(World(3, 10, 10, shape) for shape in ("jackpots", "half ties", "95% ties")), World(10, 20, 10, "jackpots"),
    World(10, 10, 4, share=0.15), World(10, 20, 2, share=0.15),
    World(10, 20, 16, schedule="uneven"), World(10, 20, 8, schedule="adaptive"),
    World(6, 16, 4, interaction=0.0), World(6, 16, 16, "95% ties", interaction=0.0),
)  # fmt: skip


def drawn(world: World, seed: int) -> tuple[Truth, SlotTable]:
    """The truth and the matches of one tournament."""
    random = np.random.default_rng([seed, world.players, world.games, world.matches])
    slope = world.interaction / 4.0
    t = truth(world.players, world.games, seed, slope, world.interaction, 1.0)
    low, high = np.triu_indices(world.players, 1)
    kept = random.random((world.games, len(low))) < world.share
    kept |= (high - low == 1) | ((low == 0) & (high == world.players - 1))  # a ring connects every game
    game, pair = np.nonzero(kept)
    a, b, runs = low[pair], high[pair], max(1, world.matches // 2)
    gap = t.strengths[game, a] - t.strengths[game, b]
    often, first = np.full(len(game), runs), gap + NOISE / np.sqrt(2.0) * random.normal(size=len(game))
    if world.schedule == "uneven":
        often = np.exp(random.uniform(0.0, np.log(runs + 1.0), len(game))).astype(np.int64)
    elif world.schedule == "adaptive":
        seen = np.bincount(pair, first) / np.maximum(np.bincount(pair), 1)
        weight = np.exp(-np.abs(seen) / 0.4)[pair]
        often = 1 + random.multinomial(len(game) * (runs - 1), weight / weight.sum())
    cell = np.repeat(np.arange(len(game)), often)
    cards, mean = LUCK * random.normal(size=len(cell)), np.asarray(gap[cell], np.float64)
    margin = np.asarray([sign * mean + cards + NOISE * random.normal(size=len(cell)) for sign in (1, -1)], np.float64)
    if world.schedule == "adaptive":  # what was seen of the first run decided where the others went
        starts = np.cumsum(often) - often
        margin[:, starts] = np.array([first, -first]) + cards[starts]
    seats, run = np.array([[1.0], [-1.0]]) * np.ones(len(cell)), np.arange(len(cell))
    if world.matches == 1:
        side = random.integers(0, 2, len(cell))
        seats = np.where(side == 0, 1.0, -1.0)
        margin, mean = margin[side, run], mean * seats
    else:
        mean, run, cell = np.concatenate((mean, -mean)), np.tile(run, 2), np.tile(cell, 2)
    margin, seats = margin.ravel(), seats.ravel()
    if world.shape:
        margin = shaped(world.shape, margin, mean, seats, random)
    alice, bob = np.where(seats > 0, a[cell], b[cell]), np.where(seats > 0, b[cell], a[cell])
    return t, from_codes(tuple(t.models), tuple(t.games), game[cell], run, alice, bob, margin)


def inside(low: Floats, high: Floats, want: Floats) -> tuple[float, int]:
    """How many of the intervals that are there hold."""
    there = np.isfinite(low) & np.isfinite(high) & np.isfinite(want)
    return float(((low <= want) & (want <= high))[there].sum()), int(there.sum())


def measured(world: World, seed: int) -> Held:
    """What one tournament's intervals hold."""
    t, table = drawn(world, seed)
    fit = game_average if world.schedule else strengths
    point, per_game = fit(table), game_strengths(table)
    e, exact = errors_of(table, per_game, fit is game_average), _exact(table, t, fit)
    found: Held = {}
    for question, spread, want in (("these", e.these, exact), ("like", e.like, t.overall)):
        interval = spread.error.interval(point)
        moved = want - e.reference @ want + e.reference @ point
        found[f"strength, {question}"] = inside(interval.low, interval.high, moved)
        compared = ranks(point, spread)
        found |= {f"{kind}, {question}": held for kind, held in together(compared, want).items()}
    interval = e.by_game.interval(per_game)
    found["one game"] = inside(interval.low, interval.high, t.strengths)
    return found | (_slopes(t, table, per_game, e) if world.games > 8 else {}) | _squares(t, table, per_game, e)


def _exact(table: SlotTable, t: Truth, fit: Callable[..., Floats]) -> Floats:
    """The strengths of this schedule without noise."""
    return fit(replace(table, margin=t.strengths[table.game, table.alice] - t.strengths[table.game, table.bob]))


def together(found: Ranks, want: Floats) -> Held:
    """Whether all pairs hold, all ranks."""
    gap, other = want[:, None] - want, ~np.eye(len(want), dtype=bool)
    pairs = ((found.interval.low <= gap) & (gap <= found.interval.high))[other].all()
    above = (gap < -1e-9).sum(axis=1)
    ranked = ((found.low <= 1 + above) & (1 + above <= found.high)).all()
    return {"all pairs": (float(pairs), 1), "all ranks": (float(ranked), 1)}


def _slopes(t: Truth, table: SlotTable, per_game: Floats, e: Errors) -> Held:
    design = np.column_stack((np.ones(len(t.axes)), zscore(t.axes)))
    inverse = np.linalg.pinv(design)
    point, held = (inverse @ per_game)[1:].T, {}
    errors = slope_errors(t.axes, per_game, e, np.ones(len(table.games), bool))
    for question, error, want in zip(("these", "like"), errors, ((inverse @ t.strengths)[1:].T, t.slopes), strict=True):
        interval = error.interval(np.asarray(point, np.float64))
        held[f"slope, {question}"] = inside(interval.low, interval.high, want)
    return held


def _squares(t: Truth, table: SlotTable, per_game: Floats, e: Errors) -> Held:
    """Variance components and J, on these games."""
    found, want = decomposition(per_game, e.games), components(t.strengths)
    held = {
        name: inside(found.interval.low[k : k + 1], found.interval.high[k : k + 1], want[k : k + 1])
        for k, name in enumerate(("variance of models", "variance by game"))
        if np.isfinite(found.interval.low[k])
    }
    scale = game_spread(cells_of(table))[:, None]
    if len(t.games) < 8 or not np.isfinite(per_game).all() or not (scale > 0.0).all():
        return held
    noise = np.diagonal(e.games, axis1=1, axis2=2) / scale**2
    jagged = local_jaggedness((per_game - per_game.mean(axis=0)) / scale, t.axes, noise)
    z = (t.strengths - t.strengths.mean(axis=0)) / scale
    near = neighbourhoods(t.axes)
    exact = np.sqrt(np.mean([z[around].var(axis=0) for around in near], axis=0))
    return held | {"J": inside(jagged.interval.low, jagged.interval.high, exact)}


def wins(players: int, matches: int, draw: float = 0.0, top: float = 0.0) -> Callable[[int], Held]:
    """Matches of each pair, won by the chances of Bradley and Terry. top: what the best is above the others."""
    level = np.linspace(1.0, -1.0, players)
    level[0] += top
    low, high = np.triu_indices(players, 1)
    a, b = np.repeat(low, matches), np.repeat(high, matches)
    chance, names = expit(level[a] - level[b]), tuple(f"m{k:02d}" for k in range(players))

    def one(seed: int) -> Held:
        random = np.random.default_rng([seed, players, matches])
        margin = np.where(random.random(len(a)) < chance, 1.0, -1.0)
        margin[random.random(len(a)) < draw] = 0.0
        found = fit_wins(from_codes(names, ("all",), np.zeros(len(a), int), np.arange(len(a)), a, b, margin))
        slope = chance * (1.0 - chance)
        weight = np.bincount(np.concatenate((a, b)), np.tile(slope, 2), players)
        want = level if not draw else _shrunk(draw, a, b, chance, players)
        off = (found.strengths - found.strengths @ weight / weight.sum()) - (want - want @ weight / weight.sum())
        reach = found.spread.error.reach
        held = {"rating": inside(-reach, reach, off)}
        return held | together(ranks(found.strengths, found.spread, None, found.pairs), want)

    return one


def _shrunk(draw: float, a: Integers, b: Integers, chance: Floats, players: int) -> Floats:
    """The ratings whose expected scores are those of matches of which a share is drawn."""
    expected, score = np.zeros((players, players)), draw / 2.0 + (1.0 - draw) * chance
    np.add.at(expected, (a, b), score)
    np.add.at(expected, (b, a), 1.0 - score)
    return fit_matrix(expected)


def mistakes(pairs: int, often: float) -> Callable[[int], Held]:
    """Losses of pairs of matches, of which a share holds a mistake of up to 4 chips."""

    def one(seed: int) -> Held:
        random = np.random.default_rng([seed, pairs])
        losses = (random.random(pairs) < often) * np.minimum(random.exponential(size=pairs), 4.0)
        found = mean_loss(losses.tolist(), 1.0, 4.0)
        low, high = (np.array([bound or 0.0]) for bound in (found.low, found.high))
        return {"loss": inside(low, high, np.array([often * (1.0 - np.exp(-4.0))]))}

    return one


def lines() -> dict[str, Callable[[int], Held]]:
    """What measures each line, by its name."""
    found: dict[str, Callable[[int], Held]] = {world.name: partial(measured, world) for world in GRID}
    for players, matches, more in ((3, 4, {}), (3, 40, {}), (10, 1, {}), (10, 10, {}), (10, 2, {"draw": 0.5}),
                                   (10, 40, {"draw": 0.95}), (10, 2, {"top": 3.0}), (40, 1, {})):  # fmt: skip
        said = "".join(f", {key} {value}" for key, value in more.items())
        found[f"wins of {players} players, {matches} matches{said}"] = wins(players, matches, **more)
    for pairs, often in ((10, 0.05), (40, 0.01), (40, 0.05), (200, 0.01), (40, 0.3)):
        found[f"mistakes in {often:.0%} of {pairs} pairs"] = mistakes(pairs, often)
    return found


def main(words: Sequence[str]) -> None:
    """Print the lines that are named, or all; a number is of worlds."""
    known, worlds = lines(), next((int(word) for word in words if word.isdigit()), WORLDS)
    named = [word for word in words if not word.isdigit()]
    for name in (one for one in known if not named or any(word in one for word in named)):
        sums: dict[str, list[float]] = {}
        for seed in range(worlds * (5 if "mistakes" in name else 1)):
            for kind, (hits, of) in known[name](seed).items():
                both = sums.setdefault(kind, [0.0, 0.0])
                both[0], both[1] = both[0] + hits, both[1] + of
        shares = {kind: 100.0 * hits / of for kind, (hits, of) in sums.items() if of}
        parts = [f"{kind} {share:.0f}{'!' * (share < LEAST)}" for kind, share in shares.items()]
        print(f"{name}: {'; '.join(parts)}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
