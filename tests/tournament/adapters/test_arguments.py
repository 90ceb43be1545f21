"""Environments and curricula answer all arguments with a result or with one sentence."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from antemill.engine.errors import UsageError
from antemill.engine.rules.named import kuhn
from antemill.tournament import adapters
from antemill.tournament.adapters import Curriculum, Growth, openspiel_env, openspiel_vector_env, vector_env
from tests.odd import PLAIN, refusals
from tests.tournament.pool.pool_jobs import scored_pool

_TABLE = vector_env("kuhn", 2)
_TABLE.reset(seed=1)


def _course() -> dict[str, Any]:
    return {
        "source": scored_pool(),
        "side": None,
        "shares": (0.8, 0.1, 0.1),
        "ranges": {"complexity": (0.0, 1.0)},
        "weights": {"complexity": 2.0},
        "growth": Growth(),
        "seed": 1,
        "benchmarks": (),
        "benchmark_games": False,
    }


@pytest.mark.parametrize(
    ("function", "good"),
    [
        (
            vector_env,
            {"games": "kuhn", "lanes": 2, "alice": None, "bob": "random", "events": True, "illegal": "refused"},
        ),
        (vector_env, {"games": ["kuhn"], "form": "leduc"}),
        (_TABLE.reset, {"seed": 1, "options": None}),
        (_TABLE.step, {"actions": [0, 0]}),
        (Growth, {"by": "complexity", "start": 0.1, "step": 0.1, "target": 0.5, "window": 10}),
        (adapters.refuse_benchmark, {"games": [kuhn()], "benchmarks": []}),
        (
            openspiel_env,
            {
                "game": "kuhn",
                "seed": 1,
                "observation_type": None,
                "include_full_state": False,
                "enable_legality_check": False,
            },
        ),
        (openspiel_vector_env, {"game": "kuhn", "lanes": 2, "seed": 1}),
    ],
)
def test_odd_arguments(
    function: Callable[..., Any], good: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    if "actions" in good:
        _TABLE.reset(seed=1)
    assert list(refusals(function, good, (*PLAIN, _TABLE, Growth()))) == []


@pytest.mark.slow
def test_odd_arguments_of_a_curriculum(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    good = _course()
    monkeypatch.chdir(tmp_path)
    assert list(refusals(Curriculum, good, (*PLAIN, _TABLE, Growth()))) == []
    course = Curriculum(**good)
    for method, given in (("draw", {"count": 1}), ("report", {"score": 0.5}), ("restore", {"state": course.state()})):
        assert list(refusals(getattr(course, method), given)) == []


@pytest.mark.parametrize(
    ("call", "kind", "sentence"),
    [
        (lambda: vector_env("kuhn", "8"), TypeError, r"the number of lanes is '8': pass a whole number\."),  # type: ignore[arg-type]
        (lambda: vector_env(1.5), TypeError, r"1\.5 is no game: name one, or a sequence of them\."),  # type: ignore[arg-type]
        (lambda: vector_env("kuhn", illegal="mask"), ValueError, r"the argument `illegal` must be one of .*'masked'\?"),  # type: ignore[arg-type]
        (lambda: vector_env("kuhn", bob=7), TypeError, "7 is no policy: use random, l1, mixed, cfr"),  # type: ignore[arg-type]
        (lambda: Growth(window="10"), TypeError, "the argument `window` must be a whole number, and is '10'"),  # type: ignore[arg-type]
        (lambda: Curriculum("pool", seed=1.0), TypeError, "the argument `seed` must be a whole number, and is 1.0"),  # type: ignore[arg-type]
        (lambda: Curriculum("pool", benchmarks="b.parquet"), TypeError, "`benchmarks` must be a sequence of paths"),
        (
            lambda: openspiel_env("kuhn", discount="1"),  # type: ignore[arg-type]
            TypeError,
            "the argument `discount` must be a number, and is '1'",
        ),
    ],
)
def test_what_the_sentences_say(call: Callable[[], Any], kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind, match=sentence) as refused:
        call()
    assert isinstance(refused.value, UsageError)


def test_signatures_are_short() -> None:
    for name in adapters.__all__:
        parts = signature(getattr(adapters, name)).parameters.values()
        assert all(len(repr(part.default)) <= 60 for part in parts), name
    assert vector_env(7, np.int64(8)).num_envs == 8  # type: ignore[arg-type]
