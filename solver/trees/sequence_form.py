"""The sequence form (von Stengel 1996) of a tree: what the measures and the algorithms compute with.

A player's behaviour is stored with one number per sequence, in an array float64[sequences], in either of two forms. A
*policy* has the probability of the sequence's last action in its information set. A *realization plan* has the product
of these probabilities over the whole sequence. In both, entry 0 stands for the empty sequence and is 1.

The ends of a tree shrink to a sparse matrix: for each pair of sequences the payoff, times the probability of chance,
summed over the ends at which the two sequences meet. A player's expected payoff is bilinear in the two realization
plans. With perfect recall nothing else of the tree matters to values and best responses.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy import sparse

from antemill.engine.arguments import kind as kind_of
from antemill.engine.errors import UsageError
from antemill.engine.kernel import kernel
from antemill.engine.storage.memory import free_memory
from antemill.solver.game import ALICE, BOB, END, NATURE, Array, ExtensiveForm, InformationSets, children

_LEVELS = 16  # of a path through the tree, a quarter of those at first
_TOO_DEEP = -1  # instead of a number of ends
_BYTES_AN_END = 28  # at the peak: two sequences and chips of an end, and its entry in the matrix


class Side(NamedTuple):
    """One player's information sets, and the payoffs to this player: a sparse matrix by rows (own sequences)."""

    start: Array  # int32[sets + 1] the set's sequences are start[i] .. start[i + 1] - 1
    parent_sequence: Array  # int32[sets] the player's last sequence before the set; less than start[i]
    rows: Array  # int32[sequences + 1] the row of own sequence i is rows[i] .. rows[i + 1] - 1 in the following
    columns: Array  # int32[entries] the opponent's sequence
    paid: Array  # float64[entries] payoff to this player times probability of chance

    @property
    def sequences(self) -> int:
        """Number of own sequences, the empty one included."""
        return len(self.rows) - 1


Sides = tuple[Side, Side]
Tree: TypeAlias = ExtensiveForm | Sides


def sides(game: Tree) -> Sides:
    """The sequence form of a tree: Alice's side and Bob's, whose payoffs are the negative transpose of Alice's.

    A pair of sides is returned as it is. Raises UsageError for anything else, and for a tree with more ends that pay
    than fit into memory.
    """
    if isinstance(game, tuple) and len(game) == 2 and all(isinstance(side, Side) for side in game):
        return game
    game = kind_of(game, "game", ExtensiveForm, "make one by build_tree(program) or read_efg(path)")
    ends = _paying(game.player, game.content, game.payoffs)
    if ends * _BYTES_AN_END > free_memory():
        raise UsageError(
            f"the tree of {game.game} has {ends:,} ends that pay, whose payoff matrix takes about "
            f"{ends * _BYTES_AN_END / 1e9:.1f} GB: no more than {free_memory() / 1e9:.1f} GB are free."
        )
    shape = game.sets[ALICE].sequences, game.sets[BOB].sequences
    met = _met_ends(game, ends)
    matrix = sparse.coo_array((met.paid, (met.alice, met.bob)), shape).tocsr()  # adds up what meets at one place
    del met
    matrix.eliminate_zeros()
    return _side(game.sets[ALICE], matrix), _side(game.sets[BOB], -matrix.T.tocsr())


def _side(sets: InformationSets, matrix: Any) -> Side:
    rows, columns = (index.astype(np.int32, copy=False) for index in (matrix.indptr, matrix.indices))
    return Side(sets.start, sets.parent_sequence, rows, columns, matrix.data)


class _Ends(NamedTuple):
    """The ends of a tree that pay something."""

    alice: Array  # int32[ends] the last sequence
    bob: Array  # int32[ends]
    paid: Array  # float64[ends] Alice's chips times the probability of chance


@kernel
def _paying(player: Array, content: Array, payoffs: Array) -> int:
    """How many ends pay something."""
    found = 0
    for node in range(len(player)):
        found += player[node] == END and payoffs[content[node]] != 0.0
    return found


def _met_ends(tree: ExtensiveForm, ends: int) -> _Ends:
    starts = tree.sets[ALICE].start, tree.sets[BOB].start
    columns = tree.player, tree.content, tree.weight, tree.payoffs
    found = _Ends(np.empty(ends, np.int32), np.empty(ends, np.int32), np.empty(ends))
    levels = 4 * _LEVELS
    while _meet_ends(*columns, starts, (np.zeros((levels, 6), np.int64), np.zeros((levels, 2))), found) == _TOO_DEEP:
        levels *= 4
    return found


