"""Rules worked out by hand: the compiled machine plays as they say, and in two games the plain interpreter."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import pytest

from antemill.engine.machine.events import NOBODY, AuctionResult, Chance, ChipReason, EndReason, Event
from antemill.engine.rules.spec import (
    ActionRound,
    AddToVariable,
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
    Deck,
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
    Score,
    Showdown,
    Shuffle,
    SideBet,
    Simultaneous,
    Steal,
    Step,
    Swap,
    TakePot,
    Transfer,
    VariableBetting,
    VariableIs,
)
from tests.engine.machine.by_hand import (
    KUHN,
    LEDUC,
    POT,
    A,
    Address,
    B,
    Play,
    Run,
    Scripted,
    chips,
    compiled,
    game,
    information_sets,
    kinds,
    labels,
    rows,
    runner,
    stacked,
    steps,
)
from tests.naive import Playout, every_playout, view
from tests.naive import play as plain


@pytest.fixture
def play() -> Play:
    """The machine; that the plain interpreter plays alike is compared elsewhere, and in two games here."""
    return compiled


@pytest.fixture
def run(play: Play) -> Run:
    return runner(play)


# ------------------------------------------------------------------------------------------------ known games


@pytest.mark.parametrize("play", [plain, compiled])
def test_kuhn(play: Play) -> None:
    everything = list(every_playout(KUHN, play=play))
    playouts = [playout for playout, _ in everything]
    assert len(playouts) == 30
    assert len({(p.hands, labels(p)) for p in playouts}) == 30
    assert sum(share for _, share in everything) == 1
    assert sum(share * p.payoff for p, share in everything) == Fraction(1, 8)
    assert information_sets(playouts, lambda d: d.recall) == 12
    assert information_sets(playouts, lambda d: d.info) == 12
    assert information_sets(playouts, lambda d: d.context) == 12
    for p in playouts:
        sign = 1 if p.hands[A] > p.hands[B] else -1
        expected = {
            ("check", "check"): sign,
            ("check", "bet", "fold"): -1,
            ("check", "bet", "call"): 2 * sign,
            ("bet", "fold"): 1,
            ("bet", "call"): 2 * sign,
        }
        assert p.payoff == expected[labels(p)]


def test_kuhn_decision_types_and_log(run: Run) -> None:
    p = run(KUHN, "check bet call", stacked(3, [2, 0]))
    assert [(d.seat, d.phase, d.move_type, d.move_name, d.menu, a) for d, a in p.decisions] == [
        (A, "bet", "choose", "bet/check", (0, 1), 1),
        (B, "bet: bet or check", "choose", "bet/check", (0, 1), 0),
        (A, "bet: fold or call, responding", "choose", "fold/call", (0, 1), 1),
    ]
    assert (p.payoff, p.chips, p.hands, p.deck) == (2, (4, 0), ((2,), (0,)), (1,))
    assert p.phases == {"steps", "bet", "bet: bet or check", "bet: fold or call, responding", "show"}
    setup, betting = "PHASE CHIPS CHIPS DEAL DEAL", "PHASE CHOICE CHOICE CHIPS CHOICE CHIPS"
    assert kinds(p) == f"{setup} {betting} PHASE SHOW SHOW RESULT CHIPS"
    assert run(KUHN, "bet fold").decisions[1][0].phase == "bet: fold or call"
    last = p.decisions[2][0]
    assert (last.chips, last.pot, last.deck_size) == ((1, 0), 3, 1)


@pytest.mark.slow
@pytest.mark.parametrize("play", [plain, compiled])
def test_leduc(play: Play) -> None:
    everything = list(every_playout(LEDUC, play=play))
    playouts = [playout for playout, _ in everything]
    folds = [p for p in playouts if "fold" in labels(p)]
    # Per round 5 ways to go on and 4 to fold; 30 deals, then 4 boards.
    assert (len(playouts), len(folds)) == (30 * (4 + 5 * 4 * 9), 30 * (4 + 5 * 4 * 4))
    assert sum(share for _, share in everything) == 1
    # 6 histories a round; 3 own ranks, then 5 ways into the second round and 3 board ranks.
    assert information_sets(playouts, lambda d: d.recall) == 3 * 6 + 5 * 9 * 6
    assert information_sets(playouts, lambda d: d.info) == 288
    assert {abs(p.payoff) for p in playouts} == {0, 1, 3, 5, 7, 9, 11, 13}  # 1, 3 or 5, plus 0, 4 or 8
    for p in playouts:
        if "fold" not in labels(p):
            alice, bob, board = p.hands[A][0] // 2, p.hands[B][0] // 2, p.board[0] // 2
            assert (p.payoff > 0) == ((alice == board) > (bob == board) or (bob != board and alice > bob))
            assert (p.payoff == 0) == (alice == bob)


# ------------------------------------------------------------------------------------------------ betting


def test_fold_ends_the_game(run: Run) -> None:
    spec = game(steps(Ante("both", 2)), FixedBetting("bet", "bob", 3), steps(Announce("never"), name="later"))
    p = run(spec, "bet fold")
    assert (p.payoff, p.chips) == (-2, (8, 12))
    assert chips(p)[2:] == [(B, 3, POT, ChipReason.BET), (POT, 7, B, ChipReason.AWARD)]
    assert rows(p, Event.RESULT) == [(B, EndReason.FOLD, 0, 0, 0)]
    assert "later" not in p.phases


def test_all_in_call_with_refund(run: Run) -> None:
    spec = game(steps(Ante("alice", 3)), FixedBetting("bet", "bob", 4), steps(EndGame("alice"), name="end"), chips=5)
    p = run(spec, "bet call")
    assert chips(p)[1:] == [
        (B, 4, POT, ChipReason.BET),
        (A, 2, POT, ChipReason.CALL),
        (POT, 2, B, ChipReason.REFUND),
        (POT, 7, A, ChipReason.AWARD),
    ]
    assert (p.chips, p.payoff) == ((7, 3), 2)


def test_no_chips_no_bet_but_still_asked(run: Run) -> None:
    spec = game(steps(Ante("alice", 9)), FixedBetting("bet", "alice", 4), chips=5)
    p = run(spec, "check bet call")
    assert (p.decisions[0][0].labels, p.decisions[0][0].menu) == (("check",), (1,))
    assert chips(p)[:4] == [
        (A, 5, POT, ChipReason.ANTE),
        (B, 4, POT, ChipReason.BET),
        (A, 0, POT, ChipReason.CALL),
        (POT, 4, B, ChipReason.REFUND),
    ]


def test_raises(run: Run) -> None:
    p = run(game(FixedBetting("bet", "leader", 4, raises=2), chips=10), "bet raise raise call")
    moves = [(A, 4, POT, ChipReason.BET), (B, 8, POT, ChipReason.RAISE), (A, 6, POT, ChipReason.RAISE)]
    assert chips(p)[:4] == [*moves, (B, 2, POT, ChipReason.CALL)]
    assert [(d.phase, d.move_name, d.labels) for d, _ in p.decisions[1:]] == [
        ("bet: fold or call", "fold/call/raise", ("fold", "call", "raise")),
        ("bet: raise 1", "fold/call/raise", ("fold", "call", "raise")),
        ("bet: raise 2", "fold/call", ("fold", "call")),
    ]
    short = run(game(FixedBetting("bet", "alice", 4, raises=1), chips=4), "bet call")
    assert (short.decisions[1][0].move_name, short.decisions[1][0].labels) == ("fold/call/raise", ("fold", "call"))


def test_fold_to_a_raise_pays_the_raiser(run: Run) -> None:
    p = run(game(FixedBetting("bet", "alice", 1, raises=1)), "bet raise fold")
    assert (p.payoff, rows(p, Event.RESULT)) == (-1, [(B, EndReason.FOLD, 0, 0, 0)])


def test_variable_betting(run: Run) -> None:
    spec = game(steps(Ante("bob", 4)), VariableBetting("bet", "alice", cap=7), chips=10)
    p = run(spec, "check bet 6 call")
    assert [(d.phase, d.move_type, d.move_name) for d, _ in p.decisions[1:3]] == [
        ("bet: bet or check", "choose", "bet/check"),
        ("bet: bet or check", "wager", "wager"),
    ]
    assert p.decisions[2][0].menu == (1, 2, 3, 4, 5, 6)
    assert run(spec, "bet 7 fold").decisions[1][0].menu == (1, 2, 3, 4, 5, 6, 7)
    assert run(spec, "bet 7 call").chips == (3 + 1 + 8, 0 + 8)  # a refund of 1, and 16 to share
    assert (rows(p, Event.CHECK), p.branches) == ([(POT, 0, 1, 0, 0)], {0})


def test_variable_betting_falls_back(run: Run) -> None:
    p = run(game(steps(Ante("bob", 10)), VariableBetting("bet", "alice", fallback=2), chips=10), "bet call")
    assert [d.phase for d, _ in p.decisions] == ["bet, fallback", "bet, fallback: fold or call"]
    assert chips(p)[1:4] == [
        (A, 2, POT, ChipReason.BET),
        (B, 0, POT, ChipReason.CALL),
        (POT, 2, A, ChipReason.REFUND),
    ]
    assert (rows(p, Event.CHECK), p.branches) == ([(POT, 0, 0, 0, 0)], {1})
    assert p.phases == {"steps", "bet", "bet, fallback", "bet, fallback: fold or call"}


def betting_loop(cap: int, stop_at: int) -> GameSpec:
    loop = BettingLoop("loop", "round", cap, stop_at, ("_one", "_two"), (Announce("between"),))
    return game(loop, FixedBetting("_one", "alice", 1), FixedBetting("_two", "bob", 3), variables=("round",))


def test_betting_loop(run: Run) -> None:
    p = run(betting_loop(3, 2), "bet call check check bet call")
    names = [row[1] for row in rows(p, Event.PHASE)]
    assert names == ["loop", "_one", "_two", "_two"]
    assert [row[1:3] for row in rows(p, Event.VARIABLE)] == [("round", k) for k in range(4)]
    order = kinds(p, Event.ANNOUNCE, Event.VARIABLE, Event.PHASE)
    assert order == "PHASE VARIABLE PHASE VARIABLE ANNOUNCE PHASE VARIABLE ANNOUNCE PHASE VARIABLE"
    assert [d.seat for d, _ in p.decisions] == [A, B, B, A, B, A]


def test_betting_loop_stops_when_chips_run_low(run: Run) -> None:
    assert len(run(betting_loop(3, 6), "bet call bet call").decisions) == 4  # 9, then 6 chips each
    assert run(betting_loop(3, 10)).decisions == []


# ------------------------------------------------------------------------------------------------ costs and choices


def costly(odds: tuple[int, int] | None, amount: int = 1, chips: int = 1) -> GameSpec:
    paid = Option("pay", (Draw("alice"),), Cost(amount, odds))
    return game(ActionRound("act", "alice", (paid, Option("pass")), picks=2), chips=chips)


def test_probabilistic_cost(run: Run) -> None:
    address = {(Chance.COST, A, 0): 0, (Chance.COST, A, 1): 0, **stacked(4, [0])}
    p = run(costly((1, 2)), "pay pay", address)
    assert rows(p, Event.COST) == [(A, 1, 0, 0, 0), (A, 2, 0, 0, 0)]
    assert chips(p)[0] == (A, 1, POT, ChipReason.COST)
    assert len(p.hands[A]) == 1, "the unaffordable second pick is used up without its effect"
    free = run(costly((1, 2)), "pay pay", {(Chance.COST, A, 0): 1, (Chance.COST, A, 1): 1})
    assert rows(free, Event.COST) == [(A, 0, 0, 0, 0), (A, 0, 0, 0, 0)]
    assert (free.chips, len(free.hands[A])) == ((1, 1), 2)


def test_stated_cost_limits_the_menu(run: Run) -> None:
    p = run(costly(None), "pay pass")
    assert [d.labels for d, _ in p.decisions] == [("pay", "pass"), ("pass",)]
    assert p.decisions[1][0].menu == (1,)
    assert p.decisions[1][0].move_name == "pay/pass"
    assert rows(p, Event.COST) == []


def test_private_choice_hides_itself_and_its_cost_but_not_the_chips(run: Run) -> None:
    hidden = ActionRound("act", "bob", (Option("a", cost=Cost(1, (1, 2))), Option("b")), public=False)
    p = run(game(hidden, FixedBetting("bet", "alice", 1)), "a check check")
    assert [row.kind.name for row in view(p.events, A)[:3]] == ["PHASE", "CHIPS", "PHASE"]
    assert [row.kind.name for row in view(p.events, B)[:4]] == ["PHASE", "CHOICE", "COST", "CHIPS"]


def test_simultaneous(run: Run) -> None:
    cells = (Cell("hold", "press", (Transfer("alice", "bob", 2),)), Cell("parry", "press", (Score("alice", 3),)))
    both = Simultaneous("duel", ("hold", "parry"), ("press", "wait"), cells, (Announce("other"),))
    spec = game(both, FixedBetting("bet", "alice", 1))
    first = run(spec, "hold press check check")
    assert (first.payoff, first.score) == (-2, 0)
    second = run(spec, "parry press check check")
    assert (second.payoff, second.score, second.chips) == (3, 3, (10, 10))
    assert rows(second, Event.SCORE) == [(A, 3, 0, 0, 0)]
    other = run(spec, "hold wait check check")
    assert [row[1] for row in rows(other, Event.ANNOUNCE)] == ["other"]
    bob = other.decisions[1][0]
    assert bob.move_name == "press/wait"
    assert [row.seat for row in view(other.events, B) if row.kind == Event.LOCK] == [B]
    order = [(row.kind.name, row.seat) for row in other.events[1:5]]
    assert order == [("LOCK", A), ("LOCK", B), ("REVEALED", A), ("REVEALED", B)]


def test_auction(run: Run) -> None:
    spec = game(Auction("sale", 3, Draw("winner", visibility="private")), chips=5)
    won = run(spec, "1 3")
    assert won.decisions[0][0].menu == (0, 1, 2, 3)
    assert rows(won, Event.AUCTION) == [(B, AuctionResult.WON, 0, 0, 0)]
    assert (chips(won)[0], len(won.hands[B])) == ((B, 3, POT, ChipReason.BID), 1)
    no_bids = run(spec, "0 0")
    assert rows(no_bids, Event.AUCTION) == [(NOBODY, AuctionResult.NO_BIDS, 0, 0, 0)]
    assert no_bids.hands == ((), ())
    tie = run(spec, "2 2", {(Chance.COIN, NOBODY, 0): 1})
    assert rows(tie, Event.AUCTION) == [(B, AuctionResult.WON, 1, 0, 0)]
    poor = run(game(steps(Ante("bob", 4)), Auction("sale", 3, Draw("winner")), chips=5), "3 1")
    assert poor.decisions[1][0].menu == (0, 1, 2, 3)
    greedy = run(game(steps(Ante("bob", 4)), Auction("sale", 3, Draw("winner")), chips=5), "0 3")
    assert (greedy.decisions[1][1], chips(greedy)[1]) == (3, (B, 1, POT, ChipReason.BID))


@pytest.mark.parametrize("prize", [Steal("winner"), Peek("winner"), Draw("winner")])
def test_cancelled_auction(run: Run, prize: Steal | Peek | Draw) -> None:
    # Alice holds the whole deck, so that what Bob's empty hand or the empty deck should give is impossible.
    spec = game(steps(Deal(4, "alice")), Auction("sale", 3, prize))
    tie = run(spec, "2 2", {(Chance.COIN, NOBODY, 0): 0})
    assert rows(tie, Event.AUCTION) == [(A, AuctionResult.CANCELLED, 1, 0, 0)]
    assert (tie.payoff, chips(tie)) == (0, [(POT, 0, A, ChipReason.AWARD), (POT, 0, B, ChipReason.AWARD)])
    stolen = run(spec, "0 1")
    expected = AuctionResult.CANCELLED if isinstance(prize, Draw) else AuctionResult.WON
    assert rows(stolen, Event.AUCTION) == [(B, expected, 0, 0, 0)]
    assert len(stolen.hands[B]) == isinstance(prize, Steal)


# ------------------------------------------------------------------------------------------------ cards


def test_drawing_moves_the_last_card_into_the_gap(play: Play) -> None:
    chooser = Scripted(chance={(Chance.DRAW, NOBODY, 0): 1})
    p = play(game(steps(Deal(1, "alice"), DealBoard(2))), chooser)
    assert (p.hands[A], p.board, p.deck) == ((1,), (0, 2), (3,))
    assert chooser.asked == [((Chance.DRAW, NOBODY, k), 4 - k) for k in range(3)]


def test_a_single_outcome_is_not_asked_but_counts(play: Play) -> None:
    chooser = Scripted()
    thrown = Discard("alice", face_up=True)
    p = play(game(steps(Deal(1), Shuffle(), Draw("alice", 9), thrown, thrown, Shuffle(True), Draw("bob"))), chooser)
    draws = [address[2] for address, _ in chooser.asked if address[0] == Chance.DRAW]
    assert draws == [0, 1, 2, 4], "the fourth draw, of the deck's last card, had one outcome"
    assert [row[1] for row in rows(p, Event.SHUFFLE)] == [2, 2]
    assert (len(p.hands[A]), len(p.hands[B]), p.discard) == (1, 2, ())


def test_a_short_deck_deals_what_is_left(run: Run) -> None:
    p = run(game(steps(Deal(3), Shuffle(), Deal(1), Draw("both"), DealBoard(2))))
    assert [row[:2] for row in rows(p, Event.DEAL)] == [(A, 3), (B, 1), (A, 0), (B, 0)]
    assert [row[1] for row in rows(p, Event.DRAW) + rows(p, Event.BOARD)] == [0, 0, 0]


@pytest.mark.parametrize(
    ("visibility", "bob_sees"),
    [
        ("public", [(Event.DRAW, 2, 0b11), (Event.DRAW, 0, 0)]),
        ("occurrence", [(Event.DRAW, 2, None), (Event.DRAW, 0, None)]),
        ("private", [(Event.DECK, 0, 0)]),
    ],
)
def test_draw_views(run: Run, visibility: str, bob_sees: list[tuple[Event, int, int | None]]) -> None:
    drawn = Draw("alice", 3, visibility)  # type: ignore[arg-type]
    p = run(game(steps(drawn, drawn), ranks=(2, 3)))
    cards = (Event.DRAW, Event.DECK)
    assert [(row.kind, row.x, row.content) for row in view(p.events, B) if row.kind in cards] == bob_sees
    own = [(row.x, row.content) for row in view(p.events, A) if row.kind == Event.DRAW]
    assert own == [(2, 0b11), (0, 0)]


def test_deals_show_only_the_own_cards(run: Run) -> None:
    p = run(game(steps(Deal(1)), FixedBetting("bet", "bob", 1)), "check check", stacked(4, [2, 3]))
    assert [row.content for row in view(p.events, A) if row.kind == Event.DEAL] == [0b100, None]
    assert [row.content for row in view(p.events, B) if row.kind == Event.DEAL] == [None, 0b1000]


DEALT = stacked(4, [0, 1, 3, 2])  # Alice holds 0, 1; Bob holds 3, 2


def test_swap(run: Run) -> None:
    chance = DEALT | {(Chance.SWAP_GIVE, A, 0): 0, (Chance.SWAP_TAKE, A, 0): 1}
    p = run(game(steps(Deal(2), Swap("alice"))), chance=chance)
    assert p.hands == ((1, 2), (3, 0))
    assert rows(p, Event.SWAP) == [(A, 1, 0, 0, 0)]
    assert rows(p, Event.MOVE) == [(A, 0, 0, 0, 0b0001), (B, 0, 0, 0, 0b0100)]
    empty = run(game(steps(Deal(1, "alice"), Swap("bob"))))
    assert (rows(empty, Event.SWAP), rows(empty, Event.MOVE)) == ([(B, 0, 0, 0, 0)], [])


def test_steal(run: Run) -> None:
    p = run(game(steps(Deal(2), Steal("bob"))), chance=DEALT | {(Chance.STEAL, B, 0): 1})
    assert p.hands == ((0,), (3, 2, 1))
    assert (rows(p, Event.STEAL), rows(p, Event.MOVE)) == ([(B, 1, 0, 0, 0)], [(A, 0, 0, 0, 0b0010)])
    empty = run(game(steps(Steal("alice"))))
    assert (rows(empty, Event.STEAL), rows(empty, Event.MOVE)) == ([(A, 0, 0, 0, 0)], [])


def test_peek(run: Run, play: Play) -> None:
    steps_ = [Peek("alice", "private"), Peek("alice", "occurrence"), Peek("alice", "public")]
    p = run(game(steps(Deal(2), *steps_)), chance=DEALT | {(Chance.PEEK, A, 1): 1})
    assert [row.content for row in view(p.events, A) if row.kind == Event.PEEK] == [0b1000, 0b0100, 0b1000]
    assert [row.content for row in view(p.events, B) if row.kind == Event.PEEK] == [None, 0b1000]
    assert p.hands == ((0, 1), (3, 2))
    chooser = Scripted()
    empty = play(game(steps(Peek("bob"), Peek("bob", "occurrence"))), chooser)
    assert (rows(empty, Event.PEEK), chooser.asked) == ([(B, 0, 0, 0, 0)] * 2, [])
    assert [row.content for row in view(empty.events, A) if row.kind == Event.PEEK] == [None]


def test_discard_and_reveal(run: Run) -> None:
    def with_hand(*items: Step, chance: Mapping[Address, int] | None = None) -> Playout:
        """Alice's hand is 1, 3, 0, 2; cards 0 and 1 have rank 2, cards 2 and 3 rank 3."""
        spec = game(steps(Deal(4, "alice"), *items), ranks=(2, 3), suits="SH")
        return run(spec, chance=stacked(4, [1, 3, 0, 2]) | dict(chance or {}))

    p = with_hand(Reveal("alice", "highest"), Discard("alice", "lowest"))
    assert (rows(p, Event.REVEAL), p.hands[A], p.discard) == ([(A, 1, 0, 0, 0b1000)], (3, 0, 2), (1,))
    assert [row.content for row in view(p.events, B) if row.kind == Event.DISCARD] == [None]
    discards = (Discard("alice", "highest", face_up=True), Discard("alice"), Discard("bob"))
    reveals = (Reveal("alice"), Reveal("alice", "all"), Reveal("bob"))
    q = with_hand(*discards, *reveals, chance={(Chance.DISCARD, A, 0): 1, (Chance.REVEAL, A, 0): 1})
    assert (q.discard, q.hands[A]) == ((3, 0), (1, 2))
    assert [row.content for row in view(q.events, B) if row.kind == Event.DISCARD] == [0b1000, None]
    assert rows(q, Event.REVEAL) == [(A, 1, 0, 0, 0b0100), (A, 2, 0, 0, 0b0110), (B, 0, 0, 0, 0)]


