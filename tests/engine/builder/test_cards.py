"""How many cards and hands there are, beside Python's own whole numbers, which have no end."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement
from math import comb

import msgspec
import pytest

from antemill.engine.builder.cards import MOST, choices, hands, times
from antemill.engine.builder.main_line import fewest
from antemill.engine.rules.spec import ActionRound, Deal, GameSpec, NoAction, Option, Simultaneous, Steps
from tests.engine.builder.test_states import ROUND, game


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


def test_no_count_of_the_least_is_out_of_range() -> None:
    """16^4 histories for each of these choices; of the fourth on there are more than are counted."""
    menus = [ActionRound(f"Menu {i}", "bob", tuple(Option(f"{k}") for k in range(16)), picks=4) for i in range(6)]
    decisions = 1 + 16 + 16**2 + 16**3
    for count in range(1, 7):
        exact = sum(3 * 16 ** (4 * i) * decisions for i in range(count))
        assert fewest(game(*menus[:count])) == min(exact, MOST)
        assert fewest(game(*menus[:count], ROUND)) == min(exact + 4 * 3 * 16 ** (4 * count), MOST)
    over = fewest(game(*menus, *[msgspec.structs.replace(menu, name=f"{menu.name} again") for menu in menus]))
    assert over == MOST


def test_the_smaller_hand_of_the_first_phase_decides() -> None:
    """All that is dealt to either, in as many steps as it takes."""

    def dealt(*steps: Deal) -> GameSpec:
        spec = game(ROUND, ranks=5)
        return msgspec.structs.replace(spec, phases=(Steps("Setup", (NoAction(), *steps)), *spec.phases[1:]))

    assert fewest(dealt(Deal(2), Deal(1, "alice"))) == 4 * comb(6, 2)
    assert fewest(dealt(Deal(1), Deal(1, "alice"), Deal(3, "bob"))) == 4 * comb(6, 2)
    assert fewest(dealt(Deal(2, "alice"))) == 4  # Bob has no card
    assert fewest(dealt(*[Deal(60)] * 60)) == 4 * comb(5 + 3_600 - 1, 4)
    first = Simultaneous("Setup", ("a", "b"), ("a", "b", "c"), ())
    spec = game(ROUND)
    assert fewest(msgspec.structs.replace(spec, phases=(first, *spec.phases[1:]))) == 2 + 6 * 4
