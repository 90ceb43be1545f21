"""Fallback rates (N3, appendix F), plain margins (appendices K, O) and the paper's tables of them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from antemill.tournament.statistics.analysis import examine
from antemill.tournament.statistics.margins import pair_mean_margins, reference_margins
from antemill.tournament.statistics.matches import slot_table
from antemill.tournament.statistics.tables import fallbacks
from tests.tournament.statistics import genstrat_tables as paper
from tests.tournament.statistics.planted import play, truth


def test_the_rates_of_appendix_f_are_over_both_seats() -> None:
    """The paper's counts, as one match of each model against a bot that moves once."""
    rows = paper.rows("fallbacks")
    slots, moves, fell = (np.array([int(float(row[key])) for row in rows]) for key in ("slots", "moves", "fallbacks"))
    size = len(rows)
    none = np.zeros(2 * size, int)
    columns = {"game": ["g"] * 2 * size, "run": list(range(2 * size)), "margin": [1.0, -1.0] * size}
    names = [row[next(iter(row))] for row in rows]
    columns |= {"alice": [*names, *["bot"] * size], "bob": [*["bot"] * size, *names]}
    columns |= {"moves_alice": [*moves - 1, *[1] * size], "moves_bob": [*[1] * size, *[1] * size]}
    columns |= {"fallbacks_alice": [*fell, *none[:size]], "fallbacks_bob": none}
    sheet = fallbacks(examine(pa.table(columns)))
    assert sheet is not None
    found = {row[0]: row for row in sheet.rows}
    for name, row, many in zip(names, rows, fell, strict=True):
        assert found[name][4] == pytest.approx(float(row["move_rate_pct"]), abs=0.006)
        assert found[name][5] == (50.0 if many else 0.0)
    assert list(found["bot"][1:4]) == [2 * size, 2 * size, 0]
    assert slots.sum() == 73_874 == 2 * 36_937


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
