"""What every kind of step and phase does to the count of information states: figures by hand, kind by kind."""

from __future__ import annotations

import os
import subprocess
import sys
from math import exp, log
from typing import get_args

import msgspec
import pytest

from antemill.engine.builder.main_line import fewest
from antemill.engine.builder.questions import PLAYS
from antemill.engine.builder.states import expected
from antemill.engine.rules.spec import (
    ActionRound,
    All,
    Announce,
    Ante,
    AnyOf,
    Auction,
    BettingLoop,
    BoardHasRank,
    Cell,
    ChipsAre,
    Condition,
    Cost,
    Deal,
    DealBoard,
    DeckSizeIs,
    Discard,
    Draw,
    EndGame,
    FixedBetting,
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
    Option,
    Peek,
    Perform,
    Phase,
    Positions,
    PotIs,
    Reveal,
    Showdown,
    SideBet,
    Simultaneous,
    Steal,
    Step,
    Steps,
    Swap,
    Transfer,
    VariableBetting,
    VariableIs,
)
from tests.engine.builder.test_states import MENU, ROUND, game
from tests.engine.machine.fuzz_specs import fuzzed

SUITS = ("hearts", "spades", "clubs")
IDLE = Steps("Idle", (Transfer("alice", "bob", 1),))  # which no play reaches
SEEN = 3**0.9  # a card of the other's, as ways to come to a decision, in a deck of three
QUEEN = HoldsRank("bob", (12,))  # a third of the plays
RICH = ChipsAre("bob", ">", 3)  # half of them


