"""Planted tournaments with luck of the cards: bias of estimates, coverage of 95% intervals (N6, N7, N9, N11, N12).

Small settings of `benches.coverage`, whose tables are in docs/statistics.md. Where the paper's intervals fail, as the
docs say, they must fail here too: else the worlds are too easy to show anything.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from antemill.tournament.statistics.ablation import effect, siblings
from antemill.tournament.statistics.matches import slot_table
from benches import coverage
from benches.coverage_effects import DELTA, effect_world, matches
from benches.coverage_guests import GUESTS
from benches.coverage_tables import tables
from benches.coverage_worlds import Setting, world
from tests.seeds import size
from tests.tournament.statistics.planted import SHAPES, play, truth

WORLDS = size(20, 60)
LOW, HIGH = 0.91, 0.99
DOCS = Path(__file__).parents[3] / "docs" / "statistics.md"


@pytest.mark.slow
def test_intervals_of_strengths_slopes_variance_and_jaggedness_hold() -> None:
    """N6, N7, N9, N11: each on what it is about, and none on what it is not about."""
    found = coverage.run(Setting("", players=5, games=12, runs=6, luck=4.0), WORLDS)
    for name in (
        "strength, these",
        "strength, like",
        "slope, these",
        "slope, like",
        "level",
        "J, beside",
        "J beyond, beside",
    ):
        assert LOW <= found[name] <= HIGH, name
    for name in ("sigma2_M, beside", "sigma2_MG, beside", "ratio, beside"):
        assert found[name] >= 0.86, name  # one a tournament: a standard error of 3%
    assert found["strength, like, paper"] < 0.8
    assert found["slope, like, paper"] < 0.8
    assert found["sigma2_MG, paper"] < 0.5
    assert abs(found["sigma2_MG bias, beside"]) < 0.3 * found["sigma2_MG bias, paper"]


@pytest.mark.slow
def test_an_uneven_schedule_with_single_runs_and_correlated_axes_holds_too() -> None:
    found = coverage.run(Setting("", players=5, games=12, runs=10, uneven=True, correlation=0.8), WORLDS)
    for name in ("strength, these", "strength, like", "slope, these", "slope, like", "J, beside", "J beyond, beside"):
        assert LOW <= found[name] <= 0.995, name
    assert found["sigma2_MG, beside"] >= 0.86


@pytest.mark.slow
def test_where_nothing_differs_nothing_is_found() -> None:
    """N9, N12: copies of one player, and much luck. The paper's intervals of J and of the interaction hold nothing."""
    found = coverage.run(Setting("", players=7, games=10, runs=6, interaction=0.0, gap=0.05, luck=6.0), 60)
    assert found["J, paper"] == found["sigma2_MG, paper"] == 0.0
    assert found["J, beside"] >= LOW
    assert found["J beyond, beside"] >= LOW
    assert found["sigma2_MG, beside"] >= LOW
    assert found["J = 0 rejected"] <= 0.08
    assert found["order, paper"] > 0.2
    assert found["order, beside"] <= 0.12
    assert found["order p, beside"] <= 0.07
    assert found["reversal, beside"] <= 0.12
    assert found["width"] == pytest.approx(1.0, abs=0.1)


@pytest.mark.slow
def test_little_noise_makes_the_papers_interval_of_strengths_too_wide_for_these_games() -> None:
    found = coverage.run(Setting("", players=5, games=10, runs=6, noise=0.2, interaction=0.8), size(10, 25))
    assert found["width"] > 2.0
    assert found["strength, these, paper"] == 1.0
    assert 0.9 <= found["strength, these"] <= 0.99


@pytest.mark.slow
def test_the_interval_of_the_ablation_covers() -> None:
    """N14: games share a part of the effect; 60 of them, each with a few pairs."""
    random = np.random.default_rng(4)
    held, found = [], []
    for replicate in range(size(130, 400)):
        game = random.integers(0, 60, 300)
        difference = 0.4 + random.normal(size=60)[game] + 2.0 * random.normal(size=300)
        one = effect(game, difference, 400, replicate)
        held.append(one.low <= 0.4 <= one.high)
        found.append(one.delta)
    assert abs(np.mean(found) - 0.4) < 4.0 * np.std(found) / np.sqrt(len(found))
    assert 0.92 <= np.mean(held) <= 0.98


def test_students_interval_of_the_ablation_holds_for_four_games_where_the_papers_does_not() -> None:
    """N14: worlds of `benches.coverage`, in which both variants meet the anchors with the same cards."""
    paper, ours = np.mean([effect_world("", 4, seed) for seed in range(200)], axis=0)
    assert paper <= 0.86
    assert 0.9 <= ours <= 0.985