# ------------------------------------------------------------------------------------------------ signals and roles


def test_observation_signals(run: Run) -> None:
    phases: tuple[Phase, ...] = (
        steps(Deal(2, "bob")),
        Observation("card", "alice", "opponent-card", "card"),
        Observation("suit", "alice", "deck-card", "suit", "public"),
        Observation("top", "alice", "opponent-hand", "top-rank", "occurrence"),
        Observation("size", "alice", "opponent-hand", "size"),
        Observation("none", "bob", "opponent-hand", "top-rank"),
        Observation("empty", "bob", "opponent-card", "card"),
        FixedBetting("bet", "alice", 1),
    )
    spec = game(*phases, ranks=(2, 3), suits="SH")
    chance = stacked(4, [3, 0]) | {(Chance.OBSERVE, A, 0): 1, (Chance.OBSERVE, A, 1): 0}
    p = run(spec, "check check", chance)  # Bob holds 3 (3H) and 0 (2S); the deck is 2 (3S), 1 (2H)
    assert [(row.x, row.content) for row in view(p.events, A) if row.kind == Event.SIGNAL] == [
        ("card", 0b0001),
        ("suit", 1),
        ("top", 3),
        ("size", 2),
    ]
    bob = [(row.x, row.content) for row in view(p.events, B) if row.kind == Event.SIGNAL]
    assert bob == [("suit", 1), ("top", None), ("none", 0), ("empty", 0)]


