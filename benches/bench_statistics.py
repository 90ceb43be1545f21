"""Speed of the statistics on a tournament of the paper's size: 38,000 matches, 9 models, 50 games."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from benches.bench_engine import Benchmark
from tournament.statistics.adaptive import Matchup, next_matchups
from tournament.statistics.bootstrap import cluster_bootstrap, within_cell_bootstrap
from tournament.statistics.bradley_terry import fit, outcomes, win_matrix
from tournament.statistics.leaderboards import leaderboard
from tournament.statistics.strength import game_strengths
from tournament.statistics.table import SlotTable, from_codes

MODELS, GAMES, PAIRS_A_GAME, RUNS = 9, 50, 19, 20
LEADERBOARD_SECONDS = 2.0  # what 2,000 resamples may take


@lru_cache
def tournament() -> SlotTable:
    """A rotating half of all pairs on every game, 20 runs of two matches each."""
    random = np.random.default_rng(1)
    low, high = np.triu_indices(MODELS, 1)
    pair = np.concatenate([random.permutation(len(low))[:PAIRS_A_GAME] for _ in range(GAMES)])
    game, pair, run = (
        np.repeat(np.arange(GAMES), PAIRS_A_GAME * RUNS),
        np.repeat(pair, RUNS),
        np.tile(np.arange(RUNS), GAMES * PAIRS_A_GAME),
    )
    strengths = np.linspace(1.0, -1.0, MODELS)
    gap = strengths[low[pair]] - strengths[high[pair]]
    margin = np.concatenate((gap + random.normal(0.0, 3.0, len(gap)), -gap + random.normal(0.0, 3.0, len(gap))))
    seats = (np.concatenate((low[pair], high[pair])), np.concatenate((high[pair], low[pair])))
    names = (tuple(f"m{k}" for k in range(MODELS)), tuple(f"g{k:02d}" for k in range(GAMES)))
    return from_codes(*names, np.tile(game, 2), np.tile(run, 2), *seats, margin.round())


def bench_leaderboard(benchmark: Benchmark) -> None:
    """Strengths with intervals from 2,000 paired-cluster resamples."""
    table = tournament()
    benchmark.pedantic(lambda: leaderboard(table, 2000), rounds=3, warmup_rounds=1)
    assert benchmark.stats.stats.median < LEADERBOARD_SECONDS


def bench_game_strengths(benchmark: Benchmark) -> None:
    """Per-game strengths in 500 resamples."""
    table = tournament()
    benchmark.pedantic(lambda: game_strengths(cluster_bootstrap(table, 500)), rounds=3, warmup_rounds=1)


def bench_within_cells(benchmark: Benchmark) -> None:
    """2,000 within-cell resamples of 450 cells."""
    table = tournament()
    benchmark.pedantic(lambda: within_cell_bootstrap(table, 2000), rounds=3, warmup_rounds=1)


def bench_bradley_terry(benchmark: Benchmark) -> None:
    """2,000 Bradley-Terry fits of resampled wins."""
    wins = win_matrix(cluster_bootstrap(outcomes(tournament()), 2000))
    benchmark.pedantic(lambda: fit(wins), rounds=3, warmup_rounds=1)


def bench_next_matchups(benchmark: Benchmark) -> None:
    """The next 40 of 1,800 runs."""
    table = tournament()
    names = [(a, b) for k, a in enumerate(table.models) for b in table.models[k + 1 :]]
    candidates = [Matchup(game, a, b) for game in table.games for a, b in names]
    costs = np.ones(len(candidates))
    benchmark.pedantic(lambda: next_matchups(table, candidates, costs, 40), rounds=3, warmup_rounds=1)
