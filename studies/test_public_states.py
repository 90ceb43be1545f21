"""What public states hold, against what trees know, and against what is known of Kuhn poker."""

from __future__ import annotations

import numpy as np
import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine.program import Program
from antemill.engine.rules.named import NAMED
from antemill.solver.game import END
from antemill.solver.trees.build import build_tree
from studies.public_states import public_states


def of_the_tree(program: Program) -> tuple[int, int, int]:
    """Information sets, pairs of sequences at ends with a payoff, and nodes."""
    tree = build_tree(program)
    paid = np.flatnonzero((tree.player == END) & (tree.payoff != 0))
    pairs = set(zip(*(tree.sequence[seat, paid].tolist() for seat in (0, 1)), strict=True))
    return tree.sets[0].size + tree.sets[1].size, len(pairs), tree.nodes


def test_kuhn_by_hand() -> None:
    """Four decisions, with three cards of each player; five ends, at each of which three sequences of each meet."""
    found = public_states(compile_spec(NAMED["kuhn"]()))
    assert (found.states, found.hands, found.vectors, found.pairs) == (4, 4 * 6, 5 * 6, 30)


@pytest.mark.parametrize("seed", [7, 15, 31])
def test_against_the_tree(seed: int) -> None:
    program = compile_spec(generate(seed, 0.2))
    found = public_states(program)
    assert (found.information_sets, found.pairs, found.nodes) == of_the_tree(program)
    assert found.states <= found.information_sets <= found.hands


def test_estimates_with_little_room() -> None:
    program = compile_spec(NAMED["appendix-b"]())
    exact, estimate = public_states(program), public_states(program, 1 << 10)
    assert estimate.nodes == exact.nodes
    assert estimate != exact
    assert tuple(estimate) == pytest.approx(tuple(exact), rel=0.2)
