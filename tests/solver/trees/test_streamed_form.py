"""The sequence form without a tree: the same as by the tree, and policies that play the game."""

from __future__ import annotations

import numpy as np
import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import UsageError
from antemill.engine.machine.program import Program
from antemill.engine.rules.named import NAMED
from antemill.solver import solving
from antemill.solver.solving import Settings, real_measures, solve_game
from antemill.solver.trees import streamed_form as streaming
from antemill.solver.trees.abstract_sets import abstract_sets, own_sets
from antemill.solver.trees.abstraction import Abstraction
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import payoff_matrix, sides
from antemill.solver.trees.streamed_form import streamed_form
from tests.solver.games import alice_alone

SEEDS = (7, 12, 31)


def generated(seed: int) -> Program:
    return compile_spec(generate(seed, 0.05 + 0.01 * (seed % 20)))


def agree(program: Program) -> None:
    """The form is that of the tree, but for the order of sets."""
    form, tree = streamed_form(program), build_tree(program)
    both, orders = sides(tree), []
    assert form.nodes == tree.nodes
    for seat, wanted in enumerate(abstract_sets(program, tree, Abstraction.NONE)):
        got, side, other = own_sets(form.sets)[seat], form.sides[seat], both[seat]
        place = {int(key): i for i, key in enumerate(wanted.key[wanted.of_set])}
        assert len(place) == len(other.parent_sequence) == got.size
        order = np.zeros(side.sequences, np.int64)  # the tree's number of each sequence
        for i, key in enumerate(got.key.tolist()):
            k, n = int(other.start[place[key]]), int(side.start[i + 1] - side.start[i])
            order[side.start[i] : side.start[i + 1]] = np.arange(k, k + n)
            menu = wanted.start[wanted.of_set[place[key]]]
            assert got.action[got.start[i] : got.start[i + 1]].tolist() == wanted.action[menu : menu + n].tolist()
            assert got.decision[i] == wanted.decision[wanted.of_set[place[key]]]
        assert sorted(order) == list(range(side.sequences)) == list(range(other.sequences))
        assert np.all(side.parent_sequence < side.start[:-1])
        parents = [other.parent_sequence[place[key]] for key in got.key.tolist()]
        assert order[side.parent_sequence].tolist() == parents
        orders.append(order)
    for seat in (0, 1):
        want = payoff_matrix(both[seat], both[1 - seat]).tocsr()[orders[seat]][:, orders[1 - seat]]
        difference = abs(payoff_matrix(form.sides[seat], form.sides[1 - seat]) - want)
        assert difference.max() <= 1e-12 * program.chips


@pytest.mark.parametrize("seed", SEEDS)
def test_it_is_that_of_the_tree(seed: int) -> None:
    agree(generated(seed))


def test_of_a_player_who_never_decides() -> None:
    agree(compile_spec(alice_alone()))


def test_games_above_the_tree_limit_are_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    program, settings = compile_spec(NAMED["leduc"]()), Settings(target=1e-3)
    kept = solve_game(program, settings).saved.solution
    monkeypatch.setattr(solving, "NODE_LIMIT", 50)
    monkeypatch.setattr(solving, "build_tree", None)  # there is none
    found = solve_game(program, settings).saved
    monkeypatch.undo()
    assert (found.solution.nodes, found.solution.information_sets) == (kept.nodes, kept.information_sets)
    assert found.solution.stopped == "target"
    tree = build_tree(program)
    figures = found.solution.value, found.solution.exploitability
    assert real_measures(program, tree, found.table) == pytest.approx(figures, abs=1e-10)


def test_what_does_not_fit_into_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match=r"takes more than 0\.0 GB"):
        streamed_form(compile_spec(NAMED["appendix-b"]()), memory=2_000_000)
    monkeypatch.setattr(streaming, "physical_memory", lambda: 2_000_000)
    streamed_form(compile_spec(NAMED["leduc"]()))
    with pytest.raises(UsageError, match=r"takes more than 0\.0 GB"):
        streamed_form(compile_spec(NAMED["appendix-b"]()))
