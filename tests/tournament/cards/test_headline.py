"""Who leads, and how sure that is, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from antemill.tournament.cards.headline import sentence
from antemill.tournament.statistics.analysis import examine


def said(by: float, unranked: Sequence[str] = ()) -> str:
    """Ten games of two players, eight matches each, which one of them wins by so much on average."""
    rng = np.random.default_rng(1)
    rows = [
        {"game": f"g{game}", "run": f"r{run}", "alice": "a", "bob": "b", "margin": round(by + float(rng.normal(0, 4)))}
        for game in range(10)
        for run in range(8)
    ]
    return sentence(examine(pa.Table.from_pylist(rows), unranked=unranked).e)


def test_a_clear_leader_is_first_on_both_questions() -> None:
    found = said(6.0)
    assert found.startswith("a (")
    assert "is first on these games, with probability above .99 (above .99 on games like these), before b (" in found


def test_who_leads_by_chance_is_not_told_apart() -> None:
    assert "the matches do not tell it apart from" in said(0.0)


def test_players_whose_moves_were_not_their_own_lead_nothing() -> None:
    assert said(6.0, ["a", "b"]) == "There is no ranking: no player played its own moves."
