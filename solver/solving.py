"""Solving one game: the tree where it fits, the machine itself where it does not.

a tree, no abstraction    `algorithms.solve`: the exact exploitability. If the tree does not fit, but fits without names
                          of suits, that one is solved. Of a tree above `NODE_LIMIT` only the sequence form is kept
                          (`trees.streamed_form`), if it takes less memory
a tree, an abstraction    `algorithms.abstract_cfr`: convergence within the abstraction, and the real exploitability
a game from outside       `algorithms.solve`, on its tree (`solve_outside`)
no tree                   `algorithms.mccfr`: a sampled value, and a sampled lower bound of the real exploitability;
                          `respond`: the exact ones, if the game is not too large

Every run returns its best policy so far, also after Ctrl-C.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec
from msgspec import Struct

from antemill.engine.arguments import ArgumentValueError, kind, number, seed, text, whole, wrong_type
from antemill.engine.errors import UsageError
from antemill.engine.execute import default_workers
from antemill.engine.machine.program import Program
from antemill.engine.match.game import Game, Rules, program_of
from antemill.engine.storage.memory import returning_freed_memory
from antemill.solver.algorithms.abstract_cfr import solve_abstract
from antemill.solver.algorithms.loop import Trace, Watch, check_positive, limit, target_in_chips
from antemill.solver.algorithms.mccfr import solve_sampled
from antemill.solver.algorithms.solve import Run, solve
from antemill.solver.algorithms.table import AUTO, CHOICES, ON_ABSTRACT_TREES, ON_ABSTRACTIONS, SAMPLING, samples
from antemill.solver.evaluation.measures import exploitability, measure
from antemill.solver.evaluation.sampled_response import lower_bound, sampled_value
from antemill.solver.evaluation.streamed_response import streamed_measures
from antemill.solver.evaluation.tally import OnProgress
from antemill.solver.evaluation.tree_size import check_size, response_nodes
from antemill.solver.game import ExtensiveForm
from antemill.solver.policies.on_tree import lift_profile, policy_of, policy_of_tree, table_profile
from antemill.solver.policies.policy import Policy
from antemill.solver.policies.profile import StrategyProfile
from antemill.solver.policies.solution import SavedPolicy, Solution
from antemill.solver.trees.abstract_sets import abstract_sets, own_sets
from antemill.solver.trees.abstraction import Abstraction, abstraction_of
from antemill.solver.trees.build import BYTES_A_NODE, NODE_LIMIT, build_tree, most_nodes
from antemill.solver.trees.sequence_form import Sides, sides
from antemill.solver.trees.streamed_form import StreamedForm, streamed_form
from antemill.solver.trees.walk import count_with, lossless, renaming

LIMIT = NODE_LIMIT  # largest tree, in nodes, that is built by default
EXACT = 100_000_000  # largest best response, in estimated nodes, that is computed by default
SAMPLED_SECONDS = 60.0  # default length of a run without a tree
EXPLOITABILITY = "exploitability"  # what the figures of a trace mean, except for an abstraction
EPISODES = 1_000_000  # default number of episodes for the sampled lower bound
LEAST_EPISODES, MOST_EPISODES = 1_000, 1_000_000_000
MOST_NODES = 1 << 62  # largest count of a kernel, which must leave space for one more


class Settings(Struct, frozen=True, kw_only=True, repr_omit_defaults=True):
    """How to solve a game. None for `seconds` or `iterations` means that there is no such limit."""

    algorithm: str = AUTO
    target: float | str = 1e-3  # chips; with a tree also a share of the range of its payoffs, such as "0.1%"
    abstraction: str = "none"
    seconds: float | None = None
    iterations: int | None = None
    limit: int = LIMIT  # nodes
    workers: int = 1  # threads, at most one per processor
    episodes: int = EPISODES  # for the sampled lower bound, without a tree; 0: none
    seed: int = 0  # for everything that is sampled
    exact: int = EXACT  # without a tree: nodes of the largest best response that is computed; 0: never


_DEFAULTS = Settings()


class Solved(NamedTuple):
    """The result of solving a game. measured: what the figures in the trace mean."""

    saved: SavedPolicy
    measured: str
    trace: list[Trace]

    def __repr__(self) -> str:
        return f"<Solved: {self.saved.solution!r}>"


def check_settings(settings: Settings) -> Abstraction:
    """The abstraction of the settings. Raises UsageError, which says what to change, if they cannot be used."""
    abstraction = abstraction_of(settings.abstraction)
    if settings.algorithm not in CHOICES:
        raise ArgumentValueError(f"there is no algorithm '{settings.algorithm}': use one of {', '.join(CHOICES)}.")
    if abstraction == Abstraction.SUITS and samples(settings.algorithm):
        raise ArgumentValueError(f"the abstraction suits needs the tree: leave out --algorithm {SAMPLING}.")
    if not abstraction.lossless and settings.algorithm not in ON_ABSTRACTIONS:
        raise ArgumentValueError(
            f"an abstraction cannot be solved by {settings.algorithm}: use {', '.join(ON_ABSTRACTIONS)}."
        )
    target_in_chips(settings.target, 1.0)
    check_positive(seconds=settings.seconds, iterations=settings.iterations)
    check_positive(workers=settings.workers, nodes=settings.limit)
    if max(settings.limit, settings.exact) > MOST_NODES:
        raise ArgumentValueError(f"{max(settings.limit, settings.exact)} nodes cannot be counted: use at most 2^62.")
    if settings.exact < 0:
        raise ArgumentValueError(f"{settings.exact} is not a number of nodes: use 0 to leave out exact best responses.")
    if settings.episodes and settings.episodes < LEAST_EPISODES:
        raise ArgumentValueError(
            f"{settings.episodes} episodes are too few for a lower bound: use at least {LEAST_EPISODES:,}, "
            "or 0 for none."
        )
    if settings.episodes > MOST_EPISODES:
        raise ArgumentValueError(f"{settings.episodes} episodes are too many: use at most {MOST_EPISODES:,}.")
    return abstraction


_PLAIN: dict[str, Callable[[Any, str], object]] = {
    "algorithm": text,
    "abstraction": text,
    "target": lambda given, name: given if isinstance(given, str) else number(given, name),
    "seconds": lambda given, name: limit(cast(float | None, given), name, number),
    "iterations": lambda given, name: limit(cast(int | None, given), name, whole),
    **dict.fromkeys(("limit", "workers", "episodes", "exact"), whole),
    "seed": seed,
}


def _plain(settings: Settings) -> Settings:
    """The settings with plain numbers. Raises ArgumentTypeError for values of another type."""
    kind(settings, "settings", Settings, "make them by Settings(target=...)")
    plain: dict[str, Any] = {name: read(getattr(settings, name), name) for name, read in _PLAIN.items()}
    return Settings(**plain)


def solve_game(program: Rules | Game, settings: Settings = _DEFAULTS, watch: Watch | None = None) -> Solved:
    """Solve a game as `antemill solve` does.

    program: a program, a spec, a game's name, a seed, or the path of a file of rules. watch: called after each
    measurement; ends the run by returning False.
    Raises UsageError for settings that cannot be used, or a tree above the limit.
    """
    program, settings = program_of(program, "program"), _plain(settings)
    if watch is not None and not callable(watch):
        wrong_type("watch", watch, "a function of a Progress", "leave it out, or give one that returns False to stop")
    abstraction = check_settings(settings)
    if abstraction.lossless and not samples(settings.algorithm):
        exact = lossless(program, settings.limit, abstraction)
        fits, abstraction = exact is not None, abstraction if exact is None else exact
    else:
        most = min(settings.limit, most_nodes())
        fits = count_with(program, renaming(program, abstraction), most) <= most
    sampled = samples(settings.algorithm) or (settings.algorithm == AUTO and not abstraction.lossless and not fits)
    if not fits and not sampled:
        raise UsageError(
            f"the tree of {program.names.game} has more than {settings.limit:,} nodes: use --abstraction default, "
            f"--algorithm {SAMPLING}, or a larger --limit (a hundred million nodes take a minute to walk through)."
        )
    if sampled:
        tree = build_tree(program, settings.limit, abstraction) if fits else None
        return _solve_sampled(program, tree, settings, abstraction, watch)
    if abstraction.lossless:
        with returning_freed_memory():
            return _solve_form(program, settings, abstraction, watch)
    return _solve_abstract(program, settings, abstraction, watch)


def _form(program: Program, limit: int, abstraction: Abstraction) -> tuple[StreamedForm, float | None]:
    """The sequence form of a game, and the range of payoffs if there is a tree. The form is streamed if the tree has
    more than `NODE_LIMIT` nodes and would take more memory."""
    nodes = count_with(program, renaming(program, abstraction), limit) if limit > NODE_LIMIT else 0
    if nodes > NODE_LIMIT:
        with suppress(UsageError):
            return streamed_form(program, abstraction, nodes * BYTES_A_NODE), None
    tree = build_tree(program, limit, abstraction)
    return StreamedForm(sides(tree), tree.sets, tree.nodes), tree.spread  # iterations do without the tree's nodes


def _solve_form(program: Program, settings: Settings, abstraction: Abstraction, watch: Watch | None) -> Solved:
    (both, sets, nodes), spread = _form(program, settings.limit, abstraction)
    settings = _in_chips(settings, spread)
    run = _run(both, settings, watch)
    del both  # before the policy is written down
    table = policy_of_tree(sets, abstraction, run.profile)
    sizes = {"nodes": nodes, "information_sets": sets[0].size + sets[1].size}
    about = _about(program, settings) | {"abstraction": abstraction.label} | sizes
    return Solved(SavedPolicy(Solution(**about, **_figures(run)), table), EXPLOITABILITY, run.trace)


def _run(both: Sides, settings: Settings, watch: Watch | None) -> Run:
    limits = settings.target, settings.iterations, settings.seconds
    return solve(both, settings.algorithm, *limits, None, settings.workers, watch)


def _in_chips(settings: Settings, spread: float | None) -> Settings:
    """The settings with the target in chips. spread: the range of payoffs, None if it is not known."""
    return msgspec.structs.replace(settings, target=target_in_chips(settings.target, spread))


def _figures(run: Run) -> dict[str, Any]:
    names = ("algorithm", "stopped", "iterations", "seconds", "value", "exploitability")
    return {name: getattr(run, name) for name in names}


class SolvedOutside(NamedTuple):
    """The result of solving a game from outside."""

    solution: Solution
    profile: StrategyProfile
    trace: list[Trace]


def check_outside(settings: Settings) -> None:
    """Raise UsageError for settings that cannot be used, or that need our own game's rules."""
    if check_settings(settings) or samples(settings.algorithm):
        raise UsageError("a game from outside is solved on its tree: leave out the abstraction and the sampling.")


