"""The rules of a generalized betting game, as plain data (GENSTRAT sections 3 and appendix A).

A `GameSpec` is a phase graph: named phases, each made of ordered steps or built from a template (a betting round,
a simultaneous round, an auction, ...). It holds no behaviour. Three readers interpret it: the compiler
(`engine.compiler.compile`), the legality checker (`engine.rules.check`) and, for the tests, a plain interpreter.
The docstrings here are the definition of the rules that all of them follow.

What a kind contains follows from the types of its fields (`engine.rules.walk`). What else several readers want to know
of a kind is declared beside it: `brings`, `plays`, `suited`, `draws`, `repeats`. A test plays games and compares.

General rules
-------------
- Two seats, Alice (0) and Bob (1). Chips live in the two stacks and the pot; their total never changes.
- `sequence` names the main phases in order. When the game ends, everything that is left is skipped.
- A payment moves what is available: `min(amount, payer's holdings)`. Nothing ever goes into debt.
- A step whose precondition is unmet (an empty hand, an empty deck) does nothing and later steps still resolve.
- Hands keep their order of arrival. A card that leaves a hand closes the gap. The card drawn from the deck at index `i`
  is replaced there by the deck's last card. (This fixes what "the i-th card" means for a chance draw.)
- The deck starts as every suit of the lowest rank, then of the next: card id = rank index * number of suits + suit
  index.
- Variables start at 0. The board is public. The discard pile is hidden unless a card enters it face up.
- Stacks, pot, deck size, positions, the score, and the variables are public at all times.

Whatever a player is told is an event with a visibility (`engine.machine.events`).
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import msgspec
from msgspec import Meta, Struct

Seat = Literal["alice", "bob"]
# "leader" and "follower" are positions (Alice leads until a Positions phase decides otherwise);
# "winner" and "loser" exist only inside an auction's prize.
Player = Literal["alice", "bob", "leader", "follower", "winner", "loser"]
Players = Literal["alice", "bob", "leader", "follower", "winner", "loser", "both"]
Account = Literal["alice", "bob", "leader", "follower", "winner", "loser", "pot"]
Comparison = Literal["<", "<=", "==", ">=", ">"]
# public: everyone sees the card. occurrence: everyone is told that it happened, the content goes to those entitled.
# private: only those entitled are told anything; others see no more than the public numbers.
Visibility = Literal["public", "occurrence", "private"]

Count = Annotated[int, Meta(ge=1, le=60)]
Chips = Annotated[int, Meta(ge=0, le=10_000)]
Name = Annotated[str, Meta(min_length=1, max_length=80)]
# What a step or a phase brings into a game, for the rules that hold wherever something does.
Trait = Literal[
    "betting",  # rounds of bets
    "bids",  # sealed amounts
    "board",  # cards face up for everyone
    "check",  # a test that no condition of the spec stands for
    "chips",  # chips that a step moves
    "choice",  # somebody decides
    "deck",  # cards that leave the deck
    "discards",  # cards that enter the discard pile
    "end",  # the game may end here, without a fold or a showdown
    "hands",  # hands that change after the deal
    "options",  # choices by name with effects
    "positions",  # a leader is assigned
    "score",  # points beside the chips
    "secret",  # choices that are revealed together
    "showdown",  # hands are compared, and the game ends
    "wagers",  # amounts of a bet
]
Traits = frozenset[Trait]

MAX_CARDS = 60
MAX_RANKS = 15
MAX_SUITS = 4


class _Node(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    """Base of every tagged struct of a spec.

    plays: the phases that are played from here, by name. suited: whether it tells suits apart.
    """

    brings: ClassVar[Traits] = frozenset()

    @property
    def suited(self) -> bool:
        return False

    @property
    def plays(self) -> tuple[str, ...]:
        return ()


class _Step(_Node, frozen=True):
    """Base of the steps. draws: how many chance draws it asks for at most."""

    @property
    def draws(self) -> int:
        return 0


class _Phase(_Node, frozen=True):
    """Base of the phases. repeats: how often what is inside is played in one visit at most."""

    name: Name

    @property
    def repeats(self) -> int:
        return 1


# ------------------------------------------------------------------------------------------------ conditions


class ChipsAre(_Node, frozen=True, tag="chips"):
    """A player's stack compares with `value`."""

    player: Player
    op: Comparison
    value: Chips