def test_observation_triggers(run: Run) -> None:
    hidden = Observation("hidden", "alice", "opponent-hand", "size", trigger=DeckSizeIs("==", 4), trigger_public=False)
    told = Observation("told", "alice", "opponent-hand", "size", trigger=HandSizeIs("bob", ">", 0))
    p = run(game(hidden, told, FixedBetting("bet", "bob", 1)), "check check")
    assert [row[1] for row in rows(p, Event.SIGNAL)] == ["hidden"]
    assert rows(p, Event.CHECK) == [(NOBODY, 1, 0, 0, 0)]
    assert p.branches == {0, 3}


@pytest.mark.parametrize(
    ("criterion", "before", "leader", "asked"),
    [
        ("most-chips", (Ante("alice", 1),), B, False),
        ("fewest-chips", (Ante("bob", 1),), B, False),
        ("most-chips", (Ante("both", 1),), 1, True),
        ("higher-card", (Deal(1),), A, False),
        ("lower-card", (Deal(1),), B, False),
        ("lower-card", (Deal(1, "alice"),), B, False),
        ("higher-card", (NoAction(),), 1, True),
        ("random", (Ante("alice", 1),), 1, True),
        ("alternate", (Ante("both", 1),), B, False),
    ],
)
def test_positions(play: Play, criterion: str, before: tuple[Step, ...], leader: int, asked: bool) -> None:
    chooser = Scripted("check check", {(Chance.POSITION, NOBODY, 0): 1, (Chance.DRAW, NOBODY, 0): 3})
    position = Positions("seats", criterion)  # type: ignore[arg-type]
    p = play(game(steps(*before), position, FixedBetting("bet", "leader", 1)), chooser)
    assert rows(p, Event.LEADER) == [(leader, "seats", 0, 0, 0)]
    assert any(address == (Chance.POSITION, NOBODY, 0) for address, _ in chooser.asked) == asked
    assert [d.seat for d, _ in p.decisions] == [leader, 1 - leader]


