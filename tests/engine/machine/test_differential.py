"""The compiled programs against the plain interpreter, on the same games under the same choices (design decision D5).

Every question (who is asked, what is offered, which draw), every event with its visibility, the payoff, and the
phases and branches that came up must agree. The keys must tell apart exactly what the interpreter's information
tuples tell apart. This covers the rules G1, G2 and G8 to G40 wherever a generated game, a named one or
`every_construct` reaches them, the information state X2, and G36: what is private leaves no trace in keys.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import GameSpec
from tests.engine.machine.differential import Keys, compare
from tests.seeds import seeds
from tests.specs import every_construct


def compare_many(spec: GameSpec, playouts: int, seed: int) -> int:
    """Compare random playouts of a game; returns the number of decisions."""
    program, keys, rng = compile_spec(spec), Keys(), random.Random(seed)
    return sum(len(compare(spec, program, rng.choices(range(5040), k=200), keys).stops) for _ in range(playouts))


@pytest.mark.parametrize("name", sorted(NAMED))
def test_named_games(name: str) -> None:
    assert compare_many(NAMED[name](), 100, 1) > 100


def test_every_construct() -> None:
    assert compare_many(every_construct(), 150, 2) > 150


def _complexity(i: int) -> float | None:
    """Every other game at its seed's own complexity, the others evenly over the dial."""
    return None if i % 2 else (i % 101) / 100


@pytest.mark.parametrize("block", range(10))
def test_generated_games(block: int) -> None:
    """Of 2,000 games every seventh; some of them are played at length below."""
    decisions = 0
    for i in range(block * 200 + block % 7, block * 200 + 200, 7):
        decisions += compare_many(generate(i, _complexity(i)), 4, i)
    assert decisions > 300


@pytest.mark.extended
@pytest.mark.parametrize("block", seeds(0, 20))
def test_generated_games_at_length(block: int) -> None:
    """A few drafts ask no player anything: antes and payments take all chips before the betting."""
    asked = [compare_many(generate(i, _complexity(i)), 100, i) > 0 for i in range(block * 50, block * 50 + 50)]
    assert sum(asked) >= len(asked) - 1


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    seed=st.integers(0, 100_000),
    complexity=st.floats(0, 1),
    choices=st.lists(st.integers(0, 63), max_size=80),
)
def test_any_game_any_choices(seed: int, complexity: float, choices: list[int]) -> None:
    spec = generate(seed, complexity)
    compare(spec, compile_spec(spec), choices, Keys())
