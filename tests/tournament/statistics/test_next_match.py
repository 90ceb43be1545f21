"""Which matchup to play next: the closed form against refits, coverage, noise, costs (N2)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

from antemill.engine.errors import UsageError
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.matches import slot_table
from antemill.tournament.statistics.next_match import Choice, Matchup, _Design, game_noise, next_matchups
from tests.tournament.statistics import planted


def all_matchups(games: int, models: int) -> list[Matchup]:
    return [Matchup(f"g{g:03d}", f"m{a}", f"m{b}") for g in range(games) for a, b in combinations(range(models), 2)]


def covariance_trace(count: Floats, noise: Floats, models: int) -> float:
    """Summed variance of the average of the games' least-squares strengths, from the design matrices themselves."""
    total = 0.0
    low, high = np.triu_indices(models, 1)
    for rows, variance in zip(count, noise, strict=True):
        design = np.zeros((int(rows.sum()), models))
        pair = np.repeat(np.arange(len(low)), rows.astype(np.int64))
        design[np.arange(len(pair)), low[pair]] = 1.0
        design[np.arange(len(pair)), high[pair]] = -1.0
        total += variance * np.trace(np.linalg.pinv(design.T @ design))
    return float(total / len(count) ** 2)


def test_reductions_are_those_of_the_design_with_one_more_run() -> None:
    """The rank-one formula against pseudo-inverses, for every game and pair; the prior is too weak to matter."""
    random = np.random.default_rng(0)
    design = _Design(None, all_matchups(3, 4))
    design.count[:] = 2 * random.integers(1, 5, design.count.shape)
    design.noise[:] = [1.0, 4.0, 9.0]
    found = design.reductions()
    now = covariance_trace(design.count, design.noise, 4)
    for game in range(3):
        for pair in range(6):
            after = design.count.copy()
            after[game, pair] += 2
            want = now - covariance_trace(after, design.noise, 4)
            assert found[game, pair] == pytest.approx(want, rel=5e-3)


def test_every_model_meets_two_opponents_on_every_game_first() -> None:
    """N2: models times games runs, or a run a game more; variance counts only afterwards."""
    chosen = next_matchups(None, all_matchups(4, 5), np.ones(40), 30)
    covering = sum(choice.coverage > 0 for choice in chosen)
    assert 20 <= covering <= 24
    assert [choice.coverage > 0 for choice in chosen] == [True] * covering + [False] * (30 - covering)
    for game in {choice.matchup.game for choice in chosen}:
        met = [{c.matchup.a, c.matchup.b} for c in chosen[:covering] if c.matchup.game == game]
        assert all(sum(model in pair for pair in met) >= 2 for model in ("m0", "m1", "m2", "m3", "m4"))


def runs_of(chosen: Sequence[Choice], model: str) -> list[int]:
    """How many runs of the model were chosen on each game."""
    games = sorted({choice.matchup.game for choice in chosen})
    return [sum(c.matchup.game == game and model in (c.matchup.a, c.matchup.b) for c in chosen) for game in games]


def test_every_model_plays_a_least_number_of_runs_on_every_game() -> None:
    """However dear it is: runs of models that lack some go ahead of those that make the most of the money."""
    candidates = all_matchups(3, 5)
    costs = [400.0 if "m4" in (m.a, m.b) else 1.0 for m in candidates]
    chosen = next_matchups(None, candidates, costs, 60)
    assert runs_of(chosen, "m4") == [4, 4, 4]
    assert min(runs_of(chosen, "m0")) >= 4
    assert runs_of(next_matchups(None, candidates, costs, 60, least_runs=0), "m4") == [2, 2, 2]


def test_what_is_not_connected_is_connected_next() -> None:
    """N4: without coverage, four models on one game take three runs to be comparable."""
    chosen = next_matchups(None, all_matchups(1, 4), np.ones(6), 4, opponents=0)
    met = [{c.matchup.a, c.matchup.b} for c in chosen[:3]]
    assert len(set.union(*met)) == 4
    assert chosen[2].reduction > 100.0 * chosen[3].reduction