def test_positions_with_equal_top_ranks_toss_a_coin(run: Run) -> None:
    spec = game(steps(Deal(2)), Positions("seats", "lower-card"), ranks=(2, 3), suits="SH")
    dealt = stacked(4, [0, 2, 3, 1])
    assert rows(run(spec, "", dealt | {(Chance.POSITION, NOBODY, 0): 1}), Event.LEADER)[0][0] == B
    assert rows(run(spec, "", dealt | {(Chance.POSITION, NOBODY, 0): 0}), Event.LEADER)[0][0] == A


def test_side_bets(run: Run) -> None:
    spec = game(
        steps(Ante("both", 6), Deal(1)),
        SideBet("second", "bob", 4, HasHigherCard("bob")),
        SideBet("first", "alice", 3, HoldsRank("bob", (2,))),
        Showdown("show"),
    )
    swapped = GameSpec("swapped", spec.deck, 10, (spec.phases[2], spec.phases[1], spec.phases[0], spec.phases[3]),
                       ("steps", "second", "first", "show"))  # fmt: skip
    p = run(swapped, "take take", stacked(4, [3, 0]))  # Alice's 5 beats Bob's 2: both wagers go to her
    assert rows(p, Event.SIDE_BET) == [(A, "first", 1, 0, 0), (B, "second", 0, 0, 0)]
    assert chips(p)[2:] == [
        (B, 3, A, ChipReason.SIDE_BET),
        (B, 1, A, ChipReason.SIDE_BET),
        (POT, 12, A, ChipReason.AWARD),
    ]
    assert [row[1] for row in rows(run(spec, "take take", stacked(4, [3, 0])), Event.SIDE_BET)] == ["second", "first"]
    assert rows(run(spec, "pass pass"), Event.SIDE_BET) == []
    assert kinds(p).endswith("PHASE SHOW SHOW SIDE_BET CHIPS SIDE_BET CHIPS RESULT CHIPS")


