"""`antemill solve`: a policy for one game, or for every game of a benchmark."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from cyclopts import Parameter

from antemill.engine.builder.resolve import resolve
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import StorageError, UsageError
from antemill.engine.execute.progress import is_watched
from antemill.engine.machine.program import Program
from antemill.engine.storage.files import write_bytes
from antemill.engine.storage.memory import peak_memory
from antemill.engine.text.verdict import judged, rejection
from antemill.solver import solving
from antemill.solver.algorithms.loop import Progress, Trace, Watch
from antemill.solver.algorithms.table import AUTO, choices_help, samples
from antemill.solver.policies.dictionaries import as_dictionaries
from antemill.solver.policies.file import read_policy, write_policy
from antemill.solver.policies.solution import SavedPolicy, Solution
from antemill.solver.trees.outside import OUTSIDE_LIMIT
from antemill.tournament.adapters.outside_games import EFG, is_outside, outside_tree, read_named_policy
from antemill.tournament.cli import output as terminal
from antemill.tournament.cli.arguments import GAMES, OUTSIDE_GAMES, AsJson, DryRunLocal
from antemill.tournament.report.pool import refresh_report
from antemill.tournament.report.pool_tables import solved as solved_sheet
from antemill.tournament.solving.benchmark import SolvedBenchmark, solve_benchmark
from antemill.tournament.solving.response import respond_to_file, response_bar

if TYPE_CHECKING:
    from antemill.tournament.pool.plans import Plan

_SHOWN = (
    *("game", "digest", "nodes", "information_sets", "value", "exploitability", "iterations", "seconds", "algorithm"),
    *("abstraction", "abstract_sets", "abstract_regret", "lower_bound", "value_error", "target", "reached", "stopped"),
    *("measured", "response_nodes"),
)

LOCAL = "local"
_GAME = f"{GAMES}; {OUTSIDE_GAMES}; or a benchmark (.parquet), whose games are all solved."
_ABSTRACTION = (
    "none, suits (exact; suits that no rule distinguishes are interchangeable), default (drops signals and roles, bins "
    "wagers) or fine (the paper's information states)."
)


def solve(
    name: Annotated[str, Parameter(help=_GAME)],
    *,
    output: Annotated[
        Path | None,
        Parameter(
            name=["--output", "-o"],
            help="The policy's file (.json for a game from outside); for a benchmark the policies' folder.",
        ),
    ] = None,
    algorithm: Annotated[str, Parameter(help=choices_help())] = AUTO,
    target: Annotated[
        str | None,
        Parameter(
            help="Stop at this exploitability (NashConv / 2): chips per game, or a share of the range of payoffs "
            "such as 0.1%. [default: 0.001; for a game from outside 0.1%]"
        ),
    ] = None,
    abstraction: Annotated[str, Parameter(help=_ABSTRACTION)] = "none",
    seconds: Annotated[float | None, Parameter(help="Stop after this many seconds (per game of a benchmark).")] = None,
    iterations: Annotated[int | None, Parameter(help="Stop after this many iterations.")] = None,
    warm_start: Annotated[Path | None, Parameter(help="A policy of the same game to start from.")] = None,
    limit: Annotated[
        int | None,
        Parameter(help="The largest tree to build, in nodes; trees above fifty million nodes are not kept in memory."),
    ] = None,
    workers: Annotated[
        int | None, Parameter(help="Threads for one game, at most one per processor; processes for a benchmark.")
    ] = None,
    executor: Annotated[
        str, Parameter(help="For a benchmark: local (this machine) or ray (a cluster, the extra antemill[ray]).")
    ] = LOCAL,
    seed: Annotated[int, Parameter(help="The seed for everything that is sampled.")] = 0,
    episodes: Annotated[
        int | None, Parameter(help="Episodes for the sampled lower bound, for a game without a tree; 0 for none.")
    ] = None,
    exact: Annotated[
        int | None,
        Parameter(
            help="For a game without a tree: compute the exact exploitability if best responses visit at most "
            f"this many nodes, by an estimate; 0 for never. [default: {solving.EXACT}]"
        ),
    ] = None,
    dry_run: DryRunLocal = False,
    json: AsJson = False,
) -> None:
    """`solve`."""
    settings = solving.Settings(
        algorithm=algorithm,
        target=_target(name, target),
        abstraction=abstraction,
        seconds=seconds,
        iterations=iterations,
        limit=solving.LIMIT if limit is None else limit,
        workers=1 if workers is None else workers,
        seed=seed,
        episodes=solving.EPISODES if episodes is None else episodes,
        exact=solving.EXACT if exact is None else exact,
    )
    if executor != LOCAL and not name.endswith(".parquet"):
        raise UsageError("one game is solved on one machine: --executor is for the games of a benchmark.")
    if is_outside(name):
        of_others = msgspec.structs.replace(settings, limit=OUTSIDE_LIMIT if limit is None else limit)
        if dry_run:
            solving.check_outside(of_others)
            tree = outside_tree(name, of_others.limit)
            _print_plan(lambda plans: plans.plan_tree(tree.game, tree.nodes, of_others, output), json)
            return
        _solve_outside(name, output, of_others, warm_start, json)
    elif name.endswith(".parquet") and dry_run:
        folder = _policies(output)
        _print_plan(lambda plans: plans.plan_benchmark(Path(name), folder, settings, workers), json)
    elif name.endswith(".parquet"):
        _solve_benchmark(Path(name), output, settings, warm_start, workers, executor, json)
    elif dry_run:
        program = compile_spec(resolve(name))
        _print_plan(lambda plans: plans.plan_game(program, settings, output), json)
    else:
        _solve_game(name, output, settings, warm_start, json)


def _target(name: str, target: str | None) -> float | str:
    """The given target, or the default for this game."""
    if target is None:
        return "0.1%" if is_outside(name) else 1e-3
    try:
        return target if target.endswith("%") else float(target)
    except ValueError:
        raise UsageError(
            f"the target '{target}' is neither a number of chips such as 0.001 nor a share of the range of payoffs "
            "such as 0.1%."
        ) from None


def _print_plan(plan: Callable[[ModuleType], Plan], as_json: bool) -> None:
    """Say what would be done."""
    from antemill.tournament.cli.plan import print_plan
    from antemill.tournament.solving import plans

    print_plan(plan(plans), as_json)


def _policies(output: Path | None) -> Path:
    """The folder for a benchmark's policies."""
    if output is None:
        raise UsageError("a benchmark needs a folder for its policies: name one with -o.")
    return output