def solve_outside(tree: ExtensiveForm, settings: Settings, watch: Watch | None = None) -> SolvedOutside:
    """Solve a game from outside (`trees.outside`), on its tree.

    Raises UsageError for settings that cannot be used, or that need our own game's rules.
    """
    check_outside(settings)
    settings = _in_chips(settings, tree.spread)
    run = _run(sides(tree), settings, watch)
    about: dict[str, Any] = {"game": tree.game, "digest": tree.digest, "suited": False}
    asked: dict[str, Any] = {"abstraction": settings.abstraction, "target": settings.target}
    return SolvedOutside(Solution(**about, **asked, **_sizes(tree), **_figures(run)), run.profile, run.trace)


def _solve_abstract(program: Program, settings: Settings, abstraction: Abstraction, watch: Watch | None) -> Solved:
    tree = build_tree(program, settings.limit, abstraction)
    both, abstract, sizes = sides(tree), abstract_sets(program, tree, abstraction), _sizes(tree)
    settings = _in_chips(settings, tree.spread)
    del tree  # iterations do without its nodes
    limits = float(settings.target), settings.iterations, settings.seconds
    run = solve_abstract(both, abstract, *limits, watch)
    real = measure(both, lift_profile(abstract, run.policies))
    solution = Solution(
        **_about(program, settings),
        **sizes,
        algorithm=ON_ABSTRACT_TREES,
        stopped=run.stopped,
        iterations=run.iterations,
        seconds=run.seconds,
        abstract_sets=abstract[0].size + abstract[1].size,
        abstract_regret=run.abstract_regret,
        value=real.value,
        exploitability=real.exploitability,
    )
    table = policy_of(abstract, abstraction, run.policies)
    return Solved(SavedPolicy(solution, table), "abstract_regret", run.trace)


