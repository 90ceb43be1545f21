"""Conditions: tests of the state of a game."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta

from antemill.engine.rules.spec.values import (
    CardCount,
    Chips,
    Comparison,
    NodeBase,
    Player,
    Ranks,
    Seat,
    SuitName,
    VariableName,
)


class ChipsAre(NodeBase, frozen=True, tag="chips"):
    """A player's stack, in chips, compares with `value` by `op`."""

    player: Player
    op: Comparison
    value: Chips


class PotIs(NodeBase, frozen=True, tag="pot"):
    """The pot, in chips, compares with `value` by `op`."""

    op: Comparison
    value: Chips


class DeckSizeIs(NodeBase, frozen=True, tag="deck-size"):
    """The number of cards left in the deck compares with `value` by `op`."""

    op: Comparison
    value: CardCount


class HandSizeIs(NodeBase, frozen=True, tag="hand-size"):
    """The number of cards in a player's hand compares with `value` by `op`. It is hidden information."""

    player: Player
    op: Comparison
    value: CardCount


class HasHigherCard(NodeBase, frozen=True, tag="higher-card"):
    """The player's highest rank is strictly above the other player's highest. An empty hand is below every card."""

    player: Player


class HoldsRank(NodeBase, frozen=True, tag="holds-rank"):
    """The player's hand has at least one card whose rank is among `ranks`."""

    player: Player
    ranks: Ranks


class HoldsSuit(NodeBase, frozen=True, tag="holds-suit"):
    """The player's hand has at least one card of `suit`."""

    suited: ClassVar[bool] = True
    player: Player
    suit: SuitName


class BoardHasRank(NodeBase, frozen=True, tag="board-has-rank"):
    """At least one board card's rank is among `ranks`."""

    ranks: Ranks


class VariableIs(NodeBase, frozen=True, tag="variable"):
    """A variable (a betting loop's round counter, or one of the spec's own) compares with `value` by `op`."""

    variable: VariableName
    op: Comparison
    value: int


class Leads(NodeBase, frozen=True, tag="leads"):
    """The seat holds the leader's position."""

    seat: Seat


class InProgress(NodeBase, frozen=True, tag="in-progress"):
    """The game has not ended. It holds wherever it is evaluated, since the end of the game skips all that follows."""


class All(NodeBase, frozen=True, tag="all"):
    """Every condition holds; they are evaluated left to right."""

    conditions: Annotated[tuple[Condition, ...], Meta(min_length=1)]


class AnyOf(NodeBase, frozen=True, tag="any"):
    """At least one condition holds."""

    conditions: Annotated[tuple[Condition, ...], Meta(min_length=1)]


class Not(NodeBase, frozen=True, tag="not"):
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
