"""The dial's table and the caps, and the numbers by which kernels know their rows (G5)."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from antemill.engine.builder import caps
from antemill.engine.builder import dial as dial_rows
from antemill.engine.builder.caps import BENCHMARK_CAPS, FIRST, Caps, numbers
from antemill.engine.builder.dial import MOST_LIKELY, TABLE, dial
from antemill.engine.builder.workspace import NAMES


def numbers_in(module: Any) -> dict[str, int]:
    """The constants of a module that are numbers."""
    return {name: value for name, value in vars(module).items() if name.isupper() and isinstance(value, int)}


def test_rows_have_the_tables_names_in_its_order() -> None:
    """A row that is missing or elsewhere would have every later one read another's figure."""
    assert numbers_in(dial_rows) == {name.upper(): row for row, name in enumerate(TABLE)}


def test_words_of_caps_have_the_fields_names_in_their_order() -> None:
    limits = [field.name for field in fields(Caps)][1:]
    words = numbers_in(caps)
    assert (words.pop("FIRST"), words.pop("COUNT")) == (FIRST, len(limits))
    assert words.pop("_ENDLESS") > 10_000
    assert words == {name.upper(): FIRST + place for place, name in enumerate(limits)}
    different = (60, 15, 6, 51, 52, 53, 54, 20, 4, 16, 8, 55, 56, 57, 58, 59)
    assert numbers(Caps(1.0, *different)).tolist() == list(different)
    assert len(set(different)) == len(limits)
    assert FIRST + len(limits) == NAMES, "what follows the caps in a draft's state would be overwritten"


# Rows that are means of counts: the cap that the largest draw runs into, and what is added to the draw.
CAPPED = {
    "rounds": ("rounds", 1),
    "post_events": ("events", 1),
    "between_events": ("events", 0),
    "options": ("options", 2),
}


def test_rows_reach_their_ceilings_near_the_end_of_the_dial() -> None:
    """G5: the dial does something over its whole range. A count is at most twice its mean, rounded up or down."""
    for name, (lo, hi) in TABLE.items():
        if name.startswith("p_"):
            assert max(lo, hi) <= MOST_LIKELY, name
    for name, (cap, added) in CAPPED.items():
        largest = [added + int(2 * dial(c)[name] + 0.999) for c in (0.85, 1.0)]
        assert largest[0] <= getattr(BENCHMARK_CAPS, cap) <= largest[1], name
