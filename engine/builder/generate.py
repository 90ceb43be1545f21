"""Drawing a game from its seed (GENSTRAT section 3 and appendix A).

    game = generate(47)                          a game of the benchmark's distribution
    game = generate(47, complexity=0.2)          the same seed nearer to Kuhn poker
    game = generate(47, 1.8, caps)               beyond the benchmark, with caps that allow it
    drawn = draw_game(47)                        the same as a table; `drawn.spec()` is the game

A game is a function of (seed, complexity, caps) and the builder's code. `builder_hash` identifies that code, so a
stored seed with the same hash gives the same game on any machine. The parts are in `antemill.engine.builder`; every
knob is in its `dial` module. They are compiled functions that draw a table of rules (`antemill.engine.rules.table`),
and the game is made from this table.

A draft with more information states than the caps allow is drawn again from the seed's next stream of random numbers. A
draft with too few is drawn again from the same stream with one more rank in its deck.
"""

from __future__ import annotations

import threading
from functools import cache, lru_cache
from operator import index
from typing import Final, NamedTuple

from antemill.engine.builder import names
from antemill.engine.builder.assemble import assemble
from antemill.engine.builder.caps import BENCHMARK_CAPS, COUNT, FIRST, Caps, numbers
from antemill.engine.builder.dice import BLOCK, roll
from antemill.engine.builder.main_line import fewest_of
from antemill.engine.builder.states import expected_of
from antemill.engine.builder.workspace import FULL, WORDS, Workspace
from antemill.engine.digests import shared
from antemill.engine.rules.spec import GameSpec
from antemill.engine.rules.table.codec import spec_of
from antemill.engine.rules.table.columns import Array, Table
from antemill.engine.seeding import Domain, Stream, derive

__all__ = ["BENCHMARK_CAPS", "Caps", "Drawn", "builder_hash", "default_complexity", "draw_game", "generate"]

DRAFTS: Final = 64  # at most; within the benchmark's caps one in twenty has too many information states
FEWEST: Final = 20  # a draft must have this many information states by `fewest`, ...
FEW: Final = 50  # ... or be expected to have this many in random play
LEAST_RANKS: Final = 3  # of the first deck; each draft with too few information states adds a rank, ...
ENOUGH_RANKS: Final = 7  # ... up to this number: 7 hands with 3 decisions suffice

_BLOCKS: Final = 2  # of random words: enough for 99 drafts of 100
_workspaces = threading.local()  # a thread draws all its games in the same arrays


class Drawn(NamedTuple):
    """A drawn game, as a table. The thread's next draw overwrites it; `kept` copies it."""

    table: Table
    name: str
    variables: Array  # int64[variables]: their names, by numbers of the builder's vocabulary

    def kept(self) -> Drawn:
        """A copy, which the thread's next draw leaves alone."""
        nodes, phases, sequence, ranks, *numbers = self.table
        table = Table(nodes.copy(), phases.copy(), sequence.copy(), ranks.copy(), *numbers)
        return Drawn(table, self.name, self.variables.copy())

    def spec(self) -> GameSpec:
        """The game as objects, which the thread's next draw leaves alone."""
        return spec_of(self.table, self.name, names.SUITS[: self.table.suits], self.variables, names.VOCABULARY)


def generate(seed: int, complexity: float | None = None, caps: Caps = BENCHMARK_CAPS) -> GameSpec:
    """The game of a seed, as objects; arguments and errors are those of `draw_game`."""
    return draw_game(seed, complexity, caps).spec()


def draw_game(seed: int, complexity: float | None = None, caps: Caps = BENCHMARK_CAPS) -> Drawn:
    """The game of a seed (0 to 2^63 - 1), by default at the seed's own complexity.

    If no draft within the caps has a fitting number of information states, the last draft is taken. Caps that allow
    lists of dozens of events may give a game that exceeds the machine's capacity, as `antemill.engine.rules.check`
    reports. Raises ValueError for a seed out of range or a complexity outside 0..caps.complexity.
    """
    if not 0 <= (seed := index(seed)) < 1 << 63:
        raise ValueError(f"The seed {seed} is out of range: give a whole number from 0 to 2^63 - 1.")
    own = default_complexity(seed)
    if complexity is None:
        complexity = own
    elif not 0.0 <= (complexity := float(complexity)) <= caps.complexity:
        raise ValueError(f"The complexity {complexity} is out of range: give a number from 0 to {caps.complexity:g}.")
    name = f"Game {seed}" if complexity == own else f"Game {seed}@{complexity:g}"
    workspace, table = _fitting(seed, complexity, caps)
    return Drawn(table, name, workspace.variables[: table.variables])


def _fitting(seed: int, complexity: float, caps: Caps) -> tuple[Workspace, Table]:
    """The first draft of a seed with a fitting number of information states, or the last one."""
    for number in range(DRAFTS):
        key = derive(seed, Domain.BUILDER, number) if number else derive(seed, Domain.BUILDER)
        ranks = LEAST_RANKS
        while ranks <= ENOUGH_RANKS:
            workspace, table = draw(key, complexity, caps, ranks)
            states = expected_of(table)
            if states > caps.states:
                break
            if states >= FEW or fewest_of(table) >= FEWEST:
                return workspace, table
            ranks = max(ranks, len(table.ranks)) + 1
    return workspace, table


def draw(key: int, complexity: float, caps: Caps, ranks: int) -> tuple[Workspace, Table]:
    """The draft from a key of the builder's random stream, within all caps but the one on states, and its rules.

    ranks: the smallest number of ranks in its deck, if the caps allow it. The thread's next draft overwrites both.
    """
    size, blocks = 1, _BLOCKS
    while True:
        workspace = _workspace(size)
        workspace.words[: blocks * BLOCK] = roll(key, blocks)
        workspace.state[FIRST : FIRST + COUNT] = numbers(caps)
        assemble(workspace.draft, complexity, ranks, blocks * BLOCK)
        if workspace.state[FULL]:
            size *= 4  # another size is another type, for which all kernels are compiled again
        elif workspace.state[WORDS] > blocks * BLOCK:
            blocks *= 2
            size *= 4 if blocks * BLOCK > len(workspace.words) else 1
        else:
            return workspace, workspace.table()


def _workspace(size: int) -> Workspace:
    """This thread's workspace of a size."""
    by_size: dict[int, Workspace] = _workspaces.__dict__.setdefault("by_size", {})
    if size not in by_size:
        by_size[size] = Workspace(size)
    return by_size[size]


@lru_cache(maxsize=1)  # a caller that draws a game also asks for its complexity
def default_complexity(seed: int) -> float:
    """The complexity of a seed for which none is given: the larger of two uniform draws from [0, 1)."""
    stream = Stream(index(seed), Domain.COMPLEXITY)
    return max(stream.uniform(), stream.uniform())


@cache
def builder_hash() -> str:
    """16 hexadecimal digits that identify the code of generation; docstrings, comments and layout do not count.

    They are the same on every supported Python.
    """
    return shared().digest([__name__])
