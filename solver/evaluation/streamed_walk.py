"""The walk behind `streamed_response`: depth first through the machine, with no tree in memory.

It keeps the responder's information sets below the histories at which it begins: a key, the sequence before, and a
value for each action. Actions that the opponent never takes are passed over. It verifies what building a tree verifies:
all histories of an information set have the same menu and the same last sequence of the responder.

A walk may stop at the responder's decisions number `stop` on every way down, and write down the histories that lead
there instead of walking on. It returns now and then, and continues when it is called again.
"""

from __future__ import annotations

import numpy as np

from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.branches import fill_outcomes
from antemill.engine.machine.copies import copy_state
from antemill.engine.machine.layout import CHANCE, DECIDE, OVER
from antemill.engine.machine.observe import recall_key
from antemill.engine.machine.rollout import payoff
from antemill.solver.evaluation import streamed_arrays as of
from antemill.solver.evaluation.streamed_arrays import Frames, Histories, Sets
from antemill.solver.policies.policy import Strategy, fill_menu
from antemill.solver.trees.abstraction import abstract_key, follow, real_width

DONE, PAUSED, TABLE_FULL, HISTORIES_FULL, FRAMES_FULL, COLLISION = range(6)  # what a walk returns
NEVER = -1  # a `stop` at which no walk stops
_BEYOND, _INNER = -1, -2  # what opening a node may return instead of what a walk does


@kernel
def _find_set(sets: Sets, key: int, parent: int, width: int) -> int:
    """The number of a set, created if it is new; or ~TABLE_FULL or ~COLLISION."""
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
    row = frames.cursor[of.WRITTEN]
    if row == len(found.key) or level > found.path.shape[1]:
        return HISTORIES_FULL
    found.key[row], found.group[row], found.length[row] = key, frames.sequence[level], level
    found.reach[row], found.own[row] = frames.reach[level], frames.own[level]
    for i in range(level):
        found.path[row, i] = frames.given[i]
    frames.cursor[of.WRITTEN] = row + 1
    return _BEYOND


@kernel(inline="late")
def _open(
    code: np.ndarray,
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

    If there is an obstacle, returns its code and changes nothing.
    """
    state, answer, probability = frames.state[frames.row[level]], frames.answer[level], frames.probability[level]
    frames.tried[level] = 0
    if state[at.STOP] == OVER:
        gain = frames.reach[level] * payoff(state) * (1 - 2 * seat)
        sets.value[frames.sequence[level]] += gain
        frames.total[0] += gain * frames.own[level]
        return _BEYOND
    if state[at.STOP] == CHANCE:
        frames.answers[level] = fill_outcomes(code, state, answer, probability)
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
    fill_menu(policy, state, abstract_key(state, who, decision, policy.abstraction), probability[:width])
    count = 0
    for index in range(width):
        answer[count], probability[count] = index, probability[index]
        count += who == seat or probability[index] > 0.0
    frames.answers[level] = count
    return _INNER


@kernel(inline="late")
def _descend(code: np.ndarray, abstraction: int, frames: Frames, level: int, index: int, keep: bool) -> None:
    """Answer the question in `level`: the next level holds the state after it. keep: whether the question stays."""
    row = frames.row[level]
    frames.given[level], frames.row[level + 1] = index, row + keep
    if keep:
        copy_state(frames.state[row], frames.state[row + 1])
    child = frames.state[row + keep]
    child[at.CHOICE] = index
    follow(code, child, abstraction)


@kernel
def _replay(code: np.ndarray, abstraction: int, frames: Frames, roots: Histories, history: int) -> None:
    """Play up to the end of a history; the part it shares with the previous one is not played again."""
    length, level = roots.length[history], 0
    if history > 0:
        least = min(length, roots.length[history - 1])
        while level < least and roots.path[history, level] == roots.path[history - 1, level]:
            level += 1
    for i in range(level, length):
        _descend(code, abstraction, frames, i, roots.path[history, i], True)
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
    After TABLE_FULL, HISTORIES_FULL or FRAMES_FULL the walk continues with larger arrays.
    """
    cursor = frames.cursor
    level, seen = cursor[of.LEVEL], 0
    while True:
        if cursor[of.OPENING]:
            what = _open(code, seat, policy, stop, part, frames, sets, found, level)
            if what >= 0:
                cursor[of.LEVEL] = level
                return what
            cursor[of.OPENING] = 0
            seen += 1
            cursor[of.NODES] += 1
            if what == _BEYOND:
                level -= 1
        if level < cursor[of.BASE] or cursor[of.HISTORY] < 0:
            history = cursor[of.HISTORY] + 1
            if history == len(roots.length):
                return DONE
            if roots.length[history] >= len(frames.state):
                cursor[of.LEVEL] = level
                return FRAMES_FULL
            _replay(code, policy.abstraction, frames, roots, history)
            level = cursor[of.BASE] = roots.length[history]
            cursor[of.HISTORY], cursor[of.OPENING] = history, 1
            continue
        if seen >= nodes:
            cursor[of.LEVEL] = level
            return PAUSED
        tried = frames.tried[level]
        left = frames.answers[level] - tried
        if left == 0:
            level -= 1
            continue
        if level + 1 == len(frames.state):
            cursor[of.LEVEL] = level
            return FRAMES_FULL
        index, probability, who = frames.answer[level, tried], frames.probability[level, tried], _who(frames, level)
        reach, own = frames.reach[level], frames.own[level]
        frames.tried[level] = tried + 1
        frames.sequence[level + 1], frames.depth[level + 1] = frames.sequence[level], frames.depth[level]
        if who == seat:
            frames.sequence[level + 1] = frames.first[level] + index
            frames.depth[level + 1] += 1
            own *= probability
        else:
            reach *= probability
        frames.reach[level + 1], frames.own[level + 1] = reach, own
        _descend(code, policy.abstraction, frames, level, index, left > 1 or level == cursor[of.BASE])
        level += 1
        cursor[of.OPENING] = 1


@kernel(inline="late")
def _who(frames: Frames, level: int) -> int:
    """The seat that decides in `level`; -1 for chance."""
    state = frames.state[frames.row[level]]
    return int(state[at.SEAT]) if state[at.STOP] == DECIDE else -1


@kernel
def induce(sets: Sets) -> None:
    """Backward induction: each set adds the value of its best action to the sequence before it."""
    for i in range(sets.used[0] - 1, -1, -1):
        best = sets.value[sets.start[i]]
        for k in range(sets.start[i] + 1, sets.start[i + 1]):
            best = max(best, sets.value[k])
        sets.value[sets.parent[i]] += best
