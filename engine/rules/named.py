"""Named games: Kuhn poker, Leduc poker, and the sample game of GENSTRAT's appendix B (its seed 4643)."""

from __future__ import annotations

from collections.abc import Callable

from antemill.engine.rules.spec import (
    Announce,
    Ante,
    Auction,
    BettingLoop,
    Cell,
    Deal,
    DealBoard,
    Deck,
    DeckSizeIs,
    Draw,
    FixedBetting,
    GameSpec,
    HasHigherCard,
    HoldsRank,
    If,
    NoAction,
    Peek,
    Perform,
    PotIs,
    Showdown,
    Shuffle,
    Simultaneous,
    Step,
    Steps,
    Transfer,
    VariableBetting,
)

JACK, QUEEN, KING = 11, 12, 13


def kuhn() -> GameSpec:
    """Kuhn poker: J Q K, one card each, ante 1, one round with bets of 1. Worth -1/18 to Alice."""
    return GameSpec(
        name="Kuhn poker",
        deck=Deck(ranks=(JACK, QUEEN, KING), suits=("hearts",)),
        chips=2,
        phases=(
            _setup(),
            Steps("Ante", (Ante("both", 1),)),
            FixedBetting("Betting", opener="alice", amount=1),
            Showdown("Showdown"),
        ),
        sequence=("Setup", "Ante", "Betting", "Showdown"),
    )


def leduc() -> GameSpec:
    """Leduc poker: J Q K in two suits, one card each, one on the board; bets of 2, then of 4, one raise a round.

    With 13 chips (1 + 2 * 2 + 2 * 4) the highest betting empties the stacks exactly, so no player is ever short. Alice
    opens both rounds.
    """
    return GameSpec(
        name="Leduc poker",
        deck=Deck(ranks=(JACK, QUEEN, KING), suits=("hearts", "spades")),
        chips=13,
        phases=(
            _setup(),
            Steps("Ante", (Ante("both", 1),)),
            BettingLoop(
                "Betting",
                counter="bet round",
                cap=2,
                stop_at=0,
                rounds=("First round", "Second round"),
                between=(DealBoard(1),),
            ),
            FixedBetting("First round", opener="alice", amount=2, raises=1),
            FixedBetting("Second round", opener="alice", amount=4, raises=1),
            Showdown("Showdown", metric="pairs", board=True),
        ),
        sequence=("Setup", "Ante", "Betting", "Showdown"),
        variables=("bet round",),
    )


def appendix_b() -> GameSpec:
    """The paper's game of seed 4643, transcribed from its rulebook. Our builder draws another game from this seed.

    Two conditions of the rulebook are rules of every betting loop here: events between rounds need a round counter
    above 0, and the first round is the variable one. Both players know of Bob's draw after the post-betting round, but
    only he sees the card, which is the visibility "occurrence". The auction's draw has it too: its winner is public.
    """
    return GameSpec(
        name="Appendix B (seed 4643)",
        deck=Deck(ranks=(JACK, QUEEN, KING), suits=("hearts",)),
        chips=10,
        phases=(
            _setup(),
            Steps("Ante Phase", (Ante("alice", 2), Ante("bob", 2))),
            BettingLoop(
                "Betting Phase",
                counter="bet round",
                cap=2,
                stop_at=2,
                rounds=("Variable Betting Round (Round 1)", "Fixed Betting Round (Round 2)"),
                between=(Perform("Inter-Round Draw"), Perform("Simultaneous Round (inter-round)")),
            ),
            Steps("Inter-Round Draw", (_inter_round_draw(),)),
            _hold_or_parry("Simultaneous Round (inter-round)"),
            VariableBetting("Variable Betting Round (Round 1)", opener="alice", fallback=1),
            FixedBetting("Fixed Betting Round (Round 2)", opener="alice", amount=1),
            Steps(
                "Post-Betting Phase",
                (
                    If(PotIs(">", 2), (Perform("Simultaneous Round (post-betting)"),)),
                    If(HoldsRank("alice", (KING,)), (Perform("Auction Round: Card Draw (post-betting)"),)),
                ),
            ),
            _press_or_retreat("Simultaneous Round (post-betting)"),
            Auction("Auction Round: Card Draw (post-betting)", max_bid=3, prize=Draw("winner")),
            Showdown("Showdown"),
        ),
        sequence=("Setup", "Ante Phase", "Betting Phase", "Post-Betting Phase", "Showdown"),
        variables=("bet round",),
    )


def _setup() -> Steps:
    return Steps("Setup", (Shuffle(), Deal(1)))


def _inter_round_draw() -> Step:
    skipped = Announce("The deck has fewer than two cards left, so nobody draws between the rounds.")
    return If(DeckSizeIs(">=", 2), (Draw("both", visibility="private"),), (skipped,))


def _hold_or_parry(name: str) -> Simultaneous:
    to_bob, to_alice = Transfer("alice", "bob", 1), Transfer("bob", "alice", 1)
    showing = If(HasHigherCard("bob"), (Transfer("alice", "bob", 3),), (to_alice,), public=False)
    peeking = If(HoldsRank("bob", (JACK, KING)), (Peek("alice"), to_bob), (Peek("alice"), to_alice), public=False)
    return Simultaneous(
        name,
        alice_options=("Hold", "Parry"),
        bob_options=("Hold", "Parry"),
        cells=(
            Cell("Hold", "Parry", (showing,)),
            Cell("Parry", "Hold", (to_alice,)),
            Cell("Parry", "Parry", (NoAction(),)),
            Cell("Hold", "Hold", (peeking,)),
        ),
    )


def _press_or_retreat(name: str) -> Simultaneous:
    showing = If(HasHigherCard("alice"), (Transfer("bob", "alice", 2),), (Transfer("alice", "bob", 1),), public=False)
    return Simultaneous(
        name,
        alice_options=("Press", "Retreat"),
        bob_options=("Press", "Retreat"),
        cells=(
            Cell("Press", "Retreat", (Peek("bob", visibility="occurrence"),)),
            Cell("Retreat", "Press", (showing,)),
        ),
        others=(Draw("bob"),),
    )


# The functions that make the games, by name.
NAMED: dict[str, Callable[[], GameSpec]] = {"kuhn": kuhn, "leduc": leduc, "appendix-b": appendix_b}
