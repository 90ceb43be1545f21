"""What a hand offers to a person."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest

from antemill.engine.errors import UsageError
from antemill.engine.match import Game, Match
from antemill.tournament.cards.seats import Move
from antemill.tournament.cards.slots import Slot
from antemill.tournament.play.hand import Hand
from antemill.tournament.runs import Access
from tests.tournament.play.auctions import poor_bidders


class Bidder:
    """A model that bids more than it has."""

    async def move(self, match: Match, _access: Access, _purpose: str) -> Move:
        match.apply(4)
        return Move(1, text="4")


def test_a_bid_above_the_stack_is_not_offered() -> None:
    hand = Hand(Slot("auction", 0, "ada", "bot", 3), Game(poor_bidders()), "ada")
    decision = hand.seen()["decision"]
    assert hand.match.menu.high == 4
    assert (decision["type"], decision["low"], decision["high"]) == ("bid", 0, 2)
    with pytest.raises(UsageError, match="a whole number from 0 to 2"):
        hand.choose(3)
    hand.choose(2)
    asyncio.run(hand.opponent(Bidder(), cast(Access, None)))
    (said,) = hand.seen()["result"]["said"]
    assert said["choice"] == "4, which counts as 2"
