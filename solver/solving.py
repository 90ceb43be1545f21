"""Solving one game: the tree where it fits, the machine itself where it does not.

a tree, no abstraction    `algorithms.solve`: the exact exploitability
a tree, an abstraction    `algorithms.abstract_cfr`: convergence within the abstraction, and the real exploitability
no tree                   `algorithms.mccfr`: a sampled value, and a sampled lower bound of the real exploitability

Every run returns its best policy so far, also after Ctrl-C.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple, cast

import msgspec
from msgspec import Struct

from antemill.engine.arguments import ArgumentValueError, kind, number, seed, text, whole, wrong_type
from antemill.engine.errors import UsageError
from antemill.engine.machine.branches import count_nodes
from antemill.engine.machine.program import Program
from antemill.engine.match.game import Game, Rules, program_of
from antemill.solver.algorithms.abstract_cfr import solve_abstract
from antemill.solver.algorithms.loop import Trace, Watch, check_positive, limit, target_in_chips
from antemill.solver.algorithms.mccfr import solve_sampled
from antemill.solver.algorithms.solve import Run, solve
from antemill.solver.algorithms.table import (
    AUTO,
    CHOICES,
    ON_ABSTRACT_TREES,
    ON_ABSTRACTIONS,
    RULES,
    SAMPLING,
    samples,
)
from antemill.solver.evaluation.measures import exploitability, measure
from antemill.solver.evaluation.sampled_response import lower_bound, sampled_value
from antemill.solver.game import ExtensiveForm
from antemill.solver.policies.on_tree import lift_profile, policy_of, policy_of_tree, table_profile
from antemill.solver.policies.policy import Policy
from antemill.solver.policies.profile import StrategyProfile
from antemill.solver.policies.solution import SavedPolicy, Solution
from antemill.solver.trees.abstract_sets import abstract_sets
from antemill.solver.trees.abstraction import Abstraction, abstraction_of
from antemill.solver.trees.build import MOST_NUMBERS, NODE_LIMIT, build_tree
from antemill.solver.trees.sequence_form import Sides, sides

LIMIT = NODE_LIMIT  # largest tree, in nodes, that is built by default
LIKE = 1_000_000  # and of a disguise, which is solved while a match waits
SAMPLED_SECONDS = 60.0  # default length of a run without a tree
EXPLOITABILITY = "exploitability"  # what the figures of a trace mean, except for an abstraction
EPISODES = 1_000_000  # default number of episodes for the sampled lower bound
LEAST_EPISODES, MOST_EPISODES = 1_000, 1_000_000_000


class Settings(Struct, frozen=True, kw_only=True, repr_omit_defaults=True):
    """How to solve a game. None for `seconds` or `iterations` means that there is no such limit."""

    algorithm: str = AUTO
    target: float | str = 1e-3  # chips; with a tree also a share of the range of its payoffs, such as "0.1%"
    abstraction: str = "none"
    seconds: float | None = None
    iterations: int | None = None
    limit: int = LIMIT  # nodes
    episodes: int = EPISODES  # for the sampled lower bound, without a tree; 0: none
    seed: int = 0  # for everything that is sampled


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
    if abstraction != Abstraction.NONE and settings.algorithm not in ON_ABSTRACTIONS:
        raise ArgumentValueError(
            f"an abstraction cannot be solved by {settings.algorithm}: use {', '.join(ON_ABSTRACTIONS)}."
        )
    target_in_chips(settings.target, 1.0)
    check_positive(seconds=settings.seconds, iterations=settings.iterations)
    check_positive(nodes=settings.limit)
    if settings.limit > MOST_NUMBERS:
        raise ArgumentValueError(f"{settings.limit} nodes cannot be numbered: use at most {MOST_NUMBERS:,}.")
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
    **dict.fromkeys(("limit", "episodes"), whole),
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
    if abstraction == Abstraction.NONE and not samples(settings.algorithm):
        return _solve_tree(program, settings, watch)
    try:
        tree: ExtensiveForm | None = build_tree(program, settings.limit)
    except UsageError:  # it is too large
        if settings.algorithm not in (AUTO, SAMPLING):
            raise
        tree = None
    if tree is None or samples(settings.algorithm):
        return _solve_sampled(program, tree, settings, watch)
    return _solve_abstract(program, tree, settings, abstraction, watch)


def _solve_tree(program: Program, settings: Settings, watch: Watch | None) -> Solved:
    tree = build_tree(program, settings.limit)
    about, sets, both = _about(program, settings) | _sizes(tree), tree.sets, sides(tree)
    settings = _in_chips(settings, tree.spread)
    del tree  # iterations do without its nodes
    run = _run(both, settings, watch)
    del both  # before the policy is written down
    table = policy_of_tree(sets, run.profile)
    return Solved(SavedPolicy(Solution(**about, **_figures(run)), table), EXPLOITABILITY, run.trace)


def _run(both: Sides, settings: Settings, watch: Watch | None) -> Run:
    return solve(both, settings.algorithm, settings.target, settings.iterations, settings.seconds, watch)


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
    """Solve a game from outside (`trees.outside`), on its tree. Raises what `check_outside` raises."""
    check_outside(settings)
    settings = _in_chips(settings, tree.spread)
    run = _run(sides(tree), settings, watch)
    about: dict[str, Any] = {"game": tree.game, "digest": tree.digest, "suited": False}
    asked: dict[str, Any] = {"abstraction": settings.abstraction, "target": settings.target}
    return SolvedOutside(Solution(**about, **asked, **_sizes(tree), **_figures(run)), run.profile, run.trace)


def _solve_abstract(
    program: Program, tree: ExtensiveForm, settings: Settings, abstraction: Abstraction, watch: Watch | None
) -> Solved:
    both, abstract, sizes = sides(tree), abstract_sets(program, tree, abstraction), _sizes(tree)
    settings = _in_chips(settings, tree.spread)
    run = solve_abstract(both, abstract, float(settings.target), settings.iterations, settings.seconds, watch)
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


def solve_like(program: Program, known: Solution, scale: int = 1, limit: int = LIKE) -> SavedPolicy:
    """The policy of a game, solved as that of another one was: by its algorithm, to `scale` times its target, or for as
    many iterations. So a disguise gets a policy of its own. Raises UsageError for a tree above the limit."""
    exact = known.abstraction == Abstraction.NONE.label and known.algorithm in RULES
    reached = known.stopped in ("target", "precision")
    settings = Settings(
        algorithm=known.algorithm if exact else AUTO,
        target=scale * known.target,
        iterations=None if reached or not exact else max(1, known.iterations),
        limit=limit,
    )
    return solve_game(program, settings).saved


def measured_again(program: Program, saved: SavedPolicy, limit: int = LIMIT, seed: int = 0) -> Solution:
    """What is known about a policy, with its exact value and exploitability if the tree has at most `limit` nodes, else
    with the sampled ones."""
    if count_nodes(program, limit) > limit:
        settings = Settings(seed=seed)
        return msgspec.structs.replace(saved.solution, **_sampled_figures(program, saved.table, settings))
    value, exploitable = real_measures(program, build_tree(program, limit), saved.table)
    known = {"value_error": None, "lower_bound": None}
    return msgspec.structs.replace(saved.solution, value=value, exploitability=exploitable, **known)


def real_measures(program: Program, tree: ExtensiveForm, table: Policy) -> tuple[float, float]:
    """Alice's value and the exploitability of a table's policy in the real game; unknown keys are played uniformly."""
    found = measure(sides(tree), table_profile(abstract_sets(program, tree, table.abstraction), table))
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


def _solve_sampled(program: Program, tree: ExtensiveForm | None, settings: Settings, watch: Watch | None) -> Solved:
    settings = _in_chips(settings, None if tree is None else tree.spread)
    endless = settings.iterations is None and settings.seconds is None
    abstraction = abstraction_of(settings.abstraction)
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
    if tree is None:
        figures = {"information_sets": run.table.rows, **_sampled_figures(program, run.table, settings)}
    else:
        value, exploitable = real_measures(program, tree, run.table)
        figures = {**_sizes(tree), "value": value, "exploitability": exploitable}
    solution = Solution(**_about(program, settings), algorithm=SAMPLING, **counted, **figures)
    return Solved(SavedPolicy(solution, run.table), EXPLOITABILITY, run.trace)


def _measure_of(program: Program, tree: ExtensiveForm, abstraction: Abstraction) -> Callable[[Policy], float]:
    """A function that gives a table's exploitability on the tree."""
    both, abstract = sides(tree), abstract_sets(program, tree, abstraction)

    def measured(table: Policy) -> float:
        return exploitability(both, table_profile(abstract, table))

    return measured


def _sampled_figures(program: Program, table: Policy, settings: Settings) -> dict[str, Any]:
    """The sampled value and lower bound, as the settings want them. After Ctrl-C the missing ones are left out."""
    figures: dict[str, Any] = {}
    if settings.episodes < 1:
        return figures
    with suppress(KeyboardInterrupt):
        value = sampled_value(program, table, max(2, settings.episodes // 10), settings.seed)
        figures |= {"value": value.mean, "value_error": value.error}
        figures["lower_bound"] = lower_bound(program, table, settings.episodes, settings.seed)
    return figures
