"""Episodes of one game that are played together: those at the same place of the tree take one step there together.

Episodes often coincide. In 2,000 random episodes of an accepted game, 75% of the decisions (the median) are at a node
that another episode also reaches by the same choices and draws; in 20,000 it is 96%. So a batch of episodes walks
through the tree depth first, as `antemill.engine.machine.branches` does, but only to nodes that episodes reach. At
every question the episodes there draw their answers and are grouped by them. The machine takes one step for a whole
group, on a copy of the state unless the group is the last one there. An episode that is alone goes on by itself.

Each episode uses the same draws, from the same addresses, as if it were played alone.
"""

from typing import Any, NamedTuple

import numpy.typing as npt

from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.copies import copy_constants, copy_state, push
from antemill.engine.machine.layout import CHANCE, CONTEXTS_OF_ALICE, CONTEXTS_OF_BOB, NO_KEYS, OVER
from antemill.engine.machine.observe import context_key, info_key, recall_key
from antemill.engine.machine.parting import draw_at_random, first_alike, halve_at_random, part_by_policy, sort
from antemill.engine.machine.policy import Policy, PolicyKind
from antemill.engine.machine.vm import advance, menu_action
from antemill.engine.machine.words import unsigned

Array = npt.NDArray[Any]
_UNIFORM, _MIXED = int(PolicyKind.UNIFORM), int(PolicyKind.MIXED)

# Words of a row of `places`, a question that a player faced.
PARENT, ACTION = range(2)  # also of `ends`: the question before, -1 for none, and the action that was taken there
SEAT, DECISION = 2, 3
PLACE_WORDS = 4

# Words of a row of `asked`: what a log has of a place.
MENU, RECALL, INFO, CONTEXT = range(4)
ASKED_WORDS = 4

# Words of a row of `ends`.
PAYOFF, MADE, ENDED = 2, 3, 4  # Alice's payoff in chips; the decisions on the way; the number of episodes that end here
BITS = 5  # the first word of the bit sets of phases, which those of branches follow
END_WORDS = BITS + at.PHASE_WORDS + at.BRANCH_WORDS

_LOW, _HIGH, _LEVEL, _CHOICE, _PARENT, _ACTION, _MADE, GROUP_WORDS = range(8)  # words of a row of `groups`
_CHANCE = 2  # row of `Batch.keys`


class Batch(NamedTuple):
    """The buffers of episodes that are played together, and data about the episodes."""

    code: Array
    initial: Array  # `antemill.engine.machine.batch.opening`
    stack: Array  # int64[levels, layout.SIZE]: states on the current path, or of any games; never uninitialised
    groups: Array  # int64[., GROUP_WORDS]: groups that wait for their turn
    keys: Array  # int64[3, episodes]: of the streams of Alice, Bob and chance; the last is never 0
    draws: int  # the numbers of its player's stream that a decision uses
    noted: bool  # whether `places`, `end`, and the paths in `ends` are written, which logs and axes need
    rows: Array  # int32[2, episodes]: the row of their policies that Alice and Bob play
    order: Array  # int32[episodes]: episodes, those of a group adjacent
    answers: Array  # int32[episodes]: their answers to the current question, in that order
    spare: Array  # int32[2, episodes + 1]: for sorting
    end: Array  # int32[episodes]: the row of `ends` in which each of them ended
    places: Array  # int32[., PLACE_WORDS]
    asked: Array  # int64[., ASKED_WORDS]: as long as `places`, or empty if no log is needed
    ends: Array  # int64[episodes, END_WORDS]


@kernel(inline="late")
def payoff(state: Array) -> int:
    """Alice's payoff: final stack minus starting chips, plus her score (X9, G14)."""
    return int(state[at.CHIPS] - state[at.START_CHIPS] + state[at.SCORE])


@kernel(inline="late")
def _place(batch: Batch, number: int, state: Array, parent: int, action: int) -> None:
    """Record the question at which the state has stopped."""
    place = batch.places[unsigned(number)]
    seat, decision = state[at.SEAT], state[at.DECISION]
    place[PARENT] = parent
    place[ACTION] = action
    place[SEAT] = seat
    place[DECISION] = decision
    if len(batch.asked) > 0:
        asked = batch.asked[unsigned(number)]
        context = context_key(state, seat, decision)
        asked[MENU] = state[at.MENU]
        asked[RECALL] = recall_key(state, seat, decision)
        asked[INFO] = info_key(state, seat, context)
        asked[CONTEXT] = context


@kernel(inline="late")
def _finish(batch: Batch, number: int, state: Array, parent: int, action: int, made: int, episodes: int) -> None:
    """Record the end of a group of episodes."""
    end = batch.ends[unsigned(number)]
    end[PAYOFF] = payoff(state)
    end[MADE] = made
    end[ENDED] = episodes
    end[PARENT] = parent
    end[ACTION] = action
    for i in range(at.PHASE_WORDS + at.BRANCH_WORDS):
        end[BITS + i] = state[at.FIRED + i]


