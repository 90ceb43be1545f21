"""The arrays of the walk behind `streamed_response`: its position, the information sets it has met, and the histories
it has written."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antemill.engine.machine import layout as at
from antemill.engine.machine.policy import fill_table
from antemill.engine.rules.limits import MAX_CARDS
from antemill.solver.game import Array

LEVEL, BASE, HISTORY, OPENING, NODES, WRITTEN = range(6)  # places in Frames.cursor


class Histories(NamedTuple):
    """Ways to play up to a decision of the responder, or to the first question of the game.

    group: the information set's number among those that a walk begins with; after a walk, the sequence that led here.
    """

    key: Array  # int64[histories] of the responder's information set
    group: Array  # int32[histories]
    length: Array  # int32[histories] answers given
    path: Array  # uint16[histories, at least length] the answers: choices as the machine takes them
    reach: Array  # float64[histories] probability of the choices of chance and the opponent
    own: Array  # float64[histories] probability of the responder's choices under the policy


class Sets(NamedTuple):
    """The responder's information sets that a walk has met, by order of appearance.

    Sequences below the number of groups stand for what was played before; the others are the actions of the sets.
    """

    slots: Array  # int64[power of two] hash table of the keys, 0 where empty
    number: Array  # int64[power of two] the set in the slot
    key: Array  # int64[capacity]
    parent: Array  # int32[capacity] the sequence before the set
    start: Array  # int32[capacity + 1] the set's sequences are start[i] .. start[i + 1] - 1
    value: Array  # float64[capacity] chips, by reach: payoffs right after each sequence
    used: Array  # int64[1] number of sets


class Frames(NamedTuple):
    """A walk in progress: a level for each question on the current path, from the game's first one.

    The last answer of a level is given in the level's own state, which then is that of the next level.
    """

    state: Array  # int64[levels, layout.SIZE]
    row: Array  # int64[levels] where in `state` the level's is
    answer: Array  # int64[levels, width] the different answers; of the opponent, those that it may give
    probability: Array  # float64[levels, width] of each of them
    answers: Array  # int64[levels] how many there are
    tried: Array  # int64[levels] how many of them were given
    given: Array  # int64[levels] the last of these
    sequence: Array  # int64[levels] the responder's last one
    first: Array  # int64[levels] the first sequence of a decision of the responder
    depth: Array  # int64[levels] decisions of the responder so far
    reach: Array  # float64[levels]
    own: Array  # float64[levels]
    cursor: Array  # int64[6] level, level of the history's end, history, whether to open the level, nodes, histories
    total: Array  # float64[1] chips, by reach: what the responder gets when it also plays the policy


def new_frames(root: Array, levels: int, width: int) -> Frames:
    """Frames with this many levels and menu entries, before the first history. root: `branches.root_state`."""
    state = np.empty((levels, at.SIZE), np.int64)
    state[:] = root
    width = max(width, MAX_CARDS)
    return Frames(
        state=state,
        row=np.zeros(levels, np.int64),
        answer=np.zeros((levels, width), np.int64),
        probability=np.zeros((levels, width)),
        answers=np.zeros(levels, np.int64),
        tried=np.zeros(levels, np.int64),
        given=np.zeros(levels, np.int64),
        sequence=np.zeros(levels, np.int64),
        first=np.zeros(levels, np.int64),
        depth=np.zeros(levels, np.int64),
        reach=np.zeros(levels),
        own=np.zeros(levels),
        cursor=np.array([-1, 0, -1, 0, 0, 0]),
        total=np.zeros(1),
    )


def larger_frames(root: Array, frames: Frames) -> Frames:
    """Copies with four times as many levels."""
    larger = new_frames(root, 4 * len(frames.state), frames.probability.shape[1])
    for old, new in zip(frames, larger, strict=True):
        new[: len(old)] = old
    return larger


def new_sets(groups: int, capacity: int) -> Sets:
    """Capacity for this many sets, and for some sequences per set."""
    slots = 1 << int(2 * capacity - 1).bit_length()
    start = np.empty(capacity + 1, np.int32)
    start[0] = groups
    return Sets(
        slots=np.zeros(slots, np.int64),
        number=np.empty(slots, np.int64),
        key=np.empty(capacity, np.int64),
        parent=np.empty(capacity, np.int32),
        start=start,
        value=np.zeros(groups + 4 * capacity),
        used=np.zeros(1, np.int64),
    )


def larger_sets(sets: Sets) -> Sets:
    """Copies with four times the capacity."""
    used, groups = int(sets.used[0]), int(sets.start[0])
    larger = new_sets(groups, 4 * len(sets.key))
    for old, new in zip(sets[2:], larger[2:], strict=True):
        new[: len(old)] = old
    fill_table(larger.slots, larger.number, larger.key[:used], np.arange(used))
    return larger


def new_histories(capacity: int, levels: int) -> Histories:
    """Capacity for this many histories of this many answers."""
    return Histories(
        key=np.empty(capacity, np.int64),
        group=np.empty(capacity, np.int32),
        length=np.empty(capacity, np.int32),
        path=np.empty((capacity, levels), np.uint16),
        reach=np.empty(capacity),
        own=np.empty(capacity),
    )


def at_the_start() -> Histories:
    """The one history that leads to the game's first question, as a group of its own."""
    none = np.zeros(1, np.int32)
    return Histories(none.astype(np.int64), none, none, np.zeros((1, 1), np.uint16), np.ones(1), np.ones(1))


def larger_histories(found: Histories, written: int, levels: int) -> Histories:
    """Copies with twice the capacity, for paths of this many answers."""
    larger = new_histories(2 * len(found.key), max(levels, found.path.shape[1]))
    larger.path[:written, : found.path.shape[1]] = found.path[:written]
    for old, new in zip(found, larger, strict=True):
        if old.ndim == 1:
            new[:written] = old[:written]
    return larger


def nodes_of(frames: Frames) -> int:
    """How many nodes a walk has seen."""
    return int(frames.cursor[NODES])


def written_by(frames: Frames) -> int:
    """How many histories a walk has written down."""
    return int(frames.cursor[WRITTEN])
