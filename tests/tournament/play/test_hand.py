"""What a hand offers to a person."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.errors import UsageError
from antemill.engine.match import Game
from antemill.engine.rules.named import kuhn
from antemill.tournament.cards.seats import PlayerSeat
from antemill.tournament.cards.slots import Slot
from antemill.tournament.play.hand import Hand
from antemill.tournament.players import make_bot
from antemill.tournament.runs import Access
from tests.tournament.play.auctions import poor_bidders

NO_ACCESS = cast(Access, None)  # a bot asks no model


def test_a_bid_above_the_stack_is_not_offered() -> None:
    hand = Hand(Slot("auction", 0, "ada", "bot", 3), Game(poor_bidders()), "ada")
    decision = hand.seen()["decision"]
    assert hand.match.menu.high == 4
    assert (decision["type"], decision["low"], decision["high"]) == ("bid", 0, 2)
    with pytest.raises(UsageError, match="a whole number from 0 to 2"):
        hand.choose(3)
    hand.choose(2)


@pytest.mark.parametrize("person", ["ada", "bot"])
def test_the_sum_at_the_end_has_all_chips_that_the_person_paid_and_got(person: str) -> None:
    """Kuhn's pot alone; and a generated game in which players also pay each other."""
    beside = set()
    for game in (Game(kuhn()), Game(generate(17, 0.1))):
        for seed in range(40):
            hand = Hand(Slot("game", 0, "ada", "bot", seed), game, person)
            bot = PlayerSeat("bot", make_bot("random", game))
            while not hand.over:
                if hand.yours:
                    hand.choose(hand.match.menu.choice((seed + hand.match.ply) % len(hand.match.menu)))
                else:
                    asyncio.run(hand.opponent(bot, NO_ACCESS))
            found = hand.seen()["result"]
            assert found["chips"] == found["begun"] - found["staked"] + found["won"] + found["beside"]
            assert found["staked"] >= 1
            assert found["payoff"] == found["chips"] - found["begun"] + found["score"]
            beside.add((game.names.game, found["beside"] != 0))
    assert len(beside) == 3  # never in Kuhn's game
