"""The columns of a table are the fields of the objects, so a new kind, field or word has its place or fails here."""

from __future__ import annotations

from typing import get_args, get_type_hints

import pytest
from msgspec import Struct

from antemill.engine.rules.spec import Cell, Condition, Cost, Option, Phase, Step
from antemill.engine.rules.table import columns as of
from tests.engine.rules.table.followed import TONGUES, column, constant, tongue, words

KINDS = (*get_args(Condition), *get_args(Step), *get_args(Phase), Option, Cost, Cell)
# Constants whose names say more than the word does, or cannot say it.
NAMES = {
    of.COMPARISONS: ("LESS", "AT_MOST", "EQUAL", "AT_LEAST", "MORE"),
    of.DISCARDED: ("DISCARD_RANDOM", "DISCARD_LOWEST", "DISCARD_HIGHEST"),
    of.REVEALED: ("REVEAL_RANDOM", "REVEAL_HIGHEST", "REVEAL_ALL"),
    of.CRITERIA: ("MOST_CHIPS", "FEWEST_CHIPS", "HIGHER_CARD", "LOWER_CARD", "BY_CHANCE", "ALTERNATE"),
}


def test_kinds_have_numbers_of_their_own() -> None:
    numbers = [getattr(of, constant(kind.__name__)) for kind in KINDS]
    assert sorted([*numbers, of.NAME, of.ROUND]) == list(range(len(KINDS) + 2))


@pytest.mark.parametrize("kind", KINDS)
def test_fields_have_columns_in_their_order(kind: type[Struct]) -> None:
    columns = [column(kind, field) for field in kind.__struct_fields__]
    assert columns == list(range(2, 2 + len(columns)))
    assert 2 + len(columns) + ("odds" in kind.__struct_fields__) <= of.WIDTH


def test_odds_have_two_columns() -> None:
    assert of.COST_OF == of.COST_ODDS + 1


@pytest.mark.parametrize("words_", TONGUES.values())
def test_words_have_numbers_in_their_order(words_: tuple[str, ...]) -> None:
    names = NAMES.get(words_) or tuple(word.upper().replace("-", "_") for word in words_)
    assert [getattr(of, name) for name in names] == list(range(len(words_)))


def test_fields_say_all_words_and_no_others() -> None:
    hints = [get_type_hints(kind)[field] for kind in KINDS for field in kind.__struct_fields__]
    said: dict[tuple[str, ...], set[str]] = {}
    for hint in hints:
        if words(hint):
            said.setdefault(tongue(hint), set()).update(words(hint))
    assert said == {words_: set(words_) for words_ in TONGUES.values()}
