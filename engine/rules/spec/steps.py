"""Steps: actions of a game without a decision."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from antemill.engine.rules.spec.conditions import Condition
from antemill.engine.rules.spec.values import (
    Account,
    Count,
    PhaseName,
    Player,
    Players,
    Stake,
    StepBase,
    Traits,
    VariableName,
    Visibility,
)


class Shuffle(StepBase, frozen=True, tag="shuffle"):
    """Shuffle the deck (public).

    With `discard_pile`, the discard pile goes back into the deck first (appended in order).
    """

    discard_pile: bool = False


class Deal(StepBase, frozen=True, tag="deal"):
    """Deal `count` cards face down to each named player, Alice's cards first, as many as remain if the deck is short.

    Everyone sees how many cards each player receives; each player sees only their own.
    """

    brings: ClassVar[Traits] = frozenset({"deck"})
    count: Count
    player: Players = "both"

    @property
    def draws(self) -> int:
        return self.count * (2 if self.player == "both" else 1)


class DealBoard(StepBase, frozen=True, tag="deal-board"):
    """Turn `count` cards from the deck face up onto the board, as many as remain."""

    brings: ClassVar[Traits] = frozenset({"board", "deck"})
    count: Count

    @property
    def draws(self) -> int:
        return self.count


class Draw(StepBase, frozen=True, tag="draw"):
    """The player ("both": Alice, then Bob) draws `count` cards from the deck, or as many as remain.

    Visibility "public": everyone sees the cards. "occurrence": everyone is told which player drew how many. "private":
    only the drawer is told, but the deck's new size is announced if it changed. A draw from an empty deck has no
    effect; everyone is told of it, or only the drawer if it is private.
    """

    brings: ClassVar[Traits] = frozenset({"deck", "hands"})
    player: Players
    count: Count = 1
    visibility: Visibility = "occurrence"

    @property
    def draws(self) -> int:
        return self.count * (2 if self.player == "both" else 1)


class Discard(StepBase, frozen=True, tag="discard"):
    """The player loses one card to the discard pile: a random one, or the first of their lowest or highest rank.

    Everyone is told that it happened. Face up, everyone sees the card; otherwise only its owner does. An empty hand: no
    effect, and no player is told.
    """

    brings: ClassVar[Traits] = frozenset({"discards", "hands"})
    draws: ClassVar[int] = 1
    player: Player
    which: Literal["random", "lowest", "highest"] = "random"
    face_up: bool = False


class Ante(StepBase, frozen=True, tag="ante"):
    """Each named player pays `amount` into the pot (Alice first)."""

    brings: ClassVar[Traits] = frozenset({"chips"})
    player: Players
    amount: Stake


class Transfer(StepBase, frozen=True, tag="transfer"):
    """`amount` chips move from one account to another: player to player, player to pot, or pot to player."""

    brings: ClassVar[Traits] = frozenset({"chips"})
    source: Account
    target: Account
    amount: Stake


class TakePot(StepBase, frozen=True, tag="take-pot"):
    """The player receives the whole pot. The game goes on."""

    brings: ClassVar[Traits] = frozenset({"chips"})
    player: Player


class Score(StepBase, frozen=True, tag="score"):
    """The player's score rises by `amount` and the opponent's falls by as much (public).

    The paper names the action without saying what it does. Our reading: points worth a chip each, outside the stacks,
    so that the total of chips stays constant and the game is zero-sum. The score counts in the final payoff.
    """

    brings: ClassVar[Traits] = frozenset({"score"})
    player: Player
    amount: Stake


class Peek(StepBase, frozen=True, tag="peek"):
    """The player looks at one uniformly random card of the opponent's hand; it stays there.

    Visibility "private": only the peeking player is told. "occurrence": everyone is told that a peek happened, and the
    peeking player sees the card. "public": everyone sees the card. An empty hand: the players who would have seen the
    card see that there is none.
    """

    draws: ClassVar[int] = 1
    player: Player
    visibility: Visibility = "private"


class Swap(StepBase, frozen=True, tag="swap"):
    """The player and the opponent exchange a random card each; the player's card is picked first.

    Each card becomes the last of its new hand. Both players see both cards. An empty hand on either side: no effect,
    and everyone is told.
    """

    brings: ClassVar[Traits] = frozenset({"hands"})
    draws: ClassVar[int] = 2
    player: Player


class Steal(StepBase, frozen=True, tag="steal"):
    """The player takes a random card from the opponent's hand.

    Both players see it. An empty hand: no effect, and everyone is told.
    """

    brings: ClassVar[Traits] = frozenset({"hands"})
    draws: ClassVar[int] = 1
    player: Player


class Reveal(StepBase, frozen=True, tag="reveal"):
    """Cards of the player's hand are shown to everyone and stay in the hand: a random one, the first highest, or all.

    An empty hand: no effect, and everyone is told.
    """

    draws: ClassVar[int] = 1
    player: Player
    which: Literal["random", "highest", "all"] = "random"


class Announce(StepBase, frozen=True, tag="announce"):
    """Everyone is told `text`. Nothing changes."""

    text: Annotated[str, Meta(min_length=1, max_length=400)]


class AddToVariable(StepBase, frozen=True, tag="add"):
    """The variable changes by `amount` (public)."""

    variable: VariableName
    amount: int


class If(StepBase, frozen=True, tag="if"):
    """Play the steps `then` if the condition holds, else the steps `otherwise`.

    A public check is announced with its result. A private one is not, but its effects may reveal it.
    """

    condition: Condition
    then: tuple[Step, ...]
    otherwise: tuple[Step, ...] = ()
    public: bool = True


class Perform(StepBase, frozen=True, tag="perform"):
    """Play the named phase, then continue here."""

    phase: PhaseName

    @property
    def plays(self) -> tuple[str, ...]:
        return (self.phase,)


class EndGame(StepBase, frozen=True, tag="end-game"):
    """End the game. The winner receives the pot; without a winner the pot is split as in a showdown tie."""

    brings: ClassVar[Traits] = frozenset({"end"})
    winner: Player | None = None


class NoAction(StepBase, frozen=True, tag="no-action"):
    """A step without effect."""


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