class PotIs(_Node, frozen=True, tag="pot"):
    """The pot compares with `value`."""

    op: Comparison
    value: Chips


class DeckSizeIs(_Node, frozen=True, tag="deck-size"):
    """The number of cards left in the deck compares with `value`."""

    op: Comparison
    value: Annotated[int, Meta(ge=0, le=60)]


class HandSizeIs(_Node, frozen=True, tag="hand-size"):
    """The number of cards in a player's hand compares with `value`. Reads hidden information."""

    player: Player
    op: Comparison
    value: Annotated[int, Meta(ge=0, le=60)]


class HasHigherCard(_Node, frozen=True, tag="higher-card"):
    """The player's highest rank is strictly above the other player's highest. An empty hand is below every card."""

    player: Player


class HoldsRank(_Node, frozen=True, tag="holds-rank"):
    """The player's hand has at least one card whose rank is among `ranks`."""

    player: Player
    ranks: Annotated[tuple[int, ...], Meta(min_length=1)]


class HoldsSuit(_Node, frozen=True, tag="holds-suit"):
    """The player's hand has at least one card of `suit`."""

    suited: ClassVar[bool] = True
    player: Player
    suit: str


class BoardHasRank(_Node, frozen=True, tag="board-has-rank"):
    """At least one board card's rank is among `ranks`."""

    ranks: Annotated[tuple[int, ...], Meta(min_length=1)]


class VariableIs(_Node, frozen=True, tag="variable"):
    """A variable (a betting loop's round counter, or one of the spec's own) compares with `value`."""

    variable: Name
    op: Comparison
    value: int


class Leads(_Node, frozen=True, tag="leads"):
    """The named seat holds the leader's position."""

    seat: Seat


class InProgress(_Node, frozen=True, tag="in-progress"):
    """The game has not ended. True wherever it can be evaluated, since the end skips everything that follows."""


class All(_Node, frozen=True, tag="all"):
    """Every condition holds; they are evaluated left to right."""

    conditions: Annotated[tuple[Condition, ...], Meta(min_length=1)]


class AnyOf(_Node, frozen=True, tag="any"):
    """At least one condition holds."""

    conditions: Annotated[tuple[Condition, ...], Meta(min_length=1)]


class Not(_Node, frozen=True, tag="not"):
    """The condition does not hold."""

    condition: Condition


Condition = (
    ChipsAre
    | PotIs
    | DeckSizeIs
    | HandSizeIs
    | HasHigherCard
    | HoldsRank
    | HoldsSuit
    | BoardHasRank
    | VariableIs
    | Leads
    | InProgress
    | All
    | AnyOf
    | Not
)

# ------------------------------------------------------------------------------------------------ steps


class Shuffle(_Step, frozen=True, tag="shuffle"):
    """Shuffle the deck (public).

    With `discard_pile`, the discard pile goes back into the deck first (appended in order).
    """

    discard_pile: bool = False


class Deal(_Step, frozen=True, tag="deal"):
    """Deal `count` cards face down to each named player, Alice's cards first, as many as remain if the deck is short.

    Everyone sees how many cards each player receives; each player sees only their own.
    """

    brings: ClassVar[Traits] = frozenset({"deck"})
    count: Count
    player: Players = "both"

    @property
    def draws(self) -> int:
        return self.count * (2 if self.player == "both" else 1)


