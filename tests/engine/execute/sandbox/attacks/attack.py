"""What an attack is, and shorthands for tables of them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Attack:
    """A program, and the verdicts that show it was contained; "true" is never one."""

    code: str
    verdicts: frozenset[str]
    seconds: float = 5.0
    slow: bool = False

    def __post_init__(self) -> None:
        assert self.verdicts, "an attack without an expectation proves nothing"
        assert "true" not in self.verdicts


def fails(code: str, slow: bool = False) -> Attack:
    """Ends with an error, however long a slow one takes on a busy machine."""
    return Attack(code, frozenset(["error"]), seconds=60.0 if slow else 5.0, slow=slow)


def finds(code: str) -> Attack:
    """Tries several ways, catches what they raise, and none succeeds."""
    return Attack(code, frozenset(["false"]))


def gains(code: str) -> Attack:
    """Gains nothing: the puzzle's honest word, or its own process spoilt."""
    return Attack(code, frozenset(["false", "error"]))


def endless(code: str, slow: bool = True) -> Attack:
    """Has to be stopped."""
    return Attack(code, frozenset(["timeout"]), seconds=0.6, slow=slow)


def spent(code: str) -> Attack:
    """Has to be stopped, or runs into the limit of memory or into what the backend does not have."""
    return Attack(code, frozenset(["timeout", "error"]), seconds=1.0, slow=True)
