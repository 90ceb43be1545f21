"""How much the adaptive schedule saves: `python -m studies.simulate_schedule [--worlds N] [--write FILE]`.

Simulated tournaments with known strengths and luck of the cards. The rotating schedule plays RUNS runs; the adaptive
one goes on until its 95% intervals on these games are as narrow, in the mean over the models. Both estimate the same
thing, the average of the games' strengths. The error against the truth, and the share of intervals that hold it, say
whether the narrow intervals are honest. A second table gives both a small budget, with and without a least number of
runs.

With --write, the tables replace what stands between the markers in FILE.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
from msgspec import Struct

from antemill.engine.seeding import derive
from antemill.tournament.statistics.bootstrap import cluster_bootstrap
from antemill.tournament.statistics.cells import cells_of
from antemill.tournament.statistics.intervals import Floats, Interval, percentile
from antemill.tournament.statistics.matches import SlotTable, from_codes
from antemill.tournament.statistics.next_match import LEAST_RUNS, Matchup, next_matchups
from antemill.tournament.statistics.precision import average_influence, noise_of, propagated
from antemill.tournament.statistics.strength import game_average
from benches.pages import write

MODELS, GAMES, RUNS, WORLDS = 6, 12, 720, 200
FEW_RUNS = 240
BLOCK = 24  # runs between two looks at the intervals
REPLICATES = 200


class World(Struct, frozen=True, eq=False):
    """What is true in one simulated tournament."""

    strengths: Floats  # float64[games, models]
    noise: Floats  # float64[games]: standard deviation of a match's margin, and of the luck of a run's cards
    prices: Floats  # float64[models]: of a run; a pair pays both

    @property
    def target(self) -> Floats:
        """float64[models]: what the leaderboard estimates."""
        return np.asarray(self.strengths.mean(axis=0), np.float64)


class Played(Struct, frozen=True):
    """What a schedule came to when it ended."""

    runs: int
    cost: float
    width: float
    error: float  # root mean square over the models
    held: float  # share of the intervals on these games that hold the truth
    dearest: float  # of the dearest model's
    paper: float  # of the paired-cluster bootstrap's that there are
    paper_dearest: float
    there: float  # share of the paired-cluster bootstrap's intervals that there are


class Scenario(Struct, frozen=True):
    """How worlds are drawn."""

    name: str
    noise_differs: bool = False
    prices_differ: bool = False


SCENARIOS = (
    Scenario("games and prices alike"),
    Scenario("games differ in noise", noise_differs=True),
    Scenario("models differ in price", prices_differ=True),
    Scenario("both differ", noise_differs=True, prices_differ=True),
)


def draw_world(scenario: Scenario, seed: int) -> World:
    """Strengths of about 1 chip, interaction of half of that; noise of 4 chips or 4/3 to 12; prices of 1 or 1 to 20."""
    random = np.random.default_rng(derive(seed, 0x776F726C))
    per_game = random.normal(0.0, 1.0, MODELS) + random.normal(0.0, 0.5, (GAMES, MODELS))
    noise = 4.0 * (np.geomspace(1.0 / 3.0, 3.0, GAMES) if scenario.noise_differs else np.ones(GAMES))
    prices = random.permutation(np.geomspace(1.0, 20.0, MODELS)) if scenario.prices_differ else np.ones(MODELS)
    return World(per_game - per_game.mean(axis=1, keepdims=True), noise, prices)


def rotating(_: SlotTable | None, __: World) -> Iterator[tuple[int, int, int]]:
    """(game, a, b) without end: all games in turn, on each the rounds of a circle, so that opponents rotate."""
    pairs = circle(MODELS)
    step = 0
    while True:
        for game in range(GAMES):
            yield (game, *pairs[step % len(pairs)])
        step += 1


def circle(models: int) -> list[tuple[int, int]]:
    """All pairs of an even number of models, in rounds in which each model plays once (the circle method)."""
    found = []
    for turn in range(models - 1):
        ring = [0, *((turn + k) % (models - 1) + 1 for k in range(models - 1))]
        found += [(min(a, b), max(a, b)) for a, b in zip(ring[: models // 2], reversed(ring), strict=False)]
    return found


def adaptive(table: SlotTable | None, world: World, least_runs: int = LEAST_RUNS) -> Iterator[tuple[int, int, int]]:
    """(game, a, b) of the next block."""
    candidates = [
        Matchup(_name("g", game), _name("m", a), _name("m", b))
        for game in range(GAMES)
        for a, b in combinations(range(MODELS), 2)
    ]
    costs = [world.prices[int(m.a[1:])] + world.prices[int(m.b[1:])] for m in candidates]
    for choice in next_matchups(table, candidates, costs, BLOCK, least_runs=least_runs):
        yield int(choice.matchup.game[1:]), int(choice.matchup.a[1:]), int(choice.matchup.b[1:])


def play(
    world: World,
    schedule: Callable[[SlotTable | None, World], Iterator[tuple[int, int, int]]],
    seed: int,
    runs: int,
    width: float = 0.0,
) -> Played:
    """Play blocks until `runs` runs are played, or the intervals are as narrow as `width`."""
    random = np.random.default_rng(derive(seed, 0x706C6179))
    slots: list[tuple[int, int, int, int, float]] = []
    table: SlotTable | None = None
    cost, endless = 0.0, schedule(None, world)
    while True:
        source = endless if schedule is rotating else schedule(table, world)
        for game, a, b in (next(source) for _ in range(BLOCK)):
            gap, cards = world.strengths[game, a] - world.strengths[game, b], random.normal(0.0, world.noise[game])
            slots.append((game, len(slots), a, b, cards + gap + random.normal(0.0, world.noise[game])))
            slots.append((game, len(slots) - 1, b, a, cards - gap + random.normal(0.0, world.noise[game])))
            cost += float(world.prices[a] + world.prices[b])
        table, done = _table(slots), len(slots) // 2 >= runs
        if done or (width > 0.0 and _width(_interval(table)) <= width):
            return _measure(table, world, seed, cost)


def compare(scenario: Scenario, worlds: int) -> tuple[Played, Played]:
    """Means over worlds: the rotating schedule, and the adaptive one up to the same width."""
    pairs = []
    for seed in range(worlds):
        world = draw_world(scenario, seed)
        rotated = play(world, rotating, seed, RUNS)
        pairs.append((rotated, play(world, adaptive, seed, 2 * RUNS, rotated.width)))
    return _mean([p[0] for p in pairs]), _mean([p[1] for p in pairs])


def small_budget(scenario: Scenario, worlds: int) -> list[tuple[str, Played]]:
    """Means over worlds of FEW_RUNS runs: rotating, and adaptive without and with a least number of runs."""
    schedules = (
        ("rotating", rotating),
        ("adaptive, no least runs", partial(adaptive, least_runs=0)),
        (f"adaptive, {LEAST_RUNS} least runs", adaptive),
    )
    return [
        (name, _mean([play(draw_world(scenario, seed), schedule, seed, FEW_RUNS) for seed in range(worlds)]))
        for name, schedule in schedules
    ]


def main(arguments: Sequence[str]) -> None:
    """Run all scenarios and print the tables; with `--write FILE` put them into the file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--worlds", type=int, default=WORLDS, help="tournaments of each scenario (%(default)s)")
    parser.add_argument("--write", type=Path, help="the page")
    given = parser.parse_args(arguments)
    lines = [
        f"| {given.worlds} worlds, {MODELS} models, {GAMES} games | runs, rotating | runs, adaptive | saved runs "
        "| saved cost | error by the intervals | error, rotating | error, adaptive | intervals hold, rotating "
        "| adaptive | the dearest model's |",
        "|---|" + "---:|" * 10,
    ]
    for scenario in SCENARIOS:
        lines.append(_line(scenario, *compare(scenario, given.worlds)))
        print(lines[-1], file=sys.stderr)
    lines += [
        "",
        f"| {FEW_RUNS} runs | cost | error | intervals on these games hold | the dearest model's "
        "| bootstrap intervals that there are | hold | the dearest model's |",
        "|---|" + "---:|" * 7,
    ]
    for scenario in SCENARIOS[2:]:
        lines += [_budget_line(scenario, *found) for found in small_budget(scenario, given.worlds)]
        print("\n".join(lines[-3:]), file=sys.stderr)
    text = "\n".join(lines) + "\n"
    print(text, end="")
    if given.write is not None:
        write(given.write, "simulated schedules", text)


