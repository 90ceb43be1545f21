"""The rulebook of the sample game has every fact of the one that the paper prints (appendix B; G41, G42)."""

from __future__ import annotations

import re

import pytest

from antemill.engine.rules.named import NAMED
from antemill.engine.text.rulebook import rulebook
from tests.engine.text.rulebook_sections import phase_sections, top_sections

_INTER, _POST = "Simultaneous Round (inter-round)", "Simultaneous Round (post-betting)"
_AUCTION = "Auction Round: Card Draw (post-betting)"
_FREE, _FIXED = "Variable Betting Round (Round 1)", "Fixed Betting Round (Round 2)"
_HIGHER = r"highest card is of higher rank than"

# Where in our rulebook (a section or a phase), and what it must say there: every fact of the paper's sample.
FACTS: list[tuple[str, str]] = [
    ("Overview", r"Alice and Bob"),
    ("Overview", r"3 cards \(J, Q, K of hearts"),
    ("Overview", r"10 chips each"),
    ("Overview", r"total of 20 never changes"),
    ("Overview", r"\*\*Pot:\*\* starts at 0"),
    ("Overview", r"«bet round» is a public number that starts at 0"),
    ("General Rules", r"moves only what is available"),
    ("General Rules", r"one after another.*is skipped, and the later steps still take place"),
    ("General Rules", r"A condition is tested when its turn comes; .* do not exclude each other"),
    ("General Rules", r"stays on the menu even when its effect would do nothing"),
    ("General Rules", r"Everything that would still follow is then skipped"),
    ("General Rules", r"Every random selection is uniform"),
    ("General Rules", r"no limit to the size of a hand"),
    ("General Rules", r"A missing answer, .*replaced by a uniformly random option"),
    ("General Rules", r"above the maximum is lowered.*malformed.*below the minimum.*uniformly random legal one"),
    ("General Rules", r"only the player who submitted it is told"),
    ("General Rules", r"if none remain, the step does nothing"),
    ("Visibility", r"sees their own cards only"),
    ("Visibility", r"how many they are, are hidden"),
    ("Visibility", r"Both stacks, the pot, the number of cards in the deck"),
    ("Visibility", r"announced to both players, unless they are marked as private"),
    ("Visibility", r'"\(public\)" is announced whenever it is tested'),
    ("Visibility", r'"Private" hides which card it was, which branch was taken, or what was chosen'),
    ("Visibility", r"the opponent may conclude from the change which case it was"),
    ("Sequence of Play", r"1\. \*\*Setup\*\*.*\n2\. \*\*Ante Phase\*\*.*\n3\. \*\*Betting Phase\*\*.*\n4\. "),
    ("Sequence of Play", r"4\. \*\*Post-Betting Phase\*\*.*\n5\. \*\*Showdown\*\*"),
    ("Setup", r"The deck is shuffled"),
    ("Setup", r"Alice and then Bob are each dealt 1 card face down.*only that player sees"),
    ("Ante Phase", r"Alice pays an ante of 2 chips into the pot"),
    ("Ante Phase", r"Bob pays an ante of 2 chips into the pot"),
    ("Betting Phase", r"Up to 2 betting rounds"),
    ("Betting Phase", r"«bet round» has reached 2, or if either player has 2 chips or fewer"),
    ("Betting Phase", r"«bet round» is set to 0"),
    ("Betting Phase", r"«bet round» rises by 1"),
    ("Betting Phase", rf"every round but the first.*\n.*Inter-Round Draw.*\n.*{re.escape(_INTER)}"),
    ("Betting Phase", rf"Round 1: \*\*{re.escape(_FREE)}\*\*"),
    ("Betting Phase", rf"Round 2: \*\*{re.escape(_FIXED)}\*\*"),
    (_FREE, r"called from \*\*Betting Phase\*\*"),
    (_FREE, r"Alice has at least 1 chip AND Bob has at least 1 chip .*\(public\)"),
    (_FREE, r"Alice acts first"),
    (_FREE, r"from 1 to their whole stack, and pays it into the pot"),
    (_FREE, r"is replaced by a uniformly random legal amount; only that player is told"),
    (_FREE, r"Otherwise:\n.*every bet is 1 chip"),
    (_FREE, r"all-in, and the part that is not matched goes back from the pot to the opponent"),
    (_FREE, r"fold\*\*: the game ends at once, and the opponent takes the whole pot"),
    (_FREE, r"after a check by Alice: Bob chooses \*\*bet\*\* or \*\*check\*\*"),
    (_FREE, r"If Bob checks too, the round ends"),
    (_FIXED, r"every bet is 1 chip"),
    (_FIXED, r"after a bet by Alice: Bob chooses \*\*fold\*\* or \*\*call\*\*"),
    (_FIXED, r"responding\*\*, after a bet by Bob: Alice chooses \*\*fold\*\* or \*\*call\*\*"),
    (_FIXED, r"Play returns to \*\*Betting Phase\*\*"),
    ("Inter-Round Draw", r"If the deck has at least 2 cards \(public\):\n.*each draw 1 card.*\(private draw"),
    ("Inter-Round Draw", r'Otherwise:\n.*Everyone is told: ".*fewer than two cards'),
    (_INTER, r"Both players choose in secret.*revealed to everyone at the same time"),
    (_INTER, r"A missing choice is replaced by a uniformly random one"),
    (_INTER, r"Alice chooses \*\*Hold\*\* or \*\*Parry\*\*"),
    (_INTER, r"Bob chooses \*\*Hold\*\* or \*\*Parry\*\*"),
    (
        _INTER,
        rf"\*\*Hold\*\* AND Bob chooses \*\*Parry\*\*:\n.*Bob's {_HIGHER} Alice's.*\(private.*\n.*pays 3 chips",
    ),
    (_INTER, r"Alice pays 3 chips to Bob \(at most what Alice has\)\.\n.*Otherwise:\n.*Bob pays 1 chip to Alice"),
    (_INTER, r"differ in what everyone sees, so that it may be inferred"),
    (_INTER, r"\*\*Parry\*\* AND Bob chooses \*\*Hold\*\*:\n.*Bob pays 1 chip to Alice"),
    (_INTER, r"\*\*Parry\*\* AND Bob chooses \*\*Parry\*\*:\n.*No action"),
    (_INTER, r"\*\*Hold\*\* AND Bob chooses \*\*Hold\*\*:\n.*Bob's hand has a card of rank J or K \(private"),
    (
        _INTER,
        r"Alice peeks at a random card of Bob's hand, and the card stays.*private peek.*\n.*Alice pays 1 chip",
    ),
    (_INTER, r"only Alice is told of it and sees the card, or that the hand is empty\)\.\n.*Bob pays 1 chip to Alice"),
    ("Post-Betting Phase", rf"If the pot holds more than 2 chips \(public\):\n.*{re.escape(_POST)}"),
    ("Post-Betting Phase", rf"If Alice's hand has a card of rank K \(public\):\n.*{re.escape(_AUCTION)}"),
    (_POST, r"Alice chooses \*\*Press\*\* or \*\*Retreat\*\*"),
    (
        _POST,
        r"\*\*Press\*\* AND Bob chooses \*\*Retreat\*\*:\n.*Bob peeks at a random card.*announced peek",
    ),
    (
        _POST,
        rf"\*\*Retreat\*\* AND Bob chooses \*\*Press\*\*:\n.*Alice's {_HIGHER} Bob's.*\(private.*\n.*pays 2 chips",
    ),
    (_POST, r"Bob pays 2 chips to Alice .*\n.*Otherwise:\n.*Alice pays 1 chip to Bob"),
    (_POST, r"all other combinations.*\(Press/Press, Retreat/Retreat\):\n.*Bob draws 1 card .*only Bob sees the card"),
    (_AUCTION, r"a bid \*\*from 0 to 3 chips\*\*"),
    (_AUCTION, r"A bid above the player's stack counts as the whole stack"),
    (_AUCTION, r"revealed to everyone at the same time"),
    (_AUCTION, r"If both bids are 0, nobody wins and no chips move"),
    (_AUCTION, r"the higher bid wins; between equal bids a coin decides"),
    (_AUCTION, r"If the deck is empty at that moment, the auction is cancelled.*nobody pays"),
    (_AUCTION, r"The winner pays their own bid into the pot.*\n.*The winner draws 1 card"),
    (_AUCTION, r"The auction has no ante"),
    ("Showdown", r"Both hands, as they are when this phase begins, are revealed"),
    ("Showdown", r"the highest ranks of the two are compared; if they are equal, the next highest"),
    ("Showdown", r"who runs out of cards first in this comparison loses"),
    ("Showdown", r"an empty hand loses to any other, and two empty hands tie"),
    ("Showdown", r"J=11, Q=12, K=13"),
    ("Showdown", r"The better hand takes the whole pot"),
    ("Showdown", r"half of the pot, rounded down, and an odd chip goes to one of them at random"),
    ("Showdown", r"The game ends"),
]


@pytest.mark.parametrize(("where", "fact"), FACTS)
def test_the_papers_sample_fact_by_fact(where: str, fact: str) -> None:
    text = rulebook(NAMED["appendix-b"]())
    assert re.search(fact, {**top_sections(text), **phase_sections(text)}[where])
