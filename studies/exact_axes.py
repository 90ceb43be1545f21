"""How far the tiers that play are from the exact axes: `python -m studies.exact_axes [--games N] [--write FILE]`.

Accepted games are scored twice, with two seeds, at the fast, the precise and the exact tier, until N of them are small
enough for the exact one. Bias and error are those of the first play against the exact axis. The table of costs has the
processor time of the process, which other work on the machine lengthens less than a clock's time, and tells the load.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import msgspec
import numpy as np
from msgspec import Struct

from antemill.axes import AXES, EXACT, FAST, PRECISE, Exact, Tier
from antemill.axes.exact.scores import score_at
from antemill.axes.exact.tree import tree_of
from antemill.axes.scores import default_seed
from antemill.axes.select import farthest_points
from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine.gate import gate
from antemill.engine.machine.program import Program
from benches.pages import write

SIZES = (0, 1_000, 10_000, 100_000, EXACT.nodes + 1)  # edges of the groups, in nodes
SELECTED = 50
WIDER = msgspec.structs.replace(EXACT, focused=0)
TIERS: dict[str, Tier | Exact] = {"fast": FAST, "precise": PRECISE, "exact, 64 opponents": WIDER, "exact": EXACT}
PLAYED = ("fast", "precise")


class Game(Struct, frozen=True):
    """What was measured of a game. points: by tier, of both seeds. seconds: by tier. nodes: 0 if it is too large."""

    nodes: int
    points: dict[str, list[tuple[float, ...]]]
    seconds: dict[str, float]


def accepted() -> Iterator[Program]:
    """Accepted games, by seed."""
    seed = 0
    while True:
        program = compile_spec(generate(seed))
        if gate(program, seed).accepted:
            yield program
        seed += 1


def measure(program: Program) -> Game:
    """Score a game at all tiers."""
    tree = tree_of(program, EXACT.nodes)
    points: dict[str, list[tuple[float, ...]]] = {}
    seconds = {}
    for name, tier in TIERS.items():
        begun = time.process_time()
        first = score_at(program, tier).point()
        seconds[name] = time.process_time() - begun
        points[name] = [first, score_at(program, tier, default_seed(program) ^ 1).point()]
    return Game(0 if tree is None else tree.nodes, points, seconds)


def collect(number: int) -> list[Game]:
    """Games, of which this number is small enough."""
    found: list[Game] = []
    for program in accepted():
        if not found:
            measure(program)  # loads the kernels
        found.append(measure(program))
        if sum(game.nodes > 0 for game in found) == number:
            return found
    raise AssertionError("there is no last seed")


def column(games: Sequence[Game], tier: str, axis: int, play: int = 0) -> np.ndarray:
    """float64[games]."""
    return np.array([game.points[tier][play][axis] for game in games])


def ranked(a: np.ndarray, b: np.ndarray) -> float:
    """Spearman's rank correlation; ties have their mean rank."""
    from scipy.stats import spearmanr

    return float(spearmanr(a, b).statistic)


def errors(games: Sequence[Game]) -> Iterator[str]:
    """Bias and root mean square error by axis, tier and size."""
    yield "| Axis | Nodes | Games | Fast: bias | RMSE | Precise: bias | RMSE | Spread of the exact axis |"
    yield "| :-- | :-- | --: | --: | --: | --: | --: | --: |"
    edges = [*pairwise(SIZES), (0, SIZES[-1])]
    for number, axis in enumerate(AXES.values()):
        for low, high in edges:
            some = [game for game in games if game.nodes and low <= game.nodes < high]
            if not some:
                continue
            truth = column(some, "exact", number)
            figures = []
            for tier in PLAYED:
                away = column(some, tier, number) - truth
                figures += [f"{away.mean():+.3f}", f"{np.sqrt((away**2).mean()):.3f}"]
            sizes = "all" if low == 0 and high == SIZES[-1] else f"{low:,} to {min(high, EXACT.nodes + 1) - 1:,}"
            yield f"| {axis.label} | {sizes} | {len(some):,} | {' | '.join(figures)} | {truth.std():.3f} |"


