"""What a game has at least."""

from __future__ import annotations

import msgspec

from antemill.engine.builder.generate import FEW, FEWEST, generate
from antemill.engine.builder.main_line import fewest
from antemill.engine.builder.states import expected
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import (
    Auction,
    BettingLoop,
    ChipsAre,
    Cost,
    If,
    Option,
    Peek,
    Perform,
    SideBet,
    Steps,
    VariableBetting,
)
from tests.engine.builder.test_states import MENU, ROUND, game, met


def test_kuhn_poker_has_twelve_and_five_ranks_twenty() -> None:
    assert fewest(NAMED["kuhn"]()) == 12
    assert fewest(game(ROUND, ranks=5)) == 20 == met(game(ROUND, ranks=5))


def test_what_is_played_on_a_condition_does_not_count() -> None:
    sure = Steps("Event", (Perform("Menu"),))
    maybe = Steps("Event", (If(ChipsAre("alice", ">", 3), (Perform("Menu"),)),))
    assert fewest(game(ROUND, sure, more=(MENU,))) == 12 + 3 * 3
    assert fewest(game(ROUND, maybe, more=(MENU,))) == 12


def test_of_a_loop_the_first_round_counts() -> None:
    free = VariableBetting("Free", "bob")
    loop = BettingLoop("Loop", "count", 3, 0, ("Free", "Round"), (Peek("bob"),))
    spec = msgspec.structs.replace(game(loop, MENU, more=(ROUND, free)), variables=("count",))
    assert fewest(spec) == 6 * 3 + 3 * 3


def test_a_secret_choice_and_an_option_with_a_price_lead_to_one_history() -> None:
    secret = msgspec.structs.replace(MENU, public=False)
    assert fewest(game(MENU, ROUND)) == 3 + 2 * 12
    assert fewest(game(secret, ROUND)) == 3 + 12
    twice = msgspec.structs.replace(MENU, picks=2)
    assert fewest(game(twice, ROUND)) == 3 + 6 + 4 * 12
    only = msgspec.structs.replace(MENU, options=(Option("a"),))
    assert fewest(game(only, ROUND)) == 3 + 12
    priced = msgspec.structs.replace(MENU, options=(*MENU.options, Option("c", (), Cost(1))))
    assert fewest(game(priced, ROUND)) == 3 + 2 * 12
    none = msgspec.structs.replace(MENU, options=priced.options[2:])
    assert fewest(game(none, ROUND)) == 3 + 12


def test_bids_and_side_bets() -> None:
    auction = Auction("Auction", 3, Peek("winner"))
    side = SideBet("Side Bet", "alice", 1, ChipsAre("bob", ">", 3))
    assert fewest(game(auction)) == 6
    assert fewest(game(auction, ROUND)) == 6 + 4 * 12
    assert fewest(game(side, ROUND)) == 3 + 12


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
