"""A game while it is being drawn: random stream, dial, caps, the rules so far, and the bounds at this point.

All random draws come from `dice`, in a fixed order. A function that draws a part of the game leaves row `HERE` of
`bounds` at the point after that part. Steps are drawn as lists of nodes; a function that draws steps returns the first
node, or `NONE`.
"""

from __future__ import annotations

from typing import Final

from antemill.engine.builder import caps as cap
from antemill.engine.builder.bounds import HERE, assume, become, copy, join, pop, push, push_unreached, tighten
from antemill.engine.builder.dice import below, uniform
from antemill.engine.builder.following import follow
from antemill.engine.builder.names import COUNTER, PLACES
from antemill.engine.builder.workspace import (
    COUNTERS,
    DEPTH,
    ENCLOSING,
    ENCLOSING_LIST,
    FULL,
    MARKS,
    NAMES,
    NODES,
    OWN,
    PENDING,
    PHASE_LIST,
    PHASES,
    POSITIONS,
    SECRET,
    VARIABLE_LIST,
    VARIABLES,
    Draft,
)
from antemill.engine.kernel import kernel
from antemill.engine.rules.limits import MAX_PHASES, MAX_VARIABLES
from antemill.engine.rules.table import columns as of

MOST_MARKS: Final = 8  # of a round with free sizes: itself, its fallback, and three sub-phases of each


# ------------------------------------------------------------------------------------------------ draws


@kernel
def chance(d: Draft, feature: int) -> bool:
    """True with the probability in the dial's row."""
    return bool(uniform(d) < d.features[feature])


@kernel
def around(d: Draft, feature: int) -> int:
    """A count whose mean is the dial's row: uniform from 0 to twice the mean, rounded at random."""
    count = 2.0 * d.features[feature] * uniform(d)
    return int(count + uniform(d))


@kernel
def skewed(d: Draft, feature: int) -> int:
    """As `around`, but mostly small and up to three times the mean."""
    u = uniform(d)
    count = 3.0 * d.features[feature] * u * u
    return int(count + uniform(d))


@kernel
def size(d: Draft, feature: int, most: int) -> int:
    """1 plus a count whose mean is the dial's row; at most `most`."""
    return min(1 + around(d, feature), max(1, most))


@kernel
def player(d: Draft) -> int:
    """A player: a position if positions matter in this game, else a seat."""
    if d.state[POSITIONS] and below(d, 2):
        return of.LEADER + below(d, 2)
    return of.ALICE + below(d, 2)


@kernel
def opponent(actor: int) -> int:
    """The other seat, or the other position."""
    return actor ^ 1


# ------------------------------------------------------------------------------------------------ nodes


@kernel
def node(d: Draft, kind: int, first: int, second: int, third: int) -> int:
    """Add a node with these first fields, the others being 0; returns its row."""
    row = d.state[NODES]
    if row + 1 == len(d.nodes):  # the last row takes nodes that do not fit; it must not be read as the node before
        d.state[FULL] = 1
        kind = of.NO_ACTION
    else:
        d.state[NODES] = row + 1
    fields = d.nodes[row]
    fields[:] = 0
    fields[of.KIND], fields[of.NEXT] = kind, of.NONE
    fields[2], fields[3], fields[4] = first, second, third
    return int(row)


@kernel
def chain(d: Draft, first: int, more: int) -> int:
    """Append the list `more` to the list that begins with `first`; returns the first node of both together."""
    if first == of.NONE:
        return more
    if not d.state[FULL]:
        last = first
        while d.nodes[last, of.NEXT] != of.NONE:
            last = d.nodes[last, of.NEXT]
        d.nodes[last, of.NEXT] = more
    return first


@kernel
def _nested(kind: int, field: int) -> bool:
    """Whether a field of a step or of a condition is a node or a list of nodes."""
    if kind == of.IF:
        return field in (of.IF_CONDITION, of.IF_THEN, of.IF_OTHERWISE)
    return kind in (of.ALL, of.ANY_OF, of.NOT) and field == of.ALL_CONDITIONS


@kernel
def same(d: Draft, one: int, other: int) -> bool:
    """Whether two lists of steps, or of conditions, are equal."""
    while one != of.NONE and other != of.NONE:
        kind = d.nodes[one, of.KIND]
        if kind != d.nodes[other, of.KIND]:
            return False
        for field in range(2, of.WIDTH):
            a, b = d.nodes[one, field], d.nodes[other, field]
            if a != b and not (_nested(kind, field) and same(d, a, b)):
                return False
        one, other = d.nodes[one, of.NEXT], d.nodes[other, of.NEXT]
    return one == other


# ------------------------------------------------------------------------------------------------ the phase graph


@kernel
def fits(d: Draft, count: int) -> bool:
    """Whether the cap and the machine allow `count` more phases of any kind."""
    more = d.state[PENDING] + count
    marked = d.state[MARKS] + MOST_MARKS * more <= MAX_PHASES
    return bool(marked and d.state[PHASES] + more <= d.state[cap.PHASES])


@kernel
def nests(d: Draft) -> bool:
    """Whether one more conditional or performed sub-phase may enclose the next part."""
    return bool(d.state[DEPTH] < d.state[cap.NESTING])


@kernel
def name(d: Draft, title: int, where: int) -> int:
    """Take a phase name that is not in use: two texts, or two texts and a number."""
    place = NAMES + title * PLACES + where
    d.state[place] += 1
    number = d.state[place]
    return title + (where << 16) + ((number if number > 1 else 0) << 32)


