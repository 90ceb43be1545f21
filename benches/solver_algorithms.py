"""What the solver's algorithms need, at equal work.

    python -m benches.solver_algorithms [--seeds A:B] [--write]

The games are the accepted ones of a range of seeds whose trees have 3,000 to 120,000 nodes, and those known by name.
Each is solved by every algorithm that takes trees, but for vanilla CFR, to exploitabilities of 1e-3, 1e-4 and 1e-5
chips. Work is counted in iterations of CFR+ on the same game: an iteration of another algorithm counts by its share of
the processor's time, measured by turns in this process, and the linear program by the iterations that fit into its.

The regret of an algorithm on a game is how many times the work of the best algorithm for that game it takes. `auto` is
computed from the same figures by the choice that it makes (`studies.auto_choice` counts where that is far from the
best, on other games too). With --write the tables of docs/solver.md are replaced.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import UsageError
from antemill.engine.execute import progress_bar
from antemill.engine.machine.branches import count_nodes
from antemill.engine.machine.gate import gate
from antemill.engine.machine.program import Program
from antemill.engine.rules.named import NAMED
from antemill.solver.algorithms.auto import Choice, choose
from antemill.solver.algorithms.linear_program import solve_exactly
from antemill.solver.algorithms.table import AUTO, EXACT, ON_ABSTRACT_TREES, RULES
from antemill.solver.algorithms.turns import CLEAR, Averaging, race_turns
from antemill.solver.algorithms.worker_pool import WorkerPool
from antemill.solver.game import ExtensiveForm
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.outside import Outside
from antemill.solver.trees.sequence_form import Sides, sides
from antemill.tournament.pool.ranges import parse_seeds
from benches.pages import write

TARGETS = (1e-3, 1e-4, 1e-5)  # chips
LEAST, MOST = 3_000, 120_000  # nodes of a generated game
UNIT = ON_ABSTRACT_TREES  # whose iteration is the unit of work
FAMILY = tuple(name for name in RULES if name != "cfr")
ITERATIONS = 10_000  # at most; an algorithm that needs more counts as one that never gets there
GROWTH = 1.05  # from one measurement's number of iterations to the next
# Of dense games: cards and sizes of bets; types and actions of each player.
STREETS: tuple[tuple[int, int], ...] = (
    *((5, 1), (8, 2), (10, 2), (10, 5), (12, 3), (16, 2), (20, 3), (20, 8)),
    *((25, 2), (30, 4), (40, 2), (40, 5), (50, 3), (60, 5), (60, 2), (80, 3)),
)
MATRICES: tuple[tuple[int, int], ...] = (
    *((1, 3), (1, 5), (1, 10), (1, 20), (1, 30), (1, 60), (1, 100), (2, 4), (2, 10), (2, 20), (3, 3)),
    *((3, 8), (4, 4), (4, 10), (6, 3), (6, 6), (8, 4), (8, 8), (10, 3), (12, 6), (16, 4)),
)
_WAIT = 10  # the linear program is given up after this many times the time of all these iterations, by the clock
COST_GAMES, COST_ROUNDS = 8, 15  # what an iteration costs is measured on so many games, so many times
PAGE = Path(__file__).parents[1] / "docs" / "solver.md"

Works = npt.NDArray[np.float64]  # [games, targets] in iterations of CFR+; inf: not reached


class Race(NamedTuple):
    """How two algorithms take turns in the beginning of `auto`."""

    turn: int  # iterations
    rounds: int  # turns of each
    rival: bool  # whether the second one goes on


class Measured(NamedTuple):
    """One game."""

    name: str
    nodes: int
    sequences: int
    payoffs: int
    iterations: dict[str, list[float]]  # by algorithm of the family, for each target; inf: not reached
    exact: float  # the linear program's work; inf: it was given up
    choice: Choice  # what auto does
    race: Race


def named() -> Iterator[tuple[str, Program]]:
    """The games that are known by name."""
    for name, make in NAMED.items():
        yield name, compile_spec(make(), suited=True)


def generated(seeds: range) -> Iterator[tuple[str, Program]]:
    """The accepted games of middling size."""
    for seed in seeds:
        program = compile_spec(generate(seed))
        if LEAST <= count_nodes(program, MOST) <= MOST and gate(program, seed).accepted:
            yield str(seed), program


def one_street(cards: int, bets: int) -> ExtensiveForm:
    """Alice bets one of several sizes or nothing, Bob calls or folds; the higher card wins."""
    game = Outside(f"{cards} cards, {bets} bets", ("Alice", "Bob"))
    deals = [(a, b) for a in range(cards) for b in range(cards) if a != b]
    game.chance([1 / len(deals)] * len(deals))
    for a, b in deals:
        wins = 1 if a > b else -1
        game.decision(0, a, str(a), [str(bet) for bet in range(bets + 1)])
        game.end((wins, -wins))
        for bet in range(1, bets + 1):
            game.decision(1, (b, bet), f"{b} {bet}", ("fold", "call"))
            game.end((1, -1))
            game.end((wins * (1 + bet), -wins * (1 + bet)))
    return game.tree()


def random_matrix(types: int, actions: int, seed: int) -> ExtensiveForm:
    """Each player knows a type and chooses an action; all payoffs are drawn."""
    rng, game = np.random.default_rng(seed), Outside(f"{types} types, {actions} actions", ("Alice", "Bob"))
    game.chance([1 / types**2] * types**2)
    names = [str(action) for action in range(actions)]
    for mine in range(types):
        for theirs in range(types):
            game.decision(0, mine, f"a{mine}", names)
            for _ in names:
                game.decision(1, theirs, f"b{theirs}", names)
                for _ in names:
                    paid = float(rng.normal())
                    game.end((paid, -paid))
    return game.tree()


def dense() -> Iterator[tuple[str, ExtensiveForm]]:
    """A hundred games with dense payoff matrices."""
    for cards, bets in STREETS:
        yield f"street {cards} {bets}", one_street(cards, bets)
    for types, actions in MATRICES:
        for seed in range(4):
            yield f"matrix {types} {actions} {seed}", random_matrix(types, actions, seed)


def iterations_to(both: Sides, algorithm: str) -> list[float]:
    """After how many iterations the average policy has reached each target."""
    found = [float("inf")] * len(TARGETS)
    with WorkerPool(both, RULES[algorithm]) as pool:
        while pool.done < ITERATIONS and found[-1] == float("inf"):
            pool.advance(max(1, int(pool.done * (GROWTH - 1))))
            left = pool.exploitability()
            found = [min(one, pool.done) if left <= target else one for one, target in zip(found, TARGETS, strict=True)]
    return found


def race_of(both: Sides, plan: Choice) -> Race:
    """What happens while the two algorithms of a plan take turns."""
    if not plan.rival:
        return Race(0, 0, False)
    left = []
    for name in (plan.algorithm, plan.rival):
        with WorkerPool(both, RULES[name]) as pool:
            made = Averaging(name, pool)
            turn, rounds = next(made.points()), race_turns(made)
            pool.advance(rounds * turn)
            left.append(pool.exploitability())
    return Race(turn, rounds, left[1] < CLEAR * left[0])


def seconds_an_iteration(both: Sides, algorithm: str, rounds: int) -> float:
    """The least of several measurements."""
    least = float("inf")
    count = max(1, 200_000 // sum(side.sequences + len(side.columns) for side in both))
    with WorkerPool(both, RULES[algorithm]) as pool:
        pool.advance(1)
        for _ in range(rounds):
            begun = time.process_time()
            pool.advance(count)
            least = min(least, (time.process_time() - begun) / count)
    return least


def costs(games: list[Sides]) -> dict[str, float]:
    """What an iteration of each algorithm costs in iterations of CFR+: the median over the games, to a twentieth."""
    rows = []
    for both in games:
        least = dict.fromkeys(FAMILY, float("inf"))
        for _ in range(COST_ROUNDS):
            least = {name: min(least[name], seconds_an_iteration(both, name, 1)) for name in FAMILY}
        rows.append([least[name] / least[UNIT] for name in FAMILY])
    return {name: round(20 * float(cost)) / 20 for name, cost in zip(FAMILY, np.median(rows, 0), strict=True)}


def exact_work(both: Sides) -> float:
    """The linear program's time in iterations of CFR+, which are timed before and after it."""
    before = seconds_an_iteration(both, UNIT, 5)
    begun = time.process_time()
    try:
        solve_exactly(both, _WAIT * ITERATIONS * before)
    except TimeoutError:
        return float("inf")
    spent = time.process_time() - begun
    return spent / ((before + seconds_an_iteration(both, UNIT, 5)) / 2)


