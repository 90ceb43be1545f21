"""The sequences of a disguise beside those of its game, found by walking both trees side by side.

Where the seats are kept, chance has the same outcomes in the same order, and a decision's actions differ in names and
order alone. So every node has its counterpart. The walk compares players, widths, weights and payoffs at every node,
and checks that the map of information sets is one to one.
"""

from __future__ import annotations

import numpy as np

from antemill.engine.compiler.compile import compile_spec
from antemill.engine.disguise.disguise import Disguise
from antemill.engine.errors import SpecError
from antemill.engine.machine.program import Program
from antemill.engine.rules.spec import ActionRound, GameSpec, Simultaneous
from antemill.solver.game import END, Array, ExtensiveForm, InformationSets
from antemill.solver.trees.abstract_sets import actions
from antemill.solver.trees.build import build_tree

UNLIKE = "the information sets of the disguise are not those of its game; this is a fault of Antemill."


def chosen(spec: GameSpec) -> frozenset[str]:
    """The phases whose options have names of their own."""
    return frozenset(phase.name for phase in spec.phases if isinstance(phase, ActionRound | Simultaneous))


class _Side:
    """One player's sequences in one of the trees, those of a set in the order of their labels' codes."""

    def __init__(self, sets: InformationSets, labels: list[str], codes: dict[str, int]) -> None:
        self.start = sets.start
        self.code = np.array([-1, *(codes.setdefault(label, len(codes)) for label in labels)])
        owner = np.repeat(np.arange(sets.size), np.diff(sets.start))
        self.order = np.concatenate(([0], 1 + np.lexsort((self.code[1:], owner))))


def aligned(disguise: Disguise) -> tuple[ExtensiveForm, ExtensiveForm, tuple[Array, Array]]:
    """Both trees, and for each player int32[sequences of the disguise]: the game's sequences that they stand for.

    For disguises that keep the seats. Raises SpecError if the trees differ.
    """
    old, new = compile_spec(disguise.original), compile_spec(disguise.game)
    trees = build_tree(old), build_tree(new)
    codes: dict[str, int] = {}
    names, phases = disguise.names.options, chosen(disguise.original)
    sides = [
        (
            _Side(mine, [names[label] if phase in phases else label for phase, label in _labels(old, mine)], codes),
            _Side(yours, [label for _, label in _labels(new, yours)], codes),
        )
        for mine, yours in zip(trees[0].sets, trees[1].sets, strict=True)
    ]
    found = tuple(np.full(len(yours.code), -1, np.int32) for _, yours in sides)
    found[0][0] = found[1][0] = 0
    _walk(trees, sides, disguise.scale, (found[0], found[1]))
    for (mine, yours), where in zip(sides, found, strict=True):
        _require(len(mine.code) == len(yours.code) and np.array_equal(np.sort(where), np.arange(len(where))))
    return *trees, (found[0], found[1])


def _labels(program: Program, sets: InformationSets) -> list[tuple[str, str]]:
    """The phase and the label of each sequence but the empty one."""
    found = []
    for kind, action in zip(np.repeat(sets.decision, np.diff(sets.start)), actions(sets), strict=True):
        decision = program.names.decisions[int(kind)]
        found.append((decision.phase, decision.labels[action] if decision.labels else str(action)))
    return found


def _walk(
    trees: tuple[ExtensiveForm, ExtensiveForm],
    sides: list[tuple[_Side, _Side]],
    scale: int,
    found: tuple[Array, Array],
) -> None:
    """Fill `found`, level by level. Raises SpecError where a node and its counterpart differ."""
    one, two = trees
    a = b = np.zeros(1, np.int64)
    while len(a):
        who, width = one.player[a], one.width[a]
        _require(np.array_equal(who, two.player[b]) and np.array_equal(width, two.width[b]))
        ends = who == END
        _require(np.array_equal(scale * one.payoff[a[ends]], two.payoff[b[ends]]))
        row = np.repeat(np.arange(len(a)), width)
        place = np.arange(len(row)) - (np.cumsum(width) - width)[row]
        steps = [place.copy(), place.copy()]
        for seat, (mine, yours) in enumerate(sides):
            acts = who[row] == seat
            begins = mine.start[one.content[a[row[acts]]]], yours.start[two.content[b[row[acts]]]]
            source, target = (s.order[begin + place[acts]] for s, begin in zip((mine, yours), begins, strict=True))
            _require(np.array_equal(mine.code[source], yours.code[target]))
            known = found[seat][target]
            _require(bool(np.all((known < 0) | (known == source))))
            found[seat][target] = source
            _require(np.array_equal(found[seat][target], source))
            steps[0][acts], steps[1][acts] = source - begins[0], target - begins[1]
        a, b = one.first[a[row]] + steps[0], two.first[b[row]] + steps[1]
        _require(np.array_equal(one.weight[a], two.weight[b]))


def _require(same: bool) -> None:
    if not same:
        raise SpecError(UNLIKE)
