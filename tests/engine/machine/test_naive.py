"""The plain interpreter itself: what its players know, worked out by hand, and that its play is sound."""

from __future__ import annotations

from collections import defaultdict

import pytest

from antemill.engine.machine.events import NOBODY, Chance, Event
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
    HoldsSuit,
    Not,
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
from tests.engine.machine.by_hand import KUHN, A, B, Scripted, game, runner, stacked, steps
from tests.naive import RandomChooser, play
from tests.naive.state import Table

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


def test_a_locked_choice_is_on_both_paths_once_it_is_revealed() -> None:
    duel = Simultaneous("duel", ("hold", "parry"), ("press", "wait"), ())
    p = run(game(duel, FixedBetting("bet", "alice", 1)), "hold wait check check")
    assert p.decisions[1][0].context[2] == (), "Bob must not know what Alice locked"
    own, theirs = (A, "duel", "simultaneous", "hold/parry"), (B, "duel", "simultaneous", "press/wait")
    assert p.decisions[2][0].context[2] == ((own, 0), (own, 0), (theirs, 1))


def test_recall_has_the_own_cards_alone() -> None:
    p = run(game(steps(Deal(1)), FixedBetting("bet", "bob", 1)), "check check", stacked(4, [2, 3]))
    told, asked, menu = p.decisions[0][0].recall
    assert told[1:3] == ((Event.DEAL, A, 1, 0, 0, None), (Event.DEAL, B, 1, 0, 0, (5,)))  # type: ignore[index]
    assert (asked, menu) == ((B, "bet", "choose", "bet/check"), (0, 1))


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


def test_who_leads_is_known() -> None:
    position = Positions("seats", "most-chips")
    p = run(game(steps(Ante("alice", 1)), position, FixedBetting("bet", "leader", 1)), "check check")
    assert [d.info[5] for d, _ in p.decisions] == [B, B]


def test_suits_matter_only_if_a_rule_reads_them() -> None:
    def hand(*more: Phase) -> object:
        spec = game(steps(Deal(2)), FixedBetting("bet", "alice", 1), *more, ranks=(2, 3), suits="SH")
        return run(spec, "check check").decisions[0][0].info[1]

    assert hand(Showdown("show")) == (2, 3)
    assert hand(Showdown("show", "suits")) == ((2, "S"), (3, "H"))
    assert hand(SideBet("_side", "bob", 1, Not(HoldsSuit("bob", "H")))) == ((2, "S"), (3, "H"))


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


def test_random_play_is_sound_and_reproducible() -> None:
    outcomes = set()
    for seed in range(200):
        p = play(EVERYTHING, RandomChooser(seed))
        assert p.payoff == p.chips[A] - 6 + p.score
        assert sum(p.chips) == 12
        assert sorted([*p.hands[A], *p.hands[B], *p.board, *p.deck, *p.discard]) == list(range(10))
        assert p.events == play(EVERYTHING, RandomChooser(seed)).events
        outcomes.add((p.payoff, len(p.events)))
    assert len(outcomes) > 50


def test_equal_recall_means_equal_question_and_equal_information() -> None:
    seen: defaultdict[object, set[object]] = defaultdict(set)
    for seed in range(300):
        for d, _ in play(EVERYTHING, RandomChooser(seed)).decisions:
            seen[d.recall].add((d.seat, d.menu, d.labels, d.info, d.context, d.chips, d.pot, d.deck_size))
    assert len(seen) > 300
    assert all(len(d) == 1 for d in seen.values())


def test_an_unsound_table_or_answer_is_caught() -> None:
    table = Table(KUHN, Scripted(), suited=False)
    table.check()
    table.stacks[A] += 1
    with pytest.raises(AssertionError, match="chips"):
        table.check()
    table.stacks = [5, -1]
    with pytest.raises(AssertionError, match="debt"):
        table.check()
    table.stacks = [2, 2]
    table.hands[A].append(table.deck[0])
    with pytest.raises(AssertionError, match="card"):
        table.check()
    with pytest.raises(AssertionError, match="chance outcome 7"):
        run(KUHN, chance={(Chance.DRAW, NOBODY, 0): 7})