def real_measures(program: Program, tree: ExtensiveForm, table: Policy) -> tuple[float, float]:
    """Alice's value and the exploitability of a table's policy in the real game; unknown keys are played uniformly."""
    abstract = abstract_sets(program, tree, table.abstraction)
    found = measure(sides(tree), table_profile(abstract, table))
    return found.value, found.exploitability


def _about(program: Program, settings: Settings) -> dict[str, Any]:
    return {
        "game": program.names.game,
        "digest": program.digest,
        "suited": program.suited,
        "abstraction": settings.abstraction,
        "target": settings.target,
        "limit": settings.limit,
    }


def _sizes(tree: ExtensiveForm) -> dict[str, Any]:
    return {"nodes": tree.nodes, "information_sets": tree.sets[0].size + tree.sets[1].size}


def _solve_sampled(
    program: Program, tree: ExtensiveForm | None, settings: Settings, abstraction: Abstraction, watch: Watch | None
) -> Solved:
    settings = _in_chips(settings, None if tree is None else tree.spread)
    endless = settings.iterations is None and settings.seconds is None
    run = solve_sampled(
        program,
        abstraction,
        iterations=settings.iterations,
        seconds=SAMPLED_SECONDS if endless else settings.seconds,
        seed=settings.seed,
        watch=watch,
        measured=None if tree is None else _measure_of(program, tree, abstraction),
        target=float(settings.target),
    )
    counted: dict[str, Any] = {"stopped": run.stopped, "iterations": run.iterations, "seconds": run.seconds}
    if abstraction != Abstraction.NONE:
        counted["abstract_sets"] = run.table.rows
    figures = (
        _sampled_figures(program, run.table, settings) if tree is None else _exact_figures(program, tree, run.table)
    )
    solution = Solution(**_about(program, settings), algorithm=SAMPLING, **counted, **figures)
    return Solved(SavedPolicy(solution, run.table), EXPLOITABILITY, run.trace)