def _line(scenario: Scenario, rotated: Played, adapted: Played) -> str:
    saved = (1.0 - adapted.runs / rotated.runs, 1.0 - adapted.cost / rotated.cost)
    dearest = f"{adapted.dearest:.0%}" if scenario.prices_differ else ""
    return (
        f"| {scenario.name} | {rotated.runs} | {adapted.runs} | {saved[0]:.0%} | {saved[1]:.0%} "
        f"| {rotated.width / 3.92:.3f} | {rotated.error:.3f} | {adapted.error:.3f} "
        f"| {rotated.held:.0%} | {adapted.held:.0%} | {dearest} |"
    )


def _budget_line(scenario: Scenario, schedule: str, played: Played) -> str:
    paper = [f"{value:.0%}" if played.there else "" for value in (played.paper, played.paper_dearest)]
    return (
        f"| {scenario.name}: {schedule} | {played.cost:.0f} | {played.error:.3f} | {played.held:.0%} "
        f"| {played.dearest:.0%} | {played.there:.0%} | {paper[0]} | {paper[1]} |"
    )


def _mean(played: Sequence[Played]) -> Played:
    """Means; of the bootstrap's intervals, over the worlds that have them. The error is a root mean square."""

    def mean(name: str, weigh: bool = False) -> float:
        weights = [p.there if weigh else 1.0 for p in played]
        total: float = sum(w * getattr(p, name) for w, p in zip(weights, played, strict=True))
        return total / (sum(weights) or 1.0)

    return Played(
        runs=round(mean("runs")),
        cost=mean("cost"),
        width=mean("width"),
        error=float(np.sqrt(sum(p.error**2 for p in played) / len(played))),
        held=mean("held"),
        dearest=mean("dearest"),
        paper=mean("paper", True),
        paper_dearest=mean("paper_dearest", True),
        there=mean("there"),
    )


