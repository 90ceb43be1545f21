"""Plans of `solve`: the nodes of the tree are counted, and the time of an iteration is extrapolated from a timed one.

The number of iterations for a target is not known beforehand.
"""

from __future__ import annotations

from pathlib import Path

from antemill.engine.compiler.compile import compile_spec
from antemill.engine.execute import default_workers
from antemill.engine.machine.program import Program
from antemill.engine.rules.named import leduc
from antemill.solver.algorithms.solve import solve
from antemill.solver.algorithms.table import AUTO, RULES, samples
from antemill.solver.solving import SAMPLED_SECONDS, Settings, check_settings
from antemill.solver.trees.build import BYTES_A_NODE, build_tree
from antemill.solver.trees.sequence_form import sides
from antemill.solver.trees.walk import count_with, lossless, renaming
from antemill.tournament.pool.plans import Plan, Step, size_of
from antemill.tournament.pool.select import read_benchmark
from antemill.tournament.solving.benchmark import SECONDS, left_to_solve
from antemill.tournament.solving.solved_games import solved_path

_BOUND = "a bound, by --seconds or --iterations"
_TIMED = 200  # iterations of Leduc that are timed, after as many that warm up


def plan_game(program: Program, settings: Settings, output: Path | None) -> Plan:
    """What `solve_game` would do. Raises UsageError for settings that cannot be used."""
    abstraction = check_settings(settings)
    if abstraction.lossless and not samples(settings.algorithm):
        abstraction = lossless(program, settings.limit, abstraction) or abstraction
    nodes = count_with(program, renaming(program, abstraction), settings.limit)
    return plan_tree(program.names.game, nodes, settings, output)


def plan_tree(name: str, nodes: int, settings: Settings, output: Path | None) -> Plan:
    """What solving a game with this many nodes would do; no tree is built above the limit."""
    fits, sampled = nodes <= settings.limit, samples(settings.algorithm)
    files = {} if output is None else {str(output): 0}
    if not fits and not sampled and (settings.algorithm != AUTO or check_settings(settings).lossless):
        note = (
            f"The tree has more than {settings.limit:,} nodes: `solve` would refuse it. Use --abstraction default, "
            "--algorithm mccfr, or a larger --limit."
        )
        return Plan([Step(f"games to solve ({name})", 1, 0, 0.0)], 1, {}, note)
    if sampled or not fits:
        seconds = settings.seconds or (None if settings.iterations else SAMPLED_SECONDS)
        note = "It is solved by sampling, without a tree."
    else:
        each = _seconds_a_node() * nodes / min(settings.workers, default_workers())
        ends = [count for count in (settings.iterations and settings.iterations * each, settings.seconds) if count]
        seconds = min(ends, default=None)
        note = (
            f"The tree has {nodes:,} nodes, some {size_of(nodes * BYTES_A_NODE)}. An iteration takes about "
            f"{1e3 * each:.2g} ms (estimated from a small game); how many the target of {settings.target} needs is "
            "not known beforehand."
        )
    if seconds is None:
        note += " --seconds bounds the time; Ctrl-C stops and keeps the best policy so far."
    else:
        note += " It ends sooner if the target is reached."
    return Plan([Step(f"games to solve ({name})", 1, 1, seconds)], settings.workers, files, note, _BOUND)


def plan_benchmark(path: Path, folder: Path, settings: Settings, workers: int | None) -> Plan:
    """What `solve_benchmark` would do."""
    check_settings(settings)
    games, number = read_benchmark(path).to_pylist(), workers or default_workers()
    left, each = left_to_solve(games, folder, settings), settings.seconds or SECONDS
    step = Step("games to solve", len(games), left, left * each / number)
    note = (
        f"A game takes at most {each:g} s of a processor, and less where the target is reached sooner. Best responses "
        "to policies of abstractions come on top, where they visit no more nodes than --exact."
    )
    files = {f"{folder}/": 0, str(solved_path(path)): 0}
    return Plan([step], number, files if left else {}, note, _BOUND)


def _seconds_a_node() -> float:
    """Of an iteration of both players, by a game of Leduc."""
    both = sides(tree := build_tree(compile_spec(leduc())))
    runs = [solve(both, next(iter(RULES)), 0.0, iterations=_TIMED) for _ in range(2)]
    return runs[-1].seconds / _TIMED / tree.nodes