@kernel(inline="late")
def _part(batch: Batch, state: Array, low: int, high: int, made: int, alice: Policy, bob: Policy) -> int:
    """Let a group's episodes answer the question at which the state has stopped.

    With two answers, returns where answer 1 begins; otherwise the answer of all episodes, or -1 if `batch.answers` were
    written.
    """
    order, answers, n, seat = batch.order, batch.answers, state[at.MENU], state[at.SEAT]
    chance = state[at.STOP] == CHANCE
    keys = batch.keys[unsigned(_CHANCE if chance else seat)]
    counter = state[at.ADDRESS] if chance else batch.draws * made
    if chance or (alice.kind if seat == 0 else bob.kind) == _UNIFORM:
        if n == 2:
            return halve_at_random(order, keys, counter, low, high)
        draw_at_random(order, answers, keys, counter, n, low, high)
        return -1
    if seat == 0:
        return part_by_policy(alice, state, order, answers, batch.spare, keys, batch.rows[0], counter, low, high)
    return part_by_policy(bob, state, order, answers, batch.spare, keys, batch.rows[1], counter, low, high)


@kernel(inline="late")
def _looks_up(policy: Policy) -> int:
    """1 if a policy depends on more than the decision type, else 0."""
    return 0 if policy.kind == _UNIFORM or policy.kind == _MIXED else 1


@kernel
def walk(batch: Batch, episodes: int, alice: Policy, bob: Policy) -> int:
    """Play episodes 0, 1, ... of the batch to their ends.

    Returns the number of used rows of `ends`, or -1 if a buffer is too small. A decision after i others uses the draws
    from i * `batch.draws` on of its player's stream.
    """
    code, stack, groups, order, answers = batch.code, batch.stack, batch.groups, batch.order, batch.answers
    noted = batch.noted
    if episodes == 0:
        return 0
    for i in range(episodes):
        order[i] = i
    copy_constants(batch.initial, stack[0])
    copy_state(batch.initial, stack[0])
    if stack[0, at.BLIND] != 0:
        stack[0, at.BLIND] = NO_KEYS | CONTEXTS_OF_ALICE * _looks_up(alice) | CONTEXTS_OF_BOB * _looks_up(bob)
    deepest = 0  # the deepest row of the stack that holds the constants of the game
    level, low, high, parent, action, made = 0, 0, episodes, -1, 0, 0
    waiting, places, ends = 0, 0, 0
    while True:
        state = stack[unsigned(level)]
        if advance(code, state) == OVER:
            _finish(batch, ends, state, parent, action, made, high - low)
            if noted:
                for i in range(low, high):
                    batch.end[unsigned(order[unsigned(i)])] = ends
            ends += 1
            if waiting == 0:
                return ends
            waiting -= 1
            group = groups[unsigned(waiting)]
            low, high, level, answer = group[_LOW], group[_HIGH], group[_LEVEL], group[_CHOICE]
            parent, action, made = group[_PARENT], group[_ACTION], group[_MADE]
            if waiting > 0 and groups[unsigned(waiting - 1), _LEVEL] == level:  # another group goes on from that state
                if level + 1 == len(stack):
                    return -1
                deepest = push(stack, level, deepest)
                level += 1
        else:
            n = state[at.MENU]
            deciding = state[at.STOP] != CHANCE
            noting = deciding and noted
            if noting:
                if places == len(batch.places):
                    return -1
                _place(batch, places, state, parent, action)
                parent = places
                places += 1
            first = _part(batch, state, low, high, made, alice, bob)
            made += 1 if deciding else 0
            if n == 2:
                answer, other = int(first == low), int(first < high)
            elif first >= 0:
                answer, other = first, first
            else:
                sort(order, answers, low, high, n, batch.spare)
                answer, other = answers[unsigned(low)], answers[unsigned(high - 1)]
            split = answer != other
            while answer != other:
                if n != 2:
                    first = first_alike(answers, high)
                if waiting == len(groups):
                    return -1
                group = groups[unsigned(waiting)]
                group[_LOW] = first
                group[_HIGH] = high
                group[_LEVEL] = level
                group[_CHOICE] = other
                group[_PARENT] = parent
                group[_ACTION] = menu_action(state, other) if noting else action
                group[_MADE] = made
                waiting += 1
                high = first
                other = answers[unsigned(high - 1)] if n != 2 else answer
            if noting:
                action = menu_action(state, answer)
            if split:
                if level + 1 == len(stack):
                    return -1
                deepest = push(stack, level, deepest)
                level += 1
        state = stack[unsigned(level)]
        state[at.CHOICE] = answer
        state[at.CHANCE_KEY] = batch.keys[_CHANCE, unsigned(order[low])] if high - low == 1 else 0


@kernel
def decisions_of(batch: Batch, ends: int) -> int:
    """The number of decisions in all episodes of the batch. ends: the number of used rows of `batch.ends`."""
    decisions = 0
    for i in range(ends):
        decisions += batch.ends[i, MADE] * batch.ends[i, ENDED]
    return decisions
