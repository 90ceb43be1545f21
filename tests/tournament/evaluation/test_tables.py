"""The tables of an evaluation."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from antemill.tournament.evaluation.losses import game_loss
from antemill.tournament.evaluation.tables import losses_by_game
from antemill.tournament.head_to_head import MatchResult
from antemill.tournament.statistics.losses import TOO_FEW
from antemill.tournament.statistics.sheets import Missing


def test_a_game_in_which_few_matches_hold_no_mistake_has_no_interval() -> None:
    """Thirty pairs without one, or one mistake, are enough for an interval."""
    games = [_game("few", [0.0] * 6), _game("mistaken", [0.0] * 5 + [1.0]), _game("many", [0.0] * 30)]
    sheet = losses_by_game(cast(Any, SimpleNamespace(players=[SimpleNamespace(name="one", games=games)])))
    low, high = ([column.key for column in sheet.columns].index(key) for key in ("low", "high"))
    few, mistaken, many = sheet.rows
    assert (few[low], few[high]) == (Missing(TOO_FEW), Missing(TOO_FEW))
    assert isinstance(mistaken[low], float)
    assert mistaken[low] < mistaken[high]  # type: ignore[operator]
    assert (many[low], many[high]) == (0.0, 0.0)


def _game(name: str, losses: list[float]) -> Any:
    results = [MatchResult(run, run, seat, -2 * loss, -2 * loss) for run, loss in enumerate(losses) for seat in (0, 1)]
    return game_loss(name, results, 1.0)