def _measure_of(program: Program, tree: ExtensiveForm, abstraction: Abstraction) -> Callable[[Policy], float]:
    """A function that gives a table's exploitability on the tree."""
    both, abstract = sides(tree), abstract_sets(program, tree, abstraction)

    def measured(table: Policy) -> float:
        return exploitability(both, table_profile(abstract, table))

    return measured


def wants_response(solution: Solution, limit: float) -> bool:
    """Whether a policy's exact exploitability is missing and its best responses visit at most `limit` nodes."""
    return solution.exploitability is None and solution.response_nodes is not None and solution.response_nodes <= limit


def respond(
    program: Program,
    saved: SavedPolicy,
    limit: float,
    workers: int = 1,
    path: Path | None = None,
    on_progress: OnProgress | None = None,
) -> SavedPolicy:
    """The policy with its exact value and exploitability, computed by best responses without a tree.

    A policy of the abstraction `suits` is measured on the tree it was solved on, because the machine does not have its
    keys. limit: the most nodes that the best responses may visit, by an estimate. workers: threads, at most one per
    processor. path, on_progress: as in `streamed_measures`.
    Raises UsageError if the best responses visit more nodes.
    """
    if not saved.table.abstraction.by_state:
        return _measured_again(program, saved, limit)
    sizes, workers = response_nodes(program, saved.table), min(workers, default_workers())
    check_size(program, sizes, limit, workers)
    alice, bob = (size.mean for size in sizes)
    found = streamed_measures(program, saved.table, workers, path, on_progress, (alice, bob))
    solution = msgspec.structs.replace(
        saved.solution,
        value=found.value,
        value_error=None,
        exploitability=found.exploitability,
        lower_bound=None,
        response_nodes=alice + bob,
    )
    return SavedPolicy(solution, saved.table)


def _measured_again(program: Program, saved: SavedPolicy, limit: float) -> SavedPolicy:
    """`respond` for a policy of a lossless abstraction, by the sequence form under it."""
    nodes, abstraction = saved.solution.nodes or LIMIT, saved.table.abstraction
    if nodes > limit:
        raise UsageError(
            f"the tree of {program.names.game} has {nodes:,} nodes under the abstraction suits: raise the limit."
        )
    (both, sets, _), _ = _form(program, nodes, abstraction)
    found = measure(both, table_profile(own_sets(sets), saved.table))
    solution = msgspec.structs.replace(saved.solution, value=found.value, exploitability=found.exploitability)
    return SavedPolicy(solution, saved.table)


def _exact_figures(program: Program, tree: ExtensiveForm, table: Policy) -> dict[str, Any]:
    value, exploitable = real_measures(program, tree, table)
    return {**_sizes(tree), "value": value, "exploitability": exploitable}


def _sampled_figures(program: Program, table: Policy, settings: Settings) -> dict[str, Any]:
    """The sampled value and lower bound, as the settings want them. After Ctrl-C the missing ones are left out."""
    alice, bob = response_nodes(program, table)
    figures: dict[str, Any] = {"information_sets": table.rows, "response_nodes": alice.mean + bob.mean}
    if settings.episodes < 1:
        return figures
    with suppress(KeyboardInterrupt):
        value = sampled_value(program, table, max(2, settings.episodes // 10), settings.seed)
        figures |= {"value": value.mean, "value_error": value.error}
        figures["lower_bound"] = lower_bound(program, table, settings.episodes, settings.seed)
    return figures