def _solve_game(
    name: str, output: Path | None, settings: solving.Settings, warm_start: Path | None, as_json: bool
) -> None:
    solving.check_settings(settings)
    program = compile_spec(resolve(name))
    start = None if warm_start is None else read_policy(warm_start, program)
    if output is not None:
        if output.suffix.lower() in (".json", EFG):
            raise UsageError(f"the policy of this game is a Parquet file: name a .parquet file, not {output}.")
        _require_writable(output)
    terminal.remark(rejection(name, judged(name, program)))
    abstracted = not solving.check_settings(settings).lossless and not samples(settings.algorithm)
    with live_line(program.names.game, "abstract regret" if abstracted else "exploitability", quiet=as_json) as watch:
        solved = solving.solve_game(program, settings, watch, start)
    if output is not None:
        write_policy(output, solved.saved)
    solution = _respond(program, solved.saved, output, settings, as_json)
    if as_json:
        terminal.print_json(_document(solution, solved.measured, solved.trace, output))
    else:
        _print_solved(solution, output)


def _respond(
    program: Program, saved: SavedPolicy, output: Path | None, settings: solving.Settings, quiet: bool
) -> Solution:
    """The solution with its exact exploitability, if that is wanted. After Ctrl-C the solution as it was."""
    if not solving.wants_response(saved.solution, settings.exact):
        return saved.solution
    try:
        if output is not None:
            return respond_to_file(output, program, settings.exact, settings.workers, quiet)
        with response_bar(program.names.game, quiet) as on_progress:
            return solving.respond(program, saved, settings.exact, settings.workers, on_progress=on_progress).solution
    except KeyboardInterrupt:
        return saved.solution


def _solve_outside(
    name: str, output: Path | None, settings: solving.Settings, warm_start: Path | None, as_json: bool
) -> None:
    if output is not None:
        if output.suffix != ".json":
            raise UsageError(f"the policy of a game from outside is a JSON document: name a .json file, not {output}.")
        _require_writable(output)
    solving.check_outside(settings)
    with live_line(name, solving.EXPLOITABILITY, quiet=as_json):  # a node takes some ten microseconds
        tree = outside_tree(name, settings.limit)
    given = None if warm_start is None else read_named_policy(warm_start, tree, name)
    start = None if given is None else given.profile
    if given is not None and (missing := sum(given.missing)):
        sets = sum(mine.size for mine in tree.sets)
        terminal.remark(f"{warm_start} has no row for {missing:,} of {sets:,} information sets: these start uniform.")
    with live_line(tree.game, solving.EXPLOITABILITY, quiet=as_json) as watch:
        solution, profile, trace = solving.solve_outside(tree, settings, watch, start)
    document = _document(solution, solving.EXPLOITABILITY, trace, output)
    if output is not None:
        figures = {key: document[key] for key in ("game", "value", "exploitability", "algorithm")}
        named = figures | {"policy": as_dictionaries(tree, profile)}
        write_bytes(output, msgspec.json.format(msgspec.json.encode(named), indent=1) + b"\n")
    if as_json:
        terminal.print_json(document)
    else:
        _print_solved(solution, output)


def _solve_benchmark(
    path: Path,
    output: Path | None,
    settings: solving.Settings,
    warm_start: Path | None,
    workers: int | None,
    executor: str,
    as_json: bool,
) -> None:
    output = _policies(output)
    if warm_start is not None:
        raise UsageError("--warm-start does not work for a benchmark: leave it out.")
    one_thread = msgspec.structs.replace(settings, workers=1)
    solved = solve_benchmark(path, output, one_thread, workers, as_json, executor)
    report = refresh_report(path)
    if as_json:
        figures = {"games": len(solved.rows), "solved": solved.solved, "made": solved.made}
        paths = {"policies": str(output), "table": str(solved.table), "report": report and str(report)}
        terminal.print_json(figures | paths | {"results": solved.rows})
        return
    _print_benchmark(solved, output)
    if report is not None:
        terminal.console().print(f"The report shows them: {report}", soft_wrap=True)


