"""A game in extensive form, as flat arrays: all that the algorithms read of it.

Nodes are numbered on a walk that is depth first: the root is 0, and each visited node gives the next numbers to its
children. So they have consecutive numbers above their parent's, and one loop over the numbers, up or down, is a
traversal. A walk counts where the children of a node begin, so the first child is not stored.

Information sets are those of perfect recall. Each is reached through one sequence of the player's own choices, so they
form one forest per player. They are numbered depth first, siblings in order of appearance: a set and those below it
have consecutive numbers. A player's sequences are numbered from 1 on, set by set and action by action; 0 is the empty
sequence.

Trees are large, so little is stored of a node: 7 bytes. The rest is derived where it is needed: by the kernels on their
way down the tree, or by the properties of `ExtensiveForm` for all nodes at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from antemill.engine.errors import UsageError
from antemill.engine.kernel import kernel

Array = npt.NDArray[Any]

ALICE, BOB, NATURE, END = 0, 1, 2, 3  # who acts at a node


@kernel(inline="late")
def children(player: Array, content: Array, starts: tuple[Array, Array], node: int) -> int:
    """How many children a node has. starts: `InformationSets.start` of both players."""
    who, what = player[node], content[node]
    if who == END:
        return 0
    return int(what if who == NATURE else starts[who][what + 1] - starts[who][what])


@kernel
def number_children(player: Array, content: Array, starts: tuple[Array, Array], waiting: Array, first: Array) -> None:
    """Write the first child of each node to `first`, int32[nodes].

    waiting: int32[depth of the tree, 2], a buffer for the unvisited nodes on each level of the path.
    """
    waiting[0, 0], waiting[0, 1] = 0, 1
    level, free = 0, 1
    while level >= 0:
        node = waiting[level, 0]
        if node == waiting[level, 1]:
            level -= 1
            continue
        waiting[level, 0] = node + 1
        first[node] = free
        width = children(player, content, starts, node)
        if width > 0 and free + width <= len(player):
            level += 1
            waiting[level, 0], waiting[level, 1] = free, free + width
        free += width


class InformationSets(NamedTuple):
    """One player's information sets, numbered depth first: a set comes right before those that it leads to."""

    key: Array  # int64[sets] recall key
    decision: Array  # int16[sets] decision type
    parent_sequence: Array  # int32[sets] the player's last sequence before the set
    start: Array  # int32[sets + 1] the set's sequences are start[i] .. start[i + 1] - 1
    menu: Array | None = None  # int32[sets] in the tree of a program: the place of its menu in the following
    menus: Array | None = None  # int64[any number] menu words (`antemill.solver.trees.abstraction`)

    def __repr__(self) -> str:
        return f"<InformationSets: {self.size:,} sets, {self.sequences:,} sequences>"

    @property
    def size(self) -> int:
        """Number of information sets."""
        return len(self.key)

    @property
    def sequences(self) -> int:
        """Number of sequences, the empty one included."""
        return int(self.start[-1])


class Labels(NamedTuple):
    """What players, information sets and actions are called. Names are distinct within a player, or a set."""

    players: tuple[str, str]
    sets: tuple[list[str], list[str]]  # [sets] each
    actions: tuple[list[str], list[str]]  # [sequences] each: the sequence's last action; "" for the empty sequence


