"""Statistics of a tournament of the paper's size: 38,000 matches, 9 models, 50 games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, partial

import numpy as np

from antemill.tournament.bench.measure import Measurement, Setting, Work
from antemill.tournament.statistics.bootstrap import cluster_bootstrap, within_cell_bootstrap
from antemill.tournament.statistics.bradley_terry import fit, outcomes, win_matrix
from antemill.tournament.statistics.leaderboards import leaderboard
from antemill.tournament.statistics.matches import SlotTable, from_codes
from antemill.tournament.statistics.next_match import Matchup, next_matchups
from antemill.tournament.statistics.rating import RatingOptions, rate
from antemill.tournament.statistics.strength import game_strengths
from antemill.tournament.statistics.trueskill import RULES, rate_questions

_MODELS, _GAMES, _PAIRS_A_GAME, _RUNS = 9, 50, 19, 20
_QUESTIONS = 100


@cache
def tournament() -> SlotTable:
    """A rotating half of all pairs on every game, 20 runs of two matches each."""
    random = np.random.default_rng(1)
    low, high = np.triu_indices(_MODELS, 1)
    pair = np.concatenate([random.permutation(len(low))[:_PAIRS_A_GAME] for _ in range(_GAMES)])
    game, pair, run = (
        np.repeat(np.arange(_GAMES), _PAIRS_A_GAME * _RUNS),
        np.repeat(pair, _RUNS),
        np.tile(np.arange(_RUNS), _GAMES * _PAIRS_A_GAME),
    )
    strengths = np.linspace(1.0, -1.0, _MODELS)
    gap = strengths[low[pair]] - strengths[high[pair]]
    margin = np.concatenate((gap + random.normal(0.0, 3.0, len(gap)), -gap + random.normal(0.0, 3.0, len(gap))))
    seats = (np.concatenate((low[pair], high[pair])), np.concatenate((high[pair], low[pair])))
    names = (tuple(f"m{k}" for k in range(_MODELS)), tuple(f"g{k:02d}" for k in range(_GAMES)))
    return from_codes(*names, np.tile(game, 2), np.tile(run, 2), *seats, margin.round())


def _of_tournament(resamples: int, analyse: Callable[[SlotTable, int], object], setting: Setting) -> Sequence[Work]:
    table, number = tournament(), setting.size(resamples, 10)
    return [Work(lambda: analyse(table, number))]


def _bradley_terry(setting: Setting) -> Sequence[Work]:
    wins = win_matrix(cluster_bootstrap(outcomes(tournament()), setting.size(2_000, 10)))
    return [Work(lambda: fit(wins))]


def _elo(table: SlotTable, resamples: int) -> object:
    return rate(table, RatingOptions("elo", bootstrap=resamples))


def _trueskill(setting: Setting) -> Sequence[Work]:
    """Shares of right answers of nine models: 36 updates a question."""
    shares = np.random.default_rng(1).integers(0, 21, (setting.size(_QUESTIONS, 2), _MODELS))
    questions = [[Fraction(int(share), 20) for share in row] for row in shares]
    return [Work(lambda: rate_questions(questions, _MODELS, RULES["relative"]), len(questions))]


def _matchups(_: Setting) -> Sequence[Work]:
    table = tournament()
    names = [(a, b) for k, a in enumerate(table.models) for b in table.models[k + 1 :]]
    candidates = [Matchup(game, a, b) for game in table.games for a, b in names]
    costs = np.ones(len(candidates))
    return [Work(lambda: next_matchups(table, candidates, costs, 40))]


_ANALYSES: tuple[tuple[str, str, int, Callable[[SlotTable, int], object]], ...] = (
    ("leaderboard", "leaderboard of 38,000 matches, 2,000 resamples", 2_000, leaderboard),
    (
        "game-strengths",
        "strengths by game, 500 resamples",
        500,
        lambda table, resamples: game_strengths(cluster_bootstrap(table, resamples)),
    ),
    ("within-cells", "2,000 resamples within 950 cells", 2_000, within_cell_bootstrap),
    ("elo", "Elo of 38,000 matches, 1,000 resamples", 1_000, _elo),
)

MEASUREMENTS = (
    *(
        Measurement(name, "ratings", words, "ms", partial(_of_tournament, resamples, analyse), repeats=5)
        for name, words, resamples, analyse in _ANALYSES
    ),
    Measurement("bradley-terry", "ratings", "2,000 Bradley-Terry fits of resampled wins", "ms", _bradley_terry, 5),
    Measurement("trueskill", "ratings", "TrueSkill of SKATE, nine models", "questions/s", _trueskill),
    Measurement("next-matchups", "ratings", "the next 40 of 1,800 matches, adaptive", "ms", _matchups, 5),
)
