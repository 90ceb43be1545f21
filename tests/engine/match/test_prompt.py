"""What a language model is sent: complete, the same every time, in the paper's order."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.match import Game, Match, MatchError, MatchOverError, prompt
from antemill.engine.rules.named import appendix_b, kuhn
from antemill.engine.rules.spec import GameSpec
from antemill.engine.text.rulebook import rulebook
from tests.specs import every_construct

GAMES: list[Callable[[], GameSpec]] = [appendix_b, every_construct, *(lambda i=i: generate(i) for i in range(3))]

KUHN = """\
You are Bob. Your opponent is Alice.

## State
- Phase: Betting: bet or check
- Your hand: J
- Board: empty
- Your stack: 1 chip
- Alice's stack: 1 chip
- Pot: 2 chips
- Deck: 1 card

## Log
1. Phase: Setup
2. The deck of 3 cards is shuffled.
3. Alice is dealt 1 card.
4. You are dealt 1 card: J.
5. Phase: Ante
6. Alice pays 1 chip into the pot as an ante.
7. You pay 1 chip into the pot as an ante.
8. Phase: Betting
9. Alice chooses check.

## Your Decision
- Phase: Betting: bet or check
- Type: choose
- Legal actions: "bet", "check"

Reply with one line: {"action": "<the name of one legal action>"}
"""


def test_a_whole_prompt() -> None:
    played = Match(kuhn(), 0)
    played.apply("check")
    assert prompt.turn(played) == KUHN
    assert prompt.turn(played, 1) == KUHN


@pytest.mark.parametrize("make", GAMES)
def test_the_state_the_log_and_the_decision_follow_each_other(make: Callable[[], GameSpec]) -> None:
    """In the paper's order; a later log of a seat begins with an earlier one, byte for byte."""
    game, rng, compared = Game(make()), random.Random(7), 0
    for seed in range(15):
        played = Match(game, seed)
        before: list[bytes | None] = [None, None]
        while not played.over:
            seat = played.seat
            now = prompt.turn(played)
            log = prompt.log_text(played.view(seat)).encode()
            assert now.index("\n## State\n") < now.index(log.decode()) < now.index("\n## Your Decision\n")
            earlier = before[seat]
            if earlier is not None:
                assert log.startswith(earlier)
                assert len(log) > len(earlier)
                compared += 1
            before[seat] = log
            if played.menu.amounts and rng.random() < 0.3:
                played.apply("nonsense")  # a notice must not break the log either
            else:
                played.apply(played.menu.choice(rng.randrange(len(played.menu))))
    assert compared > 2


@pytest.mark.parametrize("make", GAMES)
def test_the_state_is_the_public_numbers_and_the_own_hand(make: Callable[[], GameSpec]) -> None:
    game, rng = Game(make()), random.Random(8)
    for seed in range(6):
        played = Match(game, seed)
        while not played.over:
            seat, numbers = played.seat, played.numbers
            state = prompt.turn(played).partition("## State\n")[2].partition("\n## Log")[0].splitlines()
            said = dict(line.removeprefix("- ").split(": ", 1) for line in state)
            assert said["Pot"].split()[0] == str(numbers.pot)
            assert said["Deck"].split()[0] == str(numbers.deck)
            assert said["Your stack"].split()[0] == str(numbers.stacks[seat])
            assert said[f"{('Bob', 'Alice')[seat]}'s stack"].split()[0] == str(numbers.stacks[1 - seat])
            hand = played.piles().hands[seat]
            assert len(said["Your hand"].split()) == max(1, len(hand))
            for card in hand:
                assert game.wording.cards(1 << card) in said["Your hand"].split()
            played.apply(played.menu.choice(rng.randrange(len(played.menu))))


def test_the_system_prompt_is_the_rulebook_and_the_instructions() -> None:
    spec = appendix_b()
    text = prompt.system(spec)
    assert text.startswith(rulebook(spec))
    assert "Maximize the expected number of chips" in text
    assert '{"action": CHOICE}' in text
    assert prompt.system(spec) == text


def test_there_is_a_prompt_only_for_the_seat_that_decides() -> None:
    played = Match(kuhn(), 0)
    with pytest.raises(MatchError, match="Alice's turn, not Bob's"):
        prompt.turn(played, 1)
    with pytest.raises(MatchError, match="keeps no log"):
        prompt.turn(Match(kuhn(), 0, log=False))
    played.apply("bet")
    played.apply("fold")
    with pytest.raises(MatchOverError):
        prompt.turn(played)
