"""The sentence about a game that the gate rejects."""

from __future__ import annotations

import pytest

from antemill.engine.builder.resolve import resolve
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine.gate import MOST_DEAD_BRANCHES, MOST_MOVES, MOST_RARE_PHASES, REASONS, Gate, gate
from antemill.engine.text.verdict import NO_SEED, gate_seed, judged, rejection


def _verdict(moves: float = 1.0, rare: float = 0.0, dead: float = 0.0) -> Gate:
    broken = [
        reason
        for reason, much in zip(
            REASONS, (moves > MOST_MOVES, rare > MOST_RARE_PHASES, dead > MOST_DEAD_BRANCHES), strict=True
        )
        if much
    ]
    return Gate(not broken, broken[0] if broken else "", moves, rare, dead, tuple(broken), {}, ())


def test_every_rule_that_is_broken_is_named_with_its_figure() -> None:
    said = rejection("mine.json", _verdict(12.34, 0.5, 0.4))
    assert said == (
        "the gate rejects game mine.json (too many moves: 12.3 a player in a random episode; rare phases: 50% of its "
        "phases come up in fewer than 5% of random episodes; dead branches: 40% of its branches are never taken in "
        "random episodes); it can be played, but no benchmark has it."
    )


@pytest.mark.parametrize(
    ("name", "seed"),
    [("7", 7), ("7@0.4", 7), ("kuhn", NO_SEED), ("7.json", NO_SEED), ("7@a.json", NO_SEED), ("²", NO_SEED)],
)
def test_a_game_is_gated_by_the_seed_of_a_pool(name: str, seed: int) -> None:
    assert gate_seed(name) == seed


def test_a_game_is_judged_as_in_a_pool() -> None:
    program = compile_spec(resolve("7"))
    verdict = judged("7", program)
    assert verdict == gate(program, 7)
    assert "rare phases: 56%" in rejection("7", verdict)
