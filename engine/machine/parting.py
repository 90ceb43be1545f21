"""The answers of the episodes at one question, and the partition of the episodes by their answers.

The episodes of a group are adjacent in `order`, from `low` to `high`. After the partition, episodes with the same
answer are adjacent. Their order does not matter, since each episode draws from its own stream.

Most questions have two answers. A processor cannot predict which one comes next, so groups are split without branches,
where possible in the loop that draws.
"""

from typing import Any

import numpy.typing as npt

from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.chance import below, uniform
from antemill.engine.machine.observe import context_key, info_key, recall_key
from antemill.engine.machine.policy import Policy, PolicyKind, draw_greedy, draw_mixed, greedy_index, pick
from antemill.engine.machine.vm import menu_action
from antemill.engine.machine.words import unsigned

Array = npt.NDArray[Any]
_MIXED, _GREEDY, _TABLE = int(PolicyKind.MIXED), int(PolicyKind.GREEDY), int(PolicyKind.TABLE)
_FEW = 8  # episodes that are sorted by insertion


@kernel(inline="late")
def halve_at_random(order: Array, keys: Array, counter: int, low: int, high: int) -> int:
    """Split a group in two by answers drawn as number `counter` of each stream; returns where answer 1 begins."""
    first = low
    for i in range(low, high):
        episode = order[unsigned(i)]
        order[unsigned(i)] = order[unsigned(first)]
        order[unsigned(first)] = episode
        first += 1 - below(keys[unsigned(episode)], counter, 2)
    return first


@kernel(inline="late")
def draw_at_random(order: Array, answers: Array, keys: Array, counter: int, n: int, low: int, high: int) -> None:
    """Write the answers of a group, each one of n, drawn as number `counter` of the episode's stream."""
    for i in range(low, high):
        answers[unsigned(i)] = below(keys[unsigned(order[unsigned(i)])], counter, n)


@kernel
def part_by_policy(
    policy: Policy,
    state: Array,
    order: Array,
    answers: Array,
    spare: Array,
    keys: Array,
    rows: Array,
    counter: int,
    low: int,
    high: int,
) -> int:
    """Split a group in two by the choices of a policy, or write its choices; not for the uniform policy.

    keys: of the streams of the seat that chooses. rows: the row of the policy that each episode plays. With two
    answers, returns where answer 1 begins; otherwise the answer of all episodes, or -1 if `answers` were written.
    """
    n = state[at.MENU]
    if policy.kind == _MIXED:
        if n == 2:
            return _halve_mixed(policy, state, order, keys, rows, counter, low, high)
        decision = state[at.DECISION]
        for i in range(low, high):
            episode = unsigned(order[unsigned(i)])
            u = uniform(keys[episode], counter)
            answers[unsigned(i)] = draw_mixed(policy, state, decision, u, rows[episode])
        return -1
    seat, decision = state[at.SEAT], state[at.DECISION]
    context = context_key(state, seat, decision)
    if policy.kind == _GREEDY:
        index = greedy_index(policy, state, decision, context)
        if index >= 0 and len(policy.shifted_by_row) == 0 and decision != policy.shifted:
            if n != 2:
                return index
            return high if index == 0 else low
        for i in range(low, high):
            episode = unsigned(order[unsigned(i)])
            answers[unsigned(i)] = draw_greedy(policy, n, index, decision, keys[episode], counter, rows[episode])
    else:
        info, recall = info_key(state, seat, context), recall_key(state, seat, decision)
        for i in range(low, high):
            episode = unsigned(order[unsigned(i)])
            answers[unsigned(i)] = pick(
                policy, state, decision, recall, info, context, keys[episode], counter, rows[episode]
            )
    return _halve(order, answers, low, high, spare) if n == 2 else -1


