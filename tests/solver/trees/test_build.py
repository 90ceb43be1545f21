"""The tree as arrays, against what is known, the exporter's own walk, and the machine."""

from __future__ import annotations

import io
import re

import numpy as np
import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import UsageError
from antemill.engine.machine import layout as at
from antemill.engine.machine.branches import branches, count_nodes, root_state
from antemill.engine.machine.layout import CHANCE, OVER
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import payoff
from antemill.engine.rules.named import NAMED
from antemill.engine.storage import memory
from antemill.engine.text.efg import TreeSize, write_efg
from antemill.solver.game import ALICE, BOB, END, NATURE, Array, ExtensiveForm, InformationSets
from antemill.solver.solving import Settings, solve_game
from antemill.solver.trees import build as trees
from antemill.solver.trees.build import build_tree
from tests.solver.naive_solver import follow, who


def summary(tree: ExtensiveForm) -> TreeSize:
    return TreeSize(tree.nodes, tree.count(NATURE), tree.count(END), (tree.sets[0].size, tree.sets[1].size))


def compare(tree: ExtensiveForm, program: Program) -> int:
    """Walk the machine and the arrays side by side; returns the nodes seen."""
    stack = [(0, root_state(program))]
    seen = 0
    while stack:
        node, state = stack.pop()
        seen += 1
        ways = sorted(branches(program, state))  # by choice
        assert tree.width[node] == len(ways)
        if state[at.STOP] == OVER:
            assert (tree.player[node], tree.payoff[node]) == (END, payoff(state))
        elif state[at.STOP] == CHANCE:
            assert tree.player[node] == NATURE
        else:
            seat, key = who(state)
            assert tree.player[node] == seat
            mine = tree.sets[seat]
            number = tree.information_set[node]
            assert (mine.key[number], mine.decision[number]) == (key, state[at.DECISION])
            assert mine.parent_sequence[number] == tree.sequence[seat, node]
        for i, way in enumerate(ways):
            child = tree.first[node] + i
            assert tree.weight[child] == way.weight
            step = way.weight / int(state[at.MENU]) if tree.player[node] == NATURE else 1.0
            assert tree.chance[child] == tree.chance[node] * step
            for seat in (ALICE, BOB):
                want = tree.sequence[seat, node]
                if tree.player[node] == seat:
                    want = tree.sets[seat].start[tree.information_set[node]] + i
                assert tree.sequence[seat, child] == want
            stack.append((int(child), follow(program, state, way.choice)))
    return seen


def examine(tree: ExtensiveForm) -> None:
    """What must be true of the arrays of every tree."""
    inner = np.flatnonzero(tree.player != END)
    assert np.all(tree.first[inner] > inner)
    reached = np.concatenate([tree.first[n] + np.arange(tree.width[n]) for n in inner])
    assert sorted(reached) == list(range(1, tree.nodes))
    for seat, mine in enumerate(tree.sets):
        assert np.all(mine.parent_sequence < mine.start[:-1])
        heads = np.full(mine.size, tree.nodes)
        here = np.flatnonzero(tree.player == seat)
        np.minimum.at(heads, tree.information_set[here], here)
        examine_order(mine, heads)
        assert np.array_equal(np.diff(mine.start), tree.width[heads])
        assert len(set(mine.key)) == mine.size


def examine_order(mine: InformationSets, heads: Array) -> None:
    """Sets are numbered depth first, and by appearance where they follow the same one, or none.

    heads: int64[sets], the first node of each.
    """
    owner = np.concatenate(([-1], np.repeat(np.arange(mine.size), np.diff(mine.start))))
    path: list[int] = []
    latest: dict[int, int] = {}
    for number in range(mine.size):
        parent = int(owner[mine.parent_sequence[number]])
        while path and path[-1] != parent:
            path.pop()
        assert parent == (path[-1] if path else -1)
        path.append(number)
        assert heads[number] > latest.get(parent, -1)
        latest[parent] = int(heads[number])


@pytest.mark.parametrize(
    ("name", "suited", "want"),
    [
        ("kuhn", False, TreeSize(58, 4, 30, (6, 6))),
        ("leduc", True, TreeSize(9457, 157, 5520, (468, 468))),
        ("leduc", False, TreeSize(1939, 49, 1116, (144, 144))),
    ],
)
def test_known_sizes(name: str, suited: bool, want: TreeSize) -> None:
    program = compile_spec(NAMED[name](), suited=suited)
    tree = build_tree(program)
    assert summary(tree) == want
    examine(tree)
    assert compare(tree, program) == want.nodes
    assert (tree.game, tree.digest) == (program.names.game, program.digest)


