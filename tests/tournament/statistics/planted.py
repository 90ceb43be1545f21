"""Synthetic tournaments with known strengths: the truth that the statistics must recover."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from antemill.tournament.statistics.profile import zscore

Floats = npt.NDArray[np.float64]
PLAYED = {"half ties": 0.5, "95% ties": 0.05}  # the share of matches that are no ties
RARE, POT = 0.02, 60.0  # a jackpot: how often, and chips
SHAPES = ("whole chips", "skewed", "half ties", "95% ties", "jackpots")  # of margins, besides the normal one


@dataclass(frozen=True, eq=False)
class Truth:
    """Strengths float64[games, models] that sum to zero on every game, and what they are made of."""

    axes: Floats  # float64[games, 6]
    overall: Floats  # float64[models]
    slopes: Floats  # float64[models, 6]
    strengths: Floats

    @property
    def models(self) -> list[str]:
        """Names in order of the columns."""
        return [f"m{i}" for i in range(self.strengths.shape[1])]

    @property
    def games(self) -> list[str]:
        """Names in ascending order, as the slot table orders them."""
        return [f"g{i:03d}" for i in range(len(self.strengths))]


def truth(
    models: int,
    games: int,
    seed: int,
    slope: float = 0.2,
    rough: float = 0.0,
    gap: float = 1.0,
    correlation: float = 0.0,
) -> Truth:
    """Strengths = overall + slopes @ z-scored axes + roughness of its own for every cell.

    gap: the overall strengths reach from gap to -gap. correlation: of each two axes, besides what chance gives.
    """
    random = np.random.default_rng(seed)
    axes = random.normal(size=(games, 6)) @ (np.eye(6) + 0.2 * random.normal(size=(6, 6)))
    if correlation:
        axes = axes @ np.linalg.cholesky(np.full((6, 6), correlation) + (1.0 - correlation) * np.eye(6)).T
    overall = centred(np.linspace(gap, -gap, models)[None])[0]
    slopes = centred(slope * random.normal(size=(6, models))).T
    own = centred(rough * random.normal(size=(games, models)))
    return Truth(axes, overall, slopes, overall + zscore(axes) @ slopes.T + own)


def shaped(shape: str, margin: Floats, mean: Floats, ahead: Floats, random: np.random.Generator) -> Floats:
    """Margins of another distribution with the same means. ahead: 1 where Alice wins the rare pots, else -1."""
    if shape == "skewed":
        spread = np.std(margin - mean)
        return np.asarray(mean + ahead * spread * (random.exponential(size=len(margin)) - 1.0), np.float64)
    if shape == "jackpots":
        return np.asarray(margin + ahead * POT * ((random.random(len(margin)) < RARE) - RARE), np.float64)
    if shape == "whole chips":
        return np.asarray(margin.round(), np.float64)
    return np.asarray(np.where(random.random(len(margin)) < PLAYED[shape], margin / PLAYED[shape], 0.0), np.float64)


def centred(values: Floats) -> Floats:
    """Rows that sum to zero."""
    return np.asarray(values - values.mean(axis=1, keepdims=True), np.float64)


def play(
    t: Truth,
    runs: int,
    seed: int,
    noise: float = 2.0,
    deal: float = 1.0,
    share: float = 1.0,
    whole: bool = False,
    uneven: bool = False,
    shape: str = "",
) -> pa.Table:
    """Slots of every run of a share of the (game, pair)s: two seat assignments with one deal.

    deal: standard deviation of what the cards give to Alice's seat, common to both matches of a run. whole: round the
    margins to whole chips. uneven: a pair meets on a game once to `runs` times, few times more often than many. Every
    game keeps a ring of pairs, so that it stays connected. shape: one of SHAPES, of the margins; the means stay.
    """
    random = np.random.default_rng(seed)
    games, models = t.strengths.shape
    low, high = np.triu_indices(models, 1)
    kept = random.random((games, len(low))) < share
    kept |= (high - low == 1) | ((low == 0) & (high == models - 1))
    game, pair = np.nonzero(kept)
    often = np.exp(random.uniform(0.0, np.log(runs + 1.0), len(pair))).astype(np.int64) if uneven else runs
    game, a, b = (np.repeat(values, often) for values in (game, low[pair], high[pair]))
    run = np.concatenate([np.arange(n) for n in np.broadcast_to(often, len(pair))])
    cards = deal * random.normal(size=len(game))
    gap = t.strengths[game, a] - t.strengths[game, b]
    first = gap + cards + noise * random.normal(size=len(game))
    second = -gap + cards + noise * random.normal(size=len(game))
    margin = np.concatenate((first, second))
    if shape:
        ahead = np.repeat([1.0, -1.0], len(game))  # Alice is the model with the lower number
        margin = shaped(shape, margin, np.concatenate((gap, -gap)), ahead, random)
    names, labels = np.array(t.models), np.array(t.games)
    moves = random.integers(1, 6, (2, len(margin)))
    return pa.table(
        {
            "game": labels[np.tile(game, 2)],
            "play_seed": np.tile(run, 2),
            "run": np.tile(run, 2),
            "alice": names[np.concatenate((a, b))],
            "bob": names[np.concatenate((b, a))],
            "margin": margin.round() if whole else margin,
            "moves_alice": moves[0],
            "moves_bob": moves[1],
            "fallbacks_alice": (random.random(len(margin)) < 0.01).astype(np.int64),
            "fallbacks_bob": (random.random(len(margin)) < 0.01).astype(np.int64),
        }
    )
