"""Checks of the arguments of public functions, so that a caller's mistake is reported in one sentence.

    seed = whole(seed, "seed", 0, 2**63 - 1)         takes 7 and np.int64(7); not True, 7.0 or "7"
    spec = kind(spec, "spec", GameSpec, "make one by generate(9)")

    UsageError
    ├── ArgumentTypeError    also a TypeError: the argument has a wrong type
    └── ArgumentValueError   also a ValueError: the argument has the right type, but is out of range or unknown

`wrong_type` and `wrong_value` make all sentences. A sentence names the argument, the wanted and the given value, and
the way to get a valid one.
"""

from __future__ import annotations

import difflib
import math
import operator
import os
from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn, TypeVar

from antemill.engine.errors import UsageError

T = TypeVar("T")

SEED_LIMIT = 1 << 63
_LONGEST_NAME = 255  # the most characters of a file's name
_LONGEST = 40  # the most characters of a text that a sentence repeats


class ArgumentTypeError(UsageError, TypeError):
    """An argument has a type that the function does not take."""


class ArgumentValueError(UsageError, ValueError):
    """An argument has the right type, but is out of range or unknown."""


def wrong_type(name: str, given: object, wanted: str, how: str = "") -> NoReturn:
    """Raise ArgumentTypeError. wanted: the wanted value, with its article. how: to get one, as an imperative."""
    raise ArgumentTypeError(_sentence(name, given, wanted, how))


def wrong_value(name: str, given: object, wanted: str, how: str = "") -> NoReturn:
    """Raise ArgumentValueError; arguments as those of `wrong_type`."""
    raise ArgumentValueError(_sentence(name, given, wanted, how))


def described(given: object) -> str:
    """A value in a few words: a plain one as it is written, any other by its type and size."""
    name = type(given).__name__
    if given is None or isinstance(given, bool | float | complex):
        return repr(given)
    if isinstance(given, int):
        return repr(given) if -(1 << 64) <= given <= 1 << 64 else "an integer of more than 64 bits"
    if isinstance(given, str | bytes | os.PathLike):
        text = repr(os.fspath(given)) if isinstance(given, os.PathLike) else repr(given)
        return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
    if isinstance(given, type):
        return f"the class {given.__name__}"
    if callable(given) and hasattr(given, "__name__"):
        return f"the function {given.__name__}"
    if isinstance(shape := getattr(given, "shape", None), tuple) and hasattr(given, "dtype"):
        return f"an array {given.dtype}[{', '.join(map(str, shape))}]" if shape else f"{given!r}"
    if isinstance(given, list | tuple | dict | set | frozenset) and name in _CONTAINERS:
        return f"a {name} of {len(given)}"
    return f"{_article(name)} {name}"


def kind(given: object, name: str, wanted: type[T], how: str = "") -> T:
    """The value, if it is an instance of the class. Raises ArgumentTypeError otherwise."""
    if isinstance(given, wanted):
        return given
    called = wanted.__name__
    wrong_type(name, given, f"{_article(called)} {called}", how)


def whole(given: object, name: str, low: int | None = None, high: int | None = None) -> int:
    """A whole number within the limits, Python's or numpy's; not a truth value or a float. Raises ArgumentTypeError for
    another type and ArgumentValueError for a number outside the limits."""
    wanted = f"a whole number{_within(low, high)}"
    if isinstance(given, bool):
        wrong_type(name, given, wanted)
    try:
        found = operator.index(given)  # type: ignore[arg-type]  # raises TypeError if it is not a whole number
    except TypeError:
        wrong_type(name, given, wanted)
    if (low is not None and found < low) or (high is not None and found > high):
        wrong_value(name, given, wanted)
    return found


def seed(given: object, name: str = "seed") -> int:
    """A seed: a whole number from 0 to 2^63 - 1."""
    return whole(given, name, 0, SEED_LIMIT - 1)


def number(given: object, name: str, low: float = -math.inf, high: float = math.inf) -> float:
    """A finite number within the limits, Python's or numpy's. Raises as `whole`."""
    wanted = f"a number{_within(low, high)}"
    if isinstance(given, str | bytes) or not (hasattr(given, "__float__") or hasattr(given, "__index__")):
        wrong_type(name, given, wanted)
    try:
        found = float(given)  # type: ignore[arg-type]  # arrays of several numbers raise
    except (TypeError, ValueError):
        wrong_type(name, given, wanted)
    except OverflowError:
        wrong_value(name, given, wanted)
    if _is_truth(given) or bool(getattr(given, "shape", ())):
        wrong_type(name, given, wanted)
    if not (math.isfinite(found) and low <= found <= high):
        wrong_value(name, given, wanted)
    return found


def truth(given: object, name: str) -> bool:
    """True or False, Python's or numpy's."""
    if _is_truth(given):
        return bool(given)
    wrong_type(name, given, "True or False")


def text(given: object, name: str, how: str = "") -> str:
    """A text that is not empty. Raises ArgumentTypeError or ArgumentValueError."""
    if not isinstance(given, str):
        wrong_type(name, given, "a text", how)
    if not given:
        wrong_value(name, given, "a text that is not empty", how)
    return str(given)


def one_of(given: object, name: str, known: Iterable[str]) -> str:
    """One of the known names. Raises ArgumentTypeError or ArgumentValueError."""
    names = list(known)
    wanted = f"one of {', '.join(map(repr, names))}"
    if not isinstance(given, str):
        wrong_type(name, given, wanted)
    if given not in names:
        near = difflib.get_close_matches(given, names, 1)
        wrong_value(name, given, wanted, f"did you mean {near[0]!r}?" if near else "")
    return str(given)


def path(given: object, name: str) -> Path:
    """A path, given as a text or as a `Path`."""
    wanted, how = "a path", "give a str or a pathlib.Path"
    if not isinstance(given, str | os.PathLike):
        wrong_type(name, given, wanted, how)
    plain = os.fspath(given)
    if not isinstance(plain, str):
        wrong_type(name, given, wanted, how)
    if not plain or "\0" in plain or max(map(len, plain.split(os.sep))) > _LONGEST_NAME:
        wrong_value(name, given, wanted, how)
    return Path(plain)


_CONTAINERS = ("list", "tuple", "dict", "set", "frozenset")


def _sentence(name: str, given: object, wanted: str, how: str) -> str:
    text = f"the argument `{name}` must be {wanted}, and is {described(given)}"
    return f"{text}; {how}" if how.endswith("?") else f"{text}{f': {how}' if how else ''}."


def _is_truth(given: object) -> bool:
    return isinstance(given, bool) or type(given).__name__ in ("bool", "bool_")  # numpy's, by its name


def _article(name: str) -> str:
    return "an" if name[:1].lower() in ("a", "e", "i", "o") else "a"


def _within(low: float | None, high: float | None) -> str:
    """The limits in words."""
    low, high = (None if limit is None or math.isinf(limit) else limit for limit in (low, high))
    if low is None:
        return "" if high is None else f" of at most {_limit(high)}"
    return f" of at least {_limit(low)}" if high is None else f" from {_limit(low)} to {_limit(high)}"


def _limit(limit: float) -> str:
    return "2^63 - 1" if limit == SEED_LIMIT - 1 else f"{limit:,}" if isinstance(limit, int) else f"{limit:g}"
