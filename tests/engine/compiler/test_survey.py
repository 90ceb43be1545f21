"""What the compiler notes about a table, against the walk over the objects."""

from __future__ import annotations

from collections import Counter
from functools import cache

from antemill.engine.builder.generate import generate
from antemill.engine.compiler import assembler as of
from antemill.engine.compiler.assembler import Assembler, assembler
from antemill.engine.compiler.survey import survey
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import (
    Announce,
    GameSpec,
    SideBet,
)
from antemill.engine.rules.table.codec import table_of
from antemill.engine.rules.table.order import order_of
from antemill.engine.rules.walk import branches, parts, reads_suits, walk
from tests.engine.machine.fuzz_specs import fuzzed
from tests.specs import every_construct


@cache
def specs() -> dict[str, GameSpec]:
    """Hand-made, fuzzed and drawn games, by name."""
    found = {name: make() for name, make in NAMED.items()} | {"every construct": every_construct()}
    found |= {f"fuzzed {seed}": fuzzed(seed) for seed in range(60)}
    return found | {f"drawn {seed}": generate(seed) for seed in range(30)}


def surveyed(spec: GameSpec) -> Assembler:
    table = table_of(spec)
    asm = assembler(10 * len(table.nodes))
    survey(asm, table, order_of(table))
    return asm


def rows(asm: Assembler, which: int, *shown: int) -> list[list[int]]:
    found: list[list[int]] = asm.lists[which, : asm.counts[which]][:, shown].tolist()
    return found


def test_it_finds_what_the_walk_over_the_objects_finds() -> None:
    for name, spec in specs().items():
        print(name)
        found_as_the_walk_does(spec)


def found_as_the_walk_does(spec: GameSpec) -> None:
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


def test_different_announcements_are_found_in_the_order_of_the_walk() -> None:
    """Names are looked up by their places in it."""
    for name, spec in specs().items():
        print(name)
        announced_in_the_order_of_the_walk(spec)


def announced_in_the_order_of_the_walk(spec: GameSpec) -> None:
    texts: dict[int, str] = {}
    found: list[str] = []
    for text, place, number in rows(surveyed(spec), of.ANNOUNCED, 0, 1, 2):
        found.append([part.text for part in parts(spec.phases[place]) if isinstance(part, Announce)][number])
        assert texts.setdefault(text, found[-1]) == found[-1]
    assert found == list(dict.fromkeys(node.text for _, node in walk(spec) if isinstance(node, Announce)))
    assert len(set(texts.values())) == len(texts)
