"""The axes on one core: each at each tier after the random play that it starts from, and the tiers as a whole."""

from __future__ import annotations

import pytest

from antemill.axes.axis import Play
from antemill.axes.budgets import TIERS
from antemill.axes.scores import default_seed, random_play, score
from antemill.axes.table import AXES
from benches.games import accepted
from benches.timing import Bench, Piece


@pytest.mark.parametrize("name", AXES)
@pytest.mark.parametrize("tier", TIERS)
def bench_axis(bench: Bench, tier: str, name: str) -> None:
    """What the axis reads off the log is part of it."""
    plays = [random_play(program, TIERS[tier], default_seed(program)) for program in accepted(bench.size(20, 1))]

    def measured() -> None:
        for play in plays:  # a new one: what an earlier call has read off the log is not there
            AXES[name].measure(Play(play.program, play.log, play.tier, play.seed, play.batch))

    bench(f"{tier}-{name.replace('_', '-')}", "ms", [Piece(measured, len(plays))], 5)


@pytest.mark.parametrize("tier", TIERS)
def bench_tier(bench: Bench, tier: str) -> None:
    """All axes of accepted games, random play included."""
    games = accepted(bench.size(20, 1))
    bench(f"{tier}-tier", "games/s", [Piece(lambda: [score(program, TIERS[tier]) for program in games], len(games))], 5)
