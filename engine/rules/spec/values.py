"""The values that fields of a spec may have, and the base classes of its kinds, with a kind's declarations."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta, Struct

from antemill.engine.rules.limits import MAX_CARDS

Seat = Literal["alice", "bob"]
# "leader" and "follower" are positions (Alice leads until a Positions phase decides otherwise);
# "winner" and "loser" exist only inside an auction's prize.
Player = Literal["alice", "bob", "leader", "follower", "winner", "loser"]
Players = Literal["alice", "bob", "leader", "follower", "winner", "loser", "both"]
Account = Literal["alice", "bob", "leader", "follower", "winner", "loser", "pot"]
Comparison = Literal["<", "<=", "==", ">=", ">"]
# public: everyone sees the card. occurrence: everyone is told that it happened; only entitled players see the content.
# private: only entitled players are told anything; the others see only the public numbers.
Visibility = Literal["public", "occurrence", "private"]

Count = Annotated[int, Meta(ge=1, le=MAX_CARDS)]
Chips = Annotated[int, Meta(ge=0, le=10_000), "chips"]
Stake = Annotated[int, Meta(ge=1, le=10_000), "stake"]  # chips that move
CardCount = Annotated[int, Meta(ge=0, le=MAX_CARDS)]
Name = Annotated[str, Meta(min_length=1, max_length=80)]
# Names of other parts of the game. The words beside the types say it to `antemill.engine.rules.fields`.
PhaseName = Annotated[Name, "phase"]
VariableName = Annotated[Name, "variable"]
SuitName = Annotated[str, "suit"]
Ranks = Annotated[tuple[int, ...], Meta(min_length=1)]
# What a step or a phase brings into a game; some rules hold wherever a trait occurs.
Trait = Literal[
    "betting",  # rounds of bets
    "bids",  # sealed amounts
    "board",  # cards face up for everyone
    "check",  # a test that is not written as a condition
    "chips",  # chips that a step moves
    "choice",  # a player decides
    "deck",  # cards that leave the deck
    "discards",  # cards that enter the discard pile
    "end",  # the game may end here, without a fold or a showdown
    "hands",  # hands that change after the deal
    "options",  # choices by name with effects
    "positions",  # a leader is assigned
    "score",  # points in addition to the chips
    "secret",  # choices that are revealed together
    "showdown",  # hands are compared, and the game ends
    "wagers",  # amounts of a bet
]
Traits = frozenset[Trait]


class NodeBase(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    """Base of every tagged struct of a spec.

    brings: its traits. plays: the names of the phases that it plays. suited: whether it tells suits apart.
    """

    brings: ClassVar[Traits] = frozenset()

    @property
    def suited(self) -> bool:
        return False

    @property
    def plays(self) -> tuple[str, ...]:
        return ()


class StepBase(NodeBase, frozen=True):
    """Base of the steps. draws: the most chance draws that it asks for."""

    @property
    def draws(self) -> int:
        return 0


class PhaseBase(NodeBase, frozen=True):
    """Base of the phases. repeats: the most times that its inside is played in one visit."""

    name: Name

    @property
    def repeats(self) -> int:
        return 1
