"""Several games in one environment: each one's lanes show what they show alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from antemill.tournament.adapters import vector_env

RANDOM = -1  # with illegal="masked": the action that a rollout's uniform player draws
LANES = 200


@pytest.mark.parametrize("options", [{}, {"alice": "random", "events": False}])
def test_many_games_in_one_environment(options: dict[str, Any]) -> None:
    """Against any opponent, as in an environment of the game's own."""
    games = ["7", "kuhn", "8", "leduc", "2@0.1"]
    table = vector_env(games, 5 * LANES, form=games, illegal="masked", **options)
    alone = [vector_env(game, 5 * LANES, form=games, illegal="masked", **options) for game in games]
    shown, want = table.reset(seed=2)[0], [one.reset(seed=2)[0] for one in alone]
    for _ in range(12):
        for game in range(5):
            here = table.game == game
            for name, part in shown.items():
                assert np.array_equal(part[here], want[game][name][here])
        draw = np.full(5 * LANES, RANDOM)
        shown, want = table.step(draw)[0], [one.step(draw)[0] for one in alone]
