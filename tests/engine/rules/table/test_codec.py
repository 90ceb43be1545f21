"""Games as tables and as games again: named, drawn, made by hand and made up."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from antemill.engine.builder.caps import Caps
from antemill.engine.builder.generate import generate
from antemill.engine.errors import SpecError
from antemill.engine.rules.named import NAMED, kuhn
from antemill.engine.rules.spec import (
    AddToVariable,
    Announce,
    Cell,
    Deck,
    GameSpec,
    HoldsSuit,
    If,
    NoAction,
    Not,
    Option,
    Perform,
    Phase,
    Showdown,
    Simultaneous,
    Step,
    Steps,
    VariableIs,
)
from antemill.engine.rules.table import columns as of
from antemill.engine.rules.table.codec import spec_of, table_of
from tests.engine.machine.fuzz_specs import fuzzed
from tests.engine.rules.table.followed import Followed, ascending, writable
from tests.seeds import size
from tests.specs import every_construct


@cache
def games() -> list[GameSpec]:
    wide = Caps(complexity=3.0)
    drawn = [generate(seed) for seed in range(size(30, 200))]
    beyond = [generate(seed, 1.0 + seed / 50, wide) for seed in range(size(15, 100))]
    return [
        *(game() for game in NAMED.values()),
        every_construct(),
        *drawn,
        *beyond,
        *map(fuzzed, range(size(30, 200))),
    ]


def test_a_table_says_what_the_game_says() -> None:
    for spec in games():
        Followed(spec, table_of(spec))


def test_a_table_gives_the_game_again() -> None:
    for spec in games():
        arguments = writable(spec)
        assert spec_of(*arguments) == ascending(spec)


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@given(st.lists(TEXTS, min_size=4, max_size=30, unique=True), st.integers(-(2**53), 2**53), st.data())
def test_any_texts_and_numbers(texts: list[str], value: int, data: st.DataObject) -> None:
    some = st.lists(st.sampled_from(texts), min_size=1, max_size=6).map(tuple)
    # Texts that mean other things elsewhere: a phase, a suit, a variable and an option of one name.
    suits, variables = data.draw(some.map(lambda names: tuple(dict.fromkeys(names)))), tuple(texts[::2])
    steps: tuple[Step, ...] = (
        *(If(HoldsSuit("bob", suit), (AddToVariable(variables[0], value),)) for suit in suits),
        *(If(Not(VariableIs(name, "<=", -value)), (Perform(texts[1]),), public=False) for name in variables),
        *map(Announce, texts),
    )
    phases: tuple[Phase, ...] = (
        *(Showdown(name) for name in texts[1:]),
        Simultaneous(texts[0], data.draw(some), data.draw(some), (Cell(texts[1], texts[0], steps),), steps),
    )
    sequence = data.draw(some)
    spec = GameSpec(texts[2], Deck((3, 7), suits), 5, phases, sequence, variables)
    Followed(spec, table_of(spec))
    assert spec_of(*writable(spec)) == spec


def test_a_phase_is_the_first_of_its_name() -> None:
    steps = Steps("a", (NoAction(),))
    spec = replace(kuhn(), phases=(steps, Showdown("a")), sequence=("a",))
    assert table_of(spec).nodes[table_of(spec).sequence[0], of.KIND] == of.STEPS


def test_what_can_not_be_there_is_refused() -> None:
    phases: tuple[Any, ...] = (Option("a"), Cell("a", "b", ()), "a", 3, None, {"type": "nothing", "name": "a"})
    for phase in phases:
        with pytest.raises(SpecError, match="game 'Kuhn poker' holds an object where none of its kind can be"):
            table_of(replace(kuhn(), phases=(phase,)))


def test_threads_get_their_own_tables() -> None:
    specs = games()[:40]

    def read(number: int) -> None:
        spec = specs[number % len(specs)]
        Followed(spec, table_of(spec))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(read, range(120)))
