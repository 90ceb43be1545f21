"""The running score: no interval from a few hands."""

from __future__ import annotations

import pytest

from antemill.tournament.play.tally import FEWEST, Line, Tally


def test_a_few_hands_have_a_mean_and_no_error() -> None:
    tally = Tally((), "kuhn", "ada", "random")
    for i in range(FEWEST - 1):
        tally.add(Line(f"hand {i}", 0, 1 if i % 2 else -1, 0.5))
    few = tally.shown()
    assert (few["mean"], few["luckless"]) == (pytest.approx(-1 / 9), 0.5)
    assert few["error"] is few["luckless_error"] is None
    tally.add(Line("one more", 0, 1))
    enough = tally.shown()
    assert enough["error"] == pytest.approx((10 / 9 / 10) ** 0.5)
    assert enough["luckless_error"] is None  # of nine estimates