class DealBoard(_Step, frozen=True, tag="deal-board"):
    """Turn `count` cards from the deck face up onto the board, as many as remain."""

    brings: ClassVar[Traits] = frozenset({"board", "deck"})
    count: Count

    @property
    def draws(self) -> int:
        return self.count


class Draw(_Step, frozen=True, tag="draw"):
    """The player ("both": Alice, then Bob) draws `count` cards from the deck, as many as remain; none left: no effect.

    Visibility public: everyone sees the cards. occurrence: everyone is told who drew how many. private: only the drawer
    is told, though the deck's new size is announced when it changed. A draw that finds the deck empty is told
    to everyone unless it is private, then to the drawer alone.
    """

    brings: ClassVar[Traits] = frozenset({"deck", "hands"})
    player: Players
    count: Count = 1
    visibility: Visibility = "occurrence"

    @property
    def draws(self) -> int:
        return self.count * (2 if self.player == "both" else 1)


class Discard(_Step, frozen=True, tag="discard"):
    """The player loses one card to the discard pile: a random one, or the first of their lowest or highest rank.

    Everyone is told that it happened; face up, everyone sees the card, else only its owner. Empty hand: no effect, and
    nobody is told.
    """

    brings: ClassVar[Traits] = frozenset({"discards", "hands"})
    draws: ClassVar[int] = 1
    player: Player
    which: Literal["random", "lowest", "highest"] = "random"
    face_up: bool = False


class Ante(_Step, frozen=True, tag="ante"):
    """Each named player pays `amount` into the pot (Alice first)."""

    brings: ClassVar[Traits] = frozenset({"chips"})
    player: Players
    amount: Annotated[int, Meta(ge=1, le=10_000)]


class Transfer(_Step, frozen=True, tag="transfer"):
    """`amount` chips move from one account to another: player to player, player to pot, or pot to player."""

    brings: ClassVar[Traits] = frozenset({"chips"})
    source: Account
    target: Account
    amount: Annotated[int, Meta(ge=1, le=10_000)]


class TakePot(_Step, frozen=True, tag="take-pot"):
    """The player receives the whole pot. The game goes on."""

    brings: ClassVar[Traits] = frozenset({"chips"})
    player: Player


class Score(_Step, frozen=True, tag="score"):
    """The player's score rises by `amount` and the opponent's falls by as much (public).

    The paper names the action without saying what it does. Our reading: a chip-equivalent settled outside the stacks,
    so that both the chip total and the zero sum hold. The score counts in the final payoff.
    """

    brings: ClassVar[Traits] = frozenset({"score"})
    player: Player
    amount: Annotated[int, Meta(ge=1, le=10_000)]


class Peek(_Step, frozen=True, tag="peek"):
    """The player looks at one uniformly random card of the opponent's hand; it stays there.

    Visibility private: only the peeker is told. occurrence: everyone is told that a peek happened, the peeker sees the
    card. public: everyone sees the card. An empty hand: whoever would have seen the card sees that there is none.
    """

    draws: ClassVar[int] = 1
    player: Player
    visibility: Visibility = "private"


class Swap(_Step, frozen=True, tag="swap"):
    """A random card of the player changes places with a random card of the opponent; the player's is picked first.

    Each card arrives as the last of its new hand. Both players see both cards. If either hand is empty: no effect,
    and everyone is told.
    """

    brings: ClassVar[Traits] = frozenset({"hands"})
    draws: ClassVar[int] = 2
    player: Player


class Steal(_Step, frozen=True, tag="steal"):
    """The player takes a random card from the opponent's hand.

    Both see it. Empty hand: no effect, and everyone is told.
    """

    brings: ClassVar[Traits] = frozenset({"hands"})
    draws: ClassVar[int] = 1
    player: Player


class Reveal(_Step, frozen=True, tag="reveal"):
    """Cards of the player's hand are shown to everyone and stay in the hand: a random one, the first highest, or all.

    Empty hand: no effect, and everyone is told.
    """

    draws: ClassVar[int] = 1
    player: Player
    which: Literal["random", "highest", "all"] = "random"