@pytest.mark.parametrize(
    ("steps", "alice", "bob"),
    [
        ((Ante("both", 1), Announce("Nothing."), NoAction()), 1, 1),
        ((Deal(2, "bob"),), 1, 6),  # two of three cards, of which there are several
        ((DealBoard(2),), 9, 9),
        ((Draw("alice", visibility="private"),), 3, 1),
        ((Draw("both", visibility="private"),), 3, 3),
        ((Draw("bob", visibility="public"),), 3, 3),
        ((Draw("both", visibility="public"),), 9, 9),
        ((Draw("leader", 2),), 3, 3),  # half of what two cards tell
        ((Draw("leader", visibility="public"),), 3, 3),
        ((Discard("alice"),), 1, 1),  # there is one card only
        ((Deal(1, "alice"), Discard("alice")), 6, 1),
        ((Deal(1, "alice"), Discard("leader")), 3 * 2**0.5, 1),
        ((Deal(1, "alice"), Discard("bob")), 3, 1),
        ((Discard("alice", "lowest"),), 1, 1),
        ((Discard("alice", "lowest", face_up=True),), 1, SEEN),
        ((Draw("bob"), Discard("bob", face_up=True)), SEEN, 6),
        ((Reveal("bob", "all"),), SEEN, 1),
        ((Draw("bob"), Reveal("bob")), SEEN, 6),
        ((Reveal("follower", "highest"),), SEEN**0.5, SEEN**0.5),
        ((Peek("alice"),), SEEN, 1),
        ((Peek("bob", "occurrence"),), 1, SEEN),
        ((Peek("bob", "public"),), SEEN, SEEN),
        ((Peek("leader"),), SEEN**0.5, SEEN**0.5),
        ((Deal(1, "bob"), Swap("alice")), SEEN, 3 * SEEN * 2),
        ((Deal(1, "bob"), Steal("alice")), SEEN, 3 * 2),
        ((Deal(1, "alice"), Steal("bob")), 3 * 2, SEEN),
        ((Deal(1, "bob"), Steal("follower")), SEEN**0.5, 3 * SEEN**0.5),
        ((If(RICH, (Peek("alice"),)),), SEEN**0.5, 1),
        ((If(QUEEN, (Peek("alice"),)),), SEEN ** (1 / 3) * 2**0.8, 2**0.8),  # what is announced tells something
        ((If(Not(QUEEN), (), (Peek("bob"),), public=False),), exp(0.3), SEEN ** (1 / 3) * exp(0.3)),
        ((If(All((RICH, AnyOf((PotIs(">", 2), HandSizeIs("bob", ">", 1))))), (NoAction(),)),), 2**0.8, 2**0.8),
        ((If(RICH, (Deal(1, "bob"),)), Discard("bob")), 1, 3**0.5 * 2),  # of the larger hand
        ((Deal(1, "bob"), Discard("follower")), 1, 3 * 2**0.5),
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
        (Positions("Lead", "lower-card"), 0, 2, 2),
        (Positions("Lead", "fewest-chips"), 0, 2**0.3, 2**0.3),
        (Positions("Lead", "most-chips"), 0, 2**0.3, 2**0.3),
        (Positions("Lead", "alternate"), 0, 2**0.3, 2**0.3),
        (Observation("Look", "alice", "deck-card", "card"), 0, 3, 1),
        (Observation("Look", "bob", "opponent-hand", "top-rank", "occurrence"), 0, 1, 3),
        (Observation("Look", "bob", "opponent-hand", "size", "public"), 0, exp(0.5), exp(0.5)),
        (Observation("Look", "leader", "deck-card", "card", trigger=QUEEN), 0, 3**0.3, 3**0.3),
        (Observation("Look", "bob", "deck-card", "suit"), 0, 1, 1),  # there is one suit
        (SideBet("Bet", "leader", 1, RICH), 6, 2, 2),  # either may be the leader
        (SideBet("Bet", "alice", 1, RICH), 3, 2, 2),
        (Auction("Auction", 2, Peek("winner", "public")), 6, 9 * SEEN, 9 * SEEN),
        (FixedBetting("First", "bob", 1, 2), 24, 7, 7),
        (FixedBetting("First", "leader", 1), 24, 3, 3),
        (VariableBetting("First", "bob", 2), 12 + 12, 5, 5),
        (VariableBetting("First", "alice"), 12 + 27, 10, 10),  # half of the chips
        (VariableBetting("First", "alice", 1), 12 + 6, 3, 3),
        (ActionRound("Choice", "bob", PRICED), 3, 3, 3),  # two outcomes of the odds
        (ActionRound("Choice", "bob", PRICED, public=False), 3, 2**0.25, 2**1.25),
        (ActionRound("Choice", "bob", ODD, public=False), 3, 2**0.5, 2**1.5),
        (ActionRound("Choice", "bob", ENDS), 3, SEEN, 1),  # who is still playing has made one choice
        (ActionRound("Choice", "bob", ENDS[::-1], public=False), 3, SEEN, 2),
        (ActionRound("Choice", "leader", PRICED[1:] * 2, public=False, picks=2), 6 + 6 * 2**0.5, 2, 2),
        (Simultaneous("Duel", ("x", "y"), ("x", "y"), ONE), 6, 4, 4),
        (Simultaneous("Duel", ("x", "y"), ("x", "y"), FOUR), 6, 4, 4),
        (Simultaneous("Duel", ("x", "y"), ("x", "y"), TWO, (Peek("bob"),)), 6, 4 * SEEN**0.25, 4 * SEEN**0.5),
        (Simultaneous("Duel", ("x", "y", "z"), ("x", "y"), ONE, (Peek("bob"),)), 6, 6, 6 * SEEN ** (5 / 6)),
    ],
)
def test_what_phases_ask_and_tell(phase: Phase, asked: float, alice: float, bob: float) -> None:
    """As above, with what the phase itself asks."""
    assert expected(game(phase, ROUND, more=(IDLE,))) == pytest.approx(asked + 6 * alice + 6 * bob, abs=0.52)


def test_what_parts_of_the_plays_know_is_their_mean() -> None:
    """Also where some plays are over."""
    event = Steps("Event", (If(RICH, (Peek("alice"),), (Peek("bob"), Peek("bob"))),))
    again = msgspec.structs.replace(ROUND, name="Again")
    assert expected(game(ROUND, event, again)) == pytest.approx(12 + 18 * SEEN**0.5 + 18 * SEEN, abs=0.52)


LAST = ActionRound("Last", "alice", (Option("a"), Option("b")))


