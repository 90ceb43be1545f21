"""`antemill solve`: a policy for one game, or for every game of a benchmark."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

import msgspec
from cyclopts import Parameter

from antemill.engine.builder.resolve import resolve
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import StorageError, UsageError
from antemill.engine.execute.progress import is_watched
from antemill.engine.machine.branches import count_nodes
from antemill.engine.machine.program import Program
from antemill.engine.storage.files import write_bytes
from antemill.engine.storage.memory import peak_memory
from antemill.engine.text.verdict import judged, rejection
from antemill.solver import solving
from antemill.solver.algorithms.loop import Progress, Trace, Watch
from antemill.solver.algorithms.table import AUTO, choices_help, samples
from antemill.solver.evaluation.measures import measure
from antemill.solver.evaluation.transcripts import TREE_LIMIT
from antemill.solver.policies.dictionaries import as_dictionaries
from antemill.solver.policies.file import policy_path, read_policy, write_policy
from antemill.solver.policies.on_tree import policies_of
from antemill.solver.policies.solution import MEASURED, SavedPolicy, Solution
from antemill.solver.trees.abstract_sets import abstract_sets
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.outside import OUTSIDE_LIMIT
from antemill.solver.trees.sequence_form import sides
from antemill.tournament.adapters.outside_games import EFG, is_outside, outside_tree, read_named_policy
from antemill.tournament.cli import output as terminal
from antemill.tournament.cli.arguments import GAMES, OUTSIDE_GAMES, AsJson
from antemill.tournament.report.pool import refresh_report
from antemill.tournament.report.pool_tables import solved as solved_sheet
from antemill.tournament.solving.benchmark import solve_benchmark

_SHOWN = (
    *("game", "digest", "nodes", "information_sets", "value", "exploitability", "iterations", "seconds", "algorithm"),
    *("abstraction", "abstract_sets", "abstract_regret", "lower_bound", "value_error", "target", "reached", "stopped"),
    "measured",
)

_GAME = f"{GAMES}; {OUTSIDE_GAMES}; or a benchmark (.parquet), whose games are all solved."
_ABSTRACTION = "none, default (drops signals and roles) or fine (the paper's information states)."


def solve(
    game: Annotated[str, Parameter(help=_GAME)],
    *,
    output: Annotated[
        Path | None,
        Parameter(
            name=["--output", "-o"],
            help="The policy's file (.json for a game from outside); for a benchmark the policies' folder.",
        ),
    ] = None,
    algorithm: Annotated[str, Parameter(help=choices_help())] = AUTO,
    target: str | None = None,
    abstraction: Annotated[str, Parameter(help=_ABSTRACTION)] = "none",
    seconds: float | None = None,
    iterations: int | None = None,
    limit: int | None = None,
    workers: int | None = None,
    policy: Path | None = None,
    json: AsJson = False,
) -> None:
    """An equilibrium, its value and exploitability.

    Of one game, or of every game of a benchmark. With --policy the exploitability of a saved policy: exact on the
    game's tree, a sampled lower bound where the tree is larger than the limit.

        antemill solve kuhn -o kuhn.parquet
        antemill solve 55 --abstraction default --seconds 60 -o 55.parquet
        antemill solve 55 --policy 55.parquet
        antemill solve game.efg -o policy.json
        antemill solve out/benchmark.parquet -o out/policies --seconds 60

    Args:
        target: Stop at this exploitability (NashConv / 2): chips per game, or a share of the range of
            payoffs such as 0.1%. [default: 0.001; for a game from outside 0.1%]
        seconds: Stop after this many seconds (per game of a benchmark).
        iterations: Stop after this many iterations.
        limit: The largest tree to build, in nodes. [default: 60000000]
        workers: Processes for a benchmark.
        policy: Solve nothing, and compute the exploitability of this saved policy, or of the game's in this
            folder; its file keeps the figures. Of a game from outside a JSON document, which is left as it
            is.
    """
    if policy is not None:
        _require_alone(output, seconds, iterations, workers)
        exploitability(game, policy, limit, json)
        return
    if workers is not None and not game.endswith(".parquet"):
        raise UsageError("--workers is for a benchmark: one game is solved on one processor.")
    settings = solving.Settings(
        algorithm=algorithm,
        target=_target(game, target),
        abstraction=abstraction,
        seconds=seconds,
        iterations=iterations,
        limit=solving.LIMIT if limit is None else limit,
    )
    if is_outside(game):
        of_others = msgspec.structs.replace(settings, limit=OUTSIDE_LIMIT if limit is None else limit)
        _solve_outside(game, output, of_others, json)
    elif game.endswith(".parquet"):
        _solve_benchmark(Path(game), output, settings, workers, json)
    else:
        _solve_game(game, output, settings, json)


def _require_alone(*others: object) -> None:
    """Raise UsageError for options of solving where a policy is measured."""
    if any(one is not None for one in others):
        raise UsageError("--policy solves nothing: leave out -o, --seconds, --iterations and --workers.")


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


def _solve_game(name: str, output: Path | None, settings: solving.Settings, as_json: bool) -> None:
    solving.check_settings(settings)
    program = compile_spec(resolve(name))
    if output is not None:
        if output.suffix.lower() in (".json", EFG):
            raise UsageError(f"the policy of this game is a Parquet file: name a .parquet file, not {output}.")
        _require_writable(output)
    terminal.remark(rejection(name, judged(name, program)))
    abstracted = solving.check_settings(settings) and not samples(settings.algorithm)
    with live_line(program.names.game, "abstract regret" if abstracted else "exploitability", quiet=as_json) as watch:
        solved = solving.solve_game(program, settings, watch)
    if output is not None:
        write_policy(output, solved.saved)
    solution = solved.saved.solution
    if as_json:
        terminal.print_json(_document(solution, solved.measured, solved.trace, output))
    else:
        _print_solved(solution, output)


def _solve_outside(name: str, output: Path | None, settings: solving.Settings, as_json: bool) -> None:
    if output is not None:
        if output.suffix != ".json":
            raise UsageError(f"the policy of a game from outside is a JSON document: name a .json file, not {output}.")
        _require_writable(output)
    solving.check_outside(settings)
    with live_line(name, solving.EXPLOITABILITY, quiet=as_json):  # a node takes some ten microseconds
        tree = outside_tree(name, settings.limit)
    with live_line(tree.game, solving.EXPLOITABILITY, quiet=as_json) as watch:
        solution, profile, trace = solving.solve_outside(tree, settings, watch)
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
    path: Path, output: Path | None, settings: solving.Settings, workers: int | None, as_json: bool
) -> None:
    if output is None:
        raise UsageError("a benchmark needs a folder for its policies: name one with -o.")
    solved = solve_benchmark(path, output, settings, workers, as_json)
    report = refresh_report(path)
    if as_json:
        figures = {"games": len(solved.rows), "solved": solved.solved, "made": solved.made}
        paths = {"policies": str(output), "table": str(solved.table), "report": report and str(report)}
        terminal.print_json(figures | paths | {"results": solved.rows})
        return
    terminal.print_sheet(solved_sheet(solved.rows))
    terminal.say(f"{solved.solved} of {len(solved.rows)} games have a policy in {output}; the table is {solved.table}")
    terminal.say(*([f"The report shows them: {report}"] if report is not None else []))


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
    return str(timedelta(seconds=round(seconds)))


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
        terminal.say(f"Policy written to {output}")


def _lines(solution: Solution) -> Iterator[tuple[str, str]]:
    """The figures of a solution as words."""
    yield "nodes", "too many to build" if solution.nodes is None else f"{solution.nodes:,}"
    yield "information sets", f"{solution.information_sets:,}"
    if solution.abstract_sets is not None:
        yield f"abstract sets ({solution.abstraction})", f"{solution.abstract_sets:,}"
    error = "" if solution.value_error is None else f" (sampled, standard error {solution.value_error:.2g})"
    yield f"value for {'Alice' if solution.digest else 'the first player'}", terminal.chips(solution.value) + error
    yield _exploitability(solution)
    within = solution.abstract_regret is not None
    if within:
        yield "still to gain within the abstraction", f"at most {terminal.chips(solution.abstract_regret)}"
    yield "target", target_told(solution)
    reached = "the target within the abstraction" if within else "the target"
    by = {"interrupted": "you", "target": reached, "precision": "the precision of 64 bits"}
    how = f"{solution.algorithm}, {solution.iterations:,} iterations, {solution.seconds:.1f} s"
    yield "computed by", f"{how}, stopped by {by.get(solution.stopped, solution.stopped)}"
    yield "memory of the process at its peak", f"{peak_memory() / 1e6:,.0f} MB"


def _exploitability(solution: Solution) -> tuple[str, str]:
    """What is known of it."""
    if solution.exploitability is not None:
        return "exploitability", f"{terminal.chips(solution.exploitability)} ({solution.measured})"
    if (bound := solution.lower_bound) is None:
        return "exploitability", "not measured"
    low, mean, high = (terminal.chips(one) for one in (bound.low, bound.mean, bound.high))
    return "exploitability, lower bound", f"{mean} (95%: {low} to {high})"


def target_told(solution: Solution) -> str:
    """The target, and whether it was reached."""
    unknown = "" if solution.exploitability is not None else ": the exploitability itself is not known"
    exact = ": numbers of 64 bits go no further" if solution.stopped == "precision" else unknown
    return f"{solution.target:.3g} ({'target reached' if solution.reached else f'target not reached{exact}'})"


# ------------------------------------------------------------------------------------------------ of a saved policy


def exploitability(name: str, policy: Path, limit: int | None, json: bool) -> None:
    """Compute and print the exploitability of a saved policy; that of a game of ours is written into its file."""
    if limit is not None and limit < 1:
        raise UsageError(f"--limit is {limit}: use at least 1.")
    figures: dict[str, Any]
    if is_outside(name):
        tree = outside_tree(name, limit or OUTSIDE_LIMIT)
        named = read_named_policy(policy, tree, name)
        found = measure(sides(tree), named.profile)
        missing: int | None = sum(named.missing)
        figures = {"game": tree.game, "value": found.value, "exploitability": found.exploitability}
        figures |= {"measured": MEASURED[0], "missing_sets": missing, "policy": str(policy)}
        lines = [("value for the first player", terminal.chips(found.value))]
        lines.append(("exploitability", f"{terminal.chips(found.exploitability)} ({MEASURED[0]})"))
    else:
        program = compile_spec(resolve(name))
        path = policy_path(policy, program)
        missing = _missing(path, program)
        saved = read_policy(path, program)
        solution = solving.measured_again(program, saved, limit or solving.LIMIT)
        write_policy(path, SavedPolicy(solution, saved.table))
        keys = ("game", "digest", "value", "exploitability", "lower_bound", "measured", "target", "reached")
        figures = msgspec.to_builtins({key: getattr(solution, key) for key in keys})
        figures |= {"missing_sets": missing, "policy": str(path)}
        lines = [("value for Alice", terminal.chips(solution.value)), _exploitability(solution)]
    if json:
        terminal.print_json(figures)
        return
    if missing:
        lines.append(("information sets without a row", f"{missing:,}, played uniformly"))
    terminal.print_table(str(figures["game"]), ("", ""), lines, texts=2)


def _missing(path: Path, program: Program) -> int | None:
    """How many sets of decisions of the game the policy lacks; None if the tree is too large to count them."""
    if count_nodes(program, TREE_LIMIT) > TREE_LIMIT:
        return None
    table = read_policy(path, program).table
    return policies_of(abstract_sets(program, build_tree(program, TREE_LIMIT), table.abstraction), table)[1]
