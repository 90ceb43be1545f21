"""Environments and curricula answer all arguments with a result or with one sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from antemill.engine.rules.named import kuhn
from antemill.tournament import adapters
from antemill.tournament.adapters import Growth, vector_env
from tests.odd import PLAIN, refusals

_TABLE = vector_env("kuhn", 2)
_TABLE.reset(seed=1)


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
    ],
)
def test_odd_arguments(
    function: Callable[..., Any], good: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    if "actions" in good:
        _TABLE.reset(seed=1)
    assert list(refusals(function, good, (*PLAIN, _TABLE, Growth()))) == []