@dataclass(frozen=True, eq=False, repr=False)
class ExtensiveForm:
    """A game tree. Payoffs are Alice's chips; Bob's are the negative, so every tree is zero-sum.

    `ExtensiveForm.of_nodes` makes one from plain columns. The columns that are properties are computed at first use and
    kept; all of them together take 36 bytes a node.

    The content of a node is its information set at a decision, the number of its children at NATURE, and at an END its
    payoff's place in `payoffs`.
    """

    game: str
    digest: str  # of the program
    player: Array  # int8[nodes] ALICE, BOB, NATURE or END
    content: Array  # int32[nodes] see above
    weight: Array  # int16[nodes] how many equally likely outcomes lead here from a NATURE parent; else 1 (float64: any)
    payoffs: Array  # float64[any number] ascending
    sets: tuple[InformationSets, InformationSets]
    labels: Labels | None = None  # of games from outside, whose weights are float64 and in proportion to probabilities

    @classmethod
    def of_nodes(
        cls,
        game: str,
        digest: str,
        player: Array,
        first: Array,
        width: Array,
        weight: Array,
        payoff: Array,
        information_set: Array,
        sets: tuple[InformationSets, InformationSets],
        labels: Labels | None = None,
    ) -> ExtensiveForm:
        """The tree with these columns, which mean what the fields and the properties of the same names do.

        The width counts at NATURE only, the payoff only at an END. Raises UsageError if nodes are missing, or if the
        children of a node do not begin at `first`, as nodes are numbered here.
        """
        ends = np.flatnonzero(player == END)
        payoffs, place = np.unique(np.asarray(payoff, np.float64)[ends], return_inverse=True)
        content = np.where(player == NATURE, width, information_set).astype(np.int32)
        content[ends] = place
        small = weight.dtype.kind != "f" and weight.max(initial=1) <= np.iinfo(np.int16).max
        weight = weight.astype(np.int16 if small else np.float64)
        tree = cls(game, digest, player.astype(np.int8), content, weight, payoffs, sets, labels)
        if tree.nodes != 1 + tree.width.sum(dtype=np.int64):
            raise UsageError(
                f"{game} has {tree.nodes} nodes, but they are not one root and all children: pass every node."
            )
        if not np.array_equal(tree.first[tree.player != END], first[player != END]):
            raise UsageError(
                f"the nodes of {game} are not numbered depth first: see `antemill.solver.game` for their order."
            )
        return tree

    def __repr__(self) -> str:
        sets = sum(mine.size for mine in self.sets)
        return f"<ExtensiveForm {self.game!r}: {self.nodes:,} nodes, {sets:,} information sets>"

    @property
    def spread(self) -> float:
        """The largest payoff less the smallest one, chips."""
        return float(self.payoffs[-1] - self.payoffs[0])

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.player)

    def count(self, player: int) -> int:
        """Number of nodes at which `player` (ALICE, BOB, NATURE, END) acts."""
        return int(np.count_nonzero(self.player == player))

    @cached_property
    def width(self) -> Array:
        """int32[nodes]: number of children."""
        found = np.where(self.player == NATURE, self.content, 0)
        for seat, mine in enumerate(self.sets):
            here = self.player == seat
            found[here] = np.diff(mine.start)[self.content[here]]
        return found

    @cached_property
    def first(self) -> Array:
        """int32[nodes]: first child; the others follow. At an END the number that a child would get."""
        found = np.zeros(self.nodes, np.int32)
        starts = self.sets[ALICE].start, self.sets[BOB].start
        waiting = np.empty((self.nodes, 2), np.int32)  # the largest possible depth; only the used part takes memory
        number_children(self.player, self.content, starts, waiting, found)
        return found

    @cached_property
    def payoff(self) -> Array:
        """float64[nodes]: at an END Alice's chips, else 0."""
        found, ends = np.zeros(self.nodes), self.player == END
        found[ends] = self.payoffs[self.content[ends]]
        return found

    @cached_property
    def information_set(self) -> Array:
        """int32[nodes]: number among its player's sets; -1 at NATURE and END."""
        return np.where(self.player < NATURE, self.content, np.int32(-1))

    @property
    def chance(self) -> Array:
        """float64[nodes]: probability of all of nature's outcomes from the root to here."""
        return self._way_down[0]

    @property
    def sequence(self) -> Array:
        """int32[2, nodes]: each player's last sequence on the way to here."""
        return self._way_down[1]

    @cached_property
    def _way_down(self) -> tuple[Array, Array]:
        chance, sequence = np.ones(self.nodes), np.zeros((2, self.nodes), np.int32)
        level = np.flatnonzero(self.player[:1] != END)
        while len(level):
            width = self.width[level]
            row = np.repeat(np.arange(len(level)), width)  # the parent of each child
            index = np.arange(len(row)) - (np.cumsum(width) - width)[row]
            above = level[row]
            children, who = self.first[above] + index, self.player[above]
            weight = self.weight[children]
            step = np.where(who == NATURE, weight / np.bincount(row, weight)[row], 1.0)
            chance[children] = chance[above] * step
            sequence[:, children] = sequence[:, above]
            for seat, mine in enumerate(self.sets):
                acts = who == seat
                sequence[seat, children[acts]] = mine.start[self.content[above[acts]]] + index[acts]
            level = children[self.player[children] != END]
        return chance, sequence