@pytest.mark.parametrize("seed", range(8))
def test_trees_of_generated_games(seed: int) -> None:
    program = compile_spec(generate(seed, 0.05))
    if count_nodes(program, 5_000) > 5_000:
        with pytest.raises(UsageError, match=r" nodes, and the limit is 5,000: solve an abstraction of it \(--abs"):
            build_tree(program, 5_000)
        return
    tree = build_tree(program)
    assert summary(tree) == write_efg(program, io.StringIO())
    examine(tree)
    assert compare(tree, program) == tree.nodes


def test_the_papers_sample_game_with_merged_bids() -> None:
    program = compile_spec(NAMED["appendix-b"]())
    assert summary(build_tree(program)) == write_efg(program, io.StringIO())


def test_the_limit_is_inclusive() -> None:
    program = compile_spec(NAMED["kuhn"]())
    assert build_tree(program, 58).nodes == 58
    with pytest.raises(UsageError, match=r"the tree of Kuhn poker has about 5\d nodes, and the limit is 57"):
        build_tree(program, 57)
    for limit in (0, -1):
        with pytest.raises(UsageError, match=rf"the tree of Kuhn poker has about 5\d nodes, and the limit is {limit}"):
            build_tree(program, limit)


@pytest.mark.parametrize("room", [57, 58])
def test_a_tree_is_the_same_whether_it_was_counted_first_or_not(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = []

    def count(program: Program, limit: int) -> int:
        counted.append(limit)
        return count_nodes(program, limit)

    monkeypatch.setattr(trees, "_UNCOUNTED", room)
    monkeypatch.setattr(trees, "count_nodes", count)
    tree = build_tree(compile_spec(NAMED["kuhn"]()))
    assert len(counted) == (room < 58)
    assert summary(tree) == write_efg(compile_spec(NAMED["kuhn"]()), io.StringIO())


def refusal(program: Program, free: float, monkeypatch: pytest.MonkeyPatch) -> tuple[int, float]:
    """The nodes that were built until the tree was refused, and the bytes that one of them is said to take."""
    monkeypatch.setattr(trees, "free_memory", lambda: int(free))
    monkeypatch.setattr(trees, "_UNCOUNTED", 8_192)
    with pytest.raises(UsageError, match="GB are free: solve an abstraction of it") as caught:
        build_tree(program)
    found = re.search(r" nodes, and its first ([\d,]+) take (\d+) bytes each", str(caught.value))
    assert found is not None
    return int(found[1].replace(",", "")), float(found[2])


def test_a_tree_that_memory_can_not_hold_is_refused_by_what_its_first_nodes_take(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert memory.physical_memory() >= memory.free_memory() > 1 << 26
    program = compile_spec(generate(9))  # 38,035 nodes
    part, each = refusal(program, 2_000, monkeypatch)
    assert part == 8_192
    monkeypatch.setattr(trees, "free_memory", lambda: int(1.3 * each * 38_035))
    assert build_tree(program).nodes == 38_035


def test_a_game_that_memory_can_not_hold_is_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the refusal of its tree says."""
    program = compile_spec(NAMED["kuhn"]())
    monkeypatch.setattr(trees, "free_memory", lambda: 2_000)
    monkeypatch.setattr(trees, "_UNCOUNTED", 57)
    for settings in (Settings(abstraction="default", iterations=9), Settings(algorithm="mccfr", iterations=9)):
        solution = solve_game(program, settings).saved.solution
        assert (solution.algorithm, solution.nodes) == ("mccfr", None)


@pytest.mark.parametrize(
    ("game", "word", "message"),
    [
        ("leduc", at.DECISION, r"Leduc poker: information set \d+ of Alice forgets what the player did before"),
        ("kuhn", at.SEAT, r"Kuhn poker: information set \d+ of Bob has nodes with different menus"),
    ],
)
def test_keys_that_collide_are_found(monkeypatch: pytest.MonkeyPatch, game: str, word: int, message: str) -> None:
    """Keys replaced by something that knows less."""
    monkeypatch.setattr(trees, "_walk", trees._walk.py_func)
    monkeypatch.setattr(trees, "_open", trees._open.py_func)
    monkeypatch.setattr(trees, "recall_key", lambda state, *_: state[word])
    with pytest.raises(RuntimeError, match=message):
        build_tree(compile_spec(NAMED[game]()))