def _interval(table: SlotTable) -> Interval:
    """That on these games."""
    cells = cells_of(table)
    return propagated(average_influence(cells), noise_of(table)).interval(game_average(cells))


def _width(interval: Interval) -> float:
    """Mean width; infinite while one is missing."""
    width = float((interval.high - interval.low).mean())
    return width if np.isfinite(width) else np.inf


def _measure(table: SlotTable, world: World, seed: int, cost: float) -> Played:
    these, paper = _interval(table), percentile(game_average(cluster_bootstrap(table, REPLICATES, seed)))
    dearest = int(np.argmax(world.prices))
    held, paper_held = ((interval.low <= world.target) & (world.target <= interval.high) for interval in (these, paper))
    return Played(
        runs=len(table.margin) // 2,
        cost=cost,
        width=_width(these),
        error=float(np.sqrt(((game_average(table) - world.target) ** 2).mean())),
        held=float(held.mean()),
        dearest=float(held[dearest]),
        paper=float(paper_held.mean()),
        paper_dearest=float(paper_held[dearest]),
        there=float(np.isfinite(paper.low).mean()),
    )


def _table(slots: Sequence[tuple[int, int, int, int, float]]) -> SlotTable:
    columns = [np.array(column) for column in zip(*slots, strict=True)]
    models = tuple(_name("m", k) for k in range(MODELS))
    games = tuple(_name("g", k) for k in np.unique(columns[0]))
    columns[0] = np.unique(columns[0], return_inverse=True)[1]
    return from_codes(models, games, *columns)


def _name(letter: str, number: int) -> str:
    return f"{letter}{number:02d}"


if __name__ == "__main__":
    main(sys.argv[1:])