class Announce(_Step, frozen=True, tag="announce"):
    """Everyone is told `text`. Nothing changes."""

    text: Annotated[str, Meta(min_length=1, max_length=400)]


class AddToVariable(_Step, frozen=True, tag="add"):
    """The variable changes by `amount` (public)."""

    variable: Name
    amount: int


class If(_Step, frozen=True, tag="if"):
    """`then` when the condition holds, else `otherwise`.

    A public check is announced with its result. A private one is not, though its effects may give it away.
    """

    condition: Condition
    then: tuple[Step, ...]
    otherwise: tuple[Step, ...] = ()
    public: bool = True


class Perform(_Step, frozen=True, tag="perform"):
    """Play the named phase, then continue here."""

    phase: Name

    @property
    def plays(self) -> tuple[str, ...]:
        return (self.phase,)


class EndGame(_Step, frozen=True, tag="end-game"):
    """The game ends now. The winner receives the pot; without one the pot is split as in a showdown tie."""

    brings: ClassVar[Traits] = frozenset({"end"})
    winner: Player | None = None


class NoAction(_Step, frozen=True, tag="no-action"):
    """Nothing happens."""


Step = (
    Shuffle
    | Deal
    | DealBoard
    | Draw
    | Discard
    | Ante
    | Transfer
    | TakePot
    | Score
    | Peek
    | Swap
    | Steal
    | Reveal
    | Announce
    | AddToVariable
    | If
    | Perform
    | EndGame
    | NoAction
)

# ------------------------------------------------------------------------------------------------ phases


class Steps(_Phase, frozen=True, tag="steps"):
    """Ordered steps and nothing else: set-up, antes, inter-round draws, lists of post-betting events."""

    steps: Annotated[tuple[Step, ...], Meta(min_length=1)]


class FixedBetting(_Phase, frozen=True, tag="fixed-betting"):
    """One betting round with a fixed size (bet or check, then fold or call; after a check the other may bet).

    A bet pays `min(amount, stack)` and is not offered with an empty stack. Facing a bet: fold (the bettor takes the
    pot, the game ends), call, or raise while fewer than `raises` raises were made and the stack exceeds what is owed;
    menus list fold, call, raise in that order. A call pays `min(owed, stack)`; what the caller could not match goes
    back to the bettor from the pot. A raise pays `min(owed + amount, stack)`; the other then owes the excess.
    """

    brings: ClassVar[Traits] = frozenset({"betting", "choice"})
    opener: Player
    amount: Annotated[int, Meta(ge=1, le=10_000)]
    raises: Annotated[int, Meta(ge=0, le=4)] = 0


class VariableBetting(_Phase, frozen=True, tag="variable-betting"):
    """One betting round with free sizes: a bettor chooses 1 to `min(cap, stack)` chips after choosing to bet.

    If either player has no chips when the round starts (checked publicly), a fixed round with `fallback` chips and no
    raises is played instead, with decisions of its own. Otherwise as `FixedBetting` without raises.
    """

    brings: ClassVar[Traits] = frozenset({"betting", "check", "choice", "wagers"})
    opener: Player
    cap: Annotated[int, Meta(ge=1, le=10_000)] | None = None
    fallback: Annotated[int, Meta(ge=1, le=10_000)] = 1


class BettingLoop(_Phase, frozen=True, tag="betting-loop"):
    """Up to `cap` betting rounds.

    `counter` starts at 0 when the loop is entered and rises by 1 after each round (public).

    Before every round, the first included: stop if the counter reached `cap` or either player has `stop_at` chips or
    fewer. Then, from the second round on, the steps `between`; then betting phase number `counter` of `rounds`
    (the last one serves all later rounds).
    """

    counter: Name
    cap: Annotated[int, Meta(ge=1, le=20)]
    stop_at: Chips
    rounds: Annotated[tuple[Name, ...], Meta(min_length=1)]
    between: tuple[Step, ...] = ()

    @property
    def repeats(self) -> int:
        return self.cap

    @property
    def plays(self) -> tuple[str, ...]:
        return self.rounds


