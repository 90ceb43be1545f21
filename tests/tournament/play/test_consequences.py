"""What the buttons of the table say of each option, in the rulebook's own words."""

import pytest

from antemill.engine import generate
from antemill.engine.builder.starters import STARTERS
from antemill.engine.match import Game, Match
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import GameSpec
from antemill.engine.text.rulebook import rulebook
from antemill.tournament.play.consequences import consequences

SPECS = [*(make() for make in NAMED.values()), *(one.spec() for one in STARTERS.values()), *map(generate, range(12))]


def of(game: str, phase: str, option: str, seat: int = 0) -> str:
    return consequences(rulebook(STARTERS[game].spec()), phase, (option,), seat)[0]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_every_option_that_is_met_leads_somewhere(spec: GameSpec) -> None:
    game, book, met = Game(spec), rulebook(spec), set()
    for play_seed in range(6):
        match = Match(game, play_seed)
        while not match.over:
            met.add((match.decision_type.phase, match.menu.labels, match.seat))
            match.apply_random()
    for phase, options, seat in met:
        assert all(consequences(book, phase, options, seat)), (phase, options)
    assert met


def test_an_option_of_a_round_says_both_outcomes_of_its_condition() -> None:
    assert of("starter-3", "Alice's Action Round (sub-round)", "Challenge") == (
        "If Alice's hand has a card of rank A: Bob pays 1 chip to Alice. Otherwise: Alice pays 3 chips to Bob."
    )


def test_a_secret_choice_says_what_each_answer_makes_of_it() -> None:
    assert of("starter-3", "Simultaneous Round", "Push", seat=1) == (
        "If Alice plays Push: Play Alice's Action Round. Play Bob's Action Round. If Alice plays Yield: No action."
    )
    alice, bob = (of("starter-3", "Simultaneous Round", option, seat) for option, seat in (("Push", 0), ("Yield", 1)))
    assert alice.endswith(" If Bob plays Yield: Alice pays 1 chip to Bob.")
    assert bob.startswith("If Alice plays Push: Alice pays 1 chip to Bob.")


def test_a_round_that_falls_back_to_a_fixed_size_has_two_bets() -> None:
    assert of("starter-3", "Betting Round 1", "bet").startswith("the player then chooses a wager")
    assert of("starter-3", "Betting Round 1, fallback", "bet").startswith("the player pays a bet of 1 chip")
