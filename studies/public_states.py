"""What hands as vectors would save in games: `python -m studies.public_states SEED...`, see docs/history/solver.md.

A walk through all nodes of a game counts what a tree of public states would hold: information sets, public states, the
hands in them, and the payoffs that pairs of sequences and vectors of hands have. A hundred million nodes take a minute.

A public state is what both players were told up to a decision. A hand in it is all that a player alone was told or has
chosen in secret. At a public end, which is a public state with the public answers that follow it until a game is over,
the payoffs of vectors are one for each last sequence of either player, and those of pairs are entries of the payoff
matrix.

What is counted are 64-bit digests. If there are more of a kind than `capacity`, only those with certain bits are kept.
The share that is kept is halved as often as it must be (Flajolet 1990, "On adaptive sampling"). The standard error is
then 1.2 / sqrt(capacity).
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from antemill.engine.builder.resolve import resolve
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.execute import progress_bar
from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.branches import STACK_FULL, next_child, walk_tree
from antemill.engine.machine.chance import chain, mix64
from antemill.engine.machine.layout import DECIDE, OVER
from antemill.engine.machine.observe import recall_key
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import payoff
from antemill.engine.machine.vm import advance
from antemill.solver.game import Array

CAPACITY = 1 << 19
_KINDS = 6
_SETS, _PUBLIC, _HANDS, _VECTORS, _PAIRS, _NODES = range(_KINDS)  # the last is counted one by one


class PublicStates(NamedTuple):
    """What there is of each kind, by an estimate where it is more than `CAPACITY`."""

    information_sets: float
    states: float  # public states at decisions
    hands: float  # of both players, over all of them
    vectors: float  # payoffs that vectors of hands would have, over all public ends
    pairs: float  # of sequences that meet at an end with a payoff other than 0
    nodes: float


class _Distinct(NamedTuple):
    """Digests of each kind: those that are 0 in the bits of `mask`."""

    slots: Array  # int64[kinds, power of two] hash tables, 0 where empty
    used: Array  # int64[kinds]
    mask: Array  # int64[kinds] of the upper half of a digest
    spare: Array  # int64[half of the slots + 1]


@kernel
def _place(slots: np.ndarray, digest: int) -> int:
    """The digest's slot, or the empty one where it belongs."""
    mask = len(slots) - 1
    slot = digest & mask
    while slots[slot] != 0 and slots[slot] != digest:
        slot = (slot + 1) & mask
    return int(slot)


@kernel
def _count(found: _Distinct, kind: int, word: int) -> None:
    """Count a word of a kind, unless it was met before."""
    digest = mix64(word) | 1
    if (digest >> 32) & found.mask[kind] != 0:
        return
    slots = found.slots[kind]
    slot = _place(slots, digest)
    found.used[kind] += slots[slot] == 0
    slots[slot] = digest
    while 2 * found.used[kind] > len(slots):
        found.mask[kind] = 2 * found.mask[kind] + 1
        kept = 0
        for i in range(len(slots)):
            if slots[i] != 0 and (slots[i] >> 32) & found.mask[kind] == 0:
                found.spare[kept] = slots[i]
                kept += 1
            slots[i] = 0
        for i in range(kept):
            slots[_place(slots, found.spare[i])] = found.spare[i]
        found.used[kind] = kept


@kernel
def _walk(code: np.ndarray, stack: np.ndarray, last: np.ndarray, found: _Distinct) -> int:
    """Count all that is met; returns WALKED or STACK_FULL.

    last: int64[levels, 3], each player's last sequence and the public state of the last decision, as digests.
    """
    level = 0
    while True:
        state = stack[level]
        if state[at.STOP] == DECIDE:
            public = chain(chain(state[at.PUBLIC], state[at.DECISION]), state[at.MENU])
            _count(found, _SETS, recall_key(state, state[at.SEAT], state[at.DECISION]))
            _count(found, _PUBLIC, public)
            for seat in range(2):
                _count(found, _HANDS, chain(chain(public, seat + 1), state[at.PRIVATE + seat]))
        elif state[at.STOP] == OVER:
            end = chain(last[level, 2], state[at.PATH])
            for seat in range(2):
                _count(found, _VECTORS, chain(chain(end, seat + 1), last[level, seat]))
            if payoff(state) != 0:
                _count(found, _PAIRS, chain(last[level, 0], last[level, 1]))
        found.used[_NODES] += 1
        level = next_child(code, stack, level)
        if level < 0:
            return level
        before, child = stack[level - 1], stack[level]
        for i in range(3):
            last[level, i] = last[level - 1, i]
        if before[at.STOP] == DECIDE:
            who = before[at.SEAT]
            last[level, who] = chain(recall_key(before, who, before[at.DECISION]), child[at.CHOICE] + 1)
            last[level, 2] = chain(chain(before[at.PUBLIC], before[at.DECISION]), before[at.MENU])
        advance(code, child)
        child[at.CHOICE] = 0


def public_states(program: Program, capacity: int = CAPACITY) -> PublicStates:
    """What there is in a program's tree. capacity: of each kind; a power of two."""
    counts = np.zeros(_KINDS)

    def walk(stack: Array) -> int:
        found = _Distinct(
            slots=np.zeros((_KINDS, 2 * capacity), np.int64),
            used=np.zeros(_KINDS, np.int64),
            mask=np.zeros(_KINDS, np.int64),
            spare=np.zeros(capacity + 1, np.int64),
        )
        what = int(_walk(program.code, stack, np.zeros((len(stack), 3), np.int64), found))
        if what != STACK_FULL:
            counts[:] = found.used * (found.mask + 1)
        return what

    walk_tree(program, walk)
    return PublicStates(*counts.tolist())


def line(name: str, found: PublicStates) -> str:
    """The game's row: how many hands a player has in a public state, and by how much vectors have fewer payoffs."""
    gain = found.pairs / found.vectors
    cells = (
        name,
        f"{found.nodes:.2g}",
        f"{found.information_sets:.2g}",
        f"{found.states:.2g}",
        f"{found.hands / found.states / 2:.2g}",
        f"{found.pairs:.2g}",
        f"{found.vectors:.2g}",
        f"{gain:.1f}" if gain > 1.05 else "none",
    )
    return f"| {' | '.join(cells).replace('e+0', 'e').replace('e+', 'e')} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("games", nargs="+", help="seeds, or names of games")
    given, rows = parser.parse_args(arguments), []
    with progress_bar("games", len(given.games), False) as bar:
        for number, name in enumerate(given.games, 1):
            rows.append(line(name, public_states(compile_spec(resolve(name)))))
            bar(number, None)
    print("\n".join(rows))


if __name__ == "__main__":
    main()
