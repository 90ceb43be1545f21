"""What of a game's tree no isomorphism changes."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import Any

import numpy as np
from msgspec.structs import replace

from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine.branches import count_nodes
from antemill.engine.rules.spec import GameSpec, Leads, Positions
from antemill.engine.rules.walk import PLAYER_FIELDS, reads_suits, walk
from antemill.solver.algorithms.linear_program import solve_exactly
from antemill.solver.game import ALICE, BOB, END, NATURE, ExtensiveForm
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import sides

Shape = tuple[Any, ...]


def shapes(spec: GameSpec, limit: int) -> list[Shape] | None:
    """The game's shape as it is and with the seats exchanged; None if the tree has more than `limit` nodes."""
    program = compile_spec(_without_idle_coins(spec), suited=reads_suits(spec))
    if count_nodes(program, limit) > limit:
        return None
    tree = build_tree(program)
    value = solve_exactly(sides(tree)).value
    assert value is not None
    return [_shape(tree, value, swapped) for swapped in (False, True)]


def _shape(tree: ExtensiveForm, value: float, swapped: bool) -> Shape:
    """The value; nature's odds of each payoff; information sets by actions; nodes by depth, player, children; ends.

    A node below which no player decides counts as an end, which pays what it pays on average. Payoffs are in units of
    their greatest common divisor.
    """
    seats = [BOB, ALICE, NATURE] if swapped else [ALICE, BOB, NATURE]
    sign = -1 if swapped else 1
    unit = math.gcd(*map(int, tree.payoff)) or 1
    live, odds, paid = _remaining(tree)
    ends: Counter[tuple[int, int]] = Counter()
    levels: Counter[tuple[int, int, int]] = Counter()
    waiting = [(0, 0)]
    while waiting:
        node, depth = waiting.pop()
        if not live[node]:
            ends[round(sign * paid[node] / odds[node] / unit * 10**6), round(odds[node] * 10**9)] += 1
            continue
        levels[depth, seats[tree.player[node]], int(tree.width[node])] += 1
        waiting += [(int(tree.first[node]) + i, depth + 1) for i in range(tree.width[node])]
    actions = [tuple(sorted(Counter(np.diff(side.start).tolist()).items())) for side in tree.sets]
    odds_of: dict[int, float] = defaultdict(float)
    for payoff, chance in zip(tree.payoff[tree.player == END], tree.chance[tree.player == END], strict=True):
        odds_of[sign * int(payoff) // unit] += float(chance)
    paid_with = {payoff: round(chance, 9) for payoff, chance in odds_of.items()}
    return sign * value / unit, paid_with, tuple(actions[::sign]), levels, ends


def _remaining(tree: ExtensiveForm) -> tuple[list[bool], list[float], list[float]]:
    """Per node whether a decision is at or below it, the chance of nature's ways through it, and what they pay in all.

    The last two are sums over the ends below, so that they mean something where no player decides.
    """
    live = [False] * tree.nodes
    odds = tree.chance.tolist()
    paid = (tree.chance * tree.payoff).tolist()
    for node in range(tree.nodes - 1, -1, -1):
        if tree.player[node] == END:
            continue
        children = range(tree.first[node], tree.first[node] + tree.width[node])
        live[node] = tree.player[node] != NATURE or any(live[child] for child in children)
        paid[node] = sum(paid[child] for child in children)
    return live, odds, paid


def alike(one: Shape, other: Shape, swapped: bool) -> bool:
    """Whether two shapes are those of one game.

    If the seats are swapped, cards are dealt and secret choices made in another order, and levels and ends are others.
    """
    return abs(one[0] - other[0]) < 1e-9 and one[1:3] == other[1:3] and (swapped or one[3:] == other[3:])


def _without_idle_coins(spec: GameSpec) -> GameSpec:
    """The game without positions that no rule names: their ties draw a coin, which is a node of the tree."""
    nodes = [node for _, node in walk(spec)]
    named = any(getattr(node, f) in ("leader", "follower") for node in nodes for f in PLAYER_FIELDS[type(node)])
    if named or any(isinstance(node, Leads) for node in nodes):
        return spec
    idle = {p.name for p in spec.phases if isinstance(p, Positions) and "card" not in p.criterion}
    played = {name for node in nodes for name in node.plays}
    gone = idle - played
    return replace(
        spec,
        phases=tuple(phase for phase in spec.phases if phase.name not in gone),
        sequence=tuple(name for name in spec.sequence if name not in gone),
    )
