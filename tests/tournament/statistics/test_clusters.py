"""A column `cluster` is what is resampled, as it is given, with rows of any games and pairs (N6)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from antemill.tournament.cli.entry import run
from antemill.tournament.statistics.bootstrap import cluster_bootstrap, multinomial_weights
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.leaderboards import leaderboard
from antemill.tournament.statistics.matches import slot_table
from antemill.tournament.statistics.rating import RatingOptions, rate
from antemill.tournament.statistics.result_columns import results_table
from antemill.tournament.statistics.strength import strengths
from tests.seeds import size
from tests.tournament.statistics import planted

QUESTIONS, PLAYERS = 25, 6


def answers(seed: int, own: float = 1.5, noise: float = 0.5) -> tuple[Floats, pa.Table]:
    """Every pair of players compared on every question; a question suits some players more than others."""
    random = np.random.default_rng(seed)
    level = np.linspace(1.0, -1.0, PLAYERS)
    low, high = np.triu_indices(PLAYERS, 1)
    question, pair = (part.ravel() for part in np.meshgrid(range(QUESTIONS), range(len(low)), indexing="ij"))
    suits = own * random.normal(size=(QUESTIONS, PLAYERS))
    first, second = (
        level[side[pair]] + suits[question, side[pair]] + noise * random.normal(size=len(pair)) for side in (low, high)
    )
    names = np.array([f"p{k}" for k in range(PLAYERS)])
    return level - level.mean(), pa.table(
        {
            "a": names[low[pair]],
            "b": names[high[pair]],
            "score_a": first,
            "score_b": second,
            "game": np.array(["even", "odd"])[question % 2],
            "cluster": question,
        }
    )


def test_questions_stay_whole() -> None:
    """25 of them, not 375; a replicate is the fit of the drawn questions' rows, each as often as it was drawn."""
    _, rows = answers(1)
    table = results_table(rows)
    assert (table.units, table.clusters) == (QUESTIONS, 375)
    drawn = strengths(cluster_bootstrap(table, 20, seed=3))
    names = sorted(str(k) for k in range(QUESTIONS))
    weights = multinomial_weights(QUESTIONS, 20, seed=3)
    for replicate, counts in zip(drawn, weights, strict=True):
        times = [int(counts[names.index(str(value))]) for value in rows["cluster"].to_pylist()]
        repeated = rows.drop_columns(["cluster"]).take(np.repeat(np.arange(rows.num_rows), times))
        np.testing.assert_allclose(replicate, strengths(results_table(repeated)), atol=1e-9)


@pytest.mark.slow
def test_intervals_with_clusters_hold_and_without_do_not() -> None:
    held: dict[bool, list[Floats]] = {True: [], False: []}
    for seed in range(size(25, 80)):
        want, rows = answers(seed)
        for given, part in ((True, rows), (False, rows.drop_columns(["cluster"]))):
            found = {one.player: one for one in rate(results_table(part), RatingOptions("margin"))}
            inside = [found[f"p{k}"].low <= want[k] <= found[f"p{k}"].high for k in range(PLAYERS)]
            held[given].append(np.array(inside, float))
    assert 0.90 <= np.mean(held[True]) <= 0.98
    assert np.mean(held[False]) < 0.80


@pytest.mark.parametrize(("method", "suffix"), [("elo", "csv"), ("margin", "parquet")])
def test_every_method_uses_it(tmp_path: Path, capsys: pytest.CaptureFixture[str], method: str, suffix: str) -> None:
    """The same ratings, wider intervals."""
    _, rows = answers(2)
    widths, ratings = [], []
    for part in (rows, rows.drop_columns(["cluster"])):
        path = tmp_path / f"results.{suffix}"
        if suffix == "csv":
            lines = [",".join(map(str, row.values())) for row in part.to_pylist()]
            path.write_text("\n".join([",".join(part.column_names), *lines]))
        else:
            pq.write_table(part, path)
        assert run(["rate", str(path), "--method", method, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)["ratings"]
        ratings.append({row["player"]: pytest.approx(row["rating"], abs=1e-6) for row in found})
        widths.append({row["player"]: row["high"] - row["low"] for row in found})
    assert {name: value.expected for name, value in ratings[0].items()} == ratings[1]
    assert sum(widths[0].values()) > 1.3 * sum(widths[1].values())


def test_a_slot_table_may_have_it_too() -> None:
    """Days, say."""
    rows = planted.play(planted.truth(4, 3, seed=1), runs=12, seed=2)
    day = np.array([f"day {run % 6}" for run in rows["run"].to_pylist()])
    table = slot_table(rows.append_column("cluster", pa.array(day)))
    assert (table.units, table.clusters) == (6, slot_table(rows).clusters)
    part = table.rows(np.isin(day, ["day 1", "day 4"]))
    assert (part.units, np.unique(part.unit).tolist()) == (2, [0, 1])
    wide = leaderboard(table)
    plain = leaderboard(slot_table(rows))
    assert wide.strengths == pytest.approx(plain.strengths)
    assert ((wide.these.low < wide.strengths) & (wide.strengths < wide.these.high)).all()
    assert wide.these.low.tolist() != plain.these.low.tolist()
