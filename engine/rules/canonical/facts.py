"""The facts that the rules of a spec read, from its reachable phases."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

from antemill.engine.errors import SpecError
from antemill.engine.rules.canonical.flow import Flow, flow
from antemill.engine.rules.spec import (
    ChipsAre,
    Deal,
    DealBoard,
    DeckSizeIs,
    Discard,
    GameSpec,
    HasHigherCard,
    HoldsSuit,
    Leads,
    Observation,
    Phase,
    Positions,
    PotIs,
    Reveal,
    Showdown,
    SideBet,
    VariableIs,
)
from antemill.engine.rules.walk import Node, Visit, parts, player_fields, traits, walk

_OF_CARDS = ("higher-card", "lower-card")  # criteria for positions that read hands


class Ranks(NamedTuple):
    """The parts of ranks and suits that the rules read."""

    metric: str  # of the showdown
    board: bool  # whether the showdown reads it
    turned: bool  # ranks are counted from the highest down: "low" has become "high"
    values: tuple[int, ...]  # of the ranks in ascending order, where a rule adds them up
    suited: bool  # whether any rule tells suits apart


class Facts:
    """The facts that the rules of a spec read. Defined for specs whose reachable phases are legal."""

    def __init__(self, spec: GameSpec) -> None:
        self.spec = spec
        visits = walk(spec)
        reachable = _reachable(spec, visits)
        self.phases: dict[str, Phase] = {phase.name: phase for phase in spec.phases if phase.name in reachable}
        self.nodes: dict[type[Node], list[Any]] = {}
        for index, node in visits:
            if spec.phases[index].name in reachable:
                self.nodes.setdefault(type(node), []).append(node)
        self.flow: Flow = flow(spec, self.phases)

    def all(self, kind: type[Any]) -> list[Any]:
        """The reachable nodes of a kind."""
        return self.nodes.get(kind, [])

    @cached_property
    def variables_read(self) -> frozenset[str]:
        """Variables that a condition compares."""
        return frozenset(node.variable for node in self.all(VariableIs))

    @cached_property
    def roles(self) -> bool:
        """Whether a rule names a position and a phase assigns it. Otherwise Alice leads throughout."""
        return bool(self.all(Positions)) and (bool(self.all(Leads)) or self._names_roles)

    @cached_property
    def _names_roles(self) -> bool:
        return any(
            getattr(node, field) in ("leader", "follower")
            for kind, nodes in self.nodes.items()
            for field in player_fields(kind)
            for node in nodes
        )

    @cached_property
    def discards(self) -> bool:
        """Whether anything can be in the discard pile."""
        return bool(self.all(Discard))

    @cached_property
    def board_unread(self) -> bool:
        """Whether no rule of the showdown reads the board or the size of the deck."""
        return not self.ranks.board and not self.all(SideBet)

    @cached_property
    def settled_in_order(self) -> bool:
        """Whether the order in which side bets are settled may matter."""
        return not self.flow.free or any(
            isinstance(part, ChipsAre | PotIs) for bet in self.all(SideBet) for part in parts(bet.condition)
        )

    @cached_property
    def exchangeable(self) -> bool:
        """Whether nothing but the seat tells Alice from Bob. When cards run short, Alice is served first."""
        return self.flow.cards <= self._cards

    @cached_property
    def _cards(self) -> int:
        return len(self.spec.deck.ranks) * len(self.spec.deck.suits)

    @cached_property
    def single(self) -> bool:
        """Whether no hand ever holds more than one card."""
        return self.flow.hand <= 1

    @cached_property
    def even_hands(self) -> bool:
        """Whether both hands always have the same number of cards."""
        return (
            self.exchangeable
            and "hands" not in traits(self.nodes)
            and all(deal.player == "both" for deal in self.all(Deal))
        )

    @cached_property
    def deck_matters(self) -> bool:
        """Whether a card is ever dealt, looked at or counted."""
        return (
            "deck" in traits(self.nodes)
            or bool(self.all(DeckSizeIs))
            or any(look.subject == "deck-card" for look in self.all(Observation))
        )

    @cached_property
    def ranks(self) -> Ranks:
        """The showdown's metric and the parts of the ranks that rules read.

        Cards that both hands share cancel out in "high", "low" and "sum", which compare the hands card by card or by a
        sum. Hands of one card are neither pairs nor flushes, and their sum is their rank; empty hands always tie. With
        the ranks turned upside down, "low" is "high".
        """
        showdown = self.phases[self.spec.sequence[-1]]
        assert isinstance(showdown, Showdown)
        metric: str = showdown.metric
        if not self.flow.hand:
            metric = "none"
        board = showdown.board and metric in ("pairs", "suits") and bool(self.all(DealBoard))
        if self.single and not board and metric not in ("low", "none"):
            metric = "high"
        turned = metric == "low" and not self._order_read
        suited = metric == "suits" or bool(self.all(HoldsSuit)) or any(look.suited for look in self.all(Observation))
        values = self._values if metric == "sum" else ()
        return Ranks("high" if turned else metric, board, turned, values, suited)

    @cached_property
    def _order_read(self) -> bool:
        """Whether a rule besides the showdown reads the order of ranks in a way that cannot be turned around."""
        return (
            bool(self.all(HasHigherCard))
            or any(place.criterion in _OF_CARDS for place in self.all(Positions))
            or any(look.signal == "top-rank" for look in self.all(Observation))
            or (not self.single and any(step.which == "highest" for step in self.all(Reveal)))
        )

    @cached_property
    def _values(self) -> tuple[int, ...]:
        """Values of ranks, reduced: their scale means nothing, nor does a common offset if hands have equal sizes."""
        ranks = self.spec.deck.ranks
        base = ranks[0] if self.even_hands else 0
        scale = math.gcd(*(rank - base for rank in ranks)) or 1
        return tuple((rank - base) // scale for rank in ranks)


def _reachable(spec: GameSpec, visits: Sequence[Visit]) -> frozenset[str]:
    """The phases that the sequence names and all that these play. Raises SpecError unless they make a game."""
    links: dict[str, list[str]] = {phase.name: [] for phase in spec.phases}
    for index, node in visits:
        links[spec.phases[index].name] += node.plays
    done: dict[str, bool] = {}  # False while a phase is being followed

    def follow(name: str) -> None:
        if name not in links or not done.get(name, True):
            raise SpecError(f"game '{spec.name}' is not legal: phase '{name}' is missing, or performs itself")
        if name not in done:
            done[name] = False
            for target in links[name]:
                follow(target)
            done[name] = True

    for name in spec.sequence:
        follow(name)
    if not isinstance(spec.phase(spec.sequence[-1]), Showdown):
        raise SpecError(f"game '{spec.name}' is not legal: its sequence does not end with a showdown")
    return frozenset(done)
