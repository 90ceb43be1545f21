"""The builder's random draws: fair, in the order of their words, and the same for a key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from antemill.engine.builder import dice
from antemill.engine.builder.workspace import GIVEN, WORDS, Draft, Workspace

A, NEVER, B, RARE, RARER = 7, 2, 0, 4, 9  # items: numbers in no order
TABLE = dice.weighted((A, 3e9), (NEVER, 0.0), (B, 1e9), (RARE, 3.0), (RARER, 1.0))


def cast(key: int) -> Draft:
    """A draft with the words of a key, none of which have been asked for."""
    d = Workspace(1).draft
    d.words[:] = dice.roll(key, len(d.words) // dice.BLOCK)
    d.state[GIVEN] = len(d.words)
    return d


def drawn(draw: Callable[[Draft], int], count: int) -> Counter[int]:
    """What `draw` gives, a hundred times with each of several keys."""
    found: Counter[int] = Counter()
    for key in range(count // 100):
        d = cast(key)
        found.update(draw(d) for _ in range(100))
        assert d.state[WORDS] <= len(d.words), "the words have run out"
    return found


def deviation(found: Counter[int], shares: dict[int, float]) -> float:
    """Chi-squared against the shares; infinite if something was drawn that has none."""
    if set(found) - set(shares):
        return float("inf")
    count = sum(found.values())
    return sum((found[item] - share * count) ** 2 / (share * count) for item, share in shares.items())


def test_words_depend_on_key_and_place_alone() -> None:
    assert dice.roll(3, 4)[: dice.BLOCK].tolist() == dice.roll(3, 1).tolist()
    assert not set(dice.roll(3, 4).tolist()) & set(dice.roll(4, 4).tolist())
    assert len(set(dice.roll((1 << 64) - 1, 2).tolist())) == 2 * dice.BLOCK


def test_draws_take_one_word_after_the_other() -> None:
    words = dice.roll(12345, 1).tolist()
    d = cast(12345)
    assert [dice.word(d), dice.uniform(d), dice.below(d, 10)] == [words[0], words[1] * dice.UNIT, words[2] * 10 >> 32]
    assert d.state[WORDS] == 3
    d.words[3:5] = 0, 0xFFFFFFFF
    assert (dice.uniform(d), dice.uniform(d)) == (0.0, 1.0 - dice.UNIT)


def test_words_that_are_not_there_are_counted() -> None:
    """The builder starts over with more of them."""
    d = cast(1)
    d.state[WORDS] = len(d.words) - 1
    assert dice.word(d) == d.words[-1] != 0
    assert [dice.word(d), dice.word(d)] == [0, 0]
    assert d.state[WORDS] == len(d.words) + 2


def test_whole_numbers_are_fair() -> None:
    """Chi-squared with 5 degrees of freedom; p = 1e-4."""
    sixth = dict.fromkeys(range(6), 1 / 6)
    assert deviation(drawn(lambda d: dice.below(d, 6), 12_000), sixth) < 25.7
    assert deviation(drawn(lambda d: dice.between(d, -2, 3) + 2, 12_000), sixth) < 25.7
    items = np.array([5, 3, 0, 1, 2, 4])
    assert deviation(drawn(lambda d: dice.one_of(d, items), 12_000), sixth) < 25.7
    assert set(drawn(lambda d: dice.between(d, 4, 4), 100)) == {4}


def test_items_are_picked_by_weight() -> None:
    assert deviation(drawn(lambda d: dice.pick(d, TABLE), 8_000), {A: 0.75, B: 0.25}) < 15.2  # 1 degree
    three = dice.weighted((A, 0.0), (B, 1.0), (RARE, 2.0), (RARER, 1.0), (NEVER, 0.0))
    assert deviation(drawn(lambda d: dice.pick(d, three), 8_000), {B: 0.25, RARE: 0.5, RARER: 0.25}) < 18.5


@pytest.mark.parametrize(
    ("allowed", "shares"),
    [
        ((A, B), {A: 0.75, B: 0.25}),
        ((B, NEVER, RARE), {B: 1.0}),  # a rare one has no chance beside it
        ((RARE, RARER, NEVER), {RARE: 0.75, RARER: 0.25}),  # which no try comes upon
        ((RARER,), {RARER: 1.0}),
        ((NEVER,), {-1: 1.0}),
        ((), {-1: 1.0}),
        ((1, 3, 62), {-1: 1.0}),  # that the table does not have
    ],
)
def test_what_is_found_is_allowed_and_drawn_by_weight(allowed: tuple[int, ...], shares: dict[int, float]) -> None:
    bits = sum(1 << item for item in allowed)
    assert deviation(drawn(lambda d: dice.find(d, TABLE, bits), 4_000), shares) < 15.2