@pytest.mark.parametrize(
    ("phase", "alice", "bob", "left"),
    [
        (MENU, 0, 1, 1),
        (msgspec.structs.replace(LAST, name="First", picks=3), 3, 0, 1),
        (ActionRound("First", "alice", ENDS, picks=2), 1.5, 0, 0.25),
        (Simultaneous("First", ("x", "y"), ("x", "y"), ONE), 1, 1, 1),
        (Auction("First", 2, Peek("bob")), 1, 1, 1),
        (SideBet("First", "alice", 1, RICH), 1, 0, 1),
        (SideBet("First", "leader", 1, RICH), 0.5, 1, 1),
        (FixedBetting("First", "alice", 1), 1.25, 2, 0.625),
        (FixedBetting("First", "bob", 1), 1, 2, 0.625),
        (FixedBetting("First", "follower", 1), 1.125, 4, 0.625),
        (FixedBetting("First", "alice", 1, 2), 1.25 + 1 / 6 + 1 / 18, 4, 0.625),
        (FixedBetting("First", "bob", 1, 2), 1 + 1 / 12 + 1 / 36, 4, 0.625),
        (VariableBetting("First", "alice", 1), 1 + 0.5 + 0.25, 3, 0.625),
        (VariableBetting("First", "bob", 1), 0.5 + 0.25 + 0.5, 3, 0.625),
        (VariableBetting("First", "leader", 1), 1.5, 6, 0.625),
        (Showdown("First"), 0, 0, 0),
    ],
)
def test_in_how_many_plays_somebody_is_asked(phase: Phase, alice: float, bob: int, left: float) -> None:
    """Alice has drawn thirty cards, and is never in the same state twice; Bob has one of thirteen."""
    draw = Steps("Draw", (Draw("alice", 30, "private"),))
    spec = game(draw, phase, LAST, ranks=13, suits=SUITS)
    assert expected(spec) == pytest.approx(PLAYS * (alice + left) + 13 * bob, abs=0.52)


def test_nobody_bids_more_chips_than_there_are() -> None:
    bids = [expected(game(Auction("Auction", most, Steal("winner")), ROUND)) for most in (8, 9, 10, 99)]
    assert bids[0] < bids[1] == bids[2] == bids[3]


@pytest.mark.parametrize(
    ("phase", "asked", "left"),
    [
        (Simultaneous("First", ("x", "y"), ("x", "y"), ONE), 2, 1),
        (SideBet("First", "leader", 1, RICH), 1, 1),
        (FixedBetting("First", "leader", 1, 1), 2.5, 0.625),
        (VariableBetting("First", "follower", 1), 3, 0.625),
    ],
)
def test_nobody_is_asked_more_often_than_the_other(phase: Phase, asked: float, left: float) -> None:
    """As above, where Bob has drawn as many."""
    draw = Steps("Draw", (Draw("both", 30, "private"),))
    assert expected(game(draw, phase, LAST, ranks=13, suits=SUITS)) == round(PLAYS * (asked + left))


@pytest.mark.parametrize(
    ("condition", "chance"),
    [
        (RICH, 0.5),
        (Leads("bob"), 0.5),
        (HoldsRank("alice", (5, 6, 8, 9, 13)), 5 / 13),
        (BoardHasRank((2, 3, 4, 5, 6, 7, 8)), 7 / 13),
        (HoldsRank("alice", (2,)), 0.3),  # but not less
        (HoldsRank("bob", (1, 3, 5, 7, 9, 11)), 6 / 13),
        (HoldsSuit("bob", "hearts"), 1 / 3),
        (InProgress(), 0.7),  # nor more
        (All((InProgress(), RICH)), 0.5),
        (Not(HoldsRank("bob", (2, 3, 4, 5, 6))), 8 / 13),
        (All((RICH, HoldsRank("bob", tuple(range(2, 12))))), 5 / 13),
        (AnyOf((HoldsRank("bob", (2, 3, 4)), BoardHasRank((2, 3, 4, 5)))), 1 - (10 / 13) * (9 / 13)),
        (Not(All((AnyOf((RICH, RICH)), RICH))), 1 - 0.75 * 0.5),
    ],
)
def test_how_often_a_condition_holds(condition: Condition, chance: float) -> None:
    assert expected(judged(condition)) == round(PLAYS * (1 - chance))