@kernel
def begin_phase(d: Draft) -> int:
    """Begin a phase; its sub-phases are drawn before it is complete. Returns its place in the order, for `add`."""
    d.state[PENDING] += 1
    return int(d.state[PHASES])


@kernel
def _marks(d: Draft, phase: int) -> int:
    """How many phases the machine counts for a phase (`antemill.engine.rules.walk.decision_phases`)."""
    kind = d.nodes[phase, of.KIND]
    if kind == of.FIXED_BETTING:
        return 4 + int(d.nodes[phase, of.FIXED_BETTING_RAISES])
    return MOST_MARKS if kind == of.VARIABLE_BETTING else 1


@kernel
def _insert(d: Draft, phase: int, place: int) -> None:
    """Put a phase into the graph."""
    d.state[PENDING] -= 1
    d.state[MARKS] += _marks(d, phase)
    last = d.state[PHASES]
    if last >= d.lists.shape[1]:
        d.state[FULL] = 1
        return
    for i in range(last, place, -1):
        d.lists[PHASE_LIST, i] = d.lists[PHASE_LIST, i - 1]
    d.lists[PHASE_LIST, place] = phase
    d.state[PHASES] = last + 1


@kernel
def add(d: Draft, phase: int, place: int) -> int:
    """Put a phase that was begun into the graph and play it; returns its row."""
    _insert(d, phase, place)
    follow(d, HERE, phase, False)
    return phase


@kernel
def add_played(d: Draft, phase: int, place: int) -> int:
    """Put a phase that was played while it was drawn into the graph; returns its row."""
    _insert(d, phase, place)
    tighten(d, HERE)
    return phase


# ------------------------------------------------------------------------------------------------ variables


@kernel
def variable(d: Draft, text: int) -> int:
    """The number of the variable of that name, declared if it is new. Call it on the main line of play only."""
    for number in range(d.state[VARIABLES]):
        if d.lists[VARIABLE_LIST, number] == text:
            return number
    number = d.state[VARIABLES]
    d.lists[VARIABLE_LIST, number] = text
    d.lo[HERE, OWN + number] = d.hi[HERE, OWN + number] = 0
    d.state[VARIABLES] = number + 1
    return int(number)


@kernel
def may_loop(d: Draft) -> bool:
    """Whether the machine has a free variable for the counter of one more loop."""
    return bool(d.state[COUNTERS] + 2 <= MAX_VARIABLES)  # one is the game's own


@kernel
def next_counter(d: Draft) -> int:
    """The variable that the next loop counts its rounds with."""
    number = d.state[COUNTERS] + 1
    return variable(d, COUNTER + ((number if number > 1 else 0) << 32))


# ------------------------------------------------------------------------------------------------ branches
#
# Where play branches, `fork` keeps the bounds. Each line of play begins there and ends with `ended`; `merge` goes on
# after all of them.


@kernel
def fork(d: Draft) -> int:
    """Keep the bounds of this point, at which lines of play branch."""
    start = push(d, HERE)
    push_unreached(d, HERE)
    return start


@kernel
def ended(d: Draft, start: int) -> None:
    """End a line of play and go back to the point where lines branch."""
    join(d, start + 1, HERE)
    copy(d, start, HERE)


@kernel
def merge(d: Draft, start: int) -> None:
    """Go on after all lines, from the union of their ends."""
    copy(d, start, HERE)
    become(d, HERE, start + 1)
    pop(d, start)


@kernel
def dropped(d: Draft, start: int) -> None:
    """Go back to the point where lines branch, and drop the lines."""
    copy(d, start, HERE)
    pop(d, start)


@kernel
def reads(d: Draft, condition: int) -> int:
    """The bits of the kinds of conditions that a condition is made of."""
    kind = d.nodes[condition, of.KIND]
    if kind not in (of.ALL, of.ANY_OF, of.NOT):
        return 1 << int(kind)
    found, part = 0, d.nodes[condition, of.ALL_CONDITIONS]
    while part != of.NONE:
        found |= reads(d, part)
        part = d.nodes[part, of.NEXT]
    return found


@kernel
def when(d: Draft, condition: int, public: bool) -> int:
    """Branch by a condition and go on with the line on which it holds; returns what the next two functions take."""
    d.state[SECRET] += not public
    d.state[DEPTH] += 1
    start = fork(d)
    d.lists[ENCLOSING_LIST, start] = d.state[ENCLOSING]
    d.state[ENCLOSING] |= reads(d, condition)
    assume(d, HERE, condition, True)
    return start


@kernel
def otherwise(d: Draft, condition: int, start: int) -> None:
    """After the line on which the condition holds, go on with the line on which it fails."""
    ended(d, start)
    assume(d, HERE, condition, False)


@kernel
def conditional(d: Draft, condition: int, public: bool, start: int, then: int, other: int) -> int:
    """Make the conditional of both lines, and go on after it."""
    join(d, start + 1, HERE)
    merge(d, start)
    d.state[DEPTH] -= 1
    d.state[SECRET] -= not public
    d.state[ENCLOSING] = d.lists[ENCLOSING_LIST, start]
    if same(d, then, other):
        other = of.NONE
    if then == of.NONE:
        then = node(d, of.NO_ACTION, 0, 0, 0)
    made = node(d, of.IF, condition, then, other)
    d.nodes[made, of.IF_PUBLIC] = public
    return made


@kernel
def apply(d: Draft, step: int) -> int:
    """Carry the bounds past a step; returns the step."""
    follow(d, HERE, step, False)
    return step