@contextmanager
def live_line(title: str, what: str, quiet: bool = False) -> Iterator[Watch | None]:
    """A line on stderr that shows how far the run is, if stderr is a terminal and `quiet` is false. what: the name of
    what is measured.
    """
    if not is_watched(quiet):
        yield None
        return
    from rich.console import Console
    from rich.markup import escape

    title = escape(title)
    with Console(stderr=True).status(f"{title}: getting ready", spinner="line") as status:

        def watch(progress: Progress) -> bool:
            status.update(f"{title}: {line(progress, what)}")
            return True

        yield watch


def line(progress: Progress, what: str) -> str:
    """The progress of a run in one line."""
    known = f", {what} {progress.measure:.2g} (target {progress.target:.2g})"
    measured = known if math.isfinite(progress.measure) else ""
    left = "" if progress.seconds_left is None else f", about {_duration(progress.seconds_left)} left"
    return (
        f"{progress.algorithm}, iteration {progress.iteration:,}{measured}, {_duration(progress.seconds)}{left}; "
        "Ctrl-C stops and keeps the policy"
    )


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


def _require_writable(output: Path) -> None:
    """Refuse, before the work, a file that could not be written after it."""
    if output.is_dir():
        raise StorageError(f"{output} is a folder: name a file in it, such as {output / 'policy.parquet'}.")
    if not output.resolve().parent.is_dir():
        raise StorageError(f"cannot write {output}: its folder does not exist, create it first.")


def _document(solution: Solution, measured: str, points: list[Trace], output: Path | None) -> dict[str, Any]:
    figures = {name: getattr(solution, name) for name in _SHOWN}
    trace = {"measure": measured, "points": points}
    document: dict[str, Any] = msgspec.to_builtins(figures)
    return document | {"policy": output and str(output), "trace": trace, "peak_bytes": peak_memory()}


def _print_solved(solution: Solution, output: Path | None) -> None:
    terminal.print_table(solution.game, ("", ""), list(_lines(solution)), texts=2)
    if output is not None:
        terminal.console().print(f"Policy written to {output}", soft_wrap=True)


def _lines(solution: Solution) -> Iterator[tuple[str, str]]:
    """The figures of a solution as words."""
    nodes = "too many to build" if solution.nodes is None else f"{solution.nodes:,}"
    yield "nodes", nodes
    if solution.response_nodes is not None:
        yield "nodes that best responses visit", terminal.about(solution.response_nodes)
    yield "information sets", f"{solution.information_sets:,}"
    if solution.abstract_sets is not None:
        yield f"abstract sets ({solution.abstraction})", f"{solution.abstract_sets:,}"
    error = "" if solution.value_error is None else f" (sampled, standard error {solution.value_error:.2g})"
    ours = bool(solution.digest)
    value = terminal.chips(solution.value) if ours or solution.value is None else f"{solution.value:.6g}"
    yield "value for Alice" if ours else "value for the first player", value + error
    if solution.exploitability is not None:
        yield "exploitability", f"{terminal.digits(solution.exploitability)} ({solution.measured})"
    elif solution.lower_bound is None:
        yield "exploitability", "not measured"
    if solution.lower_bound is not None:
        bound = solution.lower_bound
        yield (
            "exploitability, lower bound",
            f"{terminal.small(bound.mean)} (95%: {terminal.small(bound.low)} to {terminal.small(bound.high)})",
        )
    if solution.abstract_regret is not None:
        yield (
            "still to gain within the abstraction",
            f"at most {terminal.chips(solution.abstract_regret)} (not what it loses)",
        )
    yield "target", target_told(solution)
    how = f"{solution.algorithm}, {solution.iterations:,} iterations, {solution.seconds:.1f} s"
    within = "the target within the abstraction" if solution.abstract_regret is not None else "the target"
    exact = "the precision of 64 bits"
    by = {"interrupted": "you", "target": within, "precision": exact}.get(solution.stopped, solution.stopped)
    yield "computed by", f"{how}, stopped by {by}"
    yield "memory of the process at its peak", f"{peak_memory() / 1e6:,.0f} MB"


def target_told(solution: Solution) -> str:
    """The target, and whether it was reached."""
    unknown = "" if solution.exploitability is not None else ": the exploitability itself is not known"
    exact = ": numbers of 64 bits go no further" if solution.stopped == "precision" else unknown
    return f"{solution.target:.3g} ({'target reached' if solution.reached else f'target not reached{exact}'})"


def _print_benchmark(benchmark: SolvedBenchmark, output: Path) -> None:
    terminal.print_sheet(solved_sheet(benchmark.rows))
    where = f"{output}; the table is {benchmark.table}"
    terminal.console().print(
        f"{benchmark.solved} of {len(benchmark.rows)} games have a policy in {where}", soft_wrap=True
    )
