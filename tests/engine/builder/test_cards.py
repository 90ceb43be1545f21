"""How many cards and hands there are, beside Python's own whole numbers, which have no end."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement
from math import comb

import pytest

from antemill.engine.builder.cards import MOST, choices, hands, times


def test_choices_are_binomial_coefficients_as_far_as_they_go() -> None:
    """All that a legal deck allows are exact: 60 cards, or 15 ranks of any number of cards."""
    for things in range(81):
        for taken in range(things + 1):
            assert choices(things, taken) == min(comb(things, taken), MOST)
    for things in (74, 100, 2_000, 10**9):
        for taken in (1, 2, 7, 14):
            assert choices(things, taken) == min(comb(things, taken), MOST)
    assert max(comb(60, 30), comb(15 + 60 - 1, 60)) < MOST


def test_products_stop_where_they_would_be_too_large() -> None:
    root = 1 << 31
    for one in (0, 1, 3, root - 1, root, root + 1, MOST - 1, MOST):
        for other in (0, 1, 3, root - 1, root, root + 1, MOST - 1, MOST):
            assert times(one, other) == min(one * other, MOST)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_hands(count: int) -> None:
    """Of a rank there are enough cards where suits do not matter, and one where cards are all different."""
    assert hands(4, 4, count) == len(list(combinations_with_replacement(range(4), count)))
    assert hands(4, 8, count) == len(list(combinations(range(8), count)))
    assert hands(2, 4, count + 3) == 4  # all but one card: neither player is dealt the whole deck
