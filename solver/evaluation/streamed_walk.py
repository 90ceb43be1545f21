"""The walk behind `streamed_response`: depth first through the machine, with no tree in memory.

What it keeps are the responder's information sets below the histories at which it begins: a key, the sequence before,
and a value for each action. Actions that the opponent never takes are passed over. On the way it proves what building
a tree proves: all histories of an information set have the same menu and the same last sequence of the responder.

A walk may stop at the responder's decisions number `stop` on every way down, and write down the histories that lead
there instead of walking on. It returns now and then, and goes on where it was when it is called again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.kernel import kernel
from engine.machine import layout as at
from engine.machine.branches import branch_weight, next_branch
from engine.machine.copies import copy_state
from engine.machine.layout import CHANCE, OVER
from engine.machine.observe import recall_key
from engine.machine.policy import fill_table
from engine.machine.rollout import payoff
from solver.game import Array
from solver.policies.table import Strategy, fill_menu
from solver.trees.abstraction import abstract_key, follow, real_width

DONE, PAUSED, TABLE_FULL, HISTORIES_FULL, FRAMES_FULL, COLLISION = range(6)  # what a walk returns
NEVER = -1  # a `stop` at which no walk stops
_LEVEL, _BASE, _HISTORY, _OPENING, _NODES, _WRITTEN = range(6)  # places in Frames.cursor
_BEYOND, _INNER = -1, -2  # what opening a node may return instead of what a walk does


class Histories(NamedTuple):
    """Ways to play up to a decision of the responder, or to the first question of the game.

    group: the information set's number among those that a walk begins with; after a walk, the sequence that led here.
    """

    key: Array  # int64[histories] of the responder's information set
    group: Array  # int32[histories]
    length: Array  # int32[histories] answers given
    path: Array  # uint16[histories, at least length] the answers: choices as the machine takes them
    reach: Array  # float64[histories] probability of what chance and the opponent did
    own: Array  # float64[histories] probability of what the responder did, had it played the policy


class Sets(NamedTuple):
    """The responder's information sets that a walk has met, by order of appearance.

    Sequences below the number of groups stand for what was played before; the others are the actions of the sets.
    """

    slots: Array  # int64[power of two] hash table of the keys, 0 where empty
    number: Array  # int64[power of two] the set in the slot
    key: Array  # int64[room]
    parent: Array  # int32[room] the sequence before the set
    start: Array  # int32[room + 1] the set's sequences are start[i] .. start[i + 1] - 1
    value: Array  # float64[room] chips, by reach: payoffs right after each sequence
    used: Array  # int64[1] number of sets


class Frames(NamedTuple):
    """A walk under way: a level for each question on the current path, from the game's first one on."""

    state: Array  # int64[levels, layout.SIZE]; CHOICE is the answer to try next
    probability: Array  # float64[levels, widest menu] of each answer at a decision
    sequence: Array  # int64[levels] the responder's last one
    first: Array  # int64[levels] the first sequence of a decision of the responder
    depth: Array  # int64[levels] decisions of the responder so far
    reach: Array  # float64[levels]
    own: Array  # float64[levels]
    cursor: Array  # int64[6] level, level of the history's end, history, whether to open the level, nodes, histories
    total: Array  # float64[1] chips, by reach: what the responder gets when it plays the policy, too


def new_frames(root: Array, levels: int, width: int) -> Frames:
    """Room for so many levels and entries of a menu, before the first history. root: `branches.root_state`."""
    state = np.empty((levels, at.SIZE), np.int64)
    state[:] = root
    return Frames(
        state=state,
        probability=np.zeros((levels, width)),
        sequence=np.zeros(levels, np.int64),
        first=np.zeros(levels, np.int64),
        depth=np.zeros(levels, np.int64),
        reach=np.zeros(levels),
        own=np.zeros(levels),
        cursor=np.array([-1, 0, -1, 0, 0, 0]),
        total=np.zeros(1),
    )


def larger_frames(root: Array, frames: Frames) -> Frames:
    """Copies with room for four times as many levels."""
    room = new_frames(root, 4 * len(frames.state), frames.probability.shape[1])
    for old, new in zip(frames, room, strict=True):
        new[: len(old)] = old
    return room


