"""The constructs of a game's rules: those of known games, every one of them somewhere, none that is not listed."""

from __future__ import annotations

import msgspec
import pytest

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

VARIABLES = ("bet round", "heat")


def with_phases(*phases: Phase) -> GameSpec:
    """Kuhn poker with two variables, and with more main phases before its showdown."""
    kuhn = NAMED["kuhn"]()
    names = (*kuhn.sequence[:-1], *(phase.name for phase in phases), kuhn.sequence[-1])
    return msgspec.structs.replace(kuhn, phases=(*kuhn.phases, *phases), sequence=names, variables=VARIABLES)


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