def agreements(games: Sequence[Game]) -> Iterator[str]:
    """Rank correlations between two plays, and with the exact axis."""
    small = [game for game in games if game.nodes]
    yield "| Axis | Fast: two plays | with exact | Precise: two plays | with exact | Exact: two scrambles | error |"
    yield "| :-- | --: | --: | --: | --: | --: | --: |"
    for number, axis in enumerate(AXES.values()):
        figures = []
        for tier in PLAYED:
            first = column(small, tier, number)
            figures += [ranked(first, column(small, tier, number, 1)), ranked(first, column(small, "exact", number))]
        one, two = (column(small, "exact", number, play) for play in range(2))
        scatter = float(np.sqrt(((one - two) ** 2).mean() / 2))
        row = [*(f"{figure:.3f}" for figure in (*figures, ranked(one, two))), f"{scatter:.4f}"]
        yield f"| {axis.label} | {' | '.join(row)} |"


def overlap(games: Sequence[Game], one: tuple[str, int], other: tuple[str, int]) -> int:
    """How many games of two selections are the same."""
    axes = range(len(AXES))
    chosen = (
        set(
            farthest_points(
                np.column_stack([column(games, tier, axis, play) for axis in axes]), min(SELECTED, len(games))
            ).tolist()
        )
        for tier, play in (one, other)
    )
    return len(next(chosen) & next(chosen))


def selections(games: Sequence[Game]) -> Iterator[str]:
    """How many games two selections share."""
    small = [game for game in games if game.nodes]
    yield f"| {min(SELECTED, len(small))} games, by | of the {len(small):,} that fit | of all {len(games):,} |"
    yield "| :-- | --: | --: |"
    pairs = [
        *((f"{tier}, two plays", (tier, 0), (tier, 1)) for tier in PLAYED),
        ("exact, two scrambles of the opponents", ("exact", 0), ("exact", 1)),
        *((f"{tier} and exact", (tier, 0), ("exact", 0)) for tier in PLAYED),
    ]
    for name, one, other in pairs:
        yield f"| {name} | {overlap(small, one, other)} | {overlap(games, one, other)} |"


def costs(games: Sequence[Game]) -> Iterator[str]:
    """Milliseconds a game."""
    small = [game for game in games if game.nodes]
    groups: list[tuple[str, Sequence[Game]]] = [("all accepted games", games), ("games that fit", small)]
    for low, high in pairwise(SIZES):
        groups.append((f"{low:,} to {high - 1:,} nodes", [game for game in small if low <= game.nodes < high]))
    groups.append(("games that do not fit", [game for game in games if not game.nodes]))
    yield "| Milliseconds: median, mean | Games | " + " | ".join(TIERS) + " |"
    yield "| :-- | --: | " + " | ".join("--:" for _ in TIERS) + " |"
    for name, some in groups:
        if some:
            times = [np.array([game.seconds[tier] for game in some]) * 1e3 for tier in TIERS]
            cells = " | ".join(f"{np.median(each):.1f}, {each.mean():.1f}" for each in times)
            yield f"| {name} | {len(some):,} | {cells} |"


def report(games: Sequence[Game]) -> str:
    """All tables."""
    small = [game for game in games if game.nodes]
    nodes = np.array([game.nodes or np.inf for game in games])
    load = ", ".join(f"{figure:.1f}" for figure in os.getloadavg())
    intro = (
        f"Of {len(games):,} accepted games {len(small):,} have trees of at most {EXACT.nodes:,} nodes; half of all "
        f"have at most {np.median(nodes):,.0f}, a quarter at most {np.quantile(nodes, 0.25):,.0f}."
    )
    machine = (
        f"Processor time of one process. The machine has {os.cpu_count()} processors; its load averages were {load} at "
        "the end, of which this process is 1: the rest is other work."
    )
    parts: list[Callable[[Sequence[Game]], Iterator[str]]] = [errors, agreements, selections, costs]
    tables = ["\n".join(part(games)) for part in parts]
    return "\n\n".join([intro, *tables[:3], machine, tables[3]])


def main() -> None:
    """Measure, and print or write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=1000, help="games that are small enough for the exact tier")
    parser.add_argument("--write", type=Path, help="the page")
    given = parser.parse_args()
    text = report(collect(given.games))
    if given.write is None:
        print(text)
        return
    write(given.write, "exact", text)


if __name__ == "__main__":
    main()
