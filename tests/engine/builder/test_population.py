"""The accepted games as a population: what the gate leaves of what the generator draws (`benches.population`).

The ranges of the benchmark are those for 12,351 seeds and more; here they are wider by three standard errors of a share
on fewer seeds. Games are drawn from seeds that nothing was tuned on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from antemill.engine.rules.constructs import CONSTRUCTS
from benches.population import LEAST_SHARE, Candidate, composition, draw, share, shares_by_complexity

SEEDS = range(5_000_000, 5_004_000)
ERRORS = 3.0


def error(share: float, games: int) -> float:
    """Three standard errors of a share of so many games."""
    return ERRORS * math.sqrt(share * (1 - share) / games)


@pytest.fixture(scope="module")
def candidates() -> list[Candidate]:
    return draw(SEEDS)


@pytest.fixture(scope="module")
def accepted(candidates: Sequence[Candidate]) -> list[Candidate]:
    return [game for game in candidates if game.accepted]


@pytest.mark.slow
def test_the_targets_are_met(candidates: Sequence[Candidate], accepted: Sequence[Candidate]) -> None:
    for target in composition(candidates):
        if "tenth" in target.name or "rarest" in target.name:
            continue  # below, with their own errors
        games = len(candidates) if target.name == "accepted" else len(accepted)
        margin = error(target.value, games) if target.high <= 1.0 else 0.0
        assert target.low - margin <= target.value <= target.high + margin, target


@pytest.mark.slow
def test_betting_is_in_games_of_every_complexity(accepted: Sequence[Candidate]) -> None:
    overall = share(accepted, "betting")
    for number, tenth in enumerate(shares_by_complexity(accepted, "betting")):
        here = sum(min(int(game.complexity * 10), 9) == number for game in accepted)
        assert abs(tenth - overall) <= 0.10 + error(overall, here), number


@pytest.mark.slow
def test_no_construct_is_driven_out(accepted: Sequence[Candidate]) -> None:
    for part in CONSTRUCTS:
        assert share(accepted, part) >= LEAST_SHARE - error(LEAST_SHARE, len(accepted)), part
        assert share(accepted, part) > 0.0, part