def measure(name: str, both: Sides, nodes: int) -> Measured:
    """All figures of a game."""
    return Measured(
        name,
        nodes,
        both[0].sequences + both[1].sequences,
        len(both[0].columns),
        {algorithm: iterations_to(both, algorithm) for algorithm in FAMILY},
        exact_work(both),
        choose(both),
        race_of(both, choose(both)),
    )


def works(games: list[Measured], cost: dict[str, float]) -> dict[str, Works]:
    """The work of every algorithm, of the linear program and of auto."""
    found = {name: np.array([game.iterations[name] for game in games]) * cost[name] for name in FAMILY}
    found[EXACT] = np.array([[game.exact] * len(TARGETS) for game in games])
    found[AUTO] = np.array([[_auto(game, i) for i in range(len(TARGETS))] for game in games])
    return found


def _auto(game: Measured, i: int) -> float:
    """The work of auto to target number i: after its patience the two parts take turns until one of them is done.

    All iterations count as those of CFR+, and to the one that reaches the target.
    """
    needed = _iterated(game, i)
    beyond = needed - game.choice.patience
    return needed if beyond <= 0 else game.choice.patience + 2 * min(beyond, game.exact)


def _iterated(game: Measured, i: int) -> float:
    """The iterations of auto to target number i without the linear program."""
    first = game.iterations[game.choice.algorithm][i]
    if not game.race.rounds:
        return first
    second, (turn, rounds, rival) = game.iterations[game.choice.rival][i], game.race
    done = turn * rounds
    within = [needed + turn * (-(-needed // turn) - 1) for needed in [first] if needed <= done]
    within += [needed + turn * -(-needed // turn) for needed in [second] if needed <= done]
    return min(within) if within else done + (second if rival else first)


def tables(games: list[Measured], cost: dict[str, float]) -> list[str]:
    """The lines of the two tables: generated games together, and the named ones each."""
    many = [game for game in games if game.name not in NAMED]
    found = works(many, cost)
    best = np.min([work for name, work in found.items() if name != AUTO], axis=0)
    span = f"{min(game.nodes for game in many):,} to {max(game.nodes for game in many):,}"
    heads = [f"{target:.0e}".replace("e-0", "e-") for target in TARGETS]
    lines = [
        f"Work on {len(many)} generated games of {span} nodes, in iterations of CFR+: the median.",
        f"Regret: the median / the 90th percentile. A dash: not within {ITERATIONS:,} iterations.",
        "",
        "| algorithm | cost | " + " | ".join(heads) + " | " + " | ".join(f"regret {head}" for head in heads) + " |",
        "|---|---|" + "---|" * (2 * len(heads)),
    ]
    for name, work in found.items():
        with np.errstate(invalid="ignore"):
            regret = np.where(np.isfinite(work), work / best, np.inf)
        middle = [_number(x) for x in _quantile(work, 0.5)]
        pairs = zip(_quantile(regret, 0.5), _quantile(regret, 0.9), strict=True)
        spread = [f"{_number(x, 2)} / {_number(y, 2)}" for x, y in pairs]
        lines.append(f"| `{name}` | {cost.get(name, '')} | " + " | ".join((*middle, *spread)) + " |")
    few = [game for game in games if game.name in NAMED]
    lines += ["", "Work on the named games to " + " / ".join(heads) + ":", ""]
    lines += ["| algorithm | " + " | ".join(game.name for game in few) + " |", "|---|" + "---|" * len(few)]
    for name, work in works(few, cost).items():
        lines.append(f"| `{name}` | " + " | ".join(" / ".join(map(_number, row)) for row in work) + " |")
    return lines


def _quantile(values: Works, share: float) -> Works:
    """Of each column, without interpolation, so that inf is a value as any other."""
    found: Works = np.quantile(values, share, axis=0, method="higher")
    return found


def _number(value: float, decimals: int = 0) -> str:
    return f"{value:,.{decimals}f}" if np.isfinite(value) else "–"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--seeds", default="0:5320", help="candidates A:B, the numbers A to B-1; 300 such games unless told"
    )
    parser.add_argument("--write", action="store_true", help="replace the tables in docs/solver.md")
    parser.add_argument("--save", type=Path, help="a file for every game's figures, as JSON")
    given = parser.parse_args()
    try:
        many = [*generated(range(*parse_seeds(given.seeds)))]
    except UsageError as error:
        parser.error(str(error))
    if not many:
        parser.error(f"no accepted game of these seeds has {LEAST:,} to {MOST:,} nodes: give a longer range.")
    programs = [*named(), *many]
    measured: list[Measured] = []
    timed: list[Sides] = []
    with progress_bar("games", len(programs), False) as bar:
        for number, (name, program) in enumerate(programs):
            tree = build_tree(program)
            both = sides(tree)
            measured.append(measure(name, both, tree.nodes))
            timed += [both] if len(timed) < COST_GAMES and tree.nodes >= LEAST else []
            bar(number + 1, None)
    cost = costs(timed)
    if given.save is not None:
        given.save.write_text(json.dumps([game._asdict() for game in measured]))
    lines = tables(measured, cost)
    print("\n".join(lines))
    if given.write:
        write(PAGE, "algorithms", "\n".join(lines))


if __name__ == "__main__":
    main()