class Cost(Struct, frozen=True, forbid_unknown_fields=True):
    """What an option costs, paid to the pot before its effect.

    `odds` None: a stated cost; the option is not offered to a player who cannot afford it. `odds` (k, n): the player
    commits, then with probability k/n owes `amount`; one who cannot pay in full pays nothing, and the effect is
    skipped.
    """

    amount: Annotated[int, Meta(ge=1, le=10_000)]
    odds: tuple[int, int] | None = None


class Option(Struct, frozen=True, forbid_unknown_fields=True):
    """One entry of an action round's menu."""

    name: Name
    steps: tuple[Step, ...] = ()
    cost: Cost | None = None


class ActionRound(_Phase, frozen=True, tag="action-round"):
    """A player picks one of several options, `picks` times in a row.

    A position is looked up anew for each pick. With `public` the choice is announced, and so is the outcome of a
    probabilistic cost; otherwise only the player is told, though chips that move are always seen. Options stay listed
    when their effect would do nothing.
    """

    brings: ClassVar[Traits] = frozenset({"choice", "options"})
    player: Player
    options: Annotated[tuple[Option, ...], Meta(min_length=1, max_length=16)]
    public: bool = True
    picks: Annotated[int, Meta(ge=1, le=4)] = 1

    @property
    def repeats(self) -> int:
        return self.picks


class Cell(Struct, frozen=True, forbid_unknown_fields=True):
    """What happens for one pair of simultaneous choices."""

    alice: Name
    bob: Name
    steps: tuple[Step, ...]


class Simultaneous(_Phase, frozen=True, tag="simultaneous"):
    """Both choose in secret (Alice is asked first), both choices are revealed together, then the cell resolves.

    `others` is what happens for every pair without a cell of its own.
    """

    brings: ClassVar[Traits] = frozenset({"choice", "options", "secret"})
    alice_options: Annotated[tuple[Name, ...], Meta(min_length=1, max_length=8)]
    bob_options: Annotated[tuple[Name, ...], Meta(min_length=1, max_length=8)]
    cells: tuple[Cell, ...]
    others: tuple[Step, ...] = ()


class Auction(_Phase, frozen=True, tag="auction"):
    """Sealed bids from 0 to `max_bid` (Alice first), clamped to the stack, then revealed; the higher wins and is paid.

    The menu ends at all chips of the game, if that is less than `max_bid`. Two zero bids: no winner. A tie of nonzero
    bids: a coin decides, publicly. If the prize cannot be performed (a draw with an empty deck, a peek or steal with an
    empty loser's hand) the auction is cancelled, publicly, and nobody pays. Otherwise the winner pays the bid into the
    pot, then receives the prize, which can not be a private draw. No ante.
    """

    brings: ClassVar[Traits] = frozenset({"bids", "choice", "secret"})
    max_bid: Annotated[int, Meta(ge=1, le=10_000)]
    prize: Draw | Peek | Steal


class Observation(_Phase, frozen=True, tag="observation"):
    """The viewer receives a signal, if the trigger holds (checked publicly if `trigger_public`; None: always).

    `subject` is a uniformly random card of the opponent's hand or of the deck, or the opponent's hand as a whole.
    `signal` says what of it is seen: for a card its identity or its suit; for the hand its highest rank (0 if empty)
    or its size. An empty pile: as for `Peek`. The visibility is as for `Peek`.
    """

    viewer: Player
    subject: Literal["opponent-card", "deck-card", "opponent-hand"]
    signal: Literal["card", "suit", "top-rank", "size"]
    visibility: Visibility = "private"
    trigger: Condition | None = None
    trigger_public: bool = True

    @property
    def suited(self) -> bool:
        return self.signal == "suit"