@pytest.mark.parametrize("shape", ["", *SHAPES])
def test_siblings_of_every_shape_have_the_planted_effect(shape: str) -> None:
    game, deck, alice, bob, margin = matches(shape, 400, 3)
    assert len(set(zip(game.tolist(), deck.tolist(), alice.tolist(), bob.tolist(), strict=True))) == len(game)
    pairs = siblings(game, deck.tolist(), alice.tolist(), bob.tolist(), margin, "high", "low")
    found = effect(pairs.game, pairs.difference, 10)
    assert (found.pairs, found.games) == (len(game) // 2, 400)
    assert abs(found.delta - DELTA) < 4.0 * found.error


def test_a_world_has_the_runs_that_its_setting_asks_for() -> None:
    _, table = world(Setting("", players=4, games=3, runs=2, interaction=0.0, few=3), 1)
    runs = {name: set() for name in table.models}  # type: dict[str, set[int]]
    for a, b, cluster in zip(table.alice, table.bob, table.cluster, strict=True):
        runs[table.models[a]].add(int(cluster))
        runs[table.models[b]].add(int(cluster))
    assert len(runs["m3"]) == 3
    assert len(runs["m0"]) >= 3 * 2 * 2
    assert len(table.margin) == 2 * table.clusters


def test_every_setting_has_luck_of_the_cards() -> None:
    assert all(setting.luck > 0.0 for setting in coverage.GRID)


TINY = (
    Setting("a", players=3, games=8, runs=2),
    Setting("b", players=3, games=8, runs=2, interaction=0.0),
    Setting("c", players=3, games=8, runs=2, interaction=0.0, few=2),
    Setting("d", matches=200),
)


def test_an_interrupted_grid_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = coverage.collect(TINY, tmp_path, 1, only=["b"])
    assert list(first) == ["b"]
    whole = first["b"]
    monkeypatch.setattr(coverage, "measured", lambda setting, _: {"few, paper": 0.5} if setting.few else whole)
    found = coverage.collect(TINY, tmp_path, 1)
    assert list(found) == ["a", "b", "c", "d"]
    assert found["b"] == first["b"]
    with pytest.raises(SystemExit, match="another setting or number of worlds"):
        coverage.collect(TINY, tmp_path, 2)
    with pytest.raises(SystemExit, match="no setting 'z'"):
        coverage.collect(TINY, tmp_path, 1, only=["z"])


def test_the_tables_have_a_line_for_every_setting(tmp_path: Path) -> None:
    """Each in the narrowest table that has a column for each of its figures."""
    text = tables(coverage.collect(TINY, tmp_path, 1), 1)
    blocks = [block.splitlines() for block in text.split("\n\n") if block.startswith("|")]
    rows = [[line.strip("| ").split(" | ") for line in (block[0], *block[2:])] for block in blocks]
    assert [[line[0] for line in lines] for _, *lines in rows] == [["a"], ["b"], ["d"], ["c"]]
    assert all(len(line) == 1 + len(head) for head, *lines in rows for line in lines)
    assert ["–" in line for _, *lines in rows for line in lines] == [False, False, True, True]
    assert rows[1][0][-4:] == ["alarms: a game is reordered", "p of a game", "a pair is reversed", "p of J = 0"]
    assert rows[3][0][:2] == ["a player with few runs", "its `rate`"]


@pytest.mark.parametrize("shape", SHAPES)
def test_margins_of_every_shape_have_the_planted_mean(shape: str) -> None:
    t = truth(3, 2, seed=1)
    table = slot_table(play(t, runs=40_000, seed=2, shape=shape))
    margin = np.where(table.alice < table.bob, table.margin, -table.margin)
    for game in range(2):
        for low, high in ((0, 1), (0, 2), (1, 2)):
            mine = (table.game == game) & (table.low == low) & (table.high == high)
            error = margin[mine].std() / np.sqrt(mine.sum())
            want = t.strengths[game, low] - t.strengths[game, high]
            assert abs(margin[mine].mean() - want) < 4.0 * error + 1e-9


def test_intervals_of_strengths_hold_where_margins_are_tied_skewed_or_whole() -> None:
    """Rare pots aside, of which the docs say that no interval holds."""
    for shape in ("whole chips", "skewed", "half ties", "95% ties"):
        found = coverage.run(Setting("", players=4, games=8, runs=6, interaction=0.0, shape=shape), 12)
        assert found["strength, these"] >= 0.85, shape
        assert found["slope, these"] >= 0.88, shape
        assert found["J = 0 rejected"] <= 0.2, shape
        assert found["reversal, beside"] <= 0.2, shape


def test_the_docs_have_the_figures_of_every_setting() -> None:
    """And no figure of coverage outside of the tables that scripts write."""
    before, _, rest = DOCS.read_text(encoding="utf-8").partition("<!-- coverage: begin -->")
    written, _, after = rest.partition("<!-- coverage: end -->")
    lines = {line.split(" | ")[0].removeprefix("| ") for line in written.splitlines()}
    assert {setting.name for setting in coverage.GRID} <= lines
    assert f"{coverage.WORLDS} tournaments a line" in written
    assert "hold" in written
    assert f"a guest of {GUESTS[-1]} matches" in lines
    by_hand = re.sub(r"<!-- (.*): begin -->.*?<!-- \1: end -->", "", before + after, flags=re.DOTALL)
    for sentence in by_hand.split(". "):
        assert not ("hold" in sentence and "%" in sentence.replace("95%", "")), sentence