def new_sets(groups: int, room: int) -> Sets:
    """Room for so many sets, and for some sequences a set."""
    slots = 1 << int(2 * room - 1).bit_length()
    start = np.empty(room + 1, np.int32)
    start[0] = groups
    return Sets(
        slots=np.zeros(slots, np.int64),
        number=np.empty(slots, np.int64),
        key=np.empty(room, np.int64),
        parent=np.empty(room, np.int32),
        start=start,
        value=np.zeros(groups + 4 * room),
        used=np.zeros(1, np.int64),
    )


def larger_sets(sets: Sets) -> Sets:
    """Copies with four times the room."""
    used, groups = int(sets.used[0]), int(sets.start[0])
    room = new_sets(groups, 4 * len(sets.key))
    for old, new in zip(sets[2:], room[2:], strict=True):
        new[: len(old)] = old
    fill_table(room.slots, room.number, room.key[:used], np.arange(used))
    return room


def new_histories(room: int, levels: int) -> Histories:
    """Room for so many histories of so many answers."""
    return Histories(
        key=np.empty(room, np.int64),
        group=np.empty(room, np.int32),
        length=np.empty(room, np.int32),
        path=np.empty((room, levels), np.uint16),
        reach=np.empty(room),
        own=np.empty(room),
    )


def at_the_start() -> Histories:
    """The one history that leads to the game's first question, as a group of its own."""
    none = np.zeros(1, np.int32)
    return Histories(none.astype(np.int64), none, none, np.zeros((1, 1), np.uint16), np.ones(1), np.ones(1))


def larger_histories(found: Histories, written: int, levels: int) -> Histories:
    """Copies with twice the room, for paths of so many answers."""
    room = new_histories(2 * len(found.key), max(levels, found.path.shape[1]))
    room.path[:written, : found.path.shape[1]] = found.path[:written]
    for old, new in zip(found, room, strict=True):
        if old.ndim == 1:
            new[:written] = old[:written]
    return room


def nodes_of(frames: Frames) -> int:
    """How many nodes a walk has seen."""
    return int(frames.cursor[_NODES])


def written_by(frames: Frames) -> int:
    """How many histories a walk has written down."""
    return int(frames.cursor[_WRITTEN])


@kernel
def _find_set(sets: Sets, key: int, parent: int, width: int) -> int:
    """The number of a set, made if it is new; else ~TABLE_FULL or ~COLLISION."""
    key = key if key != 0 else 1  # 0 marks an empty slot
    mask = len(sets.slots) - 1
    slot = key & mask
    while sets.slots[slot] != 0:
        if sets.slots[slot] == key:
            i = sets.number[slot]
            same = sets.parent[i] == parent and sets.start[i + 1] - sets.start[i] == width
            return int(i) if same else ~COLLISION
        slot = (slot + 1) & mask
    i = sets.used[0]
    if i == len(sets.key) or sets.start[i] + width > len(sets.value):
        return ~TABLE_FULL
    sets.slots[slot], sets.number[slot], sets.key[i], sets.parent[i] = key, i, key, parent
    sets.start[i + 1] = sets.start[i] + width
    sets.used[0] = i + 1
    return int(i)


@kernel
def _write_history(found: Histories, frames: Frames, level: int, key: int) -> int:
    """Write down the history that leads to `level`."""
    row = frames.cursor[_WRITTEN]
    if row == len(found.key) or level > found.path.shape[1]:
        return HISTORIES_FULL
    found.key[row], found.group[row], found.length[row] = key, frames.sequence[level], level
    found.reach[row], found.own[row] = frames.reach[level], frames.own[level]
    for i in range(level):
        found.path[row, i] = frames.state[i, at.CHOICE] - 1
    frames.cursor[_WRITTEN] = row + 1
    return _BEYOND


@kernel
def _open(
    seat: int,
    policy: Strategy,
    stop: int,
    part: tuple[int, int],
    frames: Frames,
    sets: Sets,
    found: Histories,
    level: int,
) -> int:
    """Take in the stopped state in `level`. Returns _INNER if there is something below it, else _BEYOND.

    Returns what is in the way, if something is; then nothing has changed.
    """
    state = frames.state[level]
    state[at.CHOICE] = 0
    if state[at.STOP] == OVER:
        gain = frames.reach[level] * payoff(state) * (1 - 2 * seat)
        sets.value[frames.sequence[level]] += gain
        frames.total[0] += gain * frames.own[level]
        return _BEYOND
    if state[at.STOP] == CHANCE:
        return _INNER
    who, decision, width = state[at.SEAT], state[at.DECISION], real_width(state)
    if who == seat:
        key = recall_key(state, seat, decision)
        if frames.depth[level] == stop:
            mine = ((key >> 16) & 0xFFFF_FFFF) % part[1] == part[0]
            return _write_history(found, frames, level, key) if mine else _BEYOND
        i = _find_set(sets, key, frames.sequence[level], width)
        if i < 0:
            return ~i
        frames.first[level] = sets.start[i]
    key = abstract_key(state, who, decision, policy.abstraction)
    fill_menu(policy, state, key, frames.probability[level, :width])
    return _INNER


