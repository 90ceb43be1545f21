"""Regret by axis, and the matches that an evaluation saves."""

from __future__ import annotations

import math
from typing import Any

import pytest

import antemill as am
from antemill.tournament.cli.entry import run
from antemill.tournament.evaluation.analyze import analyze
from antemill.tournament.evaluation.findings import Findings, examine
from antemill.tournament.evaluation.tables_axes import thirds_of
from antemill.tournament.statistics.sheets import Sheet

GAMES = ("kuhn", "starter-1", "1000980")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> tuple[Findings, dict[str, Sheet]]:
    """Two bots on three games."""
    home = tmp_path_factory.mktemp("eval")
    (home / "eval.toml").write_text(
        f"[eval]\ngames = {list(GAMES)}\nmatches_per_seat = 8\n"
        '[players.random]\nbot = "random"\n[players.cfr]\npolicy = "cfr"\n'
    )
    assert run(["start", str(home / "eval.toml"), "--out", str(home / "score")]) == 0
    _, sheets = analyze(home / "score")
    return examine(home / "score"), {sheet.name: sheet for sheet in sheets}


def rows_of(sheet: Sheet) -> list[dict[str, Any]]:
    return [dict(zip((column.key for column in sheet.columns), row, strict=True)) for row in sheet.rows]


def test_regret_by_axis_is_that_of_the_games_in_each_third(found: tuple[Findings, dict[str, Sheet]]) -> None:
    findings, sheets = found
    player = next(one for one in findings.players if one.name == "random")
    means = {
        game: math.fsum(costs) / len(costs)
        for game in GAMES
        for costs in [[one.cost for one in player.decisions if one.game == game and one.cost is not None]]
    }
    rows = [row for row in rows_of(sheets["regrets_by_axis"]) if row["player"] == "random"]
    assert [row["axis"].replace(" ", "_") for row in rows] == list(am.AXES)
    thirds = thirds_of(findings.games)
    whole = 0
    for row in rows:
        third = thirds[row["axis"].replace(" ", "_")]
        if sorted(third.values()) != [0, 1, 2]:  # games with equal scores are in one third
            continue
        whole += 1
        for game, place in third.items():
            assert row[("lower", "middle", "upper")[place]] == pytest.approx(means[game])
        assert row["more"] == pytest.approx(row["upper"] - row["lower"])
        assert row["more_low"] < row["more"] < row["more_high"]
    assert whole >= 3
    perfect = [row for row in rows_of(sheets["regrets_by_axis"]) if row["player"] == "cfr"]
    assert [row["lower"] for row in perfect] == [pytest.approx(0, abs=1e-3)] * len(am.AXES)
