"""Solving every game of a benchmark: a folder of policies, and a table of figures beside the benchmark.

A game whose tree fits is solved exactly, any other with the default abstraction. The folder records the progress: the
same command continues, and a policy that meets the settings is kept, unless its game has a tree under a higher limit. A
policy that cannot be read is left as it is, and its game with it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from antemill.engine.errors import StorageError, UsageError
from antemill.engine.execute import Job, Outcome, Setup, progress_bar, run
from antemill.engine.machine.branches import count_nodes
from antemill.engine.machine.program import Program, from_columns
from antemill.engine.storage.files import sweep, write_bytes
from antemill.engine.storage.store import PROGRAM_COLUMNS
from antemill.solver.algorithms.abstract_cfr import ITERATIONS
from antemill.solver.algorithms.table import AUTO, ON_ABSTRACT_TREES, samples
from antemill.solver.policies.file import encode_policy, read_policy, read_solution, write_policy
from antemill.solver.policies.solution import SavedPolicy, Solution
from antemill.solver.solving import Settings, check_settings, solve_game
from antemill.solver.trees.abstraction import Abstraction
from antemill.tournament.pool.jobs import require_workers
from antemill.tournament.pool.precise import GameKey
from antemill.tournament.pool.select import read_benchmark
from antemill.tournament.solving.solved_games import solved_path, solved_row, write_solved

R = TypeVar("R")

SECONDS = 60.0  # per game, by default
SETUP = Setup(("antemill.tournament.solving.benchmark",))


class SolvedBenchmark(Struct, frozen=True):
    """The result of `solve_benchmark`. solved: games that have a policy; made: how many of them this call solved."""

    rows: list[dict[str, Any]]
    solved: int
    made: int
    table: Path


def solve_benchmark(
    path: Path, folder: Path, settings: Settings, workers: int | None = None, quiet: bool = False
) -> SolvedBenchmark:
    """Solve the games of the benchmark at `path`; the policies go to `folder`, named by digest.

    settings: per game; an abstraction in them is for all games. workers: processes; by default one per
    processor.
    A game that fails is noted in the table and does not stop the others. Raises StorageError, UsageError.
    """
    check_settings(settings)
    if isinstance(settings.target, str):
        raise UsageError(
            f"the games of a benchmark have one target in chips, not {settings.target} of each one's range."
        )
    require_workers(workers, "local")
    games = read_benchmark(path).to_pylist()
    _make_folder(folder)
    settings = settings if settings.seconds is not None else msgspec.structs.replace(settings, seconds=SECONDS)
    problems: dict[str, str] = {}
    paths = {game["digest"]: folder / f"{game['digest']}.parquet" for game in games}
    found = {digest: _earlier(path, settings, problems) for digest, path in paths.items()}
    made = 0

    def note() -> list[dict[str, Any]]:
        rows = [solved_row(game, found[game["digest"]], problems.get(game["digest"])) for game in games]
        write_solved(solved_path(path), rows)
        return rows

    older = {digest for digest, solution in found.items() if solution and _may_be_better(solution, settings)}
    done = {digest for digest, solution in found.items() if solution and digest not in older} | problems.keys()
    with progress_bar("solving", len(games), quiet) as bar:
        for digest, outcome in _outcomes(games, settings, workers, done, older, bar):
            if not outcome.ok:
                problems[digest] = outcome.error
            elif (content := outcome.unwrap()) is not None:
                write_bytes(paths[digest], content)
                found[digest] = read_solution(paths[digest])
                made += 1
            elif saved := _read(read_policy, paths[digest], problems):
                found[digest] = _write_limit(paths[digest], saved, settings.limit)
            note()
    return SolvedBenchmark(note(), sum(solution is not None for solution in found.values()), made, solved_path(path))


def _read(read: Callable[[Path], R], path: Path, problems: dict[str, str]) -> R | None:
    """The result of `read` for a game's policy. If it cannot be read, None, and a problem is noted for this game."""
    try:
        return read(path)
    except StorageError as error:
        problems[path.stem] = f"{str(error).removesuffix('.')}; move the file away to solve the game again."
        return None


