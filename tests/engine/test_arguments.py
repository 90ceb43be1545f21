"""`engine.arguments`: what callers may hand over, and the sentence about what they may not."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from antemill.engine import arguments
from antemill.engine.arguments import ArgumentTypeError, ArgumentValueError
from antemill.engine.errors import UsageError

TAKEN: list[tuple[Callable[..., Any], tuple[Any, ...], Any]] = [
    (arguments.whole, (7, "n"), 7),
    (arguments.whole, (np.int64(7), "n", 7, 7), 7),
    (arguments.whole, (np.array(7), "n"), 7),
    (arguments.whole, (np.uint8(255), "n", 0), 255),
    (arguments.seed, (2**63 - 1,), 2**63 - 1),
    (arguments.number, (np.float32(0.5), "x", 0, 1), 0.5),
    (arguments.number, (1, "x"), 1.0),
    (arguments.truth, (np.bool_(True), "b"), True),
    (arguments.text, ("a", "t"), "a"),
    (arguments.one_of, ("fast", "tier", ("fast", "precise")), "fast"),
    (arguments.path, ("a/b", "out"), Path("a/b")),
    (arguments.path, (Path("a"), "out"), Path("a")),
    (arguments.kind, (3, "n", int), 3),
]

REFUSED: list[tuple[Callable[..., Any], tuple[Any, ...], type[Exception], str]] = [
    (arguments.whole, (True, "n"), TypeError, "the argument `n` must be a whole number, and is True."),
    (arguments.whole, (np.bool_(True), "n"), TypeError, "the argument `n` must be a whole number, and is np.True_."),
    (arguments.whole, (7.0, "n", 1), TypeError, "the argument `n` must be a whole number of at least 1, and is 7.0."),
    (arguments.whole, ("7", "n"), TypeError, "the argument `n` must be a whole number, and is '7'."),
    (arguments.whole, (0, "n", 1, 9), ValueError, "the argument `n` must be a whole number from 1 to 9, and is 0."),
    (
        arguments.seed,
        (-1,),
        ValueError,
        "the argument `seed` must be a whole number from 0 to 2^63 - 1, and is -1.",
    ),
    (
        arguments.seed,
        (10**5000,),
        ValueError,
        "the argument `seed` must be a whole number from 0 to 2^63 - 1, and is an integer of more than 64 bits.",
    ),
    (arguments.number, (math.nan, "x"), ValueError, "the argument `x` must be a number, and is nan."),
    (arguments.number, (10**400, "x"), ValueError, "the argument `x` must be a number, and is an integer of more"),
    (arguments.number, (2, "x", 0, 1), ValueError, "the argument `x` must be a number from 0 to 1, and is 2."),
    (arguments.number, (1j, "x"), TypeError, "the argument `x` must be a number, and is 1j."),
    (arguments.number, (np.array([1.0]), "x"), TypeError, "the argument `x` must be a number, and is an array float64"),
    (arguments.truth, (1, "b"), TypeError, "the argument `b` must be True or False, and is 1."),
    (arguments.text, ("", "t"), ValueError, "the argument `t` must be a text that is not empty, and is ''."),
    (
        arguments.one_of,
        ("fsat", "tier", ("fast", "precise")),
        ValueError,
        "the argument `tier` must be one of 'fast', 'precise', and is 'fsat'; did you mean 'fast'?",
    ),
    (arguments.path, (7, "out"), TypeError, "the argument `out` must be a path, and is 7: give a str or a pathlib"),
    (arguments.path, (b"a", "out"), TypeError, "the argument `out` must be a path, and is b'a': give a str or a"),
    (arguments.path, ("a\0", "out"), ValueError, "the argument `out` must be a path, and is 'a\\x00': give a str"),
    (
        arguments.kind,
        ([1, 2], "spec", UsageError, "make one"),
        TypeError,
        "the argument `spec` must be a UsageError, and is a list of 2: make one.",
    ),
]


@pytest.mark.parametrize(("check", "given", "want"), TAKEN)
def test_what_is_right_comes_back_as_a_plain_value(
    check: Callable[..., Any], given: tuple[Any, ...], want: Any
) -> None:
    got = check(*given)
    assert got == want
    assert type(got) is type(want) or isinstance(want, Path)


@pytest.mark.parametrize(("check", "given", "error", "said"), REFUSED)
def test_what_is_wrong_is_one_sentence(
    check: Callable[..., Any], given: tuple[Any, ...], error: type[Exception], said: str
) -> None:
    with pytest.raises(error) as caught:
        check(*given)
    assert str(caught.value).startswith(said)
    assert isinstance(caught.value, UsageError)  # which the command line prints
    assert type(caught.value) in (ArgumentTypeError, ArgumentValueError)