def judged(condition: Condition) -> GameSpec:
    """A game that ends where the condition holds; elsewhere a player is asked who is never in the same state twice."""
    draw = Steps("Draw", (Draw("both", 30, "public"),))
    over = Steps("Event", (If(condition, (EndGame(),)),))
    return msgspec.structs.replace(game(draw, over, MENU, ranks=13, suits=SUITS), variables=("n",))


def test_every_other_kind_of_condition_holds_half_of_the_time() -> None:
    """A new kind has to be put here, or above."""
    chips, cards = ChipsAre("alice", ">", 3), HandSizeIs("alice", ">", 3)
    even = (
        chips,
        cards,
        PotIs(">", 3),
        DeckSizeIs(">", 3),
        VariableIs("n", ">", 3),
        HasHigherCard("bob"),
        Leads("bob"),
    )
    assert [expected(judged(condition)) for condition in even] == [PLAYS // 2] * len(even)
    above = {HoldsRank, BoardHasRank, HoldsSuit, InProgress, Not, All, AnyOf}
    assert {*above, *map(type, even)} == set(get_args(Condition))


def test_what_is_between_the_rounds_of_a_loop_is_played_between_them() -> None:
    loop = BettingLoop("Loop", "n", 2, 0, ("Round",), (Peek("bob"),))
    spec = msgspec.structs.replace(game(loop, more=(ROUND,)), variables=("n",))
    assert expected(spec) == pytest.approx(12 + 18 + 18 * SEEN, abs=0.52)


def nested(cap: int) -> GameSpec:
    """A loop with so many rounds, and between them another one."""
    inner = BettingLoop("Inner", "n", 2, 0, ("First", "Round"), (Peek("alice"),))
    outer = BettingLoop("Outer", "m", cap, 0, ("Round", "First"), (Perform("Inner"),))
    first = FixedBetting("First", "bob", 2, 1)
    return msgspec.structs.replace(game(outer, more=(inner, first, ROUND)), variables=("n", "m"))


def met(ways: float, share: float) -> float:
    """States in a share of the plays, of so many that are equally likely."""
    return ways * (1 - exp(-PLAYS * share / ways))


def test_a_loop_loses_plays_and_goes_on_with_its_last_round() -> None:
    """Three rounds, of which the last two are the same; then a choice of Bob's in all plays without a fold."""
    loop = BettingLoop("Loop", "n", 3, 0, ("First", "Round"))
    spec = game(loop, MENU, more=(ROUND, FixedBetting("First", "bob", 2, 1)))
    shares = [1.0]  # of the plays before each round
    for _ in range(2):
        shares.append(shares[-1] * 5 / 8 * 3 / 4)
    questions = (1, 0.5, 0.5, 0.25)
    second, third = [
        sum([met(ways, share * each) for each in questions]) for ways, share in ((15, shares[1]), (45, shares[2]))
    ]
    ends = [5 / 8 * share * leaving for share, leaving in zip(shares, (1 / 4, 1 / 4, 1), strict=True)]
    paths = sum([end * log(ways) for end, ways in zip(ends, (5, 15, 45), strict=True)]) / sum(ends)
    last = met(3 * exp(paths), sum(ends))
    found = expected(msgspec.structs.replace(spec, variables=("n",)))
    assert found == pytest.approx(18 + second + third + last, abs=0.52)


def crowded() -> list[tuple[int, int]]:
    """What is found in games in which play branches a lot."""
    games = [nested(3), nested(4), nested(1_000), *map(fuzzed, range(40))]
    return [(int(expected(spec)), int(fewest(spec))) for spec in games]


def test_however_many_lines_of_play_there_are_there_is_room_for_them() -> None:
    """Plain Python minds the ends of arrays, and finds the same."""
    code = "from tests.engine.builder.test_seen import crowded; print(crowded())"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    told = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True)
    found = crowded()
    assert told.stdout == f"{found}\n"
    assert found[0] != found[1]


@pytest.mark.parametrize("count", [expected, fewest])
def test_a_phase_that_performs_itself_is_refused(count: object) -> None:
    assert callable(count)
    once, twice = Steps("Once", (Perform("Twice"),)), Steps("Twice", (NoAction(), If(RICH, (Perform("Once"),))))
    with pytest.raises(ValueError, match=r"^The phase '(Once|Twice)' ends up performing itself\.$"):
        count(game(once, more=(twice,)))
