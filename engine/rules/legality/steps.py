"""Rules about steps."""

from __future__ import annotations

from antemill.engine.rules.legality.facts import Facts
from antemill.engine.rules.legality.registry import MAX_CHANGE, MAX_IF_DEPTH, PRIZE_WORDS, performs, plain, rule
from antemill.engine.rules.spec import (
    AddToVariable,
    Announce,
    Ante,
    If,
    InProgress,
    Perform,
    Phase,
    Showdown,
    Transfer,
)


@rule(Perform)
def performs_known(facts: Facts, _phase: Phase, step: Perform) -> str | None:
    """A performed phase exists and can return."""
    if step.phase not in facts.phases:
        return f"it performs '{step.phase}', which is no phase of this game; add it or correct the name."
    if isinstance(facts.phases[step.phase], Showdown):
        return f"it performs the showdown '{step.phase}', which only the sequence may play."
    return None


@rule(Ante)
def ante_affordable(facts: Facts, _phase: Phase, step: Ante) -> str | None:
    """The starting chips suffice for an ante."""
    if step.amount > facts.spec.chips:
        return f"the ante of {step.amount} exceeds the starting chips ({facts.spec.chips}); lower it."
    return None


@rule(Transfer)
def transfer_moves(_facts: Facts, _phase: Phase, step: Transfer) -> str | None:
    """Source and target are different accounts in every state. A seat and a position may be the same player."""
    source, target = step.source, step.target
    if source in PRIZE_WORDS or target in PRIZE_WORDS:
        return "'winner' and 'loser' exist only in the prize of an auction; name seats or positions."
    if source == target:
        return f"a transfer from '{source}' to itself does nothing; name another account."
    if "pot" not in (source, target) and (source in ("alice", "bob")) != (target in ("alice", "bob")):
        return f"'{source}' and '{target}' may be the same player; name two seats or two positions."
    return None


@rule(Announce)
def text_plain(_facts: Facts, _phase: Phase, step: Announce) -> str | None:
    """An announcement fits into a line of logs and rulebooks."""
    return None if plain(step.text) else "an announcement must be printable, in one line, without spaces around it."


@rule(AddToVariable)
def change_sensible(facts: Facts, _phase: Phase, step: AddToVariable) -> str | None:
    """A step changes a declared variable that is not the counter of a loop."""
    if step.variable not in facts.variables:
        return f"the variable '{step.variable}' is not declared; add it to the game's variables."
    if step.variable in facts.loops:
        return f"'{step.variable}' is the counter of a betting loop, which no step may change; use another variable."
    if step.amount == 0 or abs(step.amount) > MAX_CHANGE:
        return f"a variable must change by 1 to {MAX_CHANGE} either way, not by {step.amount}."
    return None


@rule(If)
def if_sensible(_facts: Facts, _phase: Phase, step: If) -> str | None:
    """A branch has an effect and can be reached."""
    if not step.then and not step.otherwise:
        return "both branches of a conditional are empty; remove it."
    if step.otherwise and type(step.condition) is InProgress:
        return "the game is always in progress when that is tested, so the other branch is dead; remove it."
    if _nested_beyond(step, MAX_IF_DEPTH - 1):
        return f"conditionals are nested more than {MAX_IF_DEPTH} deep; move inner steps into phases of their own."
    return None


def _nested_beyond(step: If, levels: int) -> bool:
    """Whether conditionals are nested more than `levels` deep below the step."""
    for child in (*step.then, *step.otherwise):
        if isinstance(child, If) and (levels == 0 or _nested_beyond(child, levels - 1)):
            return True
    return False


@rule(If)
def private_if_performs_nothing(_facts: Facts, _phase: Phase, step: If) -> str | None:
    """A private conditional performs no phase: the start of a phase is public and would reveal the branch."""
    if not step.public and (performs(step.then) or performs(step.otherwise)):
        return "a private conditional must not perform a phase, whose start everyone sees; make it public."
    return None
