"""What a choice costs: the chips that the player pays at once, and nothing that the player may not know."""

from __future__ import annotations

import random

import pytest

from antemill.engine.machine.events import ChipReason, Event
from antemill.engine.match import Game, Match, MatchError
from antemill.engine.rules.named import NAMED, kuhn

_AT_ONCE = (ChipReason.BET, ChipReason.CALL, ChipReason.RAISE, ChipReason.COST)


def decisions(name: str, seeds: int) -> list[tuple[int, str, tuple[str, ...], list[int], int, int]]:
    """Of random matches: information key, kind of choice, options, their prices, the option played, what it took."""
    game, found = Game.of(name), []
    for seed in range(seeds):
        match, choose = Match(game, seed), random.Random(seed)
        while not match.over:
            seat, told = match.seat, len(match.events())
            prices, menu = match.prices(), match.menu
            known, kind = match.keys().recall, match.decision_type.move_type
            place = choose.randrange(len(menu))
            match.apply(menu.choice(place))
            paid = 0
            for event, payer, chips, _, reason, *_ in match.events()[told:]:
                if event == Event.CHIPS and payer == seat and reason in _AT_ONCE:
                    paid += chips
                elif event != Event.CHOICE:
                    break
            found.append((known, kind, tuple(menu.labels), prices, place, paid))
    return found


@pytest.mark.parametrize("name", ["appendix-b", "386", "444"])
def test_a_price_is_what_is_paid_and_the_same_wherever_the_player_knows_the_same(name: str) -> None:
    """Also where hidden checks of the opponent's hand decide who pays whom (386), and chance whether a cost is due."""
    prices: dict[int, list[int]] = {}
    for known, kind, options, found, place, paid in decisions(name, 30):
        if kind != "choose":
            assert found == []
            continue
        assert len(found) == len(options)
        assert found[place] == paid
        assert prices.setdefault(known, found) == found
        assert all(cost == 0 for option, cost in zip(options, found, strict=True) if option in ("fold", "check"))
    assert name not in NAMED or any(cost for found in prices.values() for cost in found)


def test_a_price_needs_a_log_and_leaves_the_match_as_it_is() -> None:
    match = Match(kuhn(), 7)
    before = match.events(), match.numbers, match.keys()
    assert dict(zip(match.menu.labels, match.prices(), strict=True)) == {"bet": 1, "check": 0}
    assert (match.events(), match.numbers, match.keys()) == before
    with pytest.raises(MatchError):
        Match(kuhn(), 7, log=False).prices()
