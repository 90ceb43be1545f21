"""Odd arguments for public functions: each is taken, or refused in one sentence."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import AntemillError
from antemill.engine.rules.named import kuhn

_FRAME = pa.table({"a": [1, 2]}).to_pandas()
PLAIN: tuple[Any, ...] = (
    *(None, True, ..., object(), list, len, math.nan, math.inf, -math.inf, 1.5, 1j, -1, 0, 3, 10**30),
    *("", "nothing", "fast", "kuhn", "two\nlines", "\0", "x" * 5_000, b"x", Path("nothing"), Path()),
    *([], [None], [1.0, "a"], (), (1, 2), (1, 2, 3), {}, {"a": 1}, {1: None}, {"a"}, iter([1]), range(3)),
    *(np.int64(3), np.float64(0.5), np.bool_(True), np.array(2.0), np.zeros(3), np.zeros((2, 2)), np.array(["a"])),
    *(np.array([object()]), pa.table({"a": [1]}), _FRAME, _FRAME["a"]),
    *(kuhn(), compile_spec(kuhn())),
)


def refusals(
    function: Callable[..., Any], good: Mapping[str, Any], odd: tuple[Any, ...] = PLAIN, but: tuple[type, ...] = ()
) -> Iterator[str]:
    """What is wrong with how a function answers to each odd value in the place of each good argument; nothing, if all
    is well. but: kinds of values that are left out, for they are good ones that take long.
    """
    function(**good)
    for name in good:
        for value in odd:
            if but and isinstance(value, but) and not isinstance(value, bool):
                continue
            try:
                repr(function(**{**good, name: value}))
            except AntemillError as error:
                said = str(error)
                if not one_sentence(said.replace(value, "...") if isinstance(value, str) and value else said):
                    yield f"{name}={value!r:.80}: {error}"
            except Exception as error:
                yield f"{name}={value!r:.80}: {type(error).__name__}: {error!s:.200}"


def one_sentence(text: str) -> bool:
    """Whether the text is a sentence that fits into a few lines."""
    return text.endswith((".", "?")) and "\n" not in text and "object at 0x" not in text and 10 < len(text) < 500