def test_side_bet_menu_void_and_repetition(run: Run) -> None:
    bet = SideBet("side", "alice", 4, InProgress())
    assert run(game(steps(Ante("alice", 7)), bet), "pass").decisions[0][0].labels == ("pass",)
    folded = run(game(bet, FixedBetting("bet", "bob", 1), Showdown("show")), "take bet fold")
    assert (folded.payoff, rows(folded, Event.SIDE_BET)) == (0, [])
    twice = GameSpec("twice", Deck((2, 3), ("S",)), 10, (bet, Showdown("show")), ("side", "side", "show"))
    assert run(twice, "take pass").payoff == 4
    assert run(twice, "take take").payoff == 4


# ------------------------------------------------------------------------------------------------ showdowns and ends


def card(text: str) -> int:
    """The card id of e.g. "3H" in a deck of ranks 2 to 6 with suits S and H."""
    return 2 * (int(text[0]) - 2) + "SH".index(text[1])


@pytest.mark.parametrize(
    ("metric", "alice", "bob", "winner"),
    [
        ("high", "6S 2S", "5S 4S", A),
        ("high", "5S 2S", "5H 3S", B),
        ("high", "5S 2S", "5H", A),
        ("high", "2S", "", A),
        ("high", "6S 2S", "2H 6H", None),
        ("high", "", "", None),
        ("low", "2S 6S", "3S 4S", A),
        ("low", "2S 6S", "2H 4S", B),
        ("low", "2S", "2H 4S", B),
        ("low", "2S 6S", "2H 6H", None),
        ("sum", "6S", "3S 4S", B),
        ("sum", "6S 2S", "5S 3S", None),
        ("suits", "2S 3S", "6S 5H", A),
        ("suits", "2S 3S", "2H 4H", B),
        ("suits", "2S 3S", "2H 3H", None),
        ("pairs", "2S 2H", "6S 5H", A),
        ("pairs", "3S 3H", "2S 2H 6H", A),
        ("pairs", "2S 3H", "2H 4H", B),
        ("pairs", "6S 3H", "6H 3S", None),
    ],
)
def test_showdown_metrics(run: Run, metric: str, alice: str, bob: str, winner: int | None) -> None:
    hands = [[card(text) for text in hand.split()] for hand in (alice, bob)]
    deals = [Deal(len(hand), player) for hand, player in zip(hands, ("alice", "bob"), strict=True) if hand]  # type: ignore[arg-type]
    show = Showdown("show", metric)  # type: ignore[arg-type]
    spec = game(steps(Ante("alice", 2), Ante("bob", 1), *deals), show, ranks=(2, 3, 4, 5, 6), suits="SH")
    draws = stacked(10, hands[A] + hands[B])
    if winner is not None:
        p = run(spec, chance=draws)
        assert rows(p, Event.RESULT) == [(winner, EndReason.SHOWDOWN, 0, 0, 0)]
        assert p.chips == ((11, 9) if winner == A else (8, 12))
        return
    for lucky, final in ((A, (10, 10)), (B, (9, 11))):
        p = run(spec, chance=draws | {(Chance.ODD_CHIP, NOBODY, 0): lucky})
        assert rows(p, Event.RESULT) == [(NOBODY, EndReason.SHOWDOWN, 0, 0, 0)]
        halves = [(POT, 1, A, ChipReason.AWARD), (POT, 1, B, ChipReason.AWARD), (POT, 1, lucky, ChipReason.ODD_CHIP)]
        assert (p.chips, chips(p)[2:]) == (final, halves)


