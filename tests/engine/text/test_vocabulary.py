"""The words of disguises, and how words of the engine are found that a disguise has left (`LEAKS`)."""

from __future__ import annotations

import re

from antemill.engine.disguise.themes import THEMES
from antemill.engine.match import Match, prompt
from antemill.engine.match.game import Game
from antemill.engine.text.vocabulary import said
from tests.specs import every_construct

LEAKS = re.compile(
    r"\b(?:bet(?:s|ting|tors?)?|fold(?:s|ed|ing)?|calls?|caller|calling|raise[sdr]?|raising|wager(?:s|ed|ing)?|all-in"
    r"|check(?:s|ed|ing)?|bid(?:s|ders?|ding)?|auction(?:s|ed|ing)?|ante(?:s|d)?|pots?|showdowns?)\b"
    r"|(?:\bchooses? |[*\"/])(?:take|pass)\b",
    re.IGNORECASE,
)
TESTS = re.compile(r"\bChecks?\b|\bcheck (?:for the card|fails)")  # of conditions: no moves


def test_words_take_their_plural_their_capital_and_their_article() -> None:
    words = THEMES[0].words
    assert said("You pay 1 chip into the pot as an ante. Antes: 2.", words) == (
        "You pay 1 chip into the chest as a toll. Tolls: 2."
    )
    assert said("A sealed-bid auction. Bob bids 3. Nobody bid more than 0: the auction has no winner.", words) == (
        "A sealed-tender salvage. Bob tenders 3. No tender is more than 0: the salvage has no winner."
    )
    assert said("The game is over without a showdown.", words) == "The game is over without a landfall."
    assert said("- Pot: 3 chips\n- Type: bid", words) == "- Chest: 3 chips\n- Type: tender"


def test_a_shorter_vocabulary_leaves_the_later_words_as_they_are() -> None:
    """A run that was begun with words for moves alone goes on with these."""
    words = THEMES[0].words[:9]
    assert said("An ante, a bid, the pot: Bob bets or folds.", words) == "An ante, a bid, the pot: Bob casts or sinks."
    match = Match(Game(every_construct(), words=words), 1)
    while not match.over:
        assert "- Pot: " in prompt.turn(match)
        match.apply_random()