class Positions(_Phase, frozen=True, tag="positions"):
    """The position of leader is assigned (public): by chips, top card or chance, or to the other player (alternate).

    Ties, and two hands with equal top ranks, are decided by a coin.
    """

    brings: ClassVar[Traits] = frozenset({"positions"})
    criterion: Literal["most-chips", "fewest-chips", "higher-card", "lower-card", "random", "alternate"]


class SideBet(_Phase, frozen=True, tag="side-bet"):
    """The player may take a one-shot wager of `amount` chips that the condition will hold at the showdown (public).

    "take" is offered to a player who has `amount` chips, "pass" always. Settled once the hands are revealed and
    before the pot is awarded, in the order of the spec's phases: the loser of the wager pays from the stack what is
    available. A game that ends earlier voids it. A side bet that is offered again is asked again, but stays with
    whoever took it first.
    """

    brings: ClassVar[Traits] = frozenset({"choice"})
    player: Player
    amount: Annotated[int, Meta(ge=1, le=10_000)]
    condition: Condition


class Showdown(_Phase, frozen=True, tag="showdown"):
    """Both hands are revealed, side bets are settled, the better hand takes the pot, the game ends.

    Metrics, on the hand plus, with `board`, the board:
    - high: ranks from the top; the first difference decides; who runs out first loses; two empty hands tie.
    - low: ranks from the bottom; the lower first difference wins; who runs out first loses.
    - sum: the larger sum of ranks.
    - suits: the larger count of a single suit, then high.
    - pairs: the higher rank held at least twice (none is lowest), then high.
    A tie splits the pot: half each, rounded down, the odd chip to a random player.
    """

    brings: ClassVar[Traits] = frozenset({"showdown"})
    metric: Literal["high", "low", "sum", "suits", "pairs"] = "high"
    board: bool = False

    @property
    def suited(self) -> bool:
        return self.metric == "suits"


Phase = (
    Steps
    | FixedBetting
    | VariableBetting
    | BettingLoop
    | ActionRound
    | Simultaneous
    | Auction
    | Observation
    | Positions
    | SideBet
    | Showdown
)

# ------------------------------------------------------------------------------------------------ the game


class Deck(Struct, frozen=True, forbid_unknown_fields=True):
    """One card of every rank in every suit. Ranks are their values in ascending order (J=11, Q=12, K=13, A=14)."""

    ranks: Annotated[tuple[int, ...], Meta(min_length=1, max_length=MAX_RANKS)]
    suits: Annotated[tuple[str, ...], Meta(min_length=1, max_length=MAX_SUITS)]


class GameSpec(Struct, frozen=True, forbid_unknown_fields=True):
    """A whole game.

    `phases` is the graph's set of nodes in a fixed order; `sequence` names the main phases as played.
    """

    name: Name
    deck: Deck
    chips: Annotated[int, Meta(ge=1, le=10_000)]
    phases: Annotated[tuple[Phase, ...], Meta(min_length=1)]
    sequence: Annotated[tuple[Name, ...], Meta(min_length=1)]
    variables: tuple[Name, ...] = ()
    version: Literal[1] = 1

    def phase(self, name: str) -> Phase:
        """The phase called `name`; KeyError if there is none."""
        for phase in self.phases:
            if phase.name == name:
                return phase
        raise KeyError(name)


_decoder = msgspec.json.Decoder(GameSpec)
_encoder = msgspec.json.Encoder()


def to_json(spec: GameSpec) -> bytes:
    """The spec as compact JSON; `from_json` gives back an equal spec."""
    return _encoder.encode(spec)


def from_json(data: bytes | str) -> GameSpec:
    """Read a spec. Raises `msgspec.ValidationError` or `msgspec.DecodeError` with the path of what is wrong."""
    return _decoder.decode(data)