@kernel(inline="late")
def _halve_mixed(
    policy: Policy, state: Array, order: Array, keys: Array, rows: Array, counter: int, low: int, high: int
) -> int:
    """Split a group in two by the choices of a MIXED policy between two answers; returns where answer 1 begins."""
    actions, width, first = policy.offsets[unsigned(state[at.DECISION])], policy.offsets[-1], low
    zero, one = actions + menu_action(state, 0), actions + menu_action(state, 1)
    for i in range(low, high):
        episode = order[unsigned(i)]
        order[unsigned(i)] = order[unsigned(first)]
        order[unsigned(first)] = episode
        row, u = rows[unsigned(episode)] * width, uniform(keys[unsigned(episode)], counter)
        weight = policy.weights[unsigned(row + zero)]
        total = weight + policy.weights[unsigned(row + one)]
        first += u * total < weight if total > 0.0 else u < 0.5
    return first


@kernel(inline="late")
def _halve(order: Array, answers: Array, low: int, high: int, spare: Array) -> int:
    """Split a group in two by its answers, 0 or 1; returns where answer 1 begins."""
    first, others = low, 0
    for i in range(low, high):
        episode, answer = order[unsigned(i)], answers[unsigned(i)]
        order[unsigned(first)] = episode
        spare[0, unsigned(others)] = episode
        first += 1 - answer
        others += answer
    for i in range(others):
        order[unsigned(first + i)] = spare[0, unsigned(i)]
    return first


@kernel(inline="late")
def sort(order: Array, answers: Array, low: int, high: int, n: int, spare: Array) -> None:
    """Sort the episodes of a group, and their answers, by the answers, which are below n."""
    if high - low > _FEW and n < high - low:
        _sort_many(order, answers, low, high, n, spare)
    elif high - low == 2:
        one, other = order[unsigned(low)], order[unsigned(low + 1)]
        first, second = answers[unsigned(low)], answers[unsigned(low + 1)]
        swapped = first > second
        order[unsigned(low)] = other if swapped else one
        order[unsigned(low + 1)] = one if swapped else other
        answers[unsigned(low)] = min(first, second)
        answers[unsigned(low + 1)] = max(first, second)
    elif high - low > 1:
        _sort_few(order, answers, low, high)


@kernel(inline="late")
def first_alike(answers: Array, high: int) -> int:
    """The start of the run of equal answers that ends before `high`; it must have a different answer before it."""
    first = high - 1
    while answers[unsigned(first - 1)] == answers[unsigned(high - 1)]:
        first -= 1
    return first


@kernel
def _sort_few(order: Array, answers: Array, low: int, high: int) -> None:
    """`sort` for small groups."""
    for i in range(low + 1, high):
        episode, answer = order[unsigned(i)], answers[unsigned(i)]
        j = i
        while j > low and answers[unsigned(j - 1)] > answer:
            order[unsigned(j)], answers[unsigned(j)] = order[unsigned(j - 1)], answers[unsigned(j - 1)]
            j -= 1
        order[unsigned(j)], answers[unsigned(j)] = episode, answer


@kernel
def _sort_many(order: Array, answers: Array, low: int, high: int, n: int, spare: Array) -> None:
    """`sort` by counting."""
    starts = spare[1]
    for i in range(n + 1):
        starts[unsigned(i)] = 0
    for i in range(low, high):
        starts[unsigned(answers[unsigned(i)] + 1)] += 1
    for i in range(n):
        starts[unsigned(i + 1)] += starts[unsigned(i)]
    for i in range(low, high):
        answer = answers[unsigned(i)]
        to = starts[unsigned(answer)]
        starts[unsigned(answer)] = to + 1
        spare[0, unsigned(to)] = order[unsigned(i)]
    for i in range(high - low):
        order[unsigned(low + i)] = spare[0, unsigned(i)]
    at_place = low
    for answer in range(n):
        end = low + starts[unsigned(answer)]
        while at_place < end:
            answers[unsigned(at_place)] = answer
            at_place += 1