def solve_row(_seed: int, columns: dict[str, Any], settings: Settings, older: bool = False) -> bytes | None:
    """The policy file of a stored program; runs in a worker.

    A game that does not fit into memory is solved in the default abstraction, unless the settings name another one.
    older: whether there is a policy that only a tree would improve; then None if there can be no tree.
    """
    program = from_columns(columns)
    if older and not _has_tree(program, settings):
        return None
    fitted = fitting(program, settings)
    try:
        return encode_policy(solve_game(program, fitted).saved)
    except UsageError:
        if older:
            return None
        if settings.algorithm != AUTO or fitted.abstraction != Abstraction.NONE.label:
            raise
    return encode_policy(solve_game(program, _abstracted(settings)).saved)


def _has_tree(program: Program, settings: Settings) -> bool:
    """Whether a tree within the limit is built when the game is solved."""
    return count_nodes(program, settings.limit) <= settings.limit


def _abstracted(settings: Settings) -> Settings:
    return msgspec.structs.replace(settings, abstraction=Abstraction.DEFAULT.label)


def fitting(program: Program, settings: Settings) -> Settings:
    """The settings, with the default abstraction if they name none and the tree does not fit."""
    free = settings.algorithm == AUTO or samples(settings.algorithm)
    if settings.abstraction != Abstraction.NONE.label or not free:
        return settings
    return settings if _has_tree(program, settings) else _abstracted(settings)


def _outcomes(
    games: list[dict[str, Any]],
    settings: Settings,
    workers: int | None,
    done: Collection[str],
    older: Collection[str],
    bar: Any,
) -> Iterator[tuple[str, Outcome[bytes | None]]]:
    """Digest and outcome of every game that is not done, in order of rank. older: as `solve_row` has it."""
    digests = {GameKey(game["seed"]): game["digest"] for game in games}
    jobs = []
    for game in games:
        columns = {name: game[name] for name in PROGRAM_COLUMNS}
        given = columns, settings, game["digest"] in older
        jobs.append(Job(GameKey(game["seed"]), game["seed"], solve_row, given))
    kept = {key for key, digest in digests.items() if digest in done}
    # Processes even for one worker: an interrupt must end the work, and not only the game that is being solved.
    with closing(run(jobs, "processes", workers, done=kept, on_progress=bar, setup=SETUP)) as outcomes:
        for outcome in outcomes:
            yield digests[outcome.key], outcome  # type: ignore[index]


def _earlier(path: Path, settings: Settings, problems: dict[str, str]) -> Solution | None:
    """The policies of an earlier run that meet the target, time, iterations or limit of the settings."""
    solution = _read(read_solution, path, problems) if path.exists() else None
    if solution is None:
        return None
    asked = settings.abstraction in ("none", solution.abstraction)
    target = float(settings.target)
    reached = solution.stopped == "precision" or (solution.stopped == "target" and solution.target <= target)
    worked = settings.seconds is not None and solution.seconds >= 0.9 * settings.seconds
    most = settings.iterations or (ITERATIONS if solution.algorithm == ON_ABSTRACT_TREES else None)
    counted = most is not None and solution.stopped == "iterations" and solution.iterations >= most
    beyond = solution.nodes is not None and solution.nodes > settings.limit  # with this limit there would be no tree
    return solution if asked and (reached or worked or counted or beyond) else None


def _may_be_better(solution: Solution, settings: Settings) -> bool:
    """Whether a tree might be built that was not built for this solution."""
    if solution.nodes is None:
        return solution.limit is None or solution.limit < settings.limit
    free = settings.abstraction == Abstraction.NONE.label and solution.abstraction != Abstraction.NONE.label
    return free and solution.nodes <= settings.limit


def _write_limit(path: Path, saved: SavedPolicy, limit: int) -> Solution:
    """Record that the game has no tree within this limit, so that the nodes are not counted again."""
    solution = msgspec.structs.replace(saved.solution, limit=limit)
    write_policy(path, SavedPolicy(solution, saved.table))
    return solution


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise StorageError(f"{folder} is not a folder: name a new or an existing one.") from error
    sweep(folder)
