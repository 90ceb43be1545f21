"""The first difference of two games, in words."""

from __future__ import annotations

from itertools import pairwise

import pytest
from msgspec.structs import replace

from antemill.engine.builder.generate import generate
from antemill.engine.rules.canonical.difference import first_difference
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import Deck, GameSpec
from tests.engine.rules.canonical.near_misses import PAIRS
from tests.specs import every_construct


def without_a_phase(spec: GameSpec) -> list[GameSpec]:
    """The game, each time without one phase of its sequence: it differs from the next one at such a phase."""
    return [replace(spec, sequence=spec.sequence[:i] + spec.sequence[i + 1 :]) for i in range(len(spec.sequence) - 1)]


GAMES = [spec for seed in range(40) for spec in without_a_phase(generate(seed))] + without_a_phase(every_construct())


@pytest.mark.parametrize("pairs", [PAIRS.values(), [*pairwise(GAMES)]], ids=["near misses", "neighbours"])
def test_every_difference_has_words(pairs: list[tuple[GameSpec, GameSpec]]) -> None:
    told = set()
    for first, second in pairs:
        found = first_difference(first, second)
        if found is None:
            continue
        for part, words in zip((found.first, found.second), found.in_words, strict=True):
            assert words.strip("'") != part, words  # no word of it was known, or the words of both were the same
            assert not set("${}[]|&") & set(words), words
            told.add(words)
    assert len(told) > 10


def test_a_difference_says_what_each_game_has() -> None:
    kuhn = NAMED["kuhn"]()
    found = first_difference(kuhn, replace(kuhn, deck=Deck((1, 2, 3, 4), ("stars", "moons"))))
    assert found is not None
    decks = (
        "a deck of 3 ranks and 1 suit that no rule tells apart",
        "a deck of 4 ranks and 2 suits that no rule tells apart",
    )
    assert (found.where, found.in_words) == ("the deck", decks)
    assert first_difference(kuhn, kuhn) is None
