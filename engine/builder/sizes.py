"""The size of a finished game, as the generator's caps measure it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from antemill.engine.builder.states import expected
from antemill.engine.rules.fold import Fold
from antemill.engine.rules.spec import (
    ActionRound,
    Ante,
    Auction,
    BettingLoop,
    Deal,
    FixedBetting,
    GameSpec,
    If,
    Perform,
    Phase,
    Simultaneous,
    Step,
    Steps,
)
from antemill.engine.rules.walk import walk


def sizes(spec: GameSpec) -> dict[str, int]:
    """The game's size by each cap except the dial's, read from its rules alone."""
    nodes = [node for _, node in walk(spec)]
    found = {
        "cards": [len(spec.deck.ranks) * len(spec.deck.suits)],
        "ranks": [len(spec.deck.ranks)],
        "hand": [_dealt(spec.phases[0], seat) for seat in ("alice", "bob")],
        "chips": [spec.chips],
        "ante": [step.amount for phase in spec.phases[:2] for step in _antes(phase)],
        "main_phases": [len(spec.sequence)],
        "phases": [len(spec.phases)],
        "rounds": [node.cap for node in nodes if isinstance(node, BettingLoop)],
        "raises": [node.raises for node in nodes if isinstance(node, FixedBetting)],
        "options": [len(node.options) for node in nodes if isinstance(node, ActionRound)],
        "simultaneous_options": [len(node.alice_options) for node in nodes if isinstance(node, Simultaneous)],
        "events": [len(steps) for phase in spec.phases[2:] for steps in _lists(phase)],
        "effects": [len(steps) for node in nodes for steps in _branches(node)],
        "nesting": [_Nesting(spec).game()],
        "bid": [node.max_bid for node in nodes if isinstance(node, Auction)],
        "states": [expected(spec)],
    }
    return {cap: max(values, default=0) for cap, values in found.items()}


def _dealt(phase: Phase, seat: str) -> int:
    steps = phase.steps if isinstance(phase, Steps) else ()
    return sum(step.count for step in steps if isinstance(step, Deal) and step.player in (seat, "both"))


def _antes(phase: Phase) -> list[Ante]:
    return [step for step in phase.steps if isinstance(step, Ante)] if isinstance(phase, Steps) else []


def _lists(phase: Phase) -> Iterator[tuple[Step, ...]]:
    if isinstance(phase, Steps):
        yield phase.steps
    elif isinstance(phase, BettingLoop):
        yield phase.between


def _branches(node: object) -> Iterator[tuple[Step, ...]]:
    """Every list of steps that is one of several outcomes."""
    if isinstance(node, If):
        yield node.then
        yield node.otherwise
    elif isinstance(node, ActionRound):
        yield from (option.steps for option in node.options)
    elif isinstance(node, Simultaneous):
        yield from (cell.steps for cell in node.cells)
        yield node.others


class _Nesting(Fold[int]):
    """The largest number of conditionals and performed sub-phases that enclose a step."""

    def leaf(self, node: object) -> int:  # noqa: ARG002
        return 0

    def then(self, parts: Iterable[int]) -> int:
        return max(parts, default=0)

    def either(self, ways: Iterable[int]) -> int:
        return max(ways)

    def node(self, node: object) -> int:
        return super().node(node) + isinstance(node, If | Perform)
