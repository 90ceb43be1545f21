"""The plain interpreter itself: what its players know, worked out by hand."""

from __future__ import annotations

from collections import defaultdict

from antemill.engine.machine.events import Chance, Event
from antemill.engine.rules.spec import (
    ActionRound,
    Ante,
    Auction,
    Cell,
    Cost,
    Deal,
    DeckSizeIs,
    Discard,
    Draw,
    FixedBetting,
    HandSizeIs,
    HasHigherCard,
    HoldsRank,
    Observation,
    Option,
    Peek,
    Phase,
    Positions,
    Showdown,
    Shuffle,
    SideBet,
    Simultaneous,
    Steal,
    Swap,
    VariableBetting,
)
from tests.engine.machine.by_hand import KUHN, A, B, game, runner, stacked, steps
from tests.naive import RandomChooser, play

run = runner(play)


# ------------------------------------------------------------------------------------------------ what players know


def test_what_is_known_in_kuhn() -> None:
    check = ((A, "bet", "choose", "bet/check"), 1)
    bet = ((B, "bet: bet or check", "choose", "bet/check"), 0)
    last = run(KUHN, "check bet call", stacked(3, [2, 0])).decisions[2][0]
    assert last.context == ((A, "bet: fold or call, responding", "choose", "fold/call"), (13,), (check, bet), 1)
    assert last.info == (*last.context, (), A)


def test_a_private_choice_is_on_the_path_of_who_made_it() -> None:
    hidden = ActionRound("act", "bob", (Option("a", cost=Cost(1, (1, 2))), Option("b")), public=False)
    p = run(game(hidden, FixedBetting("bet", "alice", 1)), "a check check")
    assert p.decisions[1][0].context[2] == ()
    path = p.decisions[2][0].context[2]
    assert path == (((B, "act", "choose", "a/b"), 0), ((A, "bet", "choose", "bet/check"), 1))


def test_signals_and_public_checks_of_hands_are_kept() -> None:
    phases: tuple[Phase, ...] = (
        steps(Deal(2, "bob")),
        Observation("card", "alice", "opponent-card", "card"),
        Observation("suit", "alice", "deck-card", "suit", "public"),
        Observation("none", "bob", "opponent-hand", "top-rank"),
        Observation("empty", "bob", "opponent-card", "card"),
        Observation("told", "alice", "opponent-hand", "size", trigger=HandSizeIs("bob", "<", 2)),
        Observation("hidden", "alice", "opponent-hand", "size", trigger=DeckSizeIs("==", 2), trigger_public=False),
        FixedBetting("bet", "alice", 1),
    )
    chance = stacked(4, [3, 0]) | {(Chance.OBSERVE, A, 0): 1, (Chance.OBSERVE, A, 1): 0}
    p = run(game(*phases, ranks=(2, 3), suits="SH"), "check check", chance)  # Bob: 3H, 2S; the deck: 3S, 2H
    kind, check = int(Event.SIGNAL), (int(Event.CHECK), 0, 0)
    seen = ((kind, A, "card", ((2, "S"),)), (kind, A, "suit", 1), check, (kind, A, "hidden", 2))
    assert p.decisions[0][0].info[4] == seen
    assert p.decisions[1][0].info[1] == ((2, "S"), (3, "H"))
    assert p.decisions[1][0].info[4] == ((kind, A, "suit", 1), (kind, B, "none", 0), (kind, B, "empty", ()), check)


# ------------------------------------------------------------------------------------------------ soundness

EVERYTHING = game(
    steps(Shuffle(), Ante("both", 1), Deal(2)),
    Positions("seats", "random"),
    VariableBetting("open", "leader", cap=2),
    ActionRound("act", "follower", (Option("swap", (Swap("bob"),), Cost(2, (1, 3))), Option("peek", (Peek("leader"),))),
                public=False, picks=2),
    Simultaneous("duel", ("a", "b"), ("c", "d"), (Cell("a", "c", (Steal("leader"),)),), (Discard("follower"),)),
    Auction("sale", 2, Draw("winner", visibility="private")),
    Observation("see", "bob", "opponent-card", "card", trigger=HoldsRank("alice", (4,)), trigger_public=False),
    SideBet("side", "alice", 2, HasHigherCard("alice")),
    FixedBetting("close", "bob", 2, raises=1),
    Showdown("show", "sum"),
    chips=6, ranks=(2, 3, 4, 5, 6), suits="SH",
)  # fmt: skip


def test_equal_recall_means_equal_question_and_equal_information() -> None:
    seen: defaultdict[object, set[object]] = defaultdict(set)
    for seed in range(300):
        for d, _ in play(EVERYTHING, RandomChooser(seed)).decisions:
            seen[d.recall].add((d.seat, d.menu, d.labels, d.info, d.context, d.chips, d.pot, d.deck_size))
    assert len(seen) > 300
    assert all(len(d) == 1 for d in seen.values())
