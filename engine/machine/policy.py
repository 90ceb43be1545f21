"""Policies that kernels can play: uniform, mixed by decision type, best response to a log, and tables over keys.

A policy is one named tuple of arrays, so that every driver takes the same argument for every policy. Lookups use an
open-addressing hash table from 64-bit keys to numbers. A policy is for one game: games may share keys and decision
types, so in another game rows could be read beyond their ends.
"""

from enum import IntEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from antemill.engine.errors import UsageError
from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.chance import below, uniform
from antemill.engine.machine.program import Program
from antemill.engine.machine.vm import menu_action
from antemill.engine.machine.words import unsigned

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


class PolicyKind(IntEnum):
    """The kinds of policies, by the way they choose."""

    UNIFORM = 0  # every offered action with equal probability
    MIXED = 1  # by the weights of the decision type's actions, renormalised over those offered
    GREEDY = 2  # the action stored for the context key, else the one stored for the decision type
    TABLE = 3  # by the weights stored for a key, over the menu's entries; uniform if the key is unknown


class KeyKind(IntEnum):
    """Which information key a TABLE policy looks up."""

    RECALL = 0
    INFO = 1
    CONTEXT = 2


class Policy(NamedTuple):
    """Arrays of a policy; those that a kind does not use are empty.

    A policy may have several rows, which differ in their weights or in their perturbed decision type. An episode plays
    one row.
    """

    kind: int
    weights: FloatArray  # MIXED: float64[rows * all actions], see Program.action_offsets. TABLE: weights of menus
    offsets: IntArray  # MIXED: int64[decision types + 1] into weights
    keys: IntArray  # GREEDY and TABLE: hash table of keys, 0 where empty; the length is a power of two
    values: IntArray  # GREEDY: action per key. TABLE: start of the key's row in weights
    fallback: IntArray  # GREEDY: int64[decision types], action where the key is unknown
    key_kind: int  # TABLE: see KeyKind
    shifted: int  # GREEDY: a decision type whose choice is perturbed, -1 for none
    shift: float  # GREEDY: probability of a uniformly random other action there
    shifted_by_row: IntArray  # GREEDY: int64[rows], in place of `shifted`; empty if there is one row
    game: int  # its game, see `game_number`; 0 for a policy that depends on the menu alone

    def __repr__(self) -> str:
        return f"<Policy: {PolicyKind(self.kind).name.lower()}>" if self.kind in set(PolicyKind) else "<Policy: asked>"


_MIXED = int(PolicyKind.MIXED)
_NO_FLOATS: FloatArray = np.zeros(0, np.float64)
_NO_INTS: IntArray = np.zeros(0, np.int64)
UNIFORM = Policy(PolicyKind.UNIFORM.value, _NO_FLOATS, _NO_INTS, _NO_INTS, _NO_INTS, _NO_INTS, 0, -1, 0.0, _NO_INTS, 0)


def mixed(program: Program, weights: FloatArray) -> Policy:
    """A policy that plays each decision type by a fixed distribution.

    weights: float64[sum of action counts], non-negative, laid out by `program.action_offsets`; or rows of them.
    """
    return UNIFORM._replace(
        kind=PolicyKind.MIXED.value,
        weights=weights.reshape(-1),
        offsets=program.action_offsets,
        game=game_number(program),
    )


def greedy(program: Program, keys: IntArray, actions: IntArray, fallback: IntArray) -> Policy:
    """A deterministic policy: `actions[i]` at context key `keys[i]`, else `fallback[decision type]`."""
    table, values = hash_table(keys, actions)
    return UNIFORM._replace(
        kind=PolicyKind.GREEDY.value, keys=table, values=values, fallback=fallback, game=game_number(program)
    )


def table(
    program: Program, keys: IntArray, starts: IntArray, weights: FloatArray, key_kind: KeyKind = KeyKind.RECALL
) -> Policy:
    """A stochastic policy: at key `keys[i]` the menu's entries have the weights from index `starts[i]` on."""
    slots, values = hash_table(keys, starts)
    return UNIFORM._replace(
        kind=PolicyKind.TABLE.value,
        weights=weights,
        keys=slots,
        values=values,
        key_kind=key_kind.value,
        game=game_number(program),
    )


@kernel(allocates=True)
def with_weights(policy: Policy, weights: FloatArray, offsets: IntArray) -> Policy:
    """The MIXED policy with these weights, for kernels. policy: any policy, for the fields that MIXED does not use."""
    p = policy
    flat = weights.reshape(weights.size)
    return Policy(_MIXED, flat, offsets, p.keys, p.values, p.fallback, p.key_kind, -1, 0.0, p.shifted_by_row, p.game)


@kernel(allocates=True)
def shifted_by(policy: Policy, shift: float, shifted_by_row: IntArray) -> Policy:
    """A GREEDY policy with another perturbation, for kernels."""
    p = policy
    return Policy(
        p.kind, p.weights, p.offsets, p.keys, p.values, p.fallback, p.key_kind, -1, shift, shifted_by_row, p.game
    )


def game_number(program: Program) -> int:
    """The first 60 bits of the program's digest, as kernels take them."""
    return int(program.digest[:15], 16)


