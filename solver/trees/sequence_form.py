"""The sequence form (von Stengel 1996) of a tree: what the measures and the algorithms compute with.

A player's behaviour is stored with one number per sequence, in an array float64[sequences], in either of two forms. A
*policy* has the probability of the sequence's last action in its information set. A *realization plan* has the product
of these probabilities over the whole sequence. In both, entry 0 stands for the empty sequence and is 1.

The ends of a tree shrink to a sparse matrix: for each pair of sequences the payoff, times the probability of chance,
summed over the ends at which the two sequences meet. A player's expected payoff is bilinear in the two realization
plans. With perfect recall nothing else of the tree matters to values and best responses.

These sums have few different values, some dozens in a game of a million nodes. So where there are many entries, each is
stored as the place of its value in a list.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy import sparse

from antemill.engine.arguments import kind as kind_of
from antemill.engine.kernel import kernel
from antemill.engine.machine.chance import mix64
from antemill.solver.game import ALICE, BOB, END, NATURE, Array, ExtensiveForm, InformationSets, children

_LEVELS = 16  # of a path through the tree, a quarter of those at first
_TOO_DEEP = _TOO_MANY = -1  # instead of a number of entries, and of different ones
_FEW = 1 << 16  # places that 16 bits can tell apart; as many entries are stored as they are


class Side(NamedTuple):
    """One player's information sets, and the payoffs to this player: a sparse matrix by rows (own sequences)."""

    start: Array  # int32[sets + 1] the set's sequences are start[i] .. start[i + 1] - 1
    parent_sequence: Array  # int32[sets] the player's last sequence before the set; less than start[i]
    rows: Array  # int32[sequences + 1] the row of own sequence i is rows[i] .. rows[i + 1] - 1 in the following
    columns: Array  # int32[entries] the opponent's sequence
    place: Array  # uint16[entries], or int32 where that is too small: place in `chips`; none if it is the entry's own
    chips: Array  # float64[any number] payoff to this player times probability of chance

    @property
    def sequences(self) -> int:
        """Number of own sequences, the empty one included."""
        return len(self.rows) - 1

    @property
    def paid(self) -> Array:
        """float64[entries]: the chips of each entry."""
        found: Array = self.chips[self.place] if len(self.place) else self.chips
        return found


Sides = tuple[Side, Side]
Tree: TypeAlias = ExtensiveForm | Sides


def sides(game: Tree) -> Sides:
    """The sequence form of a tree: Alice's side and Bob's, whose payoffs are the negative transpose of Alice's.

    A pair of sides is returned as it is. Raises UsageError for anything else.
    """
    if isinstance(game, tuple) and len(game) == 2 and all(isinstance(side, Side) for side in game):
        return game
    game = kind_of(game, "game", ExtensiveForm, "make one by build_tree(program) or read_efg(path)")
    shape = game.sets[ALICE].sequences, game.sets[BOB].sequences
    met = _met_ends(game, np.zeros(shape[BOB] + 1, np.int32))
    buffers = Matrix(np.empty(shape[ALICE] + 1, np.int32), np.empty_like(met.columns), np.empty_like(met.paid))
    alice = _transposed(met, buffers)
    met.paid.resize(0, refcheck=False)
    _merge(alice)
    alice.shorten()
    return sides_of(game.sets, alice, met)


def sides_of(sets: tuple[InformationSets, InformationSets], alice: Matrix, buffers: Matrix | None = None) -> Sides:
    """The sides for known information sets and Alice's payoffs, float64[entries].

    buffers: `rows`, and `columns` for at least as many entries, which Bob's side takes over; by default new ones.
    """
    many, chips = len(alice.paid) > _FEW, np.empty(0)
    if many:
        place, chips = _distinct(alice.paid)
        alice = alice._replace(paid=place)
    if buffers is None:
        buffers = alice._replace(rows=np.empty(sets[BOB].sequences + 1, np.int32), columns=np.empty_like(alice.columns))
    bob = _transposed(alice, buffers._replace(paid=np.empty_like(alice.paid)))
    bob.shorten()
    first, second = ((mine.start, mine.parent_sequence) for mine in sets)
    if many:
        return Side(*first, *alice, chips), Side(*second, *bob, -chips)
    nowhere = np.empty(0, np.uint16)
    return (
        Side(*first, alice.rows, alice.columns, nowhere, alice.paid),
        Side(*second, bob.rows, bob.columns, nowhere, -bob.paid),
    )


class Matrix(NamedTuple):
    """A sparse matrix by rows, with the first columns of a `Side`; the other columns may have spare capacity."""

    rows: Array
    columns: Array
    paid: Array  # chips, float64, or `place`

    def shorten(self) -> None:
        """Free the unused capacity."""
        for column in (self.columns, self.paid):
            column.resize(int(self.rows[-1]), refcheck=False)


def _distinct(paid: Array) -> tuple[Array, Array]:
    """`place` and `chips` of a side that is paid float64[entries]."""
    for most, kind in ((min(_FEW, len(paid)), np.uint16), (len(paid), np.int32)):
        slots = np.zeros(2 << most.bit_length(), np.int32)
        place, chips = np.empty(len(paid), kind), np.empty(most, np.int64)
        found = _number(paid.view(np.int64), slots, chips, place)
        if found >= 0:
            break
    return place, chips[:found].copy().view(np.float64)


