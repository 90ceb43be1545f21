"""Other words for moves, auctions, antes, pots and showdowns, for prompts of games in disguise.

Rules, programs, views and transcripts keep the engine's words, by which bots and scripts recognise decisions. A
finished prompt gets other words, and the reply is matched with the menu in the prompt.

One pass over the finished text keeps the sentences of rulebooks, logs and prompts plain in the source. A test
(`test_vocabulary`) checks for every such sentence that the pass leaves none of the engine's words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, TypeAlias

WORDS: Final = (
    *("bet", "check", "fold", "call", "raise", "wager", "all-in", "take", "pass"),
    *("bid", "auction", "ante", "pot", "showdown", "betting"),
)
"""The engine's words."""

Vocabulary: TypeAlias = tuple[str, ...]
"""Other words for the first of `WORDS`, in their order; () keeps all of these. Each begins with a consonant. The first
part of each, except those of all-in and betting, takes an s both as a verb and as a noun."""

# In prompts, "Check" is always the test of a condition, as is the check for a card.
_WORDS: Final = re.compile(
    r"\b(?:Nobody (bid) more|(an )?"
    r"(bet|fold|call|raise|wager|check(?! for the card| fails)|bid|auction|ante|pot|showdown)(s?)"
    r"|(betting)|(bettor)|is (all-in) with what is left of it|(all-in))\b",
    re.IGNORECASE,
)
# Common words, which are replaced only as options.
_SIDE: Final = re.compile(
    r'(?<=\*\*)(?:take|pass)(?=\*\*)|(?<=")(?:take|pass)(?=")|\btake/pass\b'
    r"|(?<=\bchoose )(?:take|pass)(?=\.)|(?<=\bchooses )(?:take|pass)(?=\.)|(?<=, so )(?:take|pass)(?= was )"
)


def said(text: str, words: Vocabulary) -> str:
    """A prompt's text in the words of a vocabulary."""
    if not words:
        return text
    other = dict(zip(WORDS, words, strict=False))
    text = _SIDE.sub(lambda found: "/".join(other[word] for word in found[0].split("/")), text)
    return _WORDS.sub(lambda found: _other(found, other), text)


def _other(found: re.Match[str], other: Mapping[str, str]) -> str:
    past, article, word, many, betting, bettor, left, _ = found.groups()
    if found[0].startswith("Check") or (past or word or "bet").lower() not in other:
        return found[0]
    if past is not None:
        return f"No {other['bid']} is more"
    if word is not None:
        first, space, rest = other[word.lower()].partition(" ")
        text = f"{'' if article is None else 'a '}{first}{many}{space}{rest}"
    elif betting is not None:
        text = other.get("betting", other["bet"])
    elif bettor is not None:
        text = f"player of the {other['bet']}"
    elif left is not None:
        text = _left(other)
    else:
        text = other["all-in"]
    return text[:1].upper() + text[1:] if found[0][0].isupper() else text


def _left(other: Mapping[str, str]) -> str:
    """What becomes of a bet above the stack; as runs that were begun without a word for betting have it, or else so
    that it reads as English whatever the words are."""
    if "betting" not in other:
        return f"is {other['all-in']} with what is left of it"
    return f"takes what is left of it, and the player is {other['all-in']}"


def legend(words: Vocabulary) -> str:
    """Which word of prompts stands for which of the engine's, as a sentence; "" for the engine's own words."""
    other = ", ".join(f"{new} for {old}" for old, new in zip(WORDS, words, strict=False))
    return f"Prompts say: {other}." if other else ""
