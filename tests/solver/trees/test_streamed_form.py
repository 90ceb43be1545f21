"""The sequence form without a tree: the same as by the tree, and policies that play the game."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import UsageError
from antemill.engine.machine.program import Program
from antemill.engine.rules.named import NAMED
from antemill.solver import solving
from antemill.solver.solving import Settings, real_measures, solve_game
from antemill.solver.trees import numbering
from antemill.solver.trees import streamed_form as streaming
from antemill.solver.trees.abstract_sets import abstract_sets, own_sets
from antemill.solver.trees.abstraction import Abstraction
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import payoff_matrix, sides
from antemill.solver.trees.streamed_form import streamed_form
from antemill.solver.trees.walk import renaming
from tests.seeds import seeds
from tests.solver.games import alice_alone
from tests.solver.trees.test_suits import BY_HAND

SEEDS = (2, 7, 8, 12, 15, 25, 31, 33)


def generated(seed: int) -> Program:
    return compile_spec(generate(seed, 0.05 + 0.01 * (seed % 20)))


def fits(program: Program) -> bool:
    """Whether the tree has at most 100,000 nodes."""
    try:
        build_tree(program, 100_000)
    except UsageError:
        return False
    return True


def agree(program: Program, abstraction: Abstraction = Abstraction.NONE) -> None:
    """The form is that of the tree, but for the order of sets."""
    form, tree = streamed_form(program, abstraction), build_tree(program, abstraction=abstraction)
    both, orders = sides(tree), []
    assert form.nodes == tree.nodes
    for seat, wanted in enumerate(abstract_sets(program, tree, abstraction)):
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


@pytest.mark.parametrize("name", NAMED)
def test_of_named_games(name: str) -> None:
    agree(compile_spec(NAMED[name]()))


@pytest.mark.parametrize("name", BY_HAND)
def test_but_for_names_of_suits(name: str) -> None:
    agree(compile_spec(BY_HAND[name]), Abstraction.SUITS)


def test_of_a_player_who_never_decides() -> None:
    agree(compile_spec(alice_alone()))


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(200, 320))
def test_of_many_games(seed: int) -> None:
    """Of each seed, or of the next one whose tree fits."""
    agree(next(program for each in count(seed) if fits(program := generated(each))))


def test_it_grows_and_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few entries, sets and nodes at a time: the same bits as all at once."""
    program = compile_spec(NAMED["appendix-b"]())
    once = streamed_form(program)
    monkeypatch.setattr(streaming, "_CAPACITY", 4)
    monkeypatch.setattr(numbering, "_CAPACITY", 4)
    monkeypatch.setattr(streaming, "_SLICE", 97)
    again = streamed_form(program)
    for seat in (0, 1):
        for one, other in zip(once.sides[seat], again.sides[seat], strict=True):
            assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize(("name", "abstraction"), [("leduc", "none"), ("hearts", "suits")])
def test_games_above_the_tree_limit_are_solved(name: str, abstraction: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = compile_spec(NAMED[name]() if name in NAMED else BY_HAND[name])
    settings = Settings(target=1e-3, abstraction=abstraction)
    kept = solve_game(program, settings).saved.solution
    monkeypatch.setattr(solving, "NODE_LIMIT", 50)
    monkeypatch.setattr(solving, "build_tree", None)  # there is none
    found = solve_game(program, settings).saved
    monkeypatch.undo()
    assert (found.solution.nodes, found.solution.information_sets) == (kept.nodes, kept.information_sets)
    assert found.solution.stopped == "target"
    tree = build_tree(program, abstraction=Abstraction[abstraction.upper()])
    figures = found.solution.value, found.solution.exploitability
    assert real_measures(program, tree, found.table) == pytest.approx(figures, abs=1e-10)
    again = solve_game(program, settings, start=found).saved.solution
    assert again.iterations < kept.iterations


def test_what_does_not_fit_into_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match=r"takes more than 0\.0 GB"):
        streamed_form(compile_spec(NAMED["appendix-b"]()), memory=2_000_000)
    monkeypatch.setattr(streaming, "physical_memory", lambda: 2_000_000)
    streamed_form(compile_spec(NAMED["leduc"]()))
    with pytest.raises(UsageError, match=r"takes more than 0\.0 GB"):
        streamed_form(compile_spec(NAMED["appendix-b"]()))


def test_a_contradiction_names_the_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the walk finds wrong of a set is said; `test_build` has what is wrong."""
    monkeypatch.setattr(streaming, "walk_on", lambda *_: numbering.FORGETS)
    with pytest.raises(RuntimeError, match="information set 1 of Alice forgets what the player did before"):
        streamed_form(compile_spec(NAMED["kuhn"]()))


def test_renaming_changes_the_form() -> None:
    program = compile_spec(BY_HAND["hearts"])
    assert renaming(program, Abstraction.SUITS).kind != renaming(program, Abstraction.NONE).kind
    assert streamed_form(program, Abstraction.SUITS).nodes < streamed_form(program).nodes
