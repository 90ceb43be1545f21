"""`tournament analyze` and `report` say the same, also where games were played unevenly on purpose (N4, N8, N10)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from antemill.tournament.statistics.analysis import examine
from antemill.tournament.statistics.matches import slot_table
from antemill.tournament.statistics.outputs import analyze, results
from antemill.tournament.statistics.sheets import to_csv
from antemill.tournament.statistics.strength import game_average, pair_margins
from tests.tournament.statistics import planted
from tests.tournament.statistics.test_analyze import write_axes

LOPSIDED = planted.truth(5, 14, seed=3, rough=1.2)


@pytest.fixture
def lopsided(tmp_path: Path) -> Path:
    """Games with roughness of their own, one of which was played fifteen times as often as the others."""
    rows = planted.play(LOPSIDED, runs=5, seed=4)
    often = planted.play(LOPSIDED, runs=75, seed=5)
    often = often.filter(pa.array([game == "g007" for game in often["game"].to_pylist()]))
    rows = rows.filter(pa.array([game != "g007" for game in rows["game"].to_pylist()]))
    pq.write_table(pa.concat_tables([rows, often]), tmp_path / "slots.parquet")
    return tmp_path / "slots.parquet"


def test_a_lopsided_table_of_slots_gives_the_same_tables_by_every_way(lopsided: Path, tmp_path: Path) -> None:
    """`analyze` writes what `results` finds, with every choice there is."""
    axes = write_axes(tmp_path / "axes.parquet", LOPSIDED)
    choices: Any = {"paper": True, "references": ["m4"], "families": {"f": ("m0", "m1")}, "uneven": True}
    found = results(lopsided, axes, 40, 7, **choices)
    summary = analyze(lopsided, axes, tmp_path / "out", 40, 7, **choices)
    written = {path.stem: path.read_text("utf-8") for path in (tmp_path / "out/tables").glob("*.csv")}
    assert {sheet.name: to_csv(sheet) for sheet in found.sheets} == written
    assert {"table6_against_m4", "table2_ablation"} <= written.keys()
    table = slot_table(pq.read_table(lopsided)).without_models(["m4"])
    want = dict(zip(table.models, game_average(table), strict=True))
    assert {rank.player: rank.strength for rank in summary.leaderboard} == pytest.approx(want)


def test_all_tables_of_strengths_follow_the_leaderboards_fit(lopsided: Path, tmp_path: Path) -> None:
    """Without a game, within thirds, without the last model, pairs, profiles: every game counts once."""
    axes = write_axes(tmp_path / "axes.parquet", LOPSIDED)
    found = examine(pq.read_table(lopsided), axes, 30, uneven=True)
    whole = results(lopsided, axes, 30, uneven=True, paper=True)
    e, sheets = found.e, {sheet.name: sheet for sheet in whole.sheets}
    table = e.table

    def average(part: object) -> list[float]:
        models = dict(zip(table.models, game_average(part), strict=True))  # type: ignore[arg-type]
        return [models[name] for name in e.models]

    for g, game in enumerate(e.games):
        rest = table.only_games([name for name in e.games if name != game])
        assert sheets["leave_one_out"].rows[g][2:] == pytest.approx(average(rest))
    for k, name in enumerate(("T1", "T2", "T3")):
        part = table.only_games([e.games[g] for g in np.flatnonzero(found.thirds == k)])
        assert sheets["table4_tertiles"].column(f"alpha_{name}") == pytest.approx(average(part))
        low = sheets["table4_tertiles"].column(f"low_{name}")
        assert all(isinstance(cell, float) for cell in low)
    rest = table.without_models([e.models[-1]])
    want = dict(zip(rest.models, game_average(rest), strict=True))
    assert sheets["table3_without_last"].column("alpha") == pytest.approx([want[name] for name in e.models[:-1]])
    np.testing.assert_allclose(found.profile.intercept, e.overall, atol=1e-9)
    once = np.mean([np.nan_to_num(pair_margins(table.only_games([game]))) for game in table.games], axis=0)
    place = [table.models.index(name) for name in e.models]
    for i, row in enumerate(sheets["table5_pairwise"].rows):
        others = [j for j in range(len(place)) if j != i]
        assert [row[1 + j] for j in others] == pytest.approx([once[place[i], place[j]] for j in others])


def test_a_player_that_missed_a_game_has_no_average(lopsided: Path) -> None:
    """The others do; it is not that they never met."""
    rows = pq.read_table(lopsided)
    played = [
        game != "g003" or "m1" not in (a, b)
        for game, a, b in zip(*(rows[name].to_pylist() for name in ("game", "alice", "bob")), strict=True)
    ]
    pq.write_table(rows.filter(pa.array(played)), lopsided)
    sheet = results(lopsided, uneven=True).sheets[0]
    cells = dict(zip(sheet.column("model"), sheet.column("alpha"), strict=True))
    assert cells.pop("m1") is None
    assert all(isinstance(cell, float) for cell in cells.values())
