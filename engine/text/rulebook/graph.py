"""The phase graph for the rulebook: calls between phases, the order of their descriptions, the kinds that occur."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import get_args

from antemill.engine.rules.spec import Condition, GameSpec, Phase
from antemill.engine.rules.walk import PLAYER_FIELDS, Node, reads_suits, traits, walk


class Graph:
    """A spec, with the facts that the sections need. Unknown phase names are omitted."""

    def __init__(self, spec: GameSpec) -> None:
        self.spec = spec
        self.phases: dict[str, Phase] = {}
        for phase in spec.phases:
            self.phases.setdefault(phase.name, phase)
        self._visits = walk(spec)
        self.nodes: list[Node] = [node for _, node in self._visits]
        self.kinds = {type(node) for node in self.nodes}
        self.traits = traits(self.kinds)
        self.callees: dict[str, list[str]] = {name: [] for name in self.phases}
        self.callers: dict[str, list[str]] = {name: [] for name in self.phases}
        for caller, callee in self._links():
            if callee in self.phases and callee not in self.callees[caller]:
                self.callees[caller].append(callee)
                self.callers[callee].append(caller)
        self.places: dict[str, list[int]] = {}
        for place, name in enumerate(spec.sequence, start=1):
            self.places.setdefault(name, []).append(place)

    def _links(self) -> Iterator[tuple[str, str]]:
        playing = [visit for visit in self._visits if visit[1].plays]
        for index, node in sorted(playing, key=lambda visit: not isinstance(visit[1], Phase)):
            yield from ((self.spec.phases[index].name, name) for name in node.plays)

    def has(self, *kinds: type) -> bool:
        """Whether a node of one of these kinds occurs anywhere."""
        return any(kind in self.kinds for kind in kinds)

    @cached_property
    def suited(self) -> bool:
        """Whether a rule depends on suits."""
        return reads_suits(self.spec)

    @cached_property
    def positions(self) -> bool:
        """Whether leader and follower occur in the rules."""
        named = {getattr(node, field) for node in self.nodes for field in PLAYER_FIELDS[type(node)]}
        return "positions" in self.traits or not named.isdisjoint(("leader", "follower"))

    @cached_property
    def checks(self) -> bool:
        """Whether the rules test anything."""
        return "check" in self.traits or self.has(*get_args(Condition))

    def order(self) -> list[Phase]:
        """Main phases in order of play, each followed by those that it calls, depth first; unreached phases last."""
        found: dict[str, Phase] = {}
        for name in dict.fromkeys(self.spec.sequence):
            if name in self.phases:
                self._visit(name, found)
        return [*found.values(), *(phase for name, phase in self.phases.items() if name not in found)]

    def _visit(self, name: str, found: dict[str, Phase]) -> None:
        if name in found:
            return
        found[name] = self.phases[name]
        for callee in self.callees[name]:
            if callee not in self.places:
                self._visit(callee, found)
