"""Rules about conditions."""

from __future__ import annotations

from antemill.engine.rules.legality.facts import Facts
from antemill.engine.rules.legality.registry import MAX_CHANGE, MAX_CONDITION_DEPTH, MAX_PLAY, quoted, rule
from antemill.engine.rules.spec import (
    All,
    AnyOf,
    BoardHasRank,
    ChipsAre,
    Comparison,
    Condition,
    DealBoard,
    DeckSizeIs,
    HandSizeIs,
    HoldsRank,
    HoldsSuit,
    InProgress,
    Leads,
    Not,
    Phase,
    Positions,
    PotIs,
    VariableIs,
)


def _verdict(op: Comparison, value: int, low: int, high: int) -> str | None:
    """The fault of comparing a number from `low` to `high` with `value`; None if there is none."""
    if op == "<":
        always, never = high < value, low >= value
    elif op == "<=":
        always, never = high <= value, low > value
    elif op == "==":
        always, never = low == high == value, not low <= value <= high
    elif op == ">=":
        always, never = low >= value, high < value
    else:
        always, never = low > value, high <= value
    if not (always or never):
        return None
    return (
        f"'{op} {value}' {'always' if always else 'never'} holds for a number from {low} to {high}; change the value."
    )


@rule(ChipsAre, PotIs)
def chips_comparable(facts: Facts, _phase: Phase, node: ChipsAre | PotIs) -> str | None:
    """A comparison of a stack or of the pot can come out both ways: it holds 0 to all of the chips."""
    said = _verdict(node.op, node.value, 0, facts.all_chips)
    return f"a comparison of chips is settled beforehand, {said}" if said else None


@rule(DeckSizeIs, HandSizeIs)
def cards_comparable(facts: Facts, _phase: Phase, node: DeckSizeIs | HandSizeIs) -> str | None:
    """A comparison of the size of the deck or of a hand can come out both ways: it holds 0 to all of the cards."""
    said = _verdict(node.op, node.value, 0, facts.cards)
    return f"a comparison of card numbers is settled beforehand, {said}" if said else None


@rule(VariableIs)
def variable_comparable(facts: Facts, phase: Phase, node: VariableIs) -> str | None:
    """A compared variable is declared, and the comparison can come out both ways."""
    if node.variable not in facts.variables:
        return f"the variable '{node.variable}' is not declared; add it to the game's variables."
    loop = facts.loops.get(node.variable)
    if loop is phase and phase.cap == 1:
        return None  # `loop_plays_all` has the clearer sentence
    if loop is not None:
        low, high = (1, loop.cap - 1) if loop is phase else (0, loop.cap)
    else:
        lowers, raises = facts.changes.get(node.variable, (False, False))
        low, high = -lowers * MAX_CHANGE * MAX_PLAY, raises * MAX_CHANGE * MAX_PLAY
    said = _verdict(node.op, node.value, low, high)
    return f"a comparison of '{node.variable}' is settled beforehand, {said}" if said else None


@rule(HoldsRank, BoardHasRank)
def ranks_exist(facts: Facts, _phase: Phase, node: HoldsRank | BoardHasRank) -> str | None:
    """The ranks of a condition are ranks of the deck, each named once."""
    if not facts.ranks.issuperset(node.ranks):
        return (
            f"a condition names the ranks {quoted(sorted(set(node.ranks) - facts.ranks))}, which are not in the deck."
        )
    return "a condition names a rank twice; name it once." if len(set(node.ranks)) < len(node.ranks) else None


@rule(BoardHasRank)
def board_dealt(facts: Facts, _phase: Phase, _node: BoardHasRank) -> str | None:
    """A condition on the board needs a board."""
    return None if facts.has(DealBoard) else "a condition reads the board, but nothing is dealt there; remove it."


@rule(HoldsSuit)
def suit_exists(facts: Facts, _phase: Phase, node: HoldsSuit) -> str | None:
    """The suit of a condition is a suit of the deck."""
    return None if node.suit in facts.suits else f"a condition names the suit '{node.suit}', which is not in the deck."


@rule(Leads)
def positions_assigned(facts: Facts, _phase: Phase, _node: Leads) -> str | None:
    """A condition on who leads needs a phase that assigns positions; otherwise Alice leads throughout."""
    return None if facts.has(Positions) else "a condition asks who leads, but no phase assigns positions; remove it."


@rule(Not)
def negation_sensible(_facts: Facts, _phase: Phase, node: Not) -> str | None:
    """No negation is pointless."""
    if type(node.condition) is Not:
        return "a condition is negated twice; drop both negations."
    return "a condition that the game has ended never holds; remove it." if type(node.condition) is InProgress else None


@rule(All, AnyOf, Not)
def condition_shallow(_facts: Facts, _phase: Phase, node: All | AnyOf | Not) -> str | None:
    """Conditions have a bounded depth: people can read them, and code may recurse."""
    if _condition_depth(node) > MAX_CONDITION_DEPTH:
        return f"a condition is nested more than {MAX_CONDITION_DEPTH} deep; simplify it."
    return None


def _condition_depth(condition: Condition) -> int:
    if isinstance(condition, (All, AnyOf)):
        return 1 + max(map(_condition_depth, condition.conditions))
    return 1 + _condition_depth(condition.condition) if isinstance(condition, Not) else 1
