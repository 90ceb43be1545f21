"""Words for numbers, cards and players."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from antemill.engine.rules.spec import Account, Comparison, Players

FACES: Final = {11: "J", 12: "Q", 13: "K", 14: "A"}
_NAMES: Final[dict[str, str]] = {
    "alice": "Alice",
    "bob": "Bob",
    "leader": "the leader",
    "follower": "the follower",
    "winner": "the winner",
    "loser": "the loser",
    "pot": "the pot",
    "both": "both players",
}
_OPPONENTS: Final[dict[str, str]] = {
    "alice": "bob",
    "bob": "alice",
    "leader": "follower",
    "follower": "leader",
    "winner": "loser",
    "loser": "winner",
}
_COMPARISONS: Final[dict[str, str]] = {
    "<": "fewer than",
    "<=": "at most",
    "==": "exactly",
    ">=": "at least",
    ">": "more than",
}


def name(player: Players | Account) -> str:
    """A player, position or account: Alice, the leader, the pot."""
    return _NAMES[player]


def opponent(player: Players | Account) -> str:
    """The name of the other player: Bob for Alice, the follower for the leader."""
    return _NAMES[_OPPONENTS[player]]


def start(text: str) -> str:
    """The text with a capital letter in front."""
    return text[:1].upper() + text[1:]


def chips(amount: int) -> str:
    """1 chip, 2 chips."""
    return f"{amount} chip" if amount == 1 else f"{amount} chips"


def cards(count: int) -> str:
    """1 card, 2 cards."""
    return f"{count} card" if count == 1 else f"{count} cards"


def times(count: int) -> str:
    """once, 2 times."""
    return "once" if count == 1 else f"{count} times"


def rank(value: int) -> str:
    """10, J, Q, K, A."""
    return FACES.get(value, str(value))


def comparison(op: Comparison) -> str:
    """The comparison in words: fewer than, at most, exactly, at least, more than."""
    return _COMPARISONS[op]


def listing(items: Iterable[str], joint: str = "and") -> str:
    """a; a and b; a, b and c."""
    words = list(items)
    return f"{', '.join(words[:-1])} {joint} {words[-1]}" if len(words) > 1 else "".join(words)


def bold(items: Iterable[str], joint: str = "or") -> str:
    """Names in bold, as a list."""
    return listing([f"**{item}**" for item in items], joint)


def variable(label: str) -> str:
    """A variable's name in its marks."""
    return f"«{label}»"


def bullet(text: str, depth: int = 0) -> str:
    """A line of a nested list."""
    return f"{'  ' * depth}- {text}"


def numbers(places: Sequence[int]) -> str:
    """1; 1 and 3."""
    return listing([str(place) for place in places])