def test_noisy_games_are_played_more() -> None:
    """The best allocation of runs is in proportion to the games' standard deviations, here 1 : 1 : 5."""
    t = planted.truth(4, 3, seed=1)
    rows = planted.play(t, runs=30, seed=2, noise=1.0, deal=0.0).to_pydict()
    noisy = np.array([game == "g002" for game in rows["game"]])
    error = np.random.default_rng(3).normal(size=len(noisy))
    rows["margin"] = np.array(rows["margin"]) + np.where(noisy, np.sqrt(24.0) * error, 0.0)
    table = slot_table(pa.table(rows))
    noise = game_noise(table)
    np.testing.assert_allclose(noise, [1.0, 1.0, 25.0], rtol=0.25)
    chosen = next_matchups(table, all_matchups(3, 4), np.ones(18), 1200)
    runs = np.array([sum(c.matchup.game == game for c in chosen) for game in table.games]) + 180.0
    np.testing.assert_allclose(runs / runs.sum(), [1 / 7, 1 / 7, 5 / 7], atol=0.05)


def test_runs_under_way_count_as_played() -> None:
    candidates = all_matchups(1, 3)
    first = next_matchups(None, candidates, np.ones(3), 3)
    assert len({choice.matchup for choice in first}) == 3
    second = next_matchups(None, candidates, np.ones(3), 2, pending=[first[0].matchup])
    assert [choice.matchup for choice in second] == [choice.matchup for choice in first[1:]]


def test_new_models_and_games_join() -> None:
    """T9: candidates may name what the table does not know yet; their coverage comes first."""
    table = slot_table(planted.play(planted.truth(3, 1, seed=1), runs=3, seed=2))
    new = [Matchup("g000", "m0", "m9"), Matchup("new", "m0", "m1"), Matchup("g000", "m0", "m1")]
    chosen = next_matchups(table, new, [1.0, 1.0, 1.0], 2)
    assert {choice.matchup for choice in chosen} == set(new[:2])


@pytest.mark.parametrize(
    ("matchups", "costs", "sentence"),
    [
        ([Matchup("g", "a", "b")], [0.0], "not a positive number"),
        ([Matchup("g", "a", "b")], [float("nan")], "not a positive number"),
        ([Matchup("g", "a", "b")], [1.0, 2.0], "2 costs for 1 candidates"),
        ([Matchup("g", "a", "a")], [1.0], "cannot play against itself"),
    ],
)
def test_bad_candidates_are_refused(matchups: list[Matchup], costs: list[float], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        next_matchups(None, matchups, costs)


def test_noise_without_repetitions_is_unknown_and_equal() -> None:
    """One run of each pair says nothing about noise."""
    table = slot_table(planted.play(planted.truth(4, 3, seed=1), runs=1, seed=2))
    np.testing.assert_array_equal(game_noise(table), 1.0)


def test_runs_under_way_are_of_the_least_number() -> None:
    candidates = all_matchups(1, 3)
    under_way = [m for m in candidates for _ in range(2)]
    chosen = next_matchups(None, candidates, [1.0, 1.0, 1.0], 1, pending=under_way, least_runs=4)
    assert chosen[0].coverage == 0
    rest = next_matchups(None, candidates, [1.0, 9.0, 9.0], 2, pending=under_way[:-1], least_runs=4)
    assert runs_of(rest, "m2") == [1]  # of m1 and m2, which met once: the cheaper pair for m1, then one for m2
    assert runs_of(next_matchups(None, candidates, [1.0, 9.0, 9.0], 2, pending=under_way), "m2") == [0]


def test_dear_models_are_played_less() -> None:
    """Per unit of cost: a model that costs forty times as much sits out more often."""
    candidates = all_matchups(2, 4)
    costs = [40.0 if "m3" in (m.a, m.b) else 1.0 for m in candidates]
    table = slot_table(planted.play(planted.truth(4, 2, seed=1), runs=2, seed=2))
    chosen = next_matchups(table, candidates, costs, 60)
    share = sum("m3" in (c.matchup.a, c.matchup.b) for c in chosen) / 60.0
    assert share < 0.25
    assert sum("m3" in (c.matchup.a, c.matchup.b) for c in next_matchups(table, candidates, [1.0] * 12, 60)) > 24