@kernel
def _descend(code: np.ndarray, abstraction: int, frames: Frames, level: int, index: int) -> None:
    """Answer the question in `level`: the next level holds what comes of it."""
    parent, child = frames.state[level], frames.state[level + 1]
    parent[at.CHOICE] = index + 1
    copy_state(parent, child)
    child[at.CHOICE] = index
    follow(code, child, abstraction)


@kernel
def _replay(code: np.ndarray, abstraction: int, frames: Frames, roots: Histories, history: int) -> None:
    """Play up to the end of a history; what it shares with the one before is there already."""
    length, level = roots.length[history], 0
    if history > 0:
        least = min(length, roots.length[history - 1])
        while level < least and roots.path[history, level] == roots.path[history - 1, level]:
            level += 1
    for i in range(level, length):
        _descend(code, abstraction, frames, i, roots.path[history, i])
    frames.sequence[length], frames.depth[length] = roots.group[history], 0
    frames.reach[length], frames.own[length] = roots.reach[history], roots.own[history]


@kernel
def walk(
    code: np.ndarray,
    seat: int,
    policy: Strategy,
    roots: Histories,
    stop: int,
    part: tuple[int, int],
    frames: Frames,
    sets: Sets,
    found: Histories,
    nodes: int,
) -> int:
    """Walk on through all that follows the histories `roots`, by at most so many nodes; returns what ended the call.

    seat: the responder. stop: how many of its decisions to pass before histories are written to `found`, or NEVER.
    part: of the information sets found there, those with a key that is `part[0]` modulo `part[1]` are written down.
    After TABLE_FULL, HISTORIES_FULL or FRAMES_FULL the walk goes on with larger ones.
    """
    cursor = frames.cursor
    level, seen = cursor[_LEVEL], 0
    while True:
        if cursor[_OPENING]:
            what = _open(seat, policy, stop, part, frames, sets, found, level)
            if what >= 0:
                cursor[_LEVEL] = level
                return what
            cursor[_OPENING] = 0
            seen += 1
            cursor[_NODES] += 1
            if what == _BEYOND:
                level -= 1
        if level < cursor[_BASE] or cursor[_HISTORY] < 0:
            history = cursor[_HISTORY] + 1
            if history == len(roots.length):
                return DONE
            if roots.length[history] >= len(frames.state):
                cursor[_LEVEL] = level
                return FRAMES_FULL
            _replay(code, policy.abstraction, frames, roots, history)
            level = cursor[_BASE] = roots.length[history]
            cursor[_HISTORY], cursor[_OPENING] = history, 1
            continue
        if seen >= nodes:
            cursor[_LEVEL] = level
            return PAUSED
        state = frames.state[level]
        index = next_branch(code, state, state[at.CHOICE])
        if index < 0:
            level -= 1
            continue
        if level + 1 == len(frames.state):
            cursor[_LEVEL] = level
            return FRAMES_FULL
        sequence, depth, chance, own = frames.sequence[level], frames.depth[level], 1.0, 1.0
        if state[at.STOP] == CHANCE:
            chance = branch_weight(code, state, index) / state[at.MENU]
        elif state[at.SEAT] == seat:
            sequence, depth, own = frames.first[level] + index, depth + 1, frames.probability[level, index]
        else:
            chance = frames.probability[level, index]
            if chance == 0.0:
                state[at.CHOICE] = index + 1
                continue
        _descend(code, policy.abstraction, frames, level, index)
        frames.reach[level + 1], frames.own[level + 1] = frames.reach[level] * chance, frames.own[level] * own
        level += 1
        frames.sequence[level], frames.depth[level] = sequence, depth
        cursor[_OPENING] = 1


@kernel
def induce(sets: Sets) -> None:
    """Backward induction: each set adds the value of its best action to the sequence before it."""
    for i in range(sets.used[0] - 1, -1, -1):
        best = sets.value[sets.start[i]]
        for k in range(sets.start[i] + 1, sets.start[i + 1]):
            best = max(best, sets.value[k])
        sets.value[sets.parent[i]] += best
