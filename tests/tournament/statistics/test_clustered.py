"""Errors that hold for few clusters: against dense formulas, and in planted tournaments through `rate` (N4, N6)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from antemill.tournament.statistics.bradley_terry import bradley_terry, curvature, outcomes, win_matrix
from antemill.tournament.statistics.cells import cells_of
from antemill.tournament.statistics.clustered import clustered, clustered_wins
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.matches import SlotTable, slot_table
from antemill.tournament.statistics.precision import noise_of
from antemill.tournament.statistics.unpaired import row_variance, unpaired
from benches import coverage as guests
from tests.seeds import size
from tests.tournament.statistics import planted
from tests.tournament.statistics.test_few import as_results, rated


def by_days(seed: int) -> SlotTable:
    """Uneven matches of four players, weights of 1 and 3, clusters that reach across pairs and games."""
    rows = planted.play(planted.truth(4, 3, seed=seed), runs=6, seed=seed, uneven=True)
    random = np.random.default_rng(seed)
    weight = random.choice([1.0, 3.0], rows.num_rows)
    day = [f"day {k}" for k in random.integers(0, 9, rows.num_rows)]
    return slot_table(rows.append_column("weight", pa.array(weight)).append_column("cluster", pa.array(day)))


def dense(table: SlotTable, contrast: Floats) -> tuple[float, float]:
    """Error and degrees of freedom of a contrast of the strengths, row by row: matrices of rows times rows."""
    design = np.zeros((len(table.margin), len(table.models)))
    design[np.arange(len(design)), table.alice] = 1.0
    design[np.arange(len(design)), table.bob] = -1.0
    root = np.sqrt(table.weight)[:, None]
    design, margin = design * root, table.margin * root[:, 0]
    solve = np.linalg.pinv(design)
    maker = np.eye(len(design)) - design @ solve
    pull = contrast @ solve
    scores = np.array([np.where(table.unit == unit, pull, 0.0) for unit in range(table.units)])
    left = scores @ maker @ scores.T
    scale = (scores**2).sum(axis=1) / np.diag(left)
    variance = (scale * (scores @ maker @ margin) ** 2).sum()
    squares = (scale[:, None] * scale * left**2).sum()
    return float(np.sqrt(variance)), float((scale * np.diag(left)).sum() ** 2 / squares)


def test_errors_are_those_of_the_dense_formulas() -> None:
    seed = 0
    for table in (by_days(seed), slot_table(guests.with_guest(5, seed, runs=2)[1])):
        models = np.eye(len(table.models))
        for anchor in (None, 1):
            error, _ = clustered(table, anchor)
            for k in range(len(models)):
                if k == anchor:
                    assert (error.error[k], error.freedom[k]) == (0.0, np.inf)
                    continue
                contrast = models[k] - (1.0 / len(models) if anchor is None else models[anchor])
                assert (error.error[k], error.freedom[k]) == pytest.approx(dense(table, contrast), rel=1e-6)


def test_a_guest_of_five_matches_has_four_degrees_of_freedom() -> None:
    error, plain = clustered(slot_table(guests.with_guest(5, 1)[1]))
    assert error.freedom[-1] == pytest.approx(4.0, abs=0.1)
    assert error.error[-1] == pytest.approx(plain[-1] * np.sqrt(5 / 4), rel=0.01)


def test_a_run_that_alone_ties_two_groups_gives_nobody_an_interval(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing shows its noise, which is a part of every player's strength."""
    _, rows = guests.tied(1, seed=1)
    assert np.isnan(clustered(slot_table(rows))[0].error).all()
    pq.write_table(rows, tmp_path / "slots.parquet")
    assert all(one["low"] is None for one in rated(tmp_path / "slots.parquet", capsys, "--method", "margin"))


def test_an_anchor_has_no_width_and_the_others_have_that_of_differences(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    held = []
    for seed in range(size(14, 40)):
        level, rows = guests.with_guest(5, seed)
        pq.write_table(as_results(rows), tmp_path / "results.parquet")
        found = rated(tmp_path / "results.parquet", capsys, "--method", "margin", "--anchor", "m5=0")
        want = {f"m{k}": level[k] - level[5] for k in range(6)}
        held.append([one["low"] <= want[one["player"]] <= one["high"] for one in found if one["player"] != "m5"])
        (anchor,) = (one for one in found if one["player"] == "m5")
        assert (anchor["low"], anchor["rating"], anchor["high"]) == (0.0, 0.0, 0.0)
    assert 0.9 <= np.mean(held) <= 0.995


def test_a_single_match_has_the_luck_of_its_cards_besides() -> None:
    """Runs of two matches are level but for their noise of 1; the cards make 10 of each match."""
    random = np.random.default_rng(1)
    luck = 10.0 * random.normal(size=400)
    rows = [
        {"game": "g", "run": k, "alice": a, "bob": b, "margin": cards + random.normal()}
        for k, cards in enumerate(luck)
        for a, b in (("a", "b"), ("b", "a"))
    ]
    rows += [{"game": "g", "run": 900 + k, "alice": "c", "bob": other, "margin": 0.0} for k, other in enumerate("ab")]
    table = slot_table(pa.Table.from_pylist(rows))
    assert unpaired(table).tolist() == [0.0, 1.0, 1.0]
    assert row_variance(table, 2.0)[0] == pytest.approx(1.0 + luck.var(), rel=0.03)
    noise = noise_of(table)
    assert noise.row[0] == pytest.approx(1.0, rel=0.15)
    assert noise.variance[1:] == pytest.approx(np.full(2, 1.0 + luck.var()), rel=0.03)


@pytest.mark.parametrize("prior", ["none", "draw", "normal"])
def test_errors_of_wins_are_those_of_a_weighted_fit(prior: str) -> None:
    """Against the derivative of the likelihood, match by match."""
    table = outcomes(slot_table(guests.with_guest(6, 3, runs=3)[1]))
    level = bradley_terry(win_matrix(cells_of(table)), prior).strengths
    ridge = curvature(level, prior)
    base = np.arange(len(level)) < guests.MAIN
    error, plain = clustered_wins(table, level, base, ridge)
    design = np.zeros((len(table.margin), len(level)))
    design[np.arange(len(design)), table.alice] = 1.0
    design[np.arange(len(design)), table.bob] = -1.0
    win = 1.0 / (1.0 + np.exp(-design @ level))
    inverse = np.linalg.pinv((design * (win * (1.0 - win))[:, None]).T @ design + np.diag(np.full(len(level), ridge)))
    contrast = np.eye(len(level)) - base / base.sum()
    score = design * ((table.margin + 1.0) / 2.0 - win)[:, None]
    by_unit = np.array([score[table.unit == unit].sum(axis=0) for unit in range(table.units)])
    assert plain == pytest.approx(np.sqrt(((by_unit @ inverse @ contrast.T) ** 2).sum(axis=0)), rel=1e-6)
    assert (error.error > plain).all()
    assert error.freedom[-1] == pytest.approx(5.0, abs=0.5)


def test_the_advantage_of_a_seat_is_no_luck() -> None:
    rows = [{"game": "g", "run": k, "alice": a, "bob": b, "margin": 50.0} for k in range(9) for a, b in ("ab", "ba")]
    table = slot_table(pa.Table.from_pylist(rows))
    assert row_variance(table, 2.0) == pytest.approx([0.0], abs=1e-9)
