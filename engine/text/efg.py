"""A game's whole tree as text in the extensive-form format .efg, which Gambit defined and OpenSpiel reads.

`antemill.solver.trees.efg` reads the format.

Information sets are those of perfect recall (`antemill.engine.machine.observe.recall_key`), numbered per player in
order of appearance and named by the key's 16 hexadecimal digits. Nodes come in prefix order, children by ascending
action or card. Chance probabilities are exact fractions, payoffs are chips. The recall is checked while writing: all
nodes of an information set must have the same menu and the same previous choice of the player in the same previous
information set.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple, TextIO

import numpy.typing as npt

from antemill.engine.errors import UsageError
from antemill.engine.machine import layout as at
from antemill.engine.machine.branches import Branch, branches, count_nodes, root_state
from antemill.engine.machine.events import Chance
from antemill.engine.machine.layout import CHANCE, DECIDE, OVER
from antemill.engine.machine.observe import recall_key
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import payoff
from antemill.engine.machine.vm import advance
from antemill.engine.text.labels import SEATS, branch_label, unique

__all__ = ["NODE_LIMIT", "TreeSize", "count_nodes", "write_efg"]

NODE_LIMIT = 1_000_000
_KEY_MASK = (1 << 64) - 1
Array = npt.NDArray[Any]
Past = tuple[int, int]  # a player's last information set and the action taken there; (0, 0) before the first one


class TreeSize(NamedTuple):
    """The size of the written tree, as numbers of nodes and of information sets."""

    nodes: int
    chance_nodes: int
    terminals: int
    information_sets: tuple[int, int]  # Alice's, Bob's


class _InformationSet(NamedTuple):
    number: int
    past: Past
    menu: tuple[int, ...]  # the decision type, then the actions
    line: str


class _Open(NamedTuple):
    """A node whose children are being written."""

    state: Array
    pasts: tuple[Past, Past]
    number: int  # of the information set; 0 for chance
    rest: Iterator[Branch]


@dataclass
class _Tree:
    """The written part: the numbers of information sets and outcomes, and the count of nodes of each kind."""

    program: Program
    sets: tuple[dict[int, _InformationSet], dict[int, _InformationSet]] = field(default_factory=lambda: ({}, {}))
    outcomes: dict[int, int] = field(default_factory=dict)  # payoff -> number
    decisions: int = 0
    chance_nodes: int = 0
    terminals: int = 0

    def summary(self) -> TreeSize:
        nodes = self.decisions + self.chance_nodes + self.terminals
        return TreeSize(nodes, self.chance_nodes, self.terminals, (len(self.sets[0]), len(self.sets[1])))

    def open(self, state: Array, pasts: tuple[Past, Past]) -> tuple[str, _Open | None]:
        """The line of a stopped state, and the node if it has children."""
        if state[at.STOP] == OVER:
            self.terminals += 1
            return self._end_line(int(payoff(state))), None
        ways = branches(self.program, state)
        if state[at.STOP] == CHANCE:
            self.chance_nodes += 1
            return self._chance_line(state, ways), _Open(state, pasts, 0, iter(ways))
        self.decisions += 1
        found = self._information_set(state, pasts[state[at.SEAT]], ways)
        return found.line, _Open(state, pasts, found.number, iter(ways))

    def _end_line(self, alice: int) -> str:
        outcome = self.outcomes.setdefault(alice, len(self.outcomes) + 1)
        return f't "" {outcome} "" {{ {alice} {-alice} }}\n'

    def _chance_line(self, state: Array, ways: list[Branch]) -> str:
        kind = Chance((int(state[at.ADDRESS]) >> 16) // 3).name.lower().replace("_", " ")
        n = int(state[at.MENU])
        parts = " ".join(
            f'"{label}" {Fraction(way.weight, n)}' for label, way in zip(self._labels(state, ways), ways, strict=True)
        )
        return f'c "" {self.chance_nodes} "{kind} {self.chance_nodes}" {{ {parts} }} 0\n'

    def _information_set(self, state: Array, past: Past, ways: list[Branch]) -> _InformationSet:
        """The information set of a decision, which is added if new. Raises RuntimeError if recall is not perfect."""
        seat, decision = int(state[at.SEAT]), int(state[at.DECISION])
        key = int(recall_key(state, seat, decision))
        menu = (decision, *(way.number for way in ways))
        found = self.sets[seat].get(key)
        if found is None:
            number = len(self.sets[seat]) + 1
            labels = " ".join(f'"{label}"' for label in self._labels(state, ways))
            line = f'p "" {seat + 1} {number} "{key & _KEY_MASK:016x}" {{ {labels} }} 0\n'
            found = self.sets[seat][key] = _InformationSet(number, past, menu, line)
        elif (found.menu, found.past) != (menu, past):
            what = "has nodes with different menus" if found.menu != menu else "forgets what the player did before"
            raise RuntimeError(f"{self.program.names.game}: information set {found.number} of {SEATS[seat]} {what}")
        return found

    def _labels(self, state: Array, ways: list[Branch]) -> list[str]:
        return unique(_plain(branch_label(self.program, state, way)) for way in ways)


def write_efg(program: Program, out: TextIO, limit: int = NODE_LIMIT) -> TreeSize:
    """Write the game's tree to `out`.

    Raises UsageError, before anything is written, if the tree has more than `limit` nodes; RuntimeError if the keys do
    not give perfect recall, which would be a bug in this program.
    """
    if count_nodes(program, limit) > limit:
        raise UsageError(
            f"the tree of {program.names.game} has more than {limit:,} nodes: "
            "export a smaller game, or raise the limit."
        )
    players = " ".join(f'"{name}"' for name in SEATS)
    out.write(f'EFG 2 R "{_plain(program.names.game)}" {{ {players} }}\n"digest {program.digest}"\n\n')
    tree = _Tree(program)
    line, node = tree.open(root_state(program), ((0, 0), (0, 0)))
    out.write(line)
    path = [node] if node else []
    while path:
        node = path[-1]
        way = next(node.rest, None)
        if way is None:
            path.pop()
            continue
        line, child = tree.open(*_follow(program, node, way))
        out.write(line)
        if child:
            path.append(child)
    return tree.summary()


def _follow(program: Program, node: _Open, way: Branch) -> tuple[Array, tuple[Past, Past]]:
    """The state after a branch, and the last information set and action of each player."""
    state = node.state.copy()
    state[at.CHOICE] = way.choice
    pasts = node.pasts
    if state[at.STOP] == DECIDE:
        mine = (node.number, way.number)
        pasts = (mine, pasts[1]) if state[at.SEAT] == 0 else (pasts[0], mine)
    advance(program.code, state)
    return state, pasts


def _plain(text: str) -> str:
    """Text without characters that quotes cannot contain: OpenSpiel's reader has no escapes."""
    return "".join(char if char.isprintable() else " " for char in text).replace('"', "'").replace("\\", "/")
