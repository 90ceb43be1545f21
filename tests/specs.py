"""Specs for tests, beside the named games of `antemill.engine.rules.named`."""

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
    Steps,
    Swap,
    TakePot,
    Transfer,
    VariableBetting,
    VariableIs,
)


def every_construct() -> GameSpec:
    """A legal game that uses every phase, step and condition, and most of their settings.

    Random play reaches every branch and every phase; small stacks make players short and bring the fallbacks about.
    """
    return GameSpec(
        name="Every construct",
        deck=Deck(ranks=(9, 10, 11, 12, 14), suits=("hearts", "spades")),
        chips=9,
        phases=(*_opening(), *_betting(), *_exchange(), *_closing()),
        sequence=(
            *("Setup", "Antes", "First lead", "Scout", "Exchange", "Watch", "Trade", "Measure", "Second lead", "Wager"),
            *("Auction for a card", "Auction for a look", "Auction for theft", "Glimpse", "Hedge", "Betting"),
            *("Events", "Third lead", "Showdown"),
        ),
        variables=("bet round", "heat"),
    )


def _opening() -> tuple[Phase, ...]:
    return (
        Steps("Setup", (Shuffle(), Deal(2), Deal(1, "alice"), DealBoard(1))),
        Steps("Antes", (Ante("both", 1), Ante("bob", 1))),
        Positions("First lead", "higher-card"),
    )


def _betting() -> tuple[Phase, ...]:
    between = (
        Ante("both", 1),
        If(DeckSizeIs(">=", 2), (Draw("both", visibility="private"),), (Announce("Too few cards are left."),)),
        If(VariableIs("bet round", "==", 2), (Perform("Swap lead"),)),
    )
    return (
        BettingLoop(
            "Betting", counter="bet round", cap=3, stop_at=0, rounds=("Fixed bets", "Free bets"), between=between
        ),
        VariableBetting("Free bets", opener="leader", cap=3, fallback=2),
        FixedBetting("Fixed bets", opener="follower", amount=2, raises=2),
        VariableBetting("Last chance", opener="bob"),
        Positions("Swap lead", "alternate"),
    )


def _exchange() -> tuple[Phase, ...]:
    hot = If(VariableIs("heat", ">=", 2), (Score("leader", 2),), (NoAction(),), public=False)
    richer = All((ChipsAre("leader", ">", 3), Not(Leads("bob"))))
    return (
        ActionRound(
            "Exchange",
            player="leader",
            options=(
                Option("swap", (Swap("leader"), AddToVariable("heat", 1)), Cost(1)),
                Option("steal", (Steal("leader"), AddToVariable("heat", 2)), Cost(2, odds=(1, 3))),
                Option("throw away", (Discard("leader", "lowest"), hot)),
                Option("wait"),
            ),
            picks=2,
        ),
        ActionRound(
            "Trade",
            player="follower",
            options=(
                Option("draw", (Draw("follower", visibility="private"),), Cost(1, odds=(1, 2))),
                Option("peek", (Peek("follower"),), Cost(1)),
                Option("discard", (Discard("follower", "random", face_up=True), AddToVariable("heat", -1))),
                Option("pass", (If(richer, (Transfer("leader", "follower", 1),), public=False),)),
            ),
            public=False,
        ),
        Auction("Auction for a card", max_bid=3, prize=Draw("winner", count=2)),
        Auction("Auction for a look", max_bid=2, prize=Peek("winner", "occurrence")),
        Auction("Auction for theft", max_bid=1, prize=Steal("winner")),
        Simultaneous(
            "Duel",
            alice_options=("strike", "guard", "flee"),
            bob_options=("strike", "guard"),
            cells=(
                Cell("strike", "strike", (Transfer("alice", "pot", 1), Transfer("bob", "pot", 1))),
                Cell("strike", "guard", (If(HasHigherCard("bob"), (Transfer("alice", "bob", 2),), public=False),)),
                Cell("flee", "strike", (Reveal("alice", "highest"), Transfer("pot", "bob", 1))),
                Cell("guard", "guard", ()),
            ),
            others=(Peek("bob", "public"), Draw("bob", visibility="public")),
        ),
    )


def _closing() -> tuple[Phase, ...]:
    strong = AnyOf((HoldsRank("alice", (12, 14)), HandSizeIs("alice", "<", 2)))
    rout = All((ChipsAre("bob", "==", 0), InProgress(), BoardHasRank((9, 14))))
    events = (
        If(ChipsAre("bob", ">", 2), (Perform("Duel"),), (Perform("Last chance"),)),
        If(strong, (Reveal("alice"), Discard("bob", "highest"))),
        If(HoldsRank("bob", (9,)), (Reveal("bob", "all"), Shuffle(discard_pile=True), DealBoard(1)), public=False),
        If(rout, (TakePot("alice"), EndGame("alice"))),
        If(PotIs(">=", 14), (EndGame(),)),
    )
    return (
        Observation("Scout", viewer="alice", subject="opponent-card", signal="card"),
        Observation(
            "Watch",
            viewer="bob",
            subject="deck-card",
            signal="suit",
            visibility="occurrence",
            trigger=HoldsSuit("alice", "spades"),
        ),
        Observation(
            "Measure",
            viewer="follower",
            subject="opponent-hand",
            signal="size",
            visibility="public",
            trigger=HasHigherCard("leader"),
            trigger_public=False,
        ),
        Observation("Glimpse", viewer="leader", subject="opponent-hand", signal="top-rank"),
        Positions("Second lead", "most-chips"),
        SideBet("Wager", player="alice", amount=1, condition=HasHigherCard("alice")),
        SideBet("Hedge", player="follower", amount=2, condition=AnyOf((PotIs(">", 8), HoldsSuit("bob", "hearts")))),
        Steps("Events", events),
        Positions("Third lead", "random"),
        Showdown("Showdown", metric="pairs", board=True),
    )
