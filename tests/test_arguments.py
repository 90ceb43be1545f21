"""Arguments of public functions: each works, or is an error of one sentence that says which one it is."""

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pytest

import antemill as am
from antemill.engine.arguments import ArgumentTypeError, ArgumentValueError
from antemill.engine.errors import AntemillError
from antemill.engine.machine.policy import UNIFORM, Policy
from antemill.engine.machine.rollout import Streams

KUHN = am.compile_spec("kuhn")
LOG = am.rollout(KUHN, 5, 1)
TREE = am.build_tree(KUHN)
SOLVED = am.solve(TREE, iterations=5)
# What callers hand over by mistake, and what they may.
ODD: list[Any] = [
    *(None, True, 0, -1, 7, 2**63, 10**400, 0.5, 3.0, -0.0, math.nan, math.inf, 2j),
    *(
        "",
        "kuhn",
        "7",
        "7@0.4",
        "l1",
        "random",
        "fast",
        "nothing",
        "a/b.json",
        "a\0b",
        b"kuhn",
        b"\xff",
        Path("nowhere"),
    ),
    *(np.int64(3), np.int8(-1), np.uint64(2**63), np.float64(0.5), np.bool_(True), np.str_("kuhn"), np.array(3)),
    *(np.zeros(3), np.zeros((2, 2), np.int64), np.array(["a"]), np.datetime64("2026-01-01")),
    *([], [1, 2], (1, 2), {}, {"a": 1}, {1}, range(3), iter([1]), object(), print, int, lambda: 1),
    *(KUHN, am.game("kuhn"), am.game("kuhn").deck, LOG, TREE, SOLVED, am.FAST, am.AXES, am.streams(1), UNIFORM),
    *(pa.table({"a": [1]}), pa.array([1]), ValueError("x"), Streams, type("Odd", (), {"__index__": lambda _: 1.5})()),
]
GOOD: dict[str, dict[str, Any]] = {
    "generate": {"seed": 7, "complexity": 0.1},
    "game": {"what": "kuhn"},
    "check": {"spec": am.game("kuhn")},
    "compile_spec": {"spec": "kuhn", "suited": None},
    "gate": {"game": KUHN, "seed": 1, "episodes": 5},
    "rollout": {"game": KUHN, "episodes": 3, "keys": 1, "alice": "random", "bob": "random"},
    "streams": {"seed": 1},
    "from_json": {"data": am.to_json(am.game("kuhn"))},
    "to_json": {"spec": am.game("kuhn")},
    "score": {
        "game": KUHN,
        "tier": am.Tier("tiny", level0=20, opponents=1, focused=0, trials=1),
        "seed": 1,
        "only": "risk",
    },
    "engine.rollout": {"game": KUHN, "episodes": 3, "keys": 1, "alice": "random", "bob": UNIFORM},
    "disguise": {"game": "kuhn", "seed": 1, "theme": "bare", "seats": False},
    "engine.canonical_digest": {"spec": am.game("kuhn")},
    "engine.rules_digest": {"spec": am.game("kuhn")},
}
loose: Any = am  # as callers without types see it
CALLS = [(name, argument) for name, arguments in GOOD.items() for argument in arguments]


def function(name: str) -> Callable[..., Any]:
    found = loose
    for part in name.split("."):
        found = getattr(found, part)
    return cast(Callable[..., Any], found)


@pytest.mark.parametrize(("name", "argument"), CALLS, ids=lambda each: str(each))
def test_an_odd_argument_works_or_is_one_sentence(name: str, argument: str) -> None:
    works = 0
    for value in ODD:
        if isinstance(value, int) and not isinstance(value, bool) and argument == "episodes" and value > 10:
            continue  # it would be played
        try:
            function(name)(**{**GOOD[name], argument: value})
        except AntemillError as error:
            text = str(error)
            assert "\n" not in text, (value, text)
            assert re.search(r"[.!?)]$", text), (value, text)
            assert len(text) < 600, (value, text)
            if isinstance(error, ArgumentTypeError | ArgumentValueError):
                assert argument in text or "game" in text, (value, text)
        else:
            works += 1
    assert works < len(ODD), "every argument is accepted"


def test_what_callers_are_used_to_works() -> None:
    assert am.streams(np.int64(3)) == am.streams(3)
    assert am.streams(3, np.int8(-1), 2**40) == am.streams(3, -1, 2**40)
    assert am.generate(np.uint8(7)) == am.generate(7) == am.game("7") == am.game(7) == am.game(np.int64(7))
    assert am.compile_spec("kuhn") == am.compile_spec(am.game("kuhn")) == KUHN
    assert am.score("kuhn", "fast") == am.score(KUHN, am.FAST)
    assert am.gate("kuhn", np.int32(7)) == am.gate(KUHN, 7)
    by_seed, by_streams = am.rollout("kuhn", 10, 1), am.rollout(KUHN, np.int64(10), am.streams(1))
    assert by_seed.decisions.equals(by_streams.decisions)


def test_rules_are_read_from_a_path(tmp_path: Path) -> None:
    file = tmp_path / "rules.json"
    file.write_bytes(am.to_json(am.game("leduc")))
    assert (
        am.from_json(file) == am.game(file) == am.game(str(file)) == am.from_json(file.read_text()) == am.game("leduc")
    )


def test_players_are_looked_up_by_name() -> None:
    best = am.rollout("kuhn", 4_000, 1, alice="l1", bob="random").payoff.mean()
    plain = am.rollout("kuhn", 4_000, 1).payoff.mean()
    assert best > plain + 0.1
    with pytest.raises(AntemillError, match="there is no player 'l2'"):
        am.rollout("kuhn", 1, alice="l2")
    solved = am.rollout("kuhn", 4_000, 1, alice="cfr", bob="cfr").payoff.mean()
    assert solved == pytest.approx(-1 / 18, abs=0.08)


def test_a_policy_of_another_game_is_refused() -> None:
    other: Policy = UNIFORM._replace(kind=1, game=1)
    for play in (am.rollout, am.engine.rollout):
        with pytest.raises(AntemillError, match="another game"):
            play(KUHN, 1, alice=other)
