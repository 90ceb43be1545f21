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


def test_each_case_has_its_own_line_and_what_belongs_to_it_is_indented() -> None:
    book = """### Duel

- If Alice chooses **cut** AND Bob chooses **cut**:
  - Alice's score rises by 2, and Bob's falls by 2.
- If Alice chooses **cut** AND Bob chooses **flee**:
  - «heat» rises by 1 (public).
  - If Alice has fewer than 3 chips (public):
    - Alice draws 1 card from the deck.
    - Alice pays 1 chip to Bob.
  - Otherwise:
    - No effect.
  - Bob's score rises by 2, and Alice's falls by 2.
"""
    assert consequences(book, "Duel", ("cut",), Reader(0, 0)) == [
        """If Bob plays cut: Your score rises by 2, and Bob's falls by 2.
If Bob plays flee:
  «heat» rises by 1.
  If you have fewer than 3 chips: You draw 1 card from the deck. You pay 1 chip to Bob.
  Otherwise: No effect.
  Bob's score rises by 2, and yours falls by 2."""
    ]


def test_the_position_of_the_one_who_asks_is_named() -> None:
    book = "### Trade\n\n- If the follower picks **give**:\n  - The follower pays 1 chip to the leader.\n"
    assert consequences(book, "Trade", ("give",), Reader(1, 0)) == ["You pay 1 chip to Alice."]
    assert consequences(book, "Trade", ("give",), Reader(0, 1)) == ["You pay 1 chip to Bob."]


def test_what_they_are_stays() -> None:
    book = (
        "### Show\n\n- If Bob picks **show**:\n  - Bob reveals all cards of their hand to everyone; they stay there.\n"
    )
    assert consequences(book, "Show", ("show",), Reader(1, 0)) == [
        "You reveal all cards of your hand to everyone; they stay there."
    ]


def test_answers_with_one_outcome_are_named_together() -> None:
    book = """### Duel

- If Alice chooses **cut** AND Bob chooses **cut**:
  - «heat» rises by 1 (public).
- For all other combinations, Alice's choice first (cut/parry, cut/flee):
  - «heat» rises by 1 (public).
"""
    assert consequences(book, "Duel", ("cut",), Reader(0, 0)) == ["If Bob plays cut, parry or flee: «heat» rises by 1."]
    book = "### Duel\n\n- For every combination, Alice's choice first (cut/cut, flee/cut):\n  - No action.\n"
    assert consequences(book, "Duel", ("cut",), Reader(1, 0)) == ["If Alice plays cut or flee: No action."]


def test_answers_stand_below_each_option_in_the_order_of_their_menu() -> None:
    book = """### Duel

- Alice chooses **cut** or **flee**.
- Bob chooses **flee**, **cut** or **parry**.
- If Alice chooses **cut** AND Bob chooses **parry**:
  - Alice draws 1 card from the deck.
- If Alice chooses **flee** AND Bob chooses **flee**:
  - Bob draws 1 card from the deck.
- For all other combinations, Alice's choice first (cut/cut, cut/flee, flee/cut, flee/parry):
  - No action.
"""
    assert consequences(book, "Duel", ("cut", "flee"), Reader(0, 0)) == [
        "If Bob plays flee or cut: No action.\nIf Bob plays parry: You draw 1 card from the deck.",
        "If Bob plays flee: Bob draws 1 card from the deck.\nIf Bob plays cut or parry: No action.",
    ]


def test_a_short_phase_that_is_played_is_told_with_its_call() -> None:
    book = """### Trade

- If Alice picks **ask**:
  - Play **Look**, then continue here.

#### Sub-phase: Look

- Alice observes Bob's hand, which stays as it is (private observation: only Alice is told of it).
"""
    assert consequences(book, "Trade", ("ask",), Reader(0, 0)) == [
        "Play Look. You observe Bob's hand, which stays as it is."
    ]


def test_who_leads_after_a_phase_that_is_played_is_left_open() -> None:
    book = """### Trade

- If the leader picks **yield**:
  - The leader pays 1 chip into the pot.
  - Play **Swap lead**, then continue here.
  - The leader receives 1 chip from the pot.

#### Sub-phase: Swap lead

- The player with more chips becomes the leader.
"""
    assert consequences(book, "Trade", ("yield",), Reader(1, 1)) == [
        "You pay 1 chip into the pot. Play Swap lead. The player with more chips becomes the leader. "
        "The leader receives 1 chip from the pot."
    ]
