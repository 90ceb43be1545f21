"""What a game has at least."""

from __future__ import annotations

import msgspec

from antemill.engine.builder.generate import FEW, FEWEST, generate
from antemill.engine.builder.main_line import fewest
from antemill.engine.builder.states import expected
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import (
    BettingLoop,
    Peek,
    VariableBetting,
)
from tests.engine.builder.test_states import MENU, ROUND, game, met


def test_kuhn_poker_has_twelve_and_five_ranks_twenty() -> None:
    assert fewest(NAMED["kuhn"]()) == 12
    assert fewest(game(ROUND, ranks=5)) == 20 == met(game(ROUND, ranks=5))


def test_of_a_loop_the_first_round_counts() -> None:
    free = VariableBetting("Free", "bob")
    loop = BettingLoop("Loop", "count", 3, 0, ("Free", "Round"), (Peek("bob"),))
    spec = msgspec.structs.replace(game(loop, MENU, more=(ROUND, free)), variables=("count",))
    assert fewest(spec) == 6 * 3 + 3 * 3


def test_no_game_has_fewer_unless_more_are_expected() -> None:
    """And random play meets as many, whether or not the game has more."""
    small = 0
    for seed in range(50):
        spec = generate(seed, seed / 250)
        if expected(spec) < FEW:
            small += 1
            assert fewest(spec) >= FEWEST, seed
            assert met(spec) >= 15, seed
    assert small > 10
