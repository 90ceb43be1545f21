"""The words of disguises in the sentences that prompts are made of: no sentence keeps one of the engine's words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from antemill.engine.disguise.themes import BARE, THEMES
from antemill.engine.match import Match, prompt
from antemill.engine.match.game import Game
from antemill.engine.text.vocabulary import WORDS, legend, said
from tests.specs import every_construct

ROOT = Path(__file__).parents[3]
SOURCES = [
    *sorted((ROOT / "engine" / "text" / "rulebook").glob("*.py")),
    *sorted((ROOT / "engine" / "match").glob("*.py")),
    ROOT / "engine" / "text" / "labels.py",
    ROOT / "tournament" / "evaluation" / "weak.py",
]
LEAKS = re.compile(
    r"\b(?:bet(?:s|ting|tors?)?|fold(?:s|ed|ing)?|calls?|caller|calling|raise[sdr]?|raising|wager(?:s|ed|ing)?|all-in"
    r"|check(?:s|ed|ing)?|bid(?:s|ders?|ding)?|auction(?:s|ed|ing)?|ante(?:s|d)?|pots?|showdowns?)\b"
    r"|(?:\bchooses? |[*\"/])(?:take|pass)\b",
    re.IGNORECASE,
)
TESTS = re.compile(r"\bChecks?\b|\bcheck (?:for the card|fails)")  # of conditions: no moves


def _sentences(path: Path) -> Iterator[str]:
    """All texts in a module's source but docstrings. What an f-string puts in is a letter there."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            inside.add(node.value)
        if isinstance(node, ast.JoinedStr):
            inside |= {part for part in node.values if isinstance(part, ast.Constant)}
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in inside:
            yield node.value


def _leaks(text: str, words: tuple[str, ...]) -> list[str]:
    return LEAKS.findall(TESTS.sub("", said(text, words)))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_no_sentence_in_the_source_keeps_a_word_of_the_engine(path: Path) -> None:
    """So one that is added with such a word fails here, whether or not a game of the tests leads to it."""
    for theme in THEMES:
        assert [text for text in _sentences(path) if _leaks(text, theme.words)] == []


def test_the_sentences_have_each_word_and_a_new_form_of_one_is_found() -> None:
    texts = [text for path in SOURCES for text in _sentences(path)]
    found = {leak.lower() for text in texts for leak in LEAKS.findall(text)}
    assert set(WORDS) - {"take", "pass"} <= found
    for text in ("The bidder folded.", "X auctioned it.", "Nobody antes.", 'choose "pass"', "X called, raising"):
        assert LEAKS.search(text)
    assert _leaks("The bidder folded.", THEMES[0].words) == ["bidder", "folded"]


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


def test_what_is_said_of_betting_and_of_bets_above_the_stack_reads_as_english() -> None:
    rounds = "betting, in one or more rounds; a betting round"
    above = "A bet above the stack is all-in with what is left of it."
    words = THEMES[0].words
    assert said(rounds, words) == "casting, in one or more rounds; a casting round"
    assert said(above, words) == "A cast above the stack takes what is left of it, and the player is stranded."
    earlier = words[: WORDS.index("betting")]
    assert said(rounds, earlier) == "cast, in one or more rounds; a cast round"  # as runs with these words began
    assert said(above, earlier) == "A cast above the stack is stranded with what is left of it."


def test_the_bare_theme_has_words_of_one_part() -> None:
    assert [word for word in BARE.words if not word.isalpha()] == []
    assert said("You secretly bid 0. If both bids are 0, no chips move. Sealed-bid auction.", BARE.words) == (
        "You secretly velk 0. If both velks are 0, no chips move. Sealed-velk contest."
    )


def test_the_legend_has_a_word_for_each_of_the_engines() -> None:
    assert legend(()) == ""
    assert legend(THEMES[0].words).startswith("Prompts say: cast for bet, float for check,")
    assert legend(THEMES[0].words).endswith("landfall for showdown, casting for betting.")
