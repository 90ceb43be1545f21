"""How many duels does a newcomer need? `python -m studies.newcomer_duels [--worlds N] [--write FILE]`.

Simulated tournaments of The Token Games: players with a strength as solver and one as proposer, of whom all but one
have dueled each other in every ordered pair. The newcomer meets some of them, twice each. Its opponents are drawn at
random, spread over the ratings, or chosen by the adaptive schedule; with all of them the error cannot be less. The
error is that of its rating of rounds (the paper's Elo) against the rating that endless duels with all would give.

A player's price is 1, or from 1 to 20, and a duel costs what both players cost. With --write, the table replaces what
stands between the markers in FILE.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from msgspec import Struct

from antemill.tournament.statistics.bradley_terry import bradley_terry
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.next_duel import next_opponent
from benches.pages import write

PLAYERS, TURNS, WORLDS = 20, 10, 200
POINTS = 400.0 / float(np.log(10.0))
COUNTS = (2, 4, 8)


class World(Struct, frozen=True, eq=False):
    """What is true. The last player is the newcomer."""

    as_solver: Floats  # float64[players, players]: the row's chance to win a round as solver, the column's puzzle
    prices: Floats  # float64[players]: of a duel, which costs what both players cost
    truth: float  # the newcomer's rating less the mean of the others'


def draw_world(seed: int, prices_differ: bool) -> World:
    """Strengths about those of the paper's table 1: most puzzles are solved, one in six is wrong."""
    random = np.random.default_rng([seed, 1])
    solving, proposing = random.normal(0.0, 1.2, PLAYERS), random.normal(0.0, 0.8, PLAYERS)
    wrong = 1.0 / (1.0 + np.exp(1.8 + proposing))
    stumped = 1.0 / (1.0 + np.exp(2.0 + solving[:, None] - proposing[None, :]))
    as_solver = wrong + (1.0 - wrong) * (1.0 - stumped)  # [solver, proposer]
    prices = random.permutation(np.geomspace(1.0, 20.0, PLAYERS)) if prices_differ else np.ones(PLAYERS)
    expected = 1e6 * (as_solver + 1.0 - as_solver.T)
    np.fill_diagonal(expected, 0.0)
    return World(as_solver, prices, _gap(expected))


def _gap(wins: Floats) -> float:
    level = POINTS * bradley_terry(wins, "normal").strengths
    return float(level[-1] - level[:-1].mean())


def meet(world: World, a: int, b: int, random: np.random.Generator) -> Floats:
    """Rounds won by the row's player in two duels of a and b, float64[players, players]: each proposes TURNS times."""
    won = np.zeros((PLAYERS, PLAYERS))
    for solver, proposer in ((a, b), (b, a)):
        count = random.binomial(TURNS, world.as_solver[solver, proposer])
        won[solver, proposer] += count
        won[proposer, solver] += TURNS - count
    return won


def opponents(how: str, world: World, wins: Floats, met: Sequence[int], count: int, seed: int) -> int:
    """The next opponent."""
    left = [j for j in range(PLAYERS - 1) if j not in met]
    if how == "adaptive":
        costs = [float(world.prices[j] + world.prices[-1]) for j in left]
        return next_opponent(wins, PLAYERS - 1, left, costs, 2 * TURNS)
    if how == "spread":
        order = np.argsort(-bradley_terry(wins[:-1, :-1], "normal").strengths)
        return int(order[int((len(met) + 0.5) * len(order) / count)])
    return int(np.random.default_rng([seed, 3, len(met)]).choice(left))


def errors(how: str, seed: int, prices_differ: bool, count: int) -> tuple[float, float]:
    """The newcomer's error in points, and what its duels cost. how: "random", "spread" or "adaptive"."""
    world = draw_world(seed, prices_differ)
    base = np.random.default_rng([seed, 2])
    wins = np.zeros((PLAYERS, PLAYERS))
    for a in range(PLAYERS - 1):
        for b in range(a):
            wins += meet(world, a, b, base)
    met: list[int] = []
    spent = 0.0
    for _ in range(count):
        other = opponents(how, world, wins, met, count, seed)
        met.append(other)
        wins = wins + meet(world, PLAYERS - 1, other, np.random.default_rng([seed, 4, other]))
        spent += 2.0 * float(world.prices[other] + world.prices[-1])
    return _gap(wins) - world.truth, spent


def lines(worlds: int) -> Iterator[str]:
    """The table's lines."""
    yield "| prices | opponents | duels | error, random | spread | adaptive | cost, random | spread | adaptive |"
    yield "|---|" + "---:|" * 8
    for differ in (False, True):
        for count in (*COUNTS, PLAYERS - 1):
            found = {}
            for how in ("random", "spread", "adaptive"):
                each = np.array([errors(how, seed, differ, count) for seed in range(worlds)])
                found[how] = float(np.sqrt((each[:, 0] ** 2).mean())), float(each[:, 1].mean())
            error = " | ".join(f"{one[0]:.0f}" for one in found.values())
            cost = " | ".join(f"{one[1]:.0f}" for one in found.values())
            which = "1 to 20" if differ else "alike"
            yield f"| {which} | {count if count < PLAYERS - 1 else 'all'} | {2 * count} | {error} | {cost} |"


def main(arguments: Sequence[str]) -> None:
    """Print the table; with `--write FILE` put it into the file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--worlds", type=int, default=WORLDS, help="tournaments of each line (%(default)s)")
    parser.add_argument("--write", type=Path, help="the page")
    given = parser.parse_args(arguments)
    found = []
    for line in lines(given.worlds):
        print(line, file=sys.stderr)
        found.append(line)
    text = "\n".join(found) + "\n"
    if given.write is None:
        print(text, end="")
    else:
        write(given.write, "newcomer duels", text)


if __name__ == "__main__":
    main(sys.argv[1:])
