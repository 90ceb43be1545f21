"""What every kind of step and phase does to the count of information states: figures by hand."""

from __future__ import annotations

from math import exp

import pytest

from antemill.engine.builder.main_line import fewest
from antemill.engine.builder.states import expected
from antemill.engine.rules.spec import (
    ActionRound,
    All,
    AnyOf,
    Auction,
    Cell,
    ChipsAre,
    Cost,
    Deal,
    Discard,
    Draw,
    EndGame,
    FixedBetting,
    HandSizeIs,
    HoldsRank,
    If,
    NoAction,
    Not,
    Observation,
    Option,
    Peek,
    Perform,
    Phase,
    Positions,
    PotIs,
    Reveal,
    SideBet,
    Simultaneous,
    Steal,
    Step,
    Steps,
    Swap,
    Transfer,
    VariableBetting,
)
from tests.engine.builder.test_states import ROUND, game

SUITS = ("hearts", "spades", "clubs")
IDLE = Steps("Idle", (Transfer("alice", "bob", 1),))  # which no play reaches
SEEN = 3**0.9  # a card of the other's, as ways to come to a decision, in a deck of three
QUEEN = HoldsRank("bob", (12,))  # a third of the plays
RICH = ChipsAre("bob", ">", 3)  # half of them


@pytest.mark.parametrize(
    ("steps", "alice", "bob"),
    [
        ((Deal(2, "bob"),), 1, 6),  # two of three cards, of which there are several
        ((Draw("alice", visibility="private"),), 3, 1),
        ((Draw("bob", visibility="public"),), 3, 3),
        ((Draw("leader", 2),), 3, 3),  # half of what two cards tell
        ((Discard("alice"),), 1, 1),  # there is one card only
        ((Deal(1, "alice"), Discard("leader")), 3 * 2**0.5, 1),
        ((Discard("alice", "lowest"),), 1, 1),
        ((Draw("bob"), Discard("bob", face_up=True)), SEEN, 6),
        ((Draw("bob"), Reveal("bob")), SEEN, 6),
        ((Peek("alice"),), SEEN, 1),
        ((Peek("bob", "public"),), SEEN, SEEN),
        ((Deal(1, "bob"), Swap("alice")), SEEN, 3 * SEEN * 2),
        ((Deal(1, "alice"), Steal("bob")), 3 * 2, SEEN),
        ((If(RICH, (Peek("alice"),)),), SEEN**0.5, 1),
        ((If(QUEEN, (Peek("alice"),)),), SEEN ** (1 / 3) * 2**0.8, 2**0.8),  # what is announced tells something
        ((If(Not(QUEEN), (), (Peek("bob"),), public=False),), exp(0.3), SEEN ** (1 / 3) * exp(0.3)),
        ((If(All((RICH, AnyOf((PotIs(">", 2), HandSizeIs("bob", ">", 1))))), (NoAction(),)),), 2**0.8, 2**0.8),
        ((If(RICH, (Deal(1, "bob"),)), Discard("bob")), 1, 3**0.5 * 2),  # of the larger hand
        ((Deal(1, "alice"), Swap("bob")), 3 * SEEN * 2, SEEN),
        ((If(RICH, (If(RICH, (), (Peek("alice"),)), Peek("bob"))),), SEEN**0.25, SEEN**0.5),
    ],
)
def test_what_steps_tell(steps: tuple[Step, ...], alice: float, bob: float) -> None:
    """Each player is asked twice by the round that follows, with one of three cards."""
    assert expected(game(Steps("Steps", steps), ROUND)) == pytest.approx(6 * alice + 6 * bob, abs=0.51)


PRICED = (Option("a", (), Cost(1, (1, 2))), Option("b", (), Cost(1)))
ODD = (Option("a", (), Cost(1, (1, 2))), Option("b", (), Cost(2, (1, 3))))
ENDS = (Option("a", (EndGame(),)), Option("b", (Peek("alice"),)))
ONE = (Cell("x", "x", ()),)
TWO = (Cell("x", "x", (Peek("alice"),)), Cell("y", "y", ()))
FOUR = tuple(Cell(alice, bob, ()) for alice in "xy" for bob in "xy")


@pytest.mark.parametrize(
    ("phase", "asked", "alice", "bob"),
    [
        (Positions("Lead", "random"), 0, 2, 2),
        (Positions("Lead", "fewest-chips"), 0, 2**0.3, 2**0.3),
        (Positions("Lead", "alternate"), 0, 2**0.3, 2**0.3),
        (Observation("Look", "bob", "opponent-hand", "top-rank", "occurrence"), 0, 1, 3),
        (Observation("Look", "leader", "deck-card", "card", trigger=QUEEN), 0, 3**0.3, 3**0.3),
        (SideBet("Bet", "leader", 1, RICH), 6, 2, 2),  # either may be the leader
        (Auction("Auction", 2, Peek("winner", "public")), 6, 9 * SEEN, 9 * SEEN),
        (FixedBetting("First", "leader", 1), 24, 3, 3),
        (VariableBetting("First", "alice"), 12 + 27, 10, 10),  # half of the chips
        (ActionRound("Choice", "bob", PRICED), 3, 3, 3),  # two outcomes of the odds
        (ActionRound("Choice", "bob", ODD, public=False), 3, 2**0.5, 2**1.5),
        (ActionRound("Choice", "bob", ENDS[::-1], public=False), 3, SEEN, 2),
        (Simultaneous("Duel", ("x", "y"), ("x", "y"), ONE), 6, 4, 4),
        (Simultaneous("Duel", ("x", "y"), ("x", "y"), TWO, (Peek("bob"),)), 6, 4 * SEEN**0.25, 4 * SEEN**0.5),
    ],
)
def test_what_phases_ask_and_tell(phase: Phase, asked: float, alice: float, bob: float) -> None:
    """As above, with what the phase itself asks."""
    assert expected(game(phase, ROUND, more=(IDLE,))) == pytest.approx(asked + 6 * alice + 6 * bob, abs=0.52)


@pytest.mark.parametrize("count", [expected, fewest])
def test_a_phase_that_performs_itself_is_refused(count: object) -> None:
    assert callable(count)
    once, twice = Steps("Once", (Perform("Twice"),)), Steps("Twice", (NoAction(), If(RICH, (Perform("Once"),))))
    with pytest.raises(ValueError, match=r"^The phase '(Once|Twice)' ends up performing itself\.$"):
        count(game(once, more=(twice,)))
