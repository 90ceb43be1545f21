"""What the exact tier's time goes into: `python -m studies.exact_costs [--games N] [--write FILE]`.

Also whether all deals could share one walk of the machine: that needs games in which nothing that happens before the
showdown depends on the cards in hands. Times are the processor time of one process.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
from msgspec import Struct

from antemill.axes import EXACT, FAST, PRECISE
from antemill.axes.budgets import Tier
from antemill.axes.exact.brittleness import brittleness
from antemill.axes.exact.opponents import opponent_modeling
from antemill.axes.exact.risk import risk
from antemill.axes.exact.scores import score_at
from antemill.axes.exact.tier import Exact
from antemill.axes.exact.tree import tree_of
from antemill.axes.exact.uniform import Play, information_sensitivity, states_met, temporal_depth
from antemill.axes.scores import default_seed
from antemill.engine.machine import layout as at
from antemill.engine.machine.opcodes import WIDTH, Criterion, Op
from antemill.engine.machine.program import Program
from benches.pages import write
from studies.exact_axes import WIDER, accepted

SIZES = (0, 1_000, 10_000, 30_000, 100_000, EXACT.nodes + 1)  # edges of the groups, in nodes
REPEATS = 3  # of which the least counts
PARTS = ("tree", "opponents", "brittleness", "risk", "all other axes")
_MOVES = (Op.DISCARD, Op.ASK_SWAP, Op.STEAL)
_LOOKS = (Op.PEEK, Op.REVEAL, Op.OBSERVE)


class Cost(Struct, frozen=True):
    """Seconds of a game: of each tier, and of each part with 64 opponents. nodes: 0 if it is too large."""

    nodes: int
    tiers: dict[str, float]
    parts: tuple[float, ...]
    branches: bool  # whether hands decide what comes next before the showdown
    moves: bool  # whether cards leave a hand, by their face or by chance
    looks: bool  # whether a player is shown cards of the other's hand


def _reads_hands(row: Sequence[int]) -> bool:
    """Whether an instruction goes on by the cards in hands, other than at the showdown."""
    if row[0] == Op.TEST_RANKS:
        return row[1] != at.BOARD_RANKS
    if row[0] == Op.RANK_SEATS:
        return row[1] in (Criterion.HIGHER_CARD, Criterion.LOWER_CARD)
    return row[0] in (Op.TEST_HIGHER, Op.TEST_SUIT)


def _timed(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def _parts(program: Program) -> tuple[int, tuple[float, ...]]:
    """Nodes of a game, and the seconds of each of `PARTS`."""
    begun = time.process_time()
    tree = tree_of(program, EXACT.nodes)
    walked = time.process_time() - begun
    if tree is None:
        return 0, (walked, *[0.0] * (len(PARTS) - 1))
    play, seed = Play(program, tree), default_seed(program)

    def others() -> None:
        states_met(play, EXACT.episodes)
        temporal_depth(play)
        information_sensitivity(play)

    rest = _timed(others)
    opponents = _timed(lambda: opponent_modeling(play, EXACT.opponents, 0, seed))
    fragile = _timed(lambda: brittleness(play, EXACT.trials, EXACT.shift, EXACT.dirichlet, seed))
    return tree.nodes, (walked, opponents, fragile, _timed(lambda: risk(play)), rest)


def measure(program: Program) -> Cost:
    """What a game costs."""
    tiers: dict[str, Tier | Exact] = {"fast": FAST, "precise": PRECISE, "wider": WIDER, "exact": EXACT}
    seconds, parts, nodes = dict.fromkeys(tiers, np.inf), (np.inf,) * len(PARTS), 0
    for _ in range(REPEATS):
        for name, tier in tiers.items():
            seconds[name] = min(seconds[name], _timed(partial(score_at, program, tier)))
        nodes, these = _parts(program)
        parts = tuple(map(min, parts, these))
    rows = program.code[: program.rows * WIDTH].reshape(-1, WIDTH).tolist()
    return Cost(
        nodes,
        seconds,
        parts,
        any(map(_reads_hands, rows)),
        any(row[0] in _MOVES for row in rows),
        any(row[0] in _LOOKS for row in rows),
    )


def shares(costs: Sequence[Cost]) -> Iterator[str]:
    """How often cards in hands decide what comes next."""
    yield "| Before the showdown | all accepted games | of them those with 10,000 nodes and more that fit |"
    yield "| :-- | --: | --: |"
    groups = costs, [cost for cost in costs if cost.nodes >= SIZES[2]]
    kinds: dict[str, Callable[[Cost], bool]] = {
        "hands decide what comes next": lambda cost: cost.branches,
        "cards leave hands": lambda cost: cost.moves,
        "players are shown cards of the other's hand": lambda cost: cost.looks,
        "neither of the first two": lambda cost: not cost.branches and not cost.moves,
    }
    for name, has in kinds.items():
        yield f"| {name} | " + " | ".join(f"{sum(map(has, some))} of {len(some)}" for some in groups) + " |"


def times(costs: Sequence[Cost]) -> Iterator[str]:
    """Milliseconds of each part by size."""
    yield "| Nodes | Games | fast | exact, 64 opponents: | " + " | ".join(PARTS) + " |"
    yield "| :-- " + "| --: " * (len(PARTS) + 3) + "|"
    for low, high in pairwise(SIZES):
        some = [cost for cost in costs if cost.nodes and low <= cost.nodes < high]
        if some:
            columns = [[cost.tiers[name] for cost in some] for name in ("fast", "wider")]
            columns += [[cost.parts[k] for cost in some] for k in range(len(PARTS))]
            cells = " | ".join(f"{np.median(column) * 1e3:.2f}" for column in columns)
            yield f"| {low:,} to {high - 1:,} | {len(some)} | {cells} |"


def medians(costs: Sequence[Cost]) -> str:
    """The median game's costs, and what they were if the tree of a game that fits cost nothing."""
    of = {name: np.median([cost.tiers[name] for cost in costs]) * 1e3 for name in costs[0].tiers}
    free = {
        name: np.median([cost.tiers[name] - (cost.parts[0] if cost.nodes else 0.0) for cost in costs]) * 1e3
        for name in ("wider", "exact")
    }
    return (
        f"The median of all accepted games costs {of['fast']:.1f} ms at the fast tier and {of['wider']:.1f} at the "
        f"exact one with 64 opponents, {free['wider']:.1f} if trees cost nothing; {of['precise']:.1f} at the precise "
        f"tier and {of['exact']:.1f} at the exact one with {EXACT.opponents + EXACT.focused}, {free['exact']:.1f} "
        "without trees."
    )


def report(costs: Sequence[Cost]) -> str:
    """All that the page has."""
    return "\n\n".join([medians(costs), "\n".join(times(costs)), "\n".join(shares(costs))])


def main() -> None:
    """Measure, and print or write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=200, help="accepted games")
    parser.add_argument("--write", type=Path, help="the page")
    given = parser.parse_args()
    games = list(islice(accepted(), given.games))
    for program in games[:3]:
        measure(program)  # loads the kernels
    text = report([measure(program) for program in games])
    if given.write is None:
        print(text)
        return
    write(given.write, "exact-costs", text)


if __name__ == "__main__":
    main()