@kernel
def _meet_ends(
    player: Array,
    content: Array,
    weight: Array,
    payoffs: Array,
    starts: tuple[Array, Array],
    path: tuple[Array, Array],
    found: _Ends,
) -> int:
    """Walk down the tree, and write down each end that pays something. Returns their number, or _TOO_DEEP.

    path: int64[levels, 6], for each node on the path the node, its first child, the next one and the end of them, and
    both players' last sequence; float64[levels, 2], its probability by chance, and the weight of all its children.
    """
    way, odds = path
    if player[0] == END:
        return _add_end(found, 0, 0, 0, payoffs[content[0]])
    entries, level, free = 0, 0, 1 + children(player, content, starts, 0)
    way[0, 0], way[0, 1], way[0, 2], way[0, 3], way[0, 4], way[0, 5] = 0, 1, 1, free, 0, 0
    odds[0, 0], odds[0, 1] = 1.0, _total_weight(player, weight, 0, 1, free)
    while level >= 0:
        node, first, child, end, alice, bob = way[level]
        if child == end:
            level -= 1
            continue
        way[level, 2] = child + 1
        who, what, reach = player[node], content[node], odds[level, 0]
        if who == NATURE:
            reach *= weight[child] / odds[level, 1]
        elif who == ALICE:
            alice = starts[ALICE][what] + child - first
        else:
            bob = starts[BOB][what] + child - first
        if player[child] != END:
            level += 1
            if level == len(way):
                return _TOO_DEEP
            first, free = free, free + children(player, content, starts, child)
            row = way[level]
            row[0], row[1], row[2], row[3], row[4], row[5] = child, first, first, free, alice, bob
            odds[level, 0], odds[level, 1] = reach, _total_weight(player, weight, child, first, free)
            continue
        entries = _add_end(found, entries, alice, bob, reach * payoffs[content[child]])
    return entries


@kernel(inline="late")
def _add_end(found: _Ends, entries: int, alice: int, bob: int, chips: float) -> int:
    """Write down an end at which these sequences meet, if it pays. Returns how many that makes."""
    if chips == 0.0:
        return entries
    found.alice[entries], found.bob[entries], found.paid[entries] = alice, bob, chips
    return entries + 1


@kernel
def _total_weight(player: Array, weight: Array, node: int, first: int, end: int) -> float:
    """The weight of all outcomes at a node of NATURE, its children first..end-1; 0 elsewhere."""
    total = 0.0
    if player[node] == NATURE:
        for child in range(first, end):
            total += weight[child]
    return total


def payoff_matrix(side: Side, opponent: Side) -> Any:
    """The side's payoffs as a scipy sparse array [own sequences, the opponent's]."""
    return sparse.csr_array((side.paid, side.columns, side.rows), (side.sequences, opponent.sequences))


@kernel
def fill_realization_plan(side: Side, policy: np.ndarray, realization: np.ndarray) -> None:
    """Write the realization plan of a policy to `realization`."""
    realization[0] = 1.0
    for i in range(len(side.parent_sequence)):
        for k in range(side.start[i], side.start[i + 1]):
            realization[k] = realization[side.parent_sequence[i]] * policy[k]


def realization_plan(side: Side, policy: Array) -> Array:
    """float64[sequences]: the realization plan of a policy, in a new array."""
    plan = np.empty(side.sequences)
    fill_realization_plan(side, policy, plan)
    return plan


@kernel
def fill_policy(side: Side, realization: np.ndarray, policy: np.ndarray) -> None:
    """Write the policy of a realization plan to `policy`; it is uniform in sets that the plan never reaches.

    The plan need not be scaled: the sum of several plans gives their average policy.
    """
    policy[0] = 1.0
    for i in range(len(side.parent_sequence)):
        low, high = side.start[i], side.start[i + 1]
        total = 0.0
        for k in range(low, high):
            total += realization[k]
        for k in range(low, high):
            policy[k] = realization[k] / total if total > 0.0 else 1.0 / (high - low)


@kernel
def fill_average_plan(side: Side, total: np.ndarray, realization: np.ndarray) -> None:
    """Write the realization plan of the policy that `fill_policy` makes of a sum of plans, `total`."""
    realization[0] = 1.0
    for i in range(len(side.parent_sequence)):
        low, high = side.start[i], side.start[i + 1]
        before, weight = realization[side.parent_sequence[i]], 0.0
        for k in range(low, high):
            weight += total[k]
        for k in range(low, high):
            realization[k] = before * (total[k] / weight if weight > 0.0 else 1.0 / (high - low))


@kernel
def fill_immediate_values(side: Side, opponent_realization: np.ndarray, counterfactual: np.ndarray) -> None:
    """Write the immediate part of each sequence's counterfactual value: the payoff at the ends right after it.

    The counterfactual value of a sequence is the payoff to its player after it, weighted by the probability with which
    chance and the opponent get there. The part that comes from later information sets is left to the caller.
    opponent_realization: the opponent's realization plan. counterfactual: float64[sequences].
    """
    fill_immediate_rows(side, opponent_realization, counterfactual, 0, len(counterfactual))


@kernel
def fill_immediate_rows(
    side: Side, opponent_realization: np.ndarray, counterfactual: np.ndarray, low: int, high: int
) -> None:
    """`fill_immediate_values` for the sequences low..high-1."""
    for k in range(low, high):
        counterfactual[k] = immediate_value(side, opponent_realization, k)


@kernel(inline="late")
def immediate_value(side: Side, opponent_realization: np.ndarray, k: int) -> float:
    """The immediate part of the counterfactual value of sequence k."""
    total = 0.0
    for entry in range(side.rows[k], side.rows[k + 1]):
        total += side.paid[entry] * opponent_realization[side.columns[entry]]
    return total


def uniform_policy(side: Side) -> Array:
    """float64[sequences]: the policy that takes every action of an information set with the same probability."""
    width = np.diff(side.start)
    return np.concatenate((np.ones(1), np.repeat(1.0 / width, width)))
