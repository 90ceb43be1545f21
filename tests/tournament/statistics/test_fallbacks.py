"""Fallback rates (N3, appendix F), plain margins (appendices K, O) and the paper's tables of them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from antemill.tournament.statistics.margins import pair_mean_margins, reference_margins
from antemill.tournament.statistics.matches import slot_table
from antemill.tournament.statistics.tables_play import fallback_counts, rates
from tests.tournament.statistics import genstrat_tables as paper
from tests.tournament.statistics.planted import play, truth


def test_the_move_rates_of_appendix_f() -> None:
    for row in paper.rows("fallbacks"):
        slots, moves, fallbacks = (int(float(row[key])) for key in ("slots", "moves", "fallbacks"))
        assert 100.0 * rates(slots, moves, fallbacks, 0).move_rate == pytest.approx(
            float(row["move_rate_pct"]), abs=0.006
        )
    seats, played = paper.column("fallbacks", "slots").sum(), paper.column("fallbacks", "moves").sum()
    assert seats == 73_874 == 2 * 36_937
    assert played / seats == pytest.approx(2.391, abs=5e-4)


def test_counts_are_over_both_seats() -> None:
    found = fallback_counts(3, np.array([0, 1, 0, 1]), np.array([4, 3, 6, 0]), np.array([2, 0, 0, 0]))
    assert (found[0].slots, found[0].moves, found[0].fallbacks, found[0].slots_with) == (2, 10, 2, 1)
    assert (found[0].move_rate, found[0].slot_rate) == (0.2, 0.5)
    assert (found[1].move_rate, found[1].slot_rate) == (0.0, 0.0)
    assert np.isnan(found[2].move_rate)
    assert np.isnan(found[2].slot_rate)


def test_table_6_follows_from_the_means_of_its_groups() -> None:
    """Appendix K: cells are means of group means, the error their deviation over the root of their number."""
    lines, seeds, error = [], ("5149", "11520", "933", "10137", "12140"), 0.25
    for row in paper.rows("table6_cfr"):
        for seed in seeds:
            for run, mean in ((0, float(row[seed]) - error), (1, float(row[seed]) + error)):
                lines += [(seed, run, row[""], "cfr", mean + 1.0), (seed, run, "cfr", row[""], 1.0 - mean)]
    names = ("game", "run", "alice", "bob", "margin")
    rows = pa.table({name: [line[i] for line in lines] for i, name in enumerate(names)})
    found = reference_margins(slot_table(rows), "cfr")
    order = [found.models.index(row[""]) for row in paper.rows("table6_cfr")]
    assert found.average[order] == pytest.approx([0.58, 0.404, 0.316, 0.304, 0.048, 0.032, -0.02, -0.216, -1.888])
    assert found.average[order] == pytest.approx(paper.column("table6_cfr", "avg"), abs=0.0051)
    assert found.error == pytest.approx(np.full((5, 9), error))
    assert (found.groups == 2).all()
    assert (found.slots == 4).all()


def test_mean_margins_are_those_of_a_loop_over_groups() -> None:
    t = truth(4, 3, seed=1)
    rows = play(t, runs=3, seed=2, share=0.6)
    rows = rows.filter(pa.array(np.random.default_rng(3).random(rows.num_rows) < 0.8))
    table = slot_table(rows)
    groups: dict[tuple[str, str, int], dict[frozenset[str], list[float]]] = {}
    for row in rows.to_pylist():
        for me, other, margin in (
            (row["alice"], row["bob"], row["margin"]),
            (row["bob"], row["alice"], -row["margin"]),
        ):
            pairs = groups.setdefault((row["game"], me, 0), {})
            pairs.setdefault(frozenset((other, str(row["run"]))), []).append(margin)
    found = pair_mean_margins(table)
    for (game, model, _), pairs in groups.items():
        want = np.mean([np.mean(values) for values in pairs.values()])
        assert found[table.games.index(game), table.models.index(model)] == pytest.approx(want)
    assert np.isfinite(found).sum() == len(groups)
