"""The legality checker: `check(spec)` returns a sentence for every fault of a game's rules; none for a legal spec.

No later code tests a spec again: a spec that passes compiles, and its program plays to an end within the machine's
limits (`antemill.engine.machine.layout`). The checker also refuses incoherent rules (G34): phases, branches and
steps that are never reached, payments that no player could ever afford, conditions that are always or never true. The
rules themselves are in `antemill.engine.rules.legality`. One walk gathers the nodes, and each rule runs over the nodes
of its kinds.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec

from antemill.engine.rules.legality.facts import Facts
from antemill.engine.rules.legality.registry import RULES
from antemill.engine.rules.limits import MAX_PHASES
from antemill.engine.rules.spec import GameSpec, from_json, to_json
from antemill.engine.rules.walk import decision_phases

__all__ = ["BASIC_RULES", "Finding", "check", "findings"]


class Finding(NamedTuple):
    """One fault: the rule that found it, and the sentence about it."""

    rule: str
    sentence: str


def check(spec: GameSpec) -> list[str]:
    """One sentence per fault of the spec, in the order of its phases; empty if the spec is legal."""
    return [finding.sentence for finding in findings(spec)]


def findings(spec: GameSpec) -> list[Finding]:
    """As `check`, with the name of the rule behind each sentence."""
    try:
        for basic in BASIC_RULES:
            if said := basic(spec):
                return [Finding(basic.__name__, said)]
        return _findings(spec)
    except RecursionError:
        sentence = "The game's steps or conditions are nested too deeply; move inner steps into phases of their own."
        return [Finding("nesting", sentence)]


def _findings(spec: GameSpec) -> list[Finding]:
    facts = Facts(spec)
    faults: list[tuple[int, Finding]] = []
    for rule in RULES[GameSpec]:
        if said := rule(facts, None, spec):
            faults.append((-1, Finding(rule.__name__, said)))
    for kind, nodes in facts.nodes.items():
        for rule in RULES.get(kind, ()):
            for index, node in nodes:
                if said := rule(facts, spec.phases[index], node):
                    faults.append((index, Finding(rule.__name__, f"Phase '{spec.phases[index].name}': {said}")))
    return list(dict.fromkeys(finding for _, finding in sorted(faults, key=lambda fault: fault[0])))


def malformed(spec: GameSpec) -> str | None:
    """Values of wrong types (`antemill.engine.rules.spec`), which Python code, unlike JSON, can put into a spec."""
    try:
        if from_json(to_json(spec)) == spec:
            return None
    except (msgspec.MsgspecError, TypeError, ValueError, OverflowError) as error:
        at = re.search(r"\$\.phases\[(\d+)\]", str(error))
        where = f"Phase '{getattr(spec.phases[int(at[1])], 'name', at[1])}'" if at else "The game"
        return f"{where}: a value has the wrong type or range, {error}; see engine/rules/spec/ for what is allowed."
    return "The game changes when it is written and read as JSON; use tuples, not lists, and numbers, not booleans."


def too_many_phases(spec: GameSpec) -> str | None:
    """The number of phases, which the machine marks in a bit set of fixed size."""
    if len(spec.phases) * 8 <= MAX_PHASES:  # no phase counts as more than 8
        return None
    count = len(spec.phases) + sum(len(decision_phases(phase)) for phase in spec.phases)
    if count > MAX_PHASES:
        return (
            f"The game has {count} phases with the decisions of its betting rounds, at most {MAX_PHASES} are allowed."
        )
    return None


BASIC_RULES = (malformed, too_many_phases)  # if one of them finds a fault, the other rules are not tried
