"""How much the adaptive schedule saves: `python -m tournament.statistics.simulate_schedule [--write FILE]`.

Simulated tournaments with known strengths. The rotating schedule plays RUNS runs; the adaptive one goes on until its
intervals are as narrow (mean width of the 95% paired-cluster bootstrap intervals). Both estimate the same thing, the
average of the games' strengths, and the error against the truth says whether the narrow intervals are honest.

With --write, the table replaces what stands between the markers in FILE.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
from msgspec import Struct

from engine.errors import UsageError
from engine.files import write_text
from engine.streams import derive
from tournament.statistics.adaptive import Matchup, next_matchups
from tournament.statistics.bootstrap import cluster_bootstrap
from tournament.statistics.intervals import Floats, percentile
from tournament.statistics.strength import game_average
from tournament.statistics.table import SlotTable, from_codes

MODELS, GAMES, RUNS, WORLDS = 6, 12, 720, 60
BLOCK = 24  # runs between two looks at the intervals
REPLICATES = 200
MARKERS = ("<!-- simulated schedules -->\n", "<!-- end -->\n")


class World(Struct, frozen=True, eq=False):
    """What is true in one simulated tournament."""

    strengths: Floats  # float64[games, models]
    noise: Floats  # float64[games]: standard deviation of a match's margin
    prices: Floats  # float64[models]: of a run; a pair pays both

    @property
    def target(self) -> Floats:
        """float64[models]: what the leaderboard estimates."""
        return np.asarray(self.strengths.mean(axis=0), np.float64)


class Played(Struct, frozen=True):
    """A schedule's end."""

    runs: int
    cost: float
    width: float
    error: float  # root mean square over the models


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
    """All pairs of an even number of models, in rounds in which everybody plays once (the circle method)."""
    found = []
    for turn in range(models - 1):
        ring = [0, *((turn + k) % (models - 1) + 1 for k in range(models - 1))]
        found += [(min(a, b), max(a, b)) for a, b in zip(ring[: models // 2], reversed(ring), strict=False)]
    return found


def adaptive(table: SlotTable | None, world: World) -> Iterator[tuple[int, int, int]]:
    """(game, a, b) of the next block."""
    candidates = [
        Matchup(_name("g", game), _name("m", a), _name("m", b))
        for game in range(GAMES)
        for a, b in combinations(range(MODELS), 2)
    ]
    costs = [world.prices[int(m.a[1:])] + world.prices[int(m.b[1:])] for m in candidates]
    for choice in next_matchups(table, candidates, costs, BLOCK):
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
            gap = world.strengths[game, a] - world.strengths[game, b]
            slots.append((game, len(slots), a, b, gap + random.normal(0.0, world.noise[game])))
            slots.append((game, len(slots) - 1, b, a, -gap + random.normal(0.0, world.noise[game])))
            cost += float(world.prices[a] + world.prices[b])
        table, done = _table(slots), len(slots) // 2 >= runs
        if done or width > 0.0:
            reached, error = _measure(table, world, seed)
            if done or reached <= width:
                return Played(len(slots) // 2, cost, reached, error)


def compare(scenario: Scenario, worlds: int) -> tuple[Played, Played]:
    """Means over worlds: the rotating schedule, and the adaptive one up to the same width."""
    pairs = []
    for seed in range(worlds):
        world = draw_world(scenario, seed)
        rotated = play(world, rotating, seed, RUNS)
        pairs.append((rotated, play(world, adaptive, seed, 2 * RUNS, rotated.width)))
    return _mean([p[0] for p in pairs]), _mean([p[1] for p in pairs])


def main(arguments: Sequence[str]) -> None:
    """Run all scenarios and print the table; with `--write FILE` put it into the file."""
    if arguments and (len(arguments) != 2 or arguments[0] != "--write"):
        raise UsageError("give nothing, or --write FILE.")
    lines = [
        f"| {WORLDS} worlds, {MODELS} models, {GAMES} games | runs, rotating | runs, adaptive | saved runs "
        "| saved cost | error by the intervals | error, rotating | error, adaptive |",
        "|---|" + "---:|" * 7,
    ]
    for scenario in SCENARIOS:
        lines.append(_line(scenario, *compare(scenario, WORLDS)))
        print(lines[-1], file=sys.stderr)
    text = "\n".join(lines) + "\n"
    print(text, end="")
    if arguments:
        path = Path(arguments[1])
        before, rest = path.read_text().split(MARKERS[0])
        write_text(path, before + MARKERS[0] + text + MARKERS[1] + rest.split(MARKERS[1])[1])


def _line(scenario: Scenario, rotated: Played, adapted: Played) -> str:
    saved = (1.0 - adapted.runs / rotated.runs, 1.0 - adapted.cost / rotated.cost)
    return (
        f"| {scenario.name} | {rotated.runs} | {adapted.runs} | {saved[0]:.0%} | {saved[1]:.0%} "
        f"| {rotated.width / 3.92:.3f} | {rotated.error:.3f} | {adapted.error:.3f} |"
    )


def _mean(played: Sequence[Played]) -> Played:
    count = len(played)
    error = float(np.sqrt(sum(p.error**2 for p in played) / count))
    runs = round(sum(p.runs for p in played) / count)
    return Played(runs, sum(p.cost for p in played) / count, sum(p.width for p in played) / count, error)


def _measure(table: SlotTable, world: World, seed: int) -> tuple[float, float]:
    """Mean width of the intervals (infinite while they are missing), root mean square error."""
    found = percentile(game_average(cluster_bootstrap(table, REPLICATES, seed)))
    width = float((found.high - found.low).mean())
    error = game_average(table) - world.target
    return (width if np.isfinite(width) else np.inf), float(np.sqrt((error**2).mean()))


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
