"""How the time grows with the number of games and of episodes: `python -m studies.growth --write docs/performance.md`.

Candidates are drawn, compiled and gated, and the accepted ones scored at the fast tier, one after the other, on one
core. Episodes are random play by `rollout`, which makes its log. What is drawn is the time of one, so a level line is
linear growth; the exponent is the slope of the logarithms by least squares, 1 for linear growth.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from antemill.axes.budgets import FAST
from antemill.axes.scores import score
from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine.gate import gate
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import rollout, streams
from antemill.tournament.bench.sample_games import accepted, named
from benches.pages import write

Points = dict[int, float]  # seconds by size
REPEATS = 5
PICTURE = "growth.svg"


def candidates(number: int) -> None:
    """Candidates 0 to number - 1, to the fast scores of those that are accepted."""
    for seed in range(number):
        program = compile_spec(generate(seed))
        if gate(program, seed).accepted:
            score(program, FAST)


def timed(work: Callable[[int], object], sizes: list[int]) -> Points:
    """The median seconds for each size; the largest is done twice only."""
    work(sizes[0])
    found: Points = {}
    for size in sizes:
        seconds = []
        for _ in range(2 if size == sizes[-1] else REPEATS):
            gc.collect()
            begun = time.perf_counter()
            work(size)
            seconds.append(time.perf_counter() - begun)
        found[size] = statistics.median(seconds)
    return found


def measured(quick: bool) -> tuple[Points, Mapping[str, Points]]:
    """Seconds by number of candidates; and, for three games, by number of episodes."""
    games = timed(candidates, [2, 6, 20] if quick else [10, 30, 100, 300, 1_000, 3_000, 10_000])
    sizes = [10, 30, 100] if quick else [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000]
    programs = {"Kuhn poker": named("kuhn"), "a Leduc game": named("leduc"), "an accepted game": accepted(1)[0]}
    return games, {name: timed(_play(program), sizes) for name, program in programs.items()}


def _play(program: Program) -> Callable[[int], object]:
    return lambda episodes: rollout(program, episodes, streams(1))


def exponent(points: Points) -> float:
    """The power of the size with which the time grows."""
    sizes, seconds = np.log(list(points)), np.log(list(points.values()))
    return float(np.polyfit(sizes, seconds, 1)[0])


def draw(path: Path, games: Points, episodes: Mapping[str, Points]) -> None:
    """Write the figure as SVG; its bytes depend on the figures alone."""
    with mpl.rc_context({"svg.hashsalt": "antemill", "font.size": 9}):
        figure = Figure(figsize=(8, 3), layout="constrained")
        left, right = figure.subplots(1, 2)
        left.plot(list(games), [seconds / size * 1e3 for size, seconds in games.items()], "o-")
        left.set(xlabel="candidates", ylabel="milliseconds a candidate", title="from seed to fast scores")
        for name, points in episodes.items():
            right.plot(list(points), [seconds / size * 1e9 for size, seconds in points.items()], "o-", label=name)
        right.set(xlabel="episodes", ylabel="nanoseconds an episode", title="random play")
        right.legend(frameon=False)
        for panel in (left, right):
            panel.set_xscale("log")
            panel.set_ylim(bottom=0)
            panel.spines[["top", "right"]].set_visible(False)
        figure.savefig(path, format="svg", metadata={"Date": None})


def growth(path: Path, quick: bool) -> str:
    """Draw the figure beside the page; returns its description."""
    games, episodes = measured(quick)
    draw(path.parent / PICTURE, games, episodes)
    powers = ", ".join(f"{name} {exponent(points):.2f}" for name, points in episodes.items())
    largest = max(games)
    return (
        f"![The time of one candidate and of one episode, by their number]({PICTURE})\n\n"
        f"{largest:,} candidates take {games[largest]:.1f} s; their time grows with the power {exponent(games):.2f} of "
        f"their number. {max(episodes['Kuhn poker']):,} episodes of Kuhn poker take "
        f"{max(episodes['Kuhn poker'].values()):.2f} s; the powers of the number of episodes: {powers}."
    )


def main() -> None:
    """Measure, draw, and write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", type=Path, required=True, help="the page; the figure is written beside it")
    parser.add_argument("--quick", action="store_true", help="tiny work: shows that it runs")
    given = parser.parse_args()
    write(given.write, "growth", growth(given.write, given.quick))


if __name__ == "__main__":
    main()
