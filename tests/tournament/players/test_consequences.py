"""What a person is told that each choice leads to, in the rulebook's own words, and what is offered."""

import re

import pytest

from antemill.engine import generate
from antemill.engine.builder.starters import STARTERS
from antemill.engine.match import Game, Match
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import GameSpec
from antemill.engine.text.labels import SEATS
from antemill.engine.text.rulebook import rulebook
from antemill.tournament.players.consequences import Reader, consequences, question
from tests.specs import every_construct
from tests.tournament.play.auctions import poor_bidders

SPECS = [*(make() for make in NAMED.values()), *(one.spec() for one in STARTERS.values()), *map(generate, range(12))]
SPECS.append(every_construct())


def of(game: str, phase: str, option: str, seat: int = 0) -> str:
    return consequences(rulebook(STARTERS[game].spec()), phase, (option,), Reader(seat, 0))[0]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_every_option_that_is_met_leads_somewhere_and_its_reader_is_you(spec: GameSpec) -> None:
    """But in the names of phases and in announcements, which are the same for both."""
    game, met = Game(spec), 0
    fixed = sorted({*game.names.phases, *game.names.texts, *game.names.variables}, key=len, reverse=True)
    for play_seed in range(6):
        match = Match(game, play_seed)
        while not match.over:
            asked = question(match)
            assert all(asked.leads), asked
            assert bool(asked.stake) == asked.menu.amounts
            for words in (*asked.leads, asked.stake):
                for name in fixed:
                    words = words.replace(name, "")
                assert not re.search(rf"{SEATS[match.seat]}|the player\b|\*\*|\byou \w+s\b", words), words
                assert not re.search(r"[a-z,] You\b|[.] [a-z]|^[a-z]", words), words
                met += 1
            match.apply_random()
    assert met


def test_an_option_of_a_round_says_both_outcomes_of_its_condition() -> None:
    assert of("starter-3", "Alice's Action Round (sub-round)", "Challenge") == (
        "If your hand has a card of rank A: Bob pays 1 chip to you (at most what Bob has).\n"
        "Otherwise: You pay 3 chips to Bob (at most what you have)."
    )


def test_a_secret_choice_says_what_each_answer_makes_of_it() -> None:
    assert of("starter-3", "Simultaneous Round", "Push", seat=1) == (
        "If Alice plays Push: Play Alice's Action Round (sub-round). Alice picks Peek, Challenge or Taunt. "
        "Play Bob's Action Round (sub-round). You pick Peek, Challenge or Taunt.\nIf Alice plays Yield: No action."
    )
    alice, bob = (of("starter-3", "Simultaneous Round", option, seat) for option, seat in (("Push", 0), ("Yield", 1)))
    assert alice.endswith("\nIf Bob plays Yield: You pay 1 chip to Bob (at most what you have).")
    assert bob.startswith("If Alice plays Push: Alice pays 1 chip to you (at most what Alice has).")


def test_a_round_that_falls_back_to_a_fixed_size_has_two_bets() -> None:
    assert of("starter-3", "Betting Round 1", "bet").startswith("You then choose a wager")
    assert of("starter-3", "Betting Round 1, fallback", "bet") == (
        "You pay a bet of 1 chip into the pot (at most what you have)."
    )


def test_a_bid_says_what_it_buys_and_who_pays() -> None:
    asked = question(Match(Game(poor_bidders()), 3))
    assert asked.stake.startswith("The higher bid wins; between equal bids a coin decides. Only the winner pays: ")
    assert " nobody wins. The winner draws 1 card" in asked.stake
    assert (asked.menu.low, asked.menu.high) == (0, 2)  # of 4 that the auction takes, with a stack of 2


def test_a_side_bet_says_who_pays_whom_and_when() -> None:
    book = rulebook(generate(3559))
    assert consequences(book, "Bob's Side Bet", ("take",), Reader(1, 0)) == [
        "You bet 4 chips against Alice that this will hold at the showdown: your hand has a card of rank Q, K or A. "
        "Then the loser of the bet pays the winner 4 chips (at most what the loser has). "
        "Without a showdown nobody pays."
    ]
