"""Streams and policies that callers pass to drivers of the machine, checked before a kernel reads them."""

from __future__ import annotations

import numpy as np

import antemill.engine.arguments as arguments
from antemill.engine.arguments import SEED_LIMIT, wrong_type, wrong_value
from antemill.engine.machine.policy import UNIFORM, Policy, PolicyKind, require_single
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import Streams, streams

RANDOM = "random"  # the bot that kernels play without any preparation
KNOWN = "'random', or a policy that antemill.engine.machine.policy makes"
_ARRAYS = {"weights": np.float64} | dict.fromkeys(("offsets", "keys", "values", "fallback", "shifted_by_row"), np.int64)
_WANTED = "a policy that kernels can play"


def streams_of(given: object, name: str = "keys") -> Streams:
    """The streams of an argument, or those of a seed. name: the argument's, for errors."""
    if isinstance(given, Streams):
        low, high = -SEED_LIMIT, 2 * SEED_LIMIT - 1
        named = zip(Streams._fields, given, strict=True)
        return Streams(*(arguments.whole(word, f"{name}.{field}", low, high) for field, word in named))
    if isinstance(given, bool) or not hasattr(given, "__index__"):
        wrong_type(name, given, "streams of random numbers or a seed", "make them by streams(1)")
    return streams(arguments.seed(given, name))


def policy_of(given: object, name: str, program: Program) -> Policy:
    """The policy of an argument, for this game. name: the argument's, for errors."""
    if isinstance(given, str):
        if given == RANDOM:
            return UNIFORM
        wrong_value(name, given, _WANTED, f"give {KNOWN}")
    if not isinstance(given, Policy):
        wrong_type(name, given, _WANTED, f"give {KNOWN}")
    for field, dtype in _ARRAYS.items():
        column = getattr(given, field)
        if not isinstance(column, np.ndarray) or column.ndim != 1 or column.dtype != dtype:
            wrong_type(f"{name}.{field}", column, f"an array {np.dtype(dtype)}[n]", f"give {KNOWN}")
    for field in ("kind", "key_kind", "shifted", "game"):
        arguments.whole(getattr(given, field), f"{name}.{field}")
    arguments.number(given.shift, f"{name}.shift", 0, 1)
    if given.kind not in set(PolicyKind):
        wrong_value(name, given, _WANTED, f"give {KNOWN}")
    require_single(given, program)
    return given