@kernel
def _number(paid: Array, slots: Array, chips: Array, place: Array) -> int:
    """Write each different payoff, as the bits of its float64, to `chips`, and its place there to `place` per entry.

    slots: int32[power of two], zeros. Returns how many differ, or `_TOO_MANY` for `chips`.
    """
    mask, found = len(slots) - 1, 0
    for entry in range(len(paid)):
        slot = mix64(paid[entry]) & mask
        while slots[slot] != 0 and chips[slots[slot] - 1] != paid[entry]:
            slot = (slot + 1) & mask
        if slots[slot] == 0:
            if found == len(chips):
                return _TOO_MANY
            chips[found] = paid[entry]
            found += 1
            slots[slot] = found
        place[entry] = slots[slot] - 1
    return found


def _met_ends(tree: ExtensiveForm, rows: Array) -> Matrix:
    """Alice's payoffs at each end but those of 0, by Bob's sequences. rows: int32[Bob's sequences + 1], zeros."""
    starts = tree.sets[ALICE].start, tree.sets[BOB].start
    columns = tree.player, tree.content, tree.weight, tree.payoffs
    entries, levels = _TOO_DEEP, _LEVELS
    while entries == _TOO_DEEP:
        levels *= 4
        rows[:] = 0
        entries = _meet_ends(*columns, starts, _path(levels), Matrix(rows, np.empty(0, np.int32), np.empty(0)))
    np.cumsum(rows, out=rows)
    found = Matrix(rows, np.empty(entries, np.int32), np.empty(entries))
    _meet_ends(*columns, starts, _path(levels), found)
    rows[1:] = rows[:-1].copy()
    rows[0] = 0
    return found


def _path(levels: int) -> tuple[Array, Array]:
    return np.zeros((levels, 6), np.int64), np.zeros((levels, 2))


@kernel
def _meet_ends(
    player: Array,
    content: Array,
    weight: Array,
    payoffs: Array,
    starts: tuple[Array, Array],
    path: tuple[Array, Array],
    found: Matrix,
) -> int:
    """Walk down the tree to all its ends, and write an entry for each that pays something.

    rows[i]: where the next entry of row i belongs, which is moved on. If `found` is empty, the entries are only
    counted, rows[i + 1] being that of row i. Returns the number of entries, or _TOO_DEEP.
    path: int64[levels, 6], for each node on the path the node, its first child, the next one and the end of them, and
    both players' last sequence; float64[levels, 2], its probability by chance, and the weight of all its children.
    """
    way, odds = path
    if player[0] == END:
        return _add_end(found, 0, 0, payoffs[content[0]])
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
        entries += _add_end(found, alice, bob, reach * payoffs[content[child]])
    return entries


@kernel(inline="late")
def _add_end(found: Matrix, alice: int, bob: int, chips: float) -> int:
    """Write or count an end at which these sequences meet. Returns how many entries that makes."""
    if chips == 0.0:
        return 0
    if len(found.columns) == 0:
        found.rows[bob + 1] += 1
        return 1
    place = found.rows[bob]
    found.columns[place], found.paid[place] = alice, chips
    found.rows[bob] = place + 1
    return 1


@kernel
def _total_weight(player: Array, weight: Array, node: int, first: int, end: int) -> float:
    """The weight of all outcomes at a node of NATURE, its children first..end-1; 0 elsewhere."""
    total = 0.0
    if player[node] == NATURE:
        for child in range(first, end):
            total += weight[child]
    return total


def _transposed(matrix: Matrix, buffers: Matrix) -> Matrix:
    """The transposed matrix, in `buffers`. Its rows have their entries in the order of their columns."""
    buffers.rows[:] = 0
    _transpose(matrix, buffers)
    return buffers


@kernel
def _transpose(matrix: Matrix, found: Matrix) -> None:
    entries = matrix.rows[len(matrix.rows) - 1]
    rows = found.rows
    for entry in range(entries):
        rows[matrix.columns[entry] + 1] += 1
    for i in range(1, len(rows)):
        rows[i] += rows[i - 1]
    for row in range(len(matrix.rows) - 1):
        for entry in range(matrix.rows[row], matrix.rows[row + 1]):
            place = rows[matrix.columns[entry]]
            found.columns[place], found.paid[place] = row, matrix.paid[entry]
            rows[matrix.columns[entry]] = place + 1
    for i in range(len(rows) - 1, 0, -1):
        rows[i] = rows[i - 1]
    rows[0] = 0


@kernel
def _merge(matrix: Matrix) -> None:
    """Add up entries of the same place, which stand side by side, and leave out sums of 0."""
    rows, columns, paid = matrix
    free = entry = 0
    for row in range(len(rows) - 1):
        end = rows[row + 1]
        rows[row] = free
        while entry < end:
            column, total = columns[entry], 0.0
            while entry < end and columns[entry] == column:
                total += paid[entry]
                entry += 1
            if total != 0.0:
                columns[free], paid[free] = column, total
                free += 1
    rows[len(rows) - 1] = free


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
        total += paid_at(side, entry) * opponent_realization[side.columns[entry]]
    return total


@kernel(inline="late")
def paid_at(side: Side, entry: int) -> float:
    """The chips of an entry."""
    return float(side.chips[entry] if len(side.place) == 0 else side.chips[side.place[entry]])


def uniform_policy(side: Side) -> Array:
    """float64[sequences]: the policy that takes every action of an information set with the same probability."""
    width = np.diff(side.start)
    return np.concatenate((np.ones(1), np.repeat(1.0 / width, width)))
