"""Phases: the nodes of the phase graph. A phase is a list of steps, or a template in which players decide."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta, Struct

from antemill.engine.rules.spec.conditions import Condition
from antemill.engine.rules.spec.steps import Draw, Peek, Steal, Step
from antemill.engine.rules.spec.values import (
    Chips,
    Name,
    PhaseBase,
    PhaseName,
    Player,
    Stake,
    Traits,
    VariableName,
    Visibility,
)


class Steps(PhaseBase, frozen=True, tag="steps"):
    """Steps in order: set-up, antes, draws between rounds, lists of events after the betting."""

    steps: Annotated[tuple[Step, ...], Meta(min_length=1)]


class FixedBetting(PhaseBase, frozen=True, tag="fixed-betting"):
    """One betting round with a fixed size (bet or check, then fold or call; after a check the other may bet).

    A bet pays `min(amount, stack)` and is not offered with an empty stack. A player who faces a bet may fold (the
    bettor takes the pot, the game ends), call, or raise. A raise is offered while fewer than `raises` raises were made
    and the stack exceeds what is owed. Menus list fold, call, raise in that order. A call pays `min(owed, stack)`; the
    unmatched rest of the bet goes back to the bettor from the pot. A raise pays `min(owed + amount, stack)`; the other
    player then owes the excess.
    """

    brings: ClassVar[Traits] = frozenset({"betting", "choice"})
    opener: Player
    amount: Stake
    raises: Annotated[int, Meta(ge=0, le=4)] = 0


class VariableBetting(PhaseBase, frozen=True, tag="variable-betting"):
    """One betting round with free sizes: a bettor chooses 1 to `min(cap, stack)` chips after choosing to bet.

    If either player has no chips when the round starts (checked publicly), a fixed round with `fallback` chips and no
    raises is played instead, with decisions of its own. In all else it is like `FixedBetting` without raises.
    """

    brings: ClassVar[Traits] = frozenset({"betting", "check", "choice", "wagers"})
    opener: Player
    cap: Stake | None = None
    fallback: Stake = 1


class BettingLoop(PhaseBase, frozen=True, tag="betting-loop"):
    """Up to `cap` betting rounds.

    `counter` starts at 0 when the loop is entered and rises by 1 after each round (public).

    Before every round, including the first, the loop stops if the counter has reached `cap` or either player has
    `stop_at` chips or fewer. From the second round on, the steps `between` come next. Then betting phase number
    `counter` of `rounds` is played; the last one also serves as every later round.
    """

    counter: VariableName
    cap: Annotated[int, Meta(ge=1, le=20)]
    stop_at: Chips
    rounds: Annotated[tuple[PhaseName, ...], Meta(min_length=1)]
    between: tuple[Step, ...] = ()

    @property
    def repeats(self) -> int:
        return self.cap

    @property
    def plays(self) -> tuple[str, ...]:
        return self.rounds


class Cost(Struct, frozen=True, forbid_unknown_fields=True):
    """The cost of an option in chips, paid to the pot before its effect.

    `odds` None: a stated cost; the option is not offered to a player who cannot afford it. `odds` (k, n): the player
    commits, then owes `amount` with probability k/n. A player who cannot pay it in full pays nothing, and the effect is
    skipped.
    """

    amount: Stake
    odds: tuple[int, int] | None = None


class Option(Struct, frozen=True, forbid_unknown_fields=True):
    """One entry of an action round's menu."""

    name: Name
    steps: tuple[Step, ...] = ()
    cost: Cost | None = None


class ActionRound(PhaseBase, frozen=True, tag="action-round"):
    """A player picks one of several options, `picks` times in a row.

    A position is looked up for each pick. With `public` the choice is announced, and so is the outcome of a
    probabilistic cost. Otherwise only the player is told, but both players always see chips that move. An option whose
    effect would do nothing stays on the menu.
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
    """The outcome of one pair of simultaneous choices."""

    alice: Name
    bob: Name
    steps: tuple[Step, ...]


class Simultaneous(PhaseBase, frozen=True, tag="simultaneous"):
    """Both choose in secret (Alice is asked first), both choices are revealed together, then the cell resolves.

    `others` is the outcome of every pair without a cell.
    """

    brings: ClassVar[Traits] = frozenset({"choice", "options", "secret"})
    alice_options: Annotated[tuple[Name, ...], Meta(min_length=1, max_length=8)]
    bob_options: Annotated[tuple[Name, ...], Meta(min_length=1, max_length=8)]
    cells: tuple[Cell, ...]
    others: tuple[Step, ...] = ()


class Auction(PhaseBase, frozen=True, tag="auction"):
    """Sealed bids of 0 to `max_bid` chips (Alice first), clamped to the stack, then revealed; the higher bid wins.

    The menu ends at all chips of the game, if that is less than `max_bid`. Two bids of 0 have no winner. A public coin
    decides between equal bids above 0. If the prize cannot be performed (a draw with an empty deck, a peek or steal
    with an empty loser's hand), the auction is cancelled publicly, and neither player pays. Otherwise the winner pays
    the bid into the pot, then receives the prize, which cannot be a private draw. There is no ante.
    """

    brings: ClassVar[Traits] = frozenset({"bids", "choice", "secret"})
    max_bid: Stake
    prize: Draw | Peek | Steal


class Observation(PhaseBase, frozen=True, tag="observation"):
    """The viewer receives a signal if the trigger holds (checked publicly if `trigger_public`) or is None.

    `subject` is a uniformly random card of the opponent's hand or of the deck, or the opponent's hand as a whole.
    `signal` is the visible part: for a card its identity or its suit; for the hand its highest rank (0 if empty) or its
    size. The visibility, and what is seen of an empty pile, are as for `Peek`.
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
    """Assign the leader's position (public): by chips, top card or chance, or to the other player ("alternate").

    Ties, and two hands with equal top ranks, are decided by a coin.
    """

    brings: ClassVar[Traits] = frozenset({"positions"})
    criterion: Literal["most-chips", "fewest-chips", "higher-card", "lower-card", "random", "alternate"]


class SideBet(PhaseBase, frozen=True, tag="side-bet"):
    """The player may take a single wager of `amount` chips that the condition will hold at the showdown (public).

    "take" is offered to a player who has `amount` chips, "pass" always. Side bets are settled after the hands are
    revealed and before the pot is awarded, in the order of the spec's phases. The loser of the wager pays up to
    `amount` from the stack. A game that ends earlier voids the bet. If a side bet is offered again, the player is asked
    again, but the bet stays with the player who took it first.
    """

    brings: ClassVar[Traits] = frozenset({"choice"})
    player: Player
    amount: Stake
    condition: Condition


class Showdown(PhaseBase, frozen=True, tag="showdown"):
    """Both hands are revealed, side bets are settled, the better hand takes the pot, the game ends.

    Metrics, on the hand plus, with `board`, the board:
    - high: ranks from the top; the first difference decides; the hand that runs out first loses; two empty hands tie.
    - low: ranks from the bottom; the lower rank at the first difference wins; the hand that runs out first loses.
    - sum: the larger sum of ranks.
    - suits: the larger count of a single suit, then high.
    - pairs: the higher rank held at least twice (none is lowest), then high.
    A tie splits the pot: each player gets half, rounded down, and a random player gets an odd chip.
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
