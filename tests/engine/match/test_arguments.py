"""A match answers every call with a result or with one sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from antemill.engine.compiler.compile import compile_spec
from antemill.engine.match import Game, Match, read_transcript, replay
from antemill.engine.rules.named import kuhn
from tests.odd import PLAIN, refusals

PLAYED = Match(kuhn(), 7)
while not PLAYED.over:
    PLAYED.apply(PLAYED.menu.choice(0))
RECORD = PLAYED.transcript()
OURS = (PLAYED, PLAYED.game, PLAYED.view(0), RECORD, RECORD.to_json(), PLAYED.result)


def _asked(method: str) -> Callable[..., Any]:
    return lambda **given: getattr(Match("kuhn", 7), method)(**given)


@pytest.mark.parametrize(
    ("function", "good"),
    [
        (Match, {"rules": "kuhn", "play_seed": 7, "names": ("me", "you"), "log": True}),
        (Match, {"rules": Game("kuhn"), "play_seed": 7, "chance": None}),
        (Game, {"rules": "kuhn"}),
        (Game.of, {"rules": "kuhn"}),
        (replay, {"transcript": RECORD, "rules": "kuhn"}),
        (read_transcript, {"data": RECORD.to_json()}),
        (_asked("view"), {"seat": 0}),
        (_asked("draws"), {"seat": 0}),
        (_asked("apply"), {"choice": "bet"}),
        (_asked("apply_random"), {"submitted": None}),
        (PLAYED.game.menu(PLAYED.game.opening(9)).resolve, {"choice": 0}),
    ],
)
def test_odd_arguments(
    function: Callable[..., Any], good: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    odd = [value for value in (*PLAIN, *OURS) if "chance" not in good or not callable(value)]
    assert list(refusals(function, good, tuple(odd))) == []


def test_rules_in_any_form_are_one_game() -> None:
    for rules in ("kuhn", kuhn(), compile_spec(kuhn()), Game("kuhn")):
        assert Match(rules, np.int64(7)).game.digest == PLAYED.game.digest  # type: ignore[arg-type]
    assert Match(7).game.digest == Match("7", 0).game.digest
    assert Match("kuhn").play_seed == 0
