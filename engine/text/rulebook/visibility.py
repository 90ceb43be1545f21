"""What others can see of steps whose cause is private: which branches or options give themselves away (G36)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from engine.rules.spec import ActionRound, Discard, Draw, If, NoAction, Option, Peek, Step

Trace: TypeAlias = tuple[object, ...]

INFERABLE = "but the cases differ in what everyone sees, so that it may be inferred"
HIDDEN = "and everyone sees the same in all cases, but somebody who is shown a card in private may learn from that"


def trace(steps: Sequence[Step]) -> Trace:
    """What everyone sees of the steps, but for chance and short piles."""
    seen: list[object] = []
    for step in steps:
        seen += _seen(step)
    return tuple(seen)


def _seen(step: Step) -> Trace:
    match step:
        case NoAction() | Peek(visibility="private"):
            return ()
        case Draw(visibility="private"):
            return (("deck", step.count),) * (2 if step.player == "both" else 1)
        case Discard(face_up=False):
            return (("discard", step.player),)
        case If(public=False):
            then, otherwise = trace(step.then), trace(step.otherwise)
            return then if then == otherwise else (("either", then, otherwise),)
    return (step,)


def check_note(step: If) -> str:
    """What a private check leaves to be seen."""
    said = HIDDEN if trace(step.then) == trace(step.otherwise) else INFERABLE
    return f"the outcome is not announced, {said}"


def choice_note(phase: ActionRound) -> str:
    """What a private choice leaves to be seen."""
    return HIDDEN if len({_option_trace(option) for option in phase.options}) == 1 else INFERABLE


def _option_trace(option: Option) -> Trace:
    return (option.cost, *trace(option.steps))