@pytest.mark.parametrize(("board", "payoff"), [(True, -1), (False, 1)])
def test_showdown_counts_the_board_only_if_told_to(run: Run, board: bool, payoff: int) -> None:
    show = Showdown("show", "pairs", board=board)
    spec = game(steps(Ante("both", 1), Deal(1), DealBoard(1)), show, ranks=(2, 3, 4, 5, 6), suits="SH")
    assert run(spec, chance=stacked(10, [card("6S"), card("3S"), card("3H")])).payoff == payoff


def test_the_sequence_runs_out(run: Run) -> None:
    p = run(game(steps(Ante("alice", 3))), chance={(Chance.ODD_CHIP, NOBODY, 0): 1})
    assert (p.payoff, p.chips) == (-2, (8, 12))
    assert rows(p, Event.RESULT) == [(NOBODY, EndReason.ENDED, 0, 0, 0)]


def test_payments_move_what_is_there(run: Run) -> None:
    spec = game(
        steps(Ante("both", 3), Transfer("pot", "alice", 99), Transfer("bob", "alice", 4), Transfer("bob", "pot", 99)),
        steps(Ante("bob", 1), TakePot("bob"), Announce("still on"), EndGame("follower"), Announce("no"), name="end"),
        chips=5,
    )
    p = run(spec)
    first = [(A, 3, POT), (B, 3, POT), (POT, 6, A), (B, 2, A), (B, 0, POT)]
    assert [payment[:3] for payment in chips(p)] == [*first, (B, 0, POT), (POT, 0, B), (POT, 0, B)]
    assert (p.chips, p.payoff) == ((10, 0), 5)
    assert [row[1] for row in rows(p, Event.ANNOUNCE)] == ["still on"]


