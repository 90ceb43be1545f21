"""What a player is told at the end: the result, the reason and the sum, beside the stacks before and after."""

from __future__ import annotations

import re

import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.match import Game, Match
from antemill.engine.rules.named import kuhn
from antemill.tournament.players.ending import ending
from tests.specs import every_construct

SUM = re.compile(
    r"You began with (\d+) chips, put (\d+) into the pot,? (?:and )?took (-?\d+) from it"
    r"(?: and (got|paid) (\d+) (?:from|to) (?:Alice|Bob) besides)?: you end with (\d+)\.(?: .* = (.*)\.)?"
)


@pytest.mark.parametrize("seat", [0, 1])
def test_the_sum_has_all_chips_that_the_player_paid_and_got(seat: int) -> None:
    """Kuhn's pot alone; generated games in which players also pay each other, or score."""
    kinds = set()
    for game in (Game(kuhn()), Game(generate(17, 0.1)), Game(generate(983))):
        for seed in range(40):
            match = Match(game, seed)
            while not match.over:
                match.apply_random()
            end, result = ending(match, seat), match.result
            found = SUM.fullmatch(end.sum)
            assert found, end.sum
            begun, put, took, way, beside, ended = found.groups(default="0")[:6]
            paid = int(beside) if way == "got" else -int(beside)
            assert int(ended) == int(begun) - int(put) + int(took) + paid == result.stacks[seat]
            assert int(put) >= 1
            score = result.score if seat == 0 else -result.score
            if score:
                assert int(found[7].replace("\N{MINUS SIGN}", "-")) == end.payoff
            assert (found[7] is None) == (score == 0)
            assert end.payoff == int(ended) - int(begun) + score == result.payoffs[seat]
            verb = "win" if end.payoff > 0 else "lose"
            assert end.result.startswith(f"You {verb} {abs(end.payoff)} chip" if end.payoff else "A draw")
            kinds.add((game.names.game, paid != 0, score != 0))
    assert len(kinds) > 5


def test_the_reason_names_what_a_showdown_compares_and_the_side_bets() -> None:
    reasons = set()
    for seed in range(40):
        match = Match(Game(every_construct()), seed)
        while not match.over:
            match.apply_random()
        reasons.add(ending(match, 0).reason)
    assert any("by showdown (" in one for one in reasons)
    assert any(
        re.search(r'You (win|lose) the side bet "Wager"\. (You|Bob) (pay|pays) \d+ chips? to (you|Bob)', one)
        for one in reasons
    )
    assert not any("Alice" in one for one in reasons)


def test_the_reason_of_an_end_by_a_rule_is_what_the_rule_followed() -> None:
    """A choice, which the player may not have seen, or a condition."""
    reasons = set()
    for seed in (62, 272, 40):
        for play_seed in range(30):
            match = Match(Game(generate(seed)), play_seed)
            while not match.over:
                match.apply_random()
            reasons |= {ending(match, seat).reason for seat in (0, 1)}
    ended = {one for one in reasons if "without a showdown" in one}
    assert "You choose Concede. The game is over without a showdown. Bob takes the pot." in ended
    assert (
        "Check: the pot holds fewer than 6 chips? Yes. The game is over without a showdown. You take the pot." in ended
    )
    assert not any("Only you" in one for one in ended)
