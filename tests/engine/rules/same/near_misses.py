"""Pairs of games that differ in one thing that matters: a form that forgot it would take them for the same."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from antemill.engine.rules.spec import (
    ActionRound,
    AddToVariable,
    Announce,
    Ante,
    Auction,
    BettingLoop,
    BoardHasRank,
    ChipsAre,
    Cost,
    Deal,
    DealBoard,
    Deck,
    DeckSizeIs,
    Discard,
    Draw,
    FixedBetting,
    GameSpec,
    HasHigherCard,
    HoldsRank,
    HoldsSuit,
    If,
    Observation,
    Option,
    Peek,
    Perform,
    Positions,
    PotIs,
    Reveal,
    Showdown,
    Shuffle,
    SideBet,
    Steps,
    TakePot,
    Transfer,
    VariableBetting,
    VariableIs,
)
from antemill.engine.rules.walk import walk

THREE = Deck((11, 12, 13), ("hearts",))
FOUR = Deck((1, 2, 4, 5), ("hearts",))
PAIRED = Deck((11, 12, 13), ("hearts", "spades"))


def game(
    *phases: Any,
    deck: Deck = THREE,
    chips: int = 9,
    deal: int = 1,
    metric: Any = "high",
    board: bool = False,
    ante: int = 1,
    inner: tuple[Any, ...] = (),
) -> GameSpec:
    """Cards, antes, the phases in their order, a showdown. inner: phases that others perform or loop over."""
    main = (
        Steps("Setup", (Shuffle(), Deal(deal))),
        Steps("Ante", (Ante("both", ante),)),
        *phases,
        Showdown("Showdown", metric, board),
    )
    every = tuple({phase.name: phase for phase in (*main, *inner)}.values())
    spec = GameSpec("Game", deck, chips, every, tuple(phase.name for phase in main))
    used = {node.variable for _, node in walk(spec) if isinstance(node, AddToVariable | VariableIs)}
    counters = {phase.counter for phase in every if isinstance(phase, BettingLoop)}
    return replace(spec, variables=tuple(sorted(used | counters)))


BET = FixedBetting("Bet", "alice", 2)


def steps(*listed: Any, name: str = "Steps") -> Steps:
    return Steps(name, listed)


def _free(cap: int | None) -> VariableBetting:
    return VariableBetting("Bet", "alice", cap)


def _loop(stop: int) -> GameSpec:
    return game(BettingLoop("Loop", "counter", 2, stop, ("Bet",)), inner=(BET,))


def _higher(metric: Any) -> GameSpec:
    return game(steps(If(HasHigherCard("alice"), (Transfer("bob", "alice", 1),))), BET, metric=metric)


def _ask(*options: Option, public: bool = True, picks: int = 1) -> ActionRound:
    return ActionRound("Ask", "alice", options, public, picks)


def _wagers(*order: str) -> GameSpec:
    """Alice has 1 chip left when a wager of 2 and one of 1 are settled, in the order of the list of phases."""
    bets = {
        "King": SideBet("King", "alice", 2, HoldsRank("alice", (13,))),
        "Jack": SideBet("Jack", "alice", 1, HoldsRank("bob", (11, 12))),
    }
    spec = game(*bets.values(), steps(Transfer("alice", "bob", 1)), chips=3)
    others = tuple(phase for phase in spec.phases if phase.name not in bets)
    return replace(spec, phases=(*others, *(bets[name] for name in order)))


def _played_again(cap: int | None) -> GameSpec:
    again = steps(Perform("Bet"), name="Again")
    return game(_free(cap), steps(Transfer("pot", "bob", 2)), again, deck=Deck((1, 2), ("a",)), chips=4)


def _two_ways(cap: int | None) -> GameSpec:
    """One round, played with equal stacks of 3 or, if an ante was paid before, of 2."""
    ways = If(HoldsRank("alice", (13,)), (Perform("Bet"),), (Ante("both", 1), Perform("Bet")))
    return game(steps(ways), chips=4, inner=(_free(cap),))


def _in_round(number: int) -> GameSpec:
    """In one round of a loop, Bob takes the pot."""
    between = If(VariableIs("counter", "==", number), (TakePot("bob"),))
    return game(BettingLoop("Loop", "counter", 3, 0, ("Bet",), (between,)), inner=(BET,))


def _suits(*asked: str) -> GameSpec:
    wagers = (SideBet(f"Wager {i}", "alice", 1, HoldsSuit("alice", suit)) for i, suit in enumerate(asked))
    return game(*wagers, deck=PAIRED)


def _units(unit: int) -> GameSpec:
    return game(steps(Ante("alice", unit)), replace(BET, amount=unit), deck=PAIRED, chips=50, ante=unit)


def _said(told: str, otherwise: str) -> GameSpec:
    """In secret it is checked whether Bob is ahead, and something is said in either case."""
    return game(steps(If(HasHigherCard("bob"), (Announce(told),), (Announce(otherwise),), public=False)), BET)


def _check(public: bool) -> GameSpec:
    return game(steps(If(HasHigherCard("bob"), (), (Peek("alice"),), public=public)), BET)


_LOSE = Discard("alice", face_up=True)
_PEEK = Option("peek", (Peek("alice", "private"),))
_SEEN_PEEK = Option("peek", (Peek("alice", "occurrence"),))
_WAIT = Option("wait")

PAIRS: dict[str, tuple[GameSpec, GameSpec]] = {
    "a cap below a stack that has grown": (
        game(steps(Transfer("alice", "bob", 3)), _free(None)),
        game(steps(Transfer("alice", "bob", 3)), _free(8)),
    ),
    "a cap in a round that is played again": (_played_again(None), _played_again(3)),
    "a cap in a round that is played in two ways": (_two_ways(None), _two_ways(2)),
    "raises that a stack can pay": (game(FixedBetting("Bet", "alice", 2, 1)), game(FixedBetting("Bet", "alice", 2, 2))),
    "which cards win, if another rule reads their order": (_higher("high"), _higher("low")),
    "when a loop stops": (_loop(5), _loop(6)),
    "whether a role or a seat opens": (
        game(Positions("Lead", "random"), BET),
        game(Positions("Lead", "random"), replace(BET, opener="leader")),
    ),
    "how a role is assigned": (
        game(Positions("Lead", "random"), replace(BET, opener="leader")),
        game(Positions("Lead", "alternate"), replace(BET, opener="leader")),
    ),
    "what all ranks have in common, if hands differ in size": (
        game(steps(Draw("alice")), BET, deck=FOUR, metric="sum"),
        game(steps(Draw("alice")), BET, deck=Deck((11, 12, 14, 15), ("hearts",)), metric="sum"),
    ),
    "cards drawn after the last choice": (game(BET, deck=FOUR), game(BET, steps(Draw("both")), deck=FOUR)),
    "chips moved after the last choice": (
        game(BET),
        game(BET, steps(If(HoldsRank("alice", (13,)), (TakePot("bob"),)))),
    ),
    "a board that a side bet reads": (
        game(BET, SideBet("Wager", "alice", 1, BoardHasRank((13,))), steps(DealBoard(1))),
        game(BET, steps(DealBoard(1), name="First"), SideBet("Wager", "alice", 1, BoardHasRank((13,)))),
    ),
    "the order in which wagers are settled": (_wagers("King", "Jack"), _wagers("Jack", "King")),
    "the odds of a cost": (
        game(_ask(Option("try", (TakePot("alice"),), Cost(1, (1, 2))), _WAIT), BET),
        game(_ask(Option("try", (TakePot("alice"),), Cost(1, (1, 3))), _WAIT), BET),
    ),
    "whether a secret choice is given away": (
        game(_ask(_PEEK, _WAIT, public=False), BET),
        game(_ask(_SEEN_PEEK, _WAIT, public=False), BET),
    ),
    "whether a choice is secret": (game(_ask(_PEEK, _WAIT, public=False), BET), game(_ask(_PEEK, _WAIT), BET)),
    "how often a player chooses": (
        game(_ask(Option("pay", (Ante("alice", 1),)), _WAIT), BET),
        game(_ask(Option("pay", (Ante("alice", 1),)), _WAIT, picks=2), BET),
    ),
    "whether discards come back": (
        game(steps(_LOSE, Shuffle(discard_pile=True), Draw("bob")), BET),
        game(steps(_LOSE, Shuffle(), Draw("bob")), BET),
    ),
    "which card is discarded": (
        game(steps(Discard("alice", "lowest")), BET, deck=FOUR, deal=2),
        game(steps(Discard("alice", "highest")), BET, deck=FOUR, deal=2),
    ),
    "a variable that is read": (
        game(steps(AddToVariable("heat", 1), If(VariableIs("heat", "==", 1), (TakePot("alice"),))), BET),
        game(steps(If(VariableIs("heat", "==", 1), (TakePot("alice"),)), AddToVariable("heat", 1)), BET),
    ),
    "the round of a loop": (_in_round(1), _in_round(2)),
    "what is said where it tells something": (_said("He is ahead.", "He is not."), _said("Hm.", "Hm.")),
    "whether a check is told": (_check(True), _check(False)),
    "a hidden check of which only the result counts": (
        game(BET),
        game(steps(If(HasHigherCard("bob"), (AddToVariable("heat", 1),))), BET),
    ),
    "what a board makes of hands": (
        game(steps(DealBoard(1)), BET, deck=PAIRED, metric="pairs", board=True),
        game(steps(DealBoard(1)), BET, deck=PAIRED, metric="pairs"),
    ),
    "which suit is asked for twice": (_suits("hearts", "hearts"), _suits("hearts", "spades")),
    "what is seen of a card": (
        game(Observation("Look", "bob", "opponent-card", "card"), BET, deck=PAIRED, metric="suits", deal=2),
        game(Observation("Look", "bob", "opponent-card", "suit"), BET, deck=PAIRED, metric="suits", deal=2),
    ),
    "who sees a card of several": (
        game(steps(Peek("bob", "occurrence")), BET, deck=FOUR, deal=2),
        game(steps(Peek("bob", "public")), BET, deck=FOUR, deal=2),
    ),
    "how much is shown of several cards": (
        game(steps(Reveal("alice")), BET, deck=FOUR, deal=2),
        game(steps(Reveal("alice", "highest")), BET, deck=FOUR, deal=2),
    ),
    "where a stack is compared": (
        game(BET, steps(If(ChipsAre("bob", ">", 6), (TakePot("bob"),)))),
        game(BET, steps(If(ChipsAre("bob", ">", 5), (TakePot("bob"),)))),
    ),
    "where the pot is compared": (
        game(BET, steps(If(PotIs(">", 2), (TakePot("bob"),)))),
        game(BET, steps(If(PotIs(">", 6), (TakePot("bob"),)))),
    ),
    "where the deck is compared": (
        game(steps(If(DeckSizeIs(">", 0), (TakePot("bob"),))), BET),
        game(steps(If(DeckSizeIs(">", 1), (TakePot("bob"),))), BET),
    ),
    "an auction's largest bid": (
        game(Auction("Sale", 1, Draw("winner")), BET, deck=FOUR, chips=4),
        game(Auction("Sale", 2, Draw("winner")), BET, deck=FOUR, chips=4),
    ),
    "copies of the cards": (game(BET), game(BET, deck=PAIRED)),
    "ranks": (game(BET), game(BET, deck=FOUR)),
    "chips in units of which one may be odd": (_units(1), _units(3)),
}
