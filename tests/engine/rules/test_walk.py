"""The walk over a spec: its nodes, the numbering of conditionals, and what it finds out."""

from typing import Any

import pytest
from msgspec.structs import replace

from antemill.engine.rules.named import NAMED, kuhn
from antemill.engine.rules.spec import (
    All,
    AnyOf,
    BoardHasRank,
    ChipsAre,
    Condition,
    Deck,
    DeckSizeIs,
    GameSpec,
    HandSizeIs,
    HasHigherCard,
    HoldsRank,
    HoldsSuit,
    If,
    InProgress,
    Leads,
    NoAction,
    Not,
    Observation,
    PotIs,
    Showdown,
    SideBet,
    Steps,
    VariableBetting,
    VariableIs,
)
from antemill.engine.rules.walk import (
    conditionals,
    reads_suits,
    walk,
)
from tests.engine.rules.test_spec import structs
from tests.naive.conditions import reads_hidden
from tests.specs import every_construct

SPECS = {**{name: make() for name, make in NAMED.items()}, "every construct": every_construct()}
INNER = If(PotIs("==", 2), (NoAction(),), (If(PotIs("==", 3), (NoAction(),)),))
OUTER = If(All((PotIs("<", 9), Not(PotIs("==", 4)))), (INNER,), (If(PotIs("==", 5), (NoAction(),)),))


def with_phases(*phases: Any) -> GameSpec:
    return replace(kuhn(), phases=phases, sequence=tuple(phase.name for phase in phases))


@pytest.mark.parametrize("name", SPECS)
def test_walk_finds_every_node_once(name: str) -> None:
    """Against a search through all fields, which knows nothing of the kinds of nodes."""
    spec = SPECS[name]
    tagged = [node for node in structs(spec) if node.__struct_config__.tag is not None]
    walked = [node for _, node in walk(spec)]
    assert sorted(map(repr, walked)) == sorted(map(repr, tagged))


def test_conditionals_are_numbered_by_phase_and_depth_first() -> None:
    spec = with_phases(
        VariableBetting("V", "alice"),
        Observation("unconditional", "bob", "deck-card", "card"),
        Observation("triggered", "bob", "deck-card", "card", trigger=OUTER.condition),
        Steps("S", (NoAction(), OUTER)),
        SideBet("B", "bob", 1, PotIs(">", 1)),
    )
    numbered = conditionals(spec)
    assert [conditional.phase for conditional in numbered] == [0, 2, 3, 3, 3, 3]
    assert [conditional.node for conditional in numbered] == [
        *(spec.phases[0], spec.phases[2], OUTER, INNER, INNER.otherwise[0], OUTER.otherwise[0])
    ]


@pytest.mark.parametrize(
    ("condition", "hidden"),
    [
        (ChipsAre("bob", ">", 1), False),
        (PotIs(">", 1), False),
        (DeckSizeIs(">", 1), False),
        (BoardHasRank((11,)), False),
        (VariableIs("x", ">", 1), False),
        (Leads("bob"), False),
        (InProgress(), False),
        (HandSizeIs("bob", ">", 1), True),
        (HasHigherCard("bob"), True),
        (HoldsRank("bob", (11,)), True),
        (HoldsSuit("bob", "hearts"), True),
    ],
)
def test_hidden_conditions(condition: Condition, hidden: bool) -> None:
    assert reads_hidden(condition) is hidden
    assert reads_hidden(Not(condition)) is hidden
    assert reads_hidden(All((PotIs(">", 1), AnyOf((InProgress(), condition))))) is hidden


SUITED = HoldsSuit("bob", "hearts")


@pytest.mark.parametrize(
    ("phase", "expected"),
    [
        (Steps("S", (If(PotIs(">", 1), (If(Not(SUITED), (NoAction(),)),)),)), True),
        (SideBet("S", "bob", 1, AnyOf((PotIs(">", 1), SUITED))), True),
        (Observation("S", "bob", "opponent-hand", "size", trigger=SUITED), True),
        (Observation("S", "bob", "deck-card", "suit"), True),
        (Observation("S", "bob", "deck-card", "card"), False),
        (Showdown("S", "suits"), True),
        (Showdown("S", "pairs"), False),
        (Steps("S", (If(HoldsRank("bob", (11,)), (NoAction(),)),)), False),
    ],
)
def test_suits_matter_just_if_a_rule_reads_them(phase: Any, expected: bool) -> None:
    """Two suits in the deck are not enough."""
    spec = replace(with_phases(phase), deck=Deck((11, 12, 13), ("hearts", "spades")))
    assert reads_suits(spec) is expected
