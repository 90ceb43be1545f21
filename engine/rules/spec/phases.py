"""Phases: the nodes of the phase graph, which are lists of steps, or made from a template in which players decide."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta, Struct

from antemill.engine.rules.spec.conditions import Condition
from antemill.engine.rules.spec.steps import Draw, Peek, Steal, Step
from antemill.engine.rules.spec.values import Chips, Name, PhaseBase, Player, Traits, Visibility


class Steps(PhaseBase, frozen=True, tag="steps"):
    """Ordered steps and nothing else: set-up, antes, inter-round draws, lists of post-betting events."""

    steps: Annotated[tuple[Step, ...], Meta(min_length=1)]


class FixedBetting(PhaseBase, frozen=True, tag="fixed-betting"):
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


class VariableBetting(PhaseBase, frozen=True, tag="variable-betting"):
    """One betting round with free sizes: a bettor chooses 1 to `min(cap, stack)` chips after choosing to bet.

    If either player has no chips when the round starts (checked publicly), a fixed round with `fallback` chips and no
    raises is played instead, with decisions of its own. Otherwise as `FixedBetting` without raises.
    """

    brings: ClassVar[Traits] = frozenset({"betting", "check", "choice", "wagers"})
    opener: Player
    cap: Annotated[int, Meta(ge=1, le=10_000)] | None = None
    fallback: Annotated[int, Meta(ge=1, le=10_000)] = 1


class BettingLoop(PhaseBase, frozen=True, tag="betting-loop"):
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


class ActionRound(PhaseBase, frozen=True, tag="action-round"):
    """A player picks one of several options, `picks` times in a row.

    A position is looked up for each pick. With `public` the choice is announced, and so is the outcome of a
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


class Simultaneous(PhaseBase, frozen=True, tag="simultaneous"):
    """Both choose in secret (Alice is asked first), both choices are revealed together, then the cell resolves.

    `others` is what happens for every pair without a cell of its own.
    """

    brings: ClassVar[Traits] = frozenset({"choice", "options", "secret"})
    alice_options: Annotated[tuple[Name, ...], Meta(min_length=1, max_length=8)]
    bob_options: Annotated[tuple[Name, ...], Meta(min_length=1, max_length=8)]
    cells: tuple[Cell, ...]
    others: tuple[Step, ...] = ()


class Auction(PhaseBase, frozen=True, tag="auction"):
    """Sealed bids from 0 to `max_bid` (Alice first), clamped to the stack, then revealed; the higher wins and is paid.

    The menu ends at all chips of the game, if that is less than `max_bid`. Two zero bids: no winner. A tie of nonzero
    bids: a coin decides, publicly. If the prize cannot be performed (a draw with an empty deck, a peek or steal with an
    empty loser's hand) the auction is cancelled, publicly, and neither player pays. Otherwise the winner pays the bid
    into the pot, then receives the prize, which cannot be a private draw. No ante.
    """

    brings: ClassVar[Traits] = frozenset({"bids", "choice", "secret"})
    max_bid: Annotated[int, Meta(ge=1, le=10_000)]
    prize: Draw | Peek | Steal


class Observation(PhaseBase, frozen=True, tag="observation"):
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


class Positions(PhaseBase, frozen=True, tag="positions"):
    """The position of leader is assigned (public): by chips, top card or chance, or to the other player (alternate).

    Ties, and two hands with equal top ranks, are decided by a coin.
    """

    brings: ClassVar[Traits] = frozenset({"positions"})
    criterion: Literal["most-chips", "fewest-chips", "higher-card", "lower-card", "random", "alternate"]


class SideBet(PhaseBase, frozen=True, tag="side-bet"):
    """The player may take a one-shot wager of `amount` chips that the condition will hold at the showdown (public).

    "take" is offered to a player who has `amount` chips, "pass" always. Settled once the hands are revealed and
    before the pot is awarded, in the order of the spec's phases: the loser of the wager pays from the stack what is
    available. A game that ends earlier voids it. A side bet that is offered again is asked again, but stays with
    the player who took it first.
    """

    brings: ClassVar[Traits] = frozenset({"choice"})
    player: Player
    amount: Annotated[int, Meta(ge=1, le=10_000)]
    condition: Condition


class Showdown(PhaseBase, frozen=True, tag="showdown"):
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
