"""The walk over the table of rules, against the walk over the objects."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from msgspec import Struct

from antemill.engine.builder.generate import generate
from antemill.engine.compiler import assembler as of
from antemill.engine.compiler.assembler import Assembler, assembler
from antemill.engine.compiler.survey import HELD, survey
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import (
    ActionRound,
    Announce,
    AnyOf,
    Auction,
    Cell,
    GameSpec,
    If,
    Not,
    Observation,
    Option,
    SideBet,
    Simultaneous,
)
from antemill.engine.rules.table import columns
from antemill.engine.rules.table.reading import table_of
from antemill.engine.rules.walk import branches, node_fields, parts, reads_suits, walk
from tests.engine.machine.fuzz_specs import fuzzed
from tests.specs import every_construct

SPECS = {
    **{name: make() for name, make in NAMED.items()},
    "every construct": every_construct(),
    **{f"fuzzed {seed}": fuzzed(seed) for seed in range(60)},
    **{f"drawn {seed}": generate(seed) for seed in range(30)},
}
KINDS: set[type[Struct]] = {Option, Cell, *(type(node) for _, node in walk(every_construct()))}


def surveyed(spec: GameSpec) -> Assembler:
    table = table_of(spec)
    asm = assembler(10 * len(table.nodes))
    survey(asm, table)
    return asm


def rows(asm: Assembler, which: int, *shown: int) -> list[list[int]]:
    found: list[list[int]] = asm.lists[which, : asm.counts[which]][:, shown].tolist()
    return found


@pytest.mark.parametrize("name", SPECS)
def test_it_finds_what_the_walk_over_the_objects_finds(name: str) -> None:
    spec = SPECS[name]
    asm, places = surveyed(spec), {phase.name: place for place, phase in enumerate(spec.phases)}
    named = Counter([*spec.sequence, *(played for _, node in walk(spec) for played in node.plays)])
    conditionals = Counter(place for place, node in walk(spec) if branches(node))
    numbers = range(len(spec.phases))
    before = [sum(conditionals[place] for place in range(number)) for number in numbers]
    bets = [place for place, phase in enumerate(spec.phases) if isinstance(phase, SideBet)]
    assert rows(asm, of.PHASES, of.USES, of.CONDITIONALS, of.FIRST_CONDITIONAL) == [
        [named[phase], conditionals[place], before[place]] for phase, place in places.items()
    ]
    assert [asm.lists[of.PLACES, row, 0] for (row,) in rows(asm, of.SIDE_BETS, 0)] == bets
    assert [asm.lists[of.PHASES, bet, of.BET] for bet in bets] == [*range(len(bets))]
    assert asm.counts[of.SUITS] == reads_suits(spec)
    assert not asm.counts[of.BROKEN]


@pytest.mark.parametrize("name", SPECS)
def test_announcements_are_found_in_the_order_of_the_walk(name: str) -> None:
    """Names are looked up by their places in it."""
    spec = SPECS[name]
    texts: dict[int, str] = {}
    found: list[str] = []
    for text, place, number in rows(surveyed(spec), of.ANNOUNCED, 0, 1, 2):
        found.append([part.text for part in parts(spec.phases[place]) if isinstance(part, Announce)][number])
        assert texts.setdefault(text, found[-1]) == found[-1]
    assert found == [node.text for _, node in walk(spec) if isinstance(node, Announce)]
    assert len(set(texts.values())) == len(texts)


def test_it_goes_to_the_fields_that_hold_nodes() -> None:
    """By the types of the fields; a kind in the table is called as its struct, a column as the kind and its field."""
    for kind in KINDS:
        name = re.sub("(?<=[a-z])(?=[A-Z])", "_", kind.__name__).upper()
        held = {getattr(columns, f"{name}_{field.upper()}") for field in node_fields(kind)}
        assert set(HELD[getattr(columns, name)].tolist()) - {0} == held, name
    assert {If, Not, AnyOf, Auction, Observation, SideBet, ActionRound, Simultaneous} <= KINDS