def require_game(policy: Policy, program: Program) -> None:
    """Raise UsageError unless the policy is for this game, or plays any game."""
    if policy.kind not in set(PolicyKind):
        raise UsageError(f"there are no policies of kind {policy.kind}: use those of engine.machine.policy.")
    if policy.kind != PolicyKind.UNIFORM and policy.game != game_number(program):
        raise UsageError(f"the policy is for another game than {program.names.game}: make one for this game.")


def require_single(policy: Policy, program: Program) -> None:
    """As `require_game`, for drivers that do not choose a row: also raises UsageError for a policy of several rows."""
    require_game(policy, program)
    rows = len(policy.shifted_by_row)
    if policy.kind == PolicyKind.MIXED:
        rows = len(policy.weights) // max(1, int(policy.offsets[-1]))
    if rows > 1:
        raise UsageError(f"the policy is {rows} policies in rows, of which a seat plays one: make one of a single row.")


def hash_table(keys: IntArray, values: IntArray) -> tuple[IntArray, IntArray]:
    """An open-addressing table that is at most half full. keys: int64, distinct, none of them 0."""
    size = 1 << max(1, int(2 * len(keys) - 1).bit_length())
    slots, stored = np.zeros(size, np.int64), np.zeros(size, np.int64)
    fill_table(slots, stored, np.ascontiguousarray(keys, np.int64), np.ascontiguousarray(values, np.int64))
    return slots, stored


@kernel
def fill_table(slots: IntArray, stored: IntArray, keys: IntArray, values: IntArray) -> None:
    """Insert all keys."""
    mask = len(slots) - 1
    for i in range(len(keys)):
        slot = keys[i] & mask
        while slots[slot] != 0:
            slot = (slot + 1) & mask
        slots[slot] = keys[i]
        stored[slot] = values[i]


@kernel
def find_slot(slots: IntArray, key: int) -> int:
    """The slot of a key, or -1."""
    mask = len(slots) - 1
    slot = key & mask
    while slots[unsigned(slot)] != 0:
        if slots[unsigned(slot)] == key:
            return slot
        slot = (slot + 1) & mask
    return -1


@kernel
def action_index(state: IntArray, action: int) -> int:
    """The index of an action in the current menu; -1 if it is not offered. Amounts are clamped into the range."""
    mask = state[at.MENU_MASK]
    if mask == 0:
        return int(max(0, min(action - state[at.MENU_LOW], state[at.MENU] - 1)))
    if (mask >> action) & 1 == 0:
        return -1
    index = 0
    for i in range(action):
        index += (mask >> i) & 1
    return index


@kernel
def draw_mixed(policy: Policy, state: IntArray, decision: int, u: float, row: int) -> int:
    """Menu index with probability proportional to its action's weight; uniform if all weights are zero."""
    n = state[at.MENU]
    first = policy.offsets[unsigned(decision)] + row * policy.offsets[-1]
    total = 0.0
    for i in range(n):
        total += policy.weights[unsigned(first + menu_action(state, i))]
    if total <= 0.0:
        return int(min(int(u * n), n - 1))
    u *= total
    for i in range(n):
        u -= policy.weights[unsigned(first + menu_action(state, i))]
        if u < 0.0:
            return i
    return int(n - 1)


@kernel
def _draw_row(policy: Policy, start: int, n: int, u: float) -> int:
    """Menu index by a stored row of weights, which sum to 1."""
    for i in range(n):
        u -= policy.weights[start + i]
        if u < 0.0:
            return i
    return n - 1


@kernel
def greedy_index(policy: Policy, state: IntArray, decision: int, context: int) -> int:
    """The index of the stored action in the menu; -1 if it is not offered."""
    slot = find_slot(policy.keys, context)
    return action_index(state, policy.values[unsigned(slot)] if slot >= 0 else policy.fallback[unsigned(decision)])


@kernel
def draw_greedy(policy: Policy, n: int, index: int, decision: int, key: int, counter: int, row: int) -> int:
    """Menu index `index`; at the shifted decision type sometimes another one of n; a uniform one if it is negative."""
    if index < 0:
        return below(key, counter, n)
    shifted = policy.shifted_by_row[unsigned(row)] if len(policy.shifted_by_row) else policy.shifted
    if decision == shifted and n > 1 and uniform(key, counter) < policy.shift:
        other = below(key, counter + 1, n - 1)
        return other + 1 if other >= index else other
    return index


@kernel
def pick(
    policy: Policy,
    state: IntArray,
    decision: int,
    recall: int,
    info: int,
    context: int,
    key: int,
    counter: int,
    row: int = 0,
) -> int:
    """A menu index for the current decision. Uses draws `counter` and `counter + 1` of the stream `key`."""
    n = state[at.MENU]
    if policy.kind == 0:
        return below(key, counter, n)
    if policy.kind == 1:
        return draw_mixed(policy, state, decision, uniform(key, counter), row)
    if policy.kind == 2:
        return draw_greedy(policy, n, greedy_index(policy, state, decision, context), decision, key, counter, row)
    wanted = recall if policy.key_kind == 0 else (info if policy.key_kind == 1 else context)
    slot = find_slot(policy.keys, wanted)
    if slot < 0:
        return below(key, counter, n)
    return _draw_row(policy, policy.values[slot], n, uniform(key, counter))
