"""Walking a game's tree as the machine plays it; histories that differ only in names of suits can be merged.

The walk is `antemill.engine.machine.branches.next_child`. Where suits can be renamed (`antemill.solver.trees.suits`),
every state of the stack comes with the digests of what both seats were told on the path to it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from antemill.engine.errors import UsageError
from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.branches import STACK_FULL, WALKED, count_nodes, next_child, walk_tree
from antemill.engine.machine.program import Program
from antemill.engine.machine.vm import advance, new_state
from antemill.solver.game import Array
from antemill.solver.trees.abstraction import Abstraction, abstract_key, follow
from antemill.solver.trees.suits import NONE, Suits, observe_new, observed_key, opened, suits_of

JOURNAL_FULL = -3  # instead of a row of the stack
_ROWS, _EVENTS = 256, 64  # of a walk at first: questions in a row, events between two of them


@kernel(inline="late")
def go_on(
    code: np.ndarray, stack: np.ndarray, observed: np.ndarray, level: int, suits: Suits, abstraction: int
) -> bool:
    """Advance the state that `next_child` has put on the stack. Returns False if its journal is too small."""
    state = stack[level]
    follow(code, state, abstraction)
    state[at.CHOICE] = 0
    if suits.kind == NONE:
        return True
    for i in range(observed.shape[1]):
        observed[level, i] = observed[level - 1, i]
    return observe_new(suits, observed[level], state)


@kernel(inline="late")
def key_at(stack: np.ndarray, observed: np.ndarray, level: int, suits: Suits, abstraction: int) -> int:
    """Key of the decision at which the state in a row of the stack has stopped."""
    state = stack[level]
    if suits.kind == NONE:
        return abstract_key(state, state[at.SEAT], state[at.DECISION], abstraction)
    return observed_key(suits, observed[level], state[at.SEAT], state[at.MENU], state[at.DECISION])


def renaming(program: Program, abstraction: Abstraction) -> Suits:
    """How the suits of a game are renamed under an abstraction: only `SUITS` renames them."""
    suits = suits_of(program)
    return suits if abstraction == Abstraction.SUITS else suits._replace(kind=NONE)


def tree_digest(program: Program, suits: Suits) -> str:
    """The digest of the program's tree: the program's own, unless histories that differ in suits are merged in it."""
    merged = suits.kind != NONE and suits.merging
    return f"{program.digest} but for suits" if merged else program.digest


def renaming_of(program: Program, abstraction: Abstraction, digest: str) -> Suits:
    """How suits are renamed when an abstraction is applied to the tree with this digest.

    Under `SUITS` the tree may be the merged one, or the whole one, whose histories stay apart although their keys are
    the same. Raises UsageError for a tree of another game, or for a merged tree under another abstraction.
    """
    suits = renaming(program, abstraction)
    for found in (suits, suits._replace(merging=False)):
        if digest == tree_digest(program, found):
            return found
    raise UsageError(f"the tree is not that of {program.names.game}: build it from the program.")


def walk_with(program: Program, suits: Suits, walk: Callable[[Array, Array], int]) -> int:
    """What a depth-first walk with `next_child` and `go_on` returns.

    walk: takes int64[rows, words of a state], a stack with the game's first question in every row, and int64[rows,
    suits.words], of which the first row is what both seats have observed until then. It is called again with larger
    ones as long as it returns STACK_FULL or JOURNAL_FULL.
    """
    if suits.kind == NONE:
        return walk_tree(program, lambda stack: walk(stack, np.zeros((1, 1), np.int64)))
    rows, events = _ROWS, _EVENTS
    while True:
        state, start = new_state(program.initial_state(), events), opened(suits)
        advance(program.code, state)
        if not observe_new(suits, start, state):
            events *= 4
            continue
        state[at.CHOICE] = 0
        stack, observed = np.empty((rows, len(state)), np.int64), np.empty((rows, len(start)), np.int64)
        stack[:] = state
        observed[0] = start
        found = walk(stack, observed)
        rows *= 4 if found == STACK_FULL else 1
        events *= 4 if found == JOURNAL_FULL else 1
        if found not in (STACK_FULL, JOURNAL_FULL):
            return found


@kernel
def _count(code: np.ndarray, stack: np.ndarray, observed: np.ndarray, suits: Suits, limit: int) -> int:
    """Nodes of the tree from the state in the stack's first row on, at most `limit + 1`; STACK_FULL or JOURNAL_FULL."""
    level, nodes = 0, 1
    while nodes <= limit:
        level = next_child(code, stack, level)
        if level < 0:
            return nodes if level == WALKED else STACK_FULL
        nodes += 1
        if not go_on(code, stack, observed, level, suits, 0):
            return JOURNAL_FULL
    return nodes


def count_with(program: Program, suits: Suits, limit: int) -> int:
    """Nodes of the tree, in which histories that differ only in names of suits are one; `limit + 1` if it has more."""
    if suits.kind == NONE:
        return count_nodes(program, limit)
    return walk_with(program, suits, lambda stack, observed: int(_count(program.code, stack, observed, suits, limit)))


def _fits(program: Program, limit: int, abstraction: Abstraction) -> bool:
    return count_with(program, renaming(program, abstraction), limit) <= limit


def lossless(program: Program, limit: int, wanted: Abstraction = Abstraction.NONE) -> Abstraction | None:
    """The abstraction under which a game is solved exactly with a tree of at most `limit` nodes; None if none fits.

    `NONE` if the whole tree fits. `SUITS` if it does not, or if `wanted` is `SUITS`, in a game whose suits can be
    renamed.
    """
    renamed = suits_of(program).kind != NONE
    if not (renamed and wanted == Abstraction.SUITS) and _fits(program, limit, Abstraction.NONE):
        return Abstraction.NONE
    return Abstraction.SUITS if renamed and _fits(program, limit, Abstraction.SUITS) else None
