"""Conditions as clauses: "Alice has at least 3 chips", or "you have" to a reader who is Alice. AND and OR are in
capitals, nested ones in parentheses.
"""

from __future__ import annotations

from typing import Literal, assert_never

from antemill.engine.rules import spec as rules
from antemill.engine.text.rulebook.wording import cards, chips, comparison, listing, name, opponent, rank, variable

Reader = Literal["Alice", "Bob"] | None

_OPPOSITES = {
    "has": "does not have",
    "holds": "does not hold",
    "is": "is not",
    "has a": "has no",
    "shows a": "shows no",
    "have": "do not have",
    "hold": "do not hold",
    "are": "are not",
}
_YOU = {"has": "have", "holds": "hold", "is": "are"}  # verbs with "you"


def clause(condition: rules.Condition, reader: Reader = None) -> str:
    """The condition in words. reader: the player who is called "you"; None: neither."""
    return _clause(condition, True, reader)


def _clause(condition: rules.Condition, holds: bool, reader: Reader) -> str:
    """The condition, or its negation."""
    match condition:
        case rules.Not():
            negation = _clause(condition.condition, False, reader)
            return negation if holds else f"it is not true that {negation}"
        case rules.All() | rules.AnyOf():
            joint = " AND " if isinstance(condition, rules.All) else " OR "
            joined = joint.join(_part(one, reader) for one in condition.conditions)
            return joined if holds else f"it is not true that ({joined})"
        case rules.InProgress():
            return "the game is still in progress" if holds else "the game has ended"
    subject, verb, rest = (_to(reader, words) for words in _leaf(condition))
    verb = _YOU[verb] if subject == "you" else verb
    return f"{subject} {verb if holds else _OPPOSITES[verb]} {rest}"


def _part(condition: rules.Condition, reader: Reader) -> str:
    text = clause(condition, reader)
    return f"({text})" if isinstance(condition, rules.All | rules.AnyOf) else text


def _to(reader: Reader, words: str) -> str:
    """The subject or the rest of a condition, addressed to one player: "your hand" for "Alice's hand"."""
    return words if reader is None else words.replace(f"{reader}'s", "your").replace(reader, "you")


def _leaf(condition: rules.Condition) -> tuple[str, str, str]:
    """Subject, verb and the rest of a condition that has no parts."""
    match condition:
        case rules.ChipsAre(player=player, op=op, value=value):
            return name(player), "has", f"{comparison(op)} {chips(value)}"
        case rules.PotIs(op=op, value=value):
            return "the pot", "holds", f"{comparison(op)} {chips(value)}"
        case rules.DeckSizeIs(op=op, value=value):
            return "the deck", "has", f"{comparison(op)} {cards(value)}"
        case rules.HandSizeIs(player=player, op=op, value=value):
            return name(player), "holds", f"{comparison(op)} {cards(value)} in hand"
        case rules.HasHigherCard(player=player):
            rest = f"of higher rank than {opponent(player)}'s highest card"
            return f"{name(player)}'s highest card", "is", rest
        case rules.HoldsRank(player=player, ranks=ranks):
            return f"{name(player)}'s hand", "has a", f"card of rank {listing(map(rank, ranks), 'or')}"
        case rules.HoldsSuit(player=player, suit=suit):
            return f"{name(player)}'s hand", "has a", f"card of {suit}"
        case rules.BoardHasRank(ranks=ranks):
            return "the board", "shows a", f"card of rank {listing(map(rank, ranks), 'or')}"
        case rules.VariableIs(variable=label, op=op, value=value):
            return variable(label), "is", f"{_number_word(comparison(op))} {value}"
        case rules.Leads(seat=seat):
            return name(seat), "is", "the leader"
        case rules.All() | rules.AnyOf() | rules.Not() | rules.InProgress():
            raise AssertionError("not a leaf")
        case _:
            assert_never(condition)


def _number_word(words: str) -> str:
    return "less than" if words == "fewer than" else words
