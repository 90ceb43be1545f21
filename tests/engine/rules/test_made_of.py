"""The constructs of a game's rules: those of known games, every one of them somewhere, none that is not listed."""

from __future__ import annotations

import msgspec
import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.rules.constructs import CONSTRUCTS
from antemill.engine.rules.made_of import constructs
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import (
    BettingLoop,
    FixedBetting,
    GameSpec,
    If,
    NoAction,
    Not,
    Perform,
    Phase,
    PotIs,
    Steps,
    VariableBetting,
    VariableIs,
)
from tests.engine.machine.fuzz_specs import fuzzed
from tests.engine.rules.plain_constructs import plain_constructs
from tests.specs import every_construct

VARIABLES = ("bet round", "heat")


def with_phases(*phases: Phase) -> GameSpec:
    """Kuhn poker with two variables, and with more main phases before its showdown."""
    kuhn = NAMED["kuhn"]()
    names = (*kuhn.sequence[:-1], *(phase.name for phase in phases), kuhn.sequence[-1])
    return msgspec.structs.replace(kuhn, phases=(*kuhn.phases, *phases), sequence=names, variables=VARIABLES)


def test_of_games_that_are_known() -> None:
    assert constructs(NAMED["kuhn"]()) == {"betting", "fixed bets"}
    assert constructs(NAMED["leduc"]()) == {
        "betting",
        "betting loop",
        "fixed bets",
        "raises",
        "board",
        "event between rounds",
        "a round for each turn of a loop",
        "several suits",
        "showdown by pairs",
        "showdown with the board",
    }
    assert constructs(NAMED["appendix-b"]()) == {
        "betting",
        "betting loop",
        "fixed bets",
        "free wagers, uncapped",
        "fixed and free rounds in a loop",
        "a round for each turn of a loop",
        "loop stops at a stack",
        "event between rounds",
        "announcement",
        "sub-phase",
        "simultaneous round",
        "conditional cell",
        "auction of a draw",
        "list of conditional events",
        "condition on the deck",
        "condition on the higher card",
        "condition on the pot",
        "condition on a rank",
        "private check",
        "otherwise",
        "several effects",
        "player pays player",
        "draw by one",
        "draw by both",
        "draw, occurrence",
        "draw, private",
        "peek, private",
        "peek, occurrence",
    }


def test_every_construct_is_somewhere_and_every_one_is_listed() -> None:
    found = frozenset[str]().union(*(constructs(generate(seed)) for seed in range(600)), constructs(every_construct()))
    assert found == set(CONSTRUCTS)
    assert all(requirement[0] == "G" and requirement[1:].isdigit() for requirement in CONSTRUCTS.values())


@pytest.mark.parametrize(
    ("phases", "name"),
    [
        ((FixedBetting("More", "follower", 1),), "follower opens"),
        ((FixedBetting("More", "bob", 1),), "Bob opens"),
        ((VariableBetting("More", "leader", cap=2),), "leader opens"),
        ((VariableBetting("More", "alice", cap=2),), "free wagers, capped"),
        ((FixedBetting("More", "alice", 1),), "two places of betting"),
        (tuple(BettingLoop(name, name, 1, 0, ("Betting",)) for name in ("A", "B")), "two betting loops"),
        ((Steps("If", (If(Not(PotIs(">", 2)), (NoAction(),)),)),), "not"),
        ((Steps("If", (If(PotIs(">", 2), (If(PotIs(">", 3), (NoAction(),)),)),)),), "conditional inside a conditional"),
        ((Steps("Twice", (Perform("Betting"), Perform("Betting"))),), "sub-phase performed from several places"),
    ],
)
def test_one_construct_alone(phases: tuple[Phase, ...], name: str) -> None:
    assert name in constructs(with_phases(*phases))
    assert name not in constructs(NAMED["kuhn"]())


def test_a_round_counter_is_another_variable_than_a_games_own() -> None:
    loop = BettingLoop("Loop", "bet round", 2, 0, ("Betting",))
    for variable, name in (("bet round", "the round counter"), ("heat", "another variable")):
        step = If(VariableIs(variable, ">", 0), (NoAction(),))
        found = constructs(with_phases(loop, Steps("Events", (step,))))
        assert [part for part in found if part.endswith(("counter", "variable"))] == [f"condition on {name}"]


def test_the_table_says_what_the_objects_say() -> None:
    """Of games that were drawn, of which the table is known, and of a fuzzer's, whose table is read from their JSON."""
    foreign = [*(make() for make in NAMED.values()), every_construct(), *(fuzzed(seed) for seed in range(150))]
    for spec in (*foreign, *(generate(seed) for seed in range(300)), *(generate(seed, 1.0) for seed in range(100))):
        assert constructs(spec) == plain_constructs(spec)