# ------------------------------------------------------------------------------------------------ conditionals


def test_the_otherwise_branch_is_numbered_after_the_then_branch(run: Run) -> None:
    leaf = If(PotIs("==", 0), (NoAction(),))
    p = run(game(steps(If(Leads("bob"), (leaf, leaf), (leaf,)), leaf)))
    assert [row[1:3] for row in rows(p, Event.CHECK)] == [(0, 0), (3, 1), (4, 1)]
    assert p.branches == {1, 6, 8}


def test_conditionals_are_numbered_depth_first(run: Run) -> None:
    inner = If(PotIs("==", 1), (NoAction(),), (Announce("a"),))
    outer = If(Leads("alice"), (inner, inner), (inner,), public=False)
    spec = game(
        VariableBetting("bet", "alice"),
        ActionRound("act", "bob", (Option("x", (inner,)), Option("y", (outer, inner)))),
        Observation("see", "bob", "opponent-hand", "size", trigger=InProgress()),
        steps(inner, Perform("_sub"), inner),
        steps(AddToVariable("v", 2), If(VariableIs("v", ">", 1), (Announce("b"),)), name="_sub"),
        variables=("v",),
    )
    p = run(spec, "check check y")
    # 0 bet, 1 x, 2 outer, 3 4 then, 5 otherwise, 6 after, 7 see, 8 and 9 steps, 10 sub
    checks = [(0, 1), (3, 0), (4, 0), (6, 0), (7, 1), (8, 0), (10, 1), (9, 0)]
    assert [row[1:3] for row in rows(p, Event.CHECK)] == checks
    assert p.branches == {0, 4, 7, 9, 13, 14, 17, 20, 19}
    assert [row[1] for row in rows(p, Event.PHASE)] == ["bet", "act", "see", "steps", "_sub"]
    assert rows(p, Event.VARIABLE) == [(NOBODY, "v", 2, 0, 0)]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (ChipsAre("bob", "<", 10), True),
        (ChipsAre("alice", "==", 8), False),
        (PotIs(">=", 3), True),
        (PotIs(">", 3), False),
        (DeckSizeIs("<=", 1), True),
        (HandSizeIs("alice", "==", 2), True),
        (HasHigherCard("alice"), False),
        (HasHigherCard("bob"), True),
        (HoldsRank("alice", (2, 4)), True),
        (HoldsRank("bob", (2, 3)), False),
        (HoldsSuit("alice", "H"), True),
        (HoldsSuit("bob", "S"), False),
        (BoardHasRank((3,)), True),
        (BoardHasRank((2, 4)), False),
        (VariableIs("unset", "==", 0), True),
        (Leads("bob"), False),
        (All((Leads("alice"), InProgress())), True),
        (All((Leads("alice"), Leads("bob"))), False),
        (AnyOf((Leads("bob"), Leads("alice"))), True),
        (AnyOf((Leads("bob"), Not(InProgress()))), False),
        (Not(Leads("bob")), True),
    ],
)
def test_conditions(run: Run, condition: Condition, expected: bool) -> None:
    # Ranks 2, 3, 4 in S, H: Alice has 2S 2H, Bob 4H, the board is 3S.
    setup = steps(Ante("alice", 1), Ante("bob", 2), Deal(2, "alice"), Deal(1, "bob"), DealBoard(1), Draw("alice"),
                  Discard("alice", "highest"), If(condition, (EndGame("alice"),), (EndGame("bob"),)))  # fmt: skip
    p = run(game(setup, ranks=(2, 3, 4), suits="SH", variables=("unset",)), chance=stacked(6, [0, 1, 5, 2, 4]))
    assert (p.payoff > 0) == expected


def test_an_empty_hand_is_below_every_card(run: Run) -> None:
    lucky = If(HasHigherCard("alice"), (Announce("yes"),))
    assert len(rows(run(game(steps(Deal(1, "alice"), lucky))), Event.ANNOUNCE)) == 1
    assert len(rows(run(game(steps(Deal(1, "bob"), lucky))), Event.ANNOUNCE)) == 0
    assert len(rows(run(game(steps(lucky))), Event.ANNOUNCE)) == 0
