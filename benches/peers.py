"""Other systems beside ours: random play, vectorised environments, and Leduc poker solved.

    pip install pgx==2.6.0 jax==0.7.2 open-spiel==2.0.2 chex==0.1.92 rlcard==1.2.0 LiteEFG==1.0.0     beside antemill
    python -m benches.peers [kuhn] [leduc] [vector-kuhn] [vector-leduc] [solvers]

What is not installed is left out, with a line that says so. noregret==0.0.0.dev17 needs Python 3.12 and
open-spiel<2, and so another environment. Each system runs at the best that Python reaches, by the processor's time on
one processor, in turn with ours, five times: a load that slows the machine for a while slows all of them. GPUs are not
measured.

What is logged or handed out differs, and stands in the names. pgx plays whole batches whose games restart, or that end
with the longest game, whichever is faster. A solver is timed while it iterates to an exploitability (NashConv / 2, in
chips) of at most 1e-4, from a fresh start, without its set-up; all are looked at after the same numbers of iterations.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib
import importlib.util
import io
import os
import random
import statistics
import time
from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib.metadata import version
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from antemill.engine.machine.rollout import rollout, streams
from antemill.engine.rules.named import NAMED
from antemill.solver.algorithms.iterations import Iterations
from antemill.solver.algorithms.table import RULES
from antemill.solver.evaluation.measures import exploitability
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import Sides, sides
from benches.bench_engine import play, vector_play
from benches.compare import shown
from benches.games import bigger_leduc, named
from benches.timing import Piece, value

REPEATS = 5
SPIEL = {"kuhn": ("kuhn_poker", 3), "leduc": ("leduc_poker", 8)}  # its name; decisions of the longest episode
PGX = {"kuhn": "kuhn_poker", "leduc": "leduc_holdem"}
BATCHES = (1_000, 10_000)
TARGET, WARM, GROWTH, MOST = 1e-4, 2, 1.05, 20_000  # iterations: untimed ones, from one look to the next, at most


class Contestant(NamedTuple):
    """One system's way to do a task. like: those with the same one do the same work, so a ratio means something."""

    system: str
    how: str
    make: Callable[[], Piece]
    modules: tuple[str, ...] = ()
    like: str = ""


# ------------------------------------------------------------------------------------------ random play


def pgx(game: str, batch: int) -> Piece:
    """The faster of both ways."""
    ways = [_pgx(game, batch, steps, renewed) for renewed, steps in ((True, 64), (False, SPIEL[game][1]))]
    return max(ways, key=lambda piece: piece.amount / min(_seconds(piece) for _ in range(2)))


def _pgx(game: str, batch: int, steps: int, renewed: bool) -> Piece:
    jax, numpy = importlib.import_module("jax"), importlib.import_module("jax.numpy")
    env = importlib.import_module("pgx").make(PGX[game])
    one_step = importlib.import_module("pgx.experimental").auto_reset(env.step, env.init) if renewed else env.step
    init, step = jax.vmap(env.init), jax.vmap(one_step)

    def one(state: Any, key: Any) -> tuple[Any, Any]:
        choice, chance = jax.random.split(key)
        logits = numpy.where(state.legal_action_mask, 0.0, -numpy.inf)
        action = jax.random.categorical(choice, logits, axis=-1)
        live = ~(state.terminated | state.truncated)
        after = step(state, action, jax.random.split(chance, batch)) if renewed else step(state, action)
        kept = (state.observation, state.legal_action_mask, state.current_player, action, after.rewards, live)
        return after, kept

    @jax.jit  # type: ignore[untyped-decorator]
    def trajectories(key: Any) -> Any:
        first, rest = jax.random.split(key)
        return jax.lax.scan(one, init(jax.random.split(first, batch)), jax.random.split(rest, steps))[1]

    key = jax.random.PRNGKey(1)
    decisions = batch * steps if renewed else int(trajectories(key)[-1].sum())
    return Piece(lambda: jax.block_until_ready(trajectories(key)), decisions)


@cache
def _mean(game: str) -> float:
    """Decisions of an episode of random play, which are the same after any deal of Kuhn and of Leduc."""
    return rollout(named(game), 100_000, streams(1)).rows / 100_000


def spiel_rollouts(game: str) -> Piece:
    """Rollouts in C++ after the deal: one step of its tree search, which evaluates the root by them."""
    module, episodes = importlib.import_module("pyspiel"), 20_000
    spiel = module.load_game(SPIEL[game][0])
    search = module.MCTSBot(spiel, module.RandomRolloutEvaluator(episodes, 1), 2.0, 1, 100, False, 1, False)
    root = spiel.new_initial_state()
    while root.is_chance_node():
        root.apply_action(root.legal_actions()[0])
    return Piece(lambda: search.step(root), episodes * _mean(game))


def spiel_trajectories(game: str) -> Piece:
    """Recorded in C++: the number of the information state, the mask, the action."""
    module, episodes = importlib.import_module("pyspiel"), 5_000
    spiel = module.load_game(SPIEL[game][0])
    rows = module.GetRandomPolicy(spiel, 1).policy_table()
    table = {state: [(action, 1 / len(row)) for action, _ in row] for state, row in rows.items()}
    uniform, numbers = module.TabularPolicy(table), {state: number for number, state in enumerate(table)}
    record = partial(module.record_batched_trajectories, spiel, [uniform, uniform], numbers, episodes, False, 1, -1)
    return Piece(record, episodes * _mean(game))


def spiel_python(game: str) -> Piece:
    """A loop in Python, with the information state's string at every decision."""
    spiel = importlib.import_module("pyspiel").load_game(SPIEL[game][0])

    def episode(dice: random.Random) -> int:
        state, decisions = spiel.new_initial_state(), 0
        while not state.is_terminal():
            if not state.is_chance_node():
                state.information_state_string()
                decisions += 1
            state.apply_action(dice.choice(state.legal_actions()))
        return decisions

    return _counted(episode)


def rlcard() -> Piece:
    """Its Leduc without its environment."""
    env = importlib.import_module("rlcard").make("leduc-holdem", {"seed": 1})

    def episode(dice: random.Random) -> int:
        env.game.init_game()
        decisions = 0
        while not env.game.is_over():
            env.game.step(dice.choice(env.game.get_legal_actions()))
            decisions += 1
        return decisions

    return _counted(episode)


def _counted(episode: Callable[[random.Random], int]) -> Piece:
    def run() -> int:
        dice = random.Random(1)
        return sum(episode(dice) for _ in range(2_000))

    return Piece(run, run())


# ------------------------------------------------------------------------------------------ vectorised environments


def vector_ours(game: str, batch: int, events: bool) -> Piece:
    """Arrays of the caller's own."""
    (piece,) = vector_play([NAMED[game]()], batch, events, 200_000 // batch, copy=True)
    return piece


def vector_pgx(game: str, batch: int) -> Piece:
    """A compiled step of a batch, called from Python. Every step is a decision in every lane."""
    jax, numpy = importlib.import_module("jax"), importlib.import_module("jax.numpy")
    env, steps = importlib.import_module("pgx").make(PGX[game]), 100
    renewed = jax.vmap(importlib.import_module("pgx.experimental").auto_reset(env.step, env.init))

    @jax.jit  # type: ignore[untyped-decorator]
    def step(state: Any, key: Any) -> tuple[Any, Any]:
        choice, chance, rest = jax.random.split(key, 3)
        logits = numpy.where(state.legal_action_mask, 0.0, -numpy.inf)
        action = jax.random.categorical(choice, logits, axis=-1)
        return renewed(state, action, jax.random.split(chance, batch)), rest

    init = jax.jit(jax.vmap(env.init))

    def run() -> None:
        key = jax.random.PRNGKey(1)
        state = init(jax.random.split(key, batch))
        for _ in range(steps):
            state, key = step(state, key)
        jax.block_until_ready(state)

    return Piece(run, batch * steps)


def vector_spiel(name: str) -> Piece:
    """OpenSpiel's `SyncVectorEnv` over its `rl_environment`, which hands out lists of objects."""
    if name.startswith("antemill"):
        importlib.import_module("antemill.tournament.adapters.openspiel")  # registers the game
    vector, environment = (
        importlib.import_module(f"open_spiel.python.{part}") for part in ("vector_env", "rl_environment")
    )
    output, lanes, steps = importlib.import_module("open_spiel.python.rl_agent").StepOutput, 100, 100
    dealers = [environment.ChanceEventSampler(seed) for seed in range(lanes)]
    table = vector.SyncVectorEnv([environment.Environment(name, chance_event_sampler=dealer) for dealer in dealers])

    def run() -> None:
        dice, seen = random.Random(1), table.reset()
        for _ in range(steps):
            menus = [one.observations["legal_actions"][one.observations["current_player"]] for one in seen]
            seen = table.step([output(dice.choice(menu), None) for menu in menus], reset_if_done=True)[0]

    return Piece(run, lanes * steps)


# ------------------------------------------------------------------------------------------ solvers


class Solver(NamedTuple):
    """A solver that is set up."""

    step: Callable[[int], object]  # make so many iterations
    exploitability: Callable[[], float]


@cache
def _sides() -> Sides:
    return sides(build_tree(bigger_leduc(3)))


def solver_ours(algorithm: str) -> Solver:
    """Antemill."""
    made = Iterations(_sides(), RULES[algorithm])
    return Solver(made.advance, lambda: exploitability(_sides(), made.average()))


def solver_spiel() -> Solver:
    """OpenSpiel's CFR+ in C++."""
    spiel = importlib.import_module("pyspiel")
    game = spiel.load_game("leduc_poker")
    solver = spiel.CFRPlusSolver(game)
    measured = lambda: float(spiel.exploitability(game, solver.average_policy()))  # noqa: E731
    return Solver(_repeat(solver.evaluate_and_update_policy), measured)


def solver_jax() -> Solver:
    """OpenSpiel's CFR+ in JAX."""
    spiel, module = importlib.import_module("pyspiel"), importlib.import_module("open_spiel.python.jax.cfr.jax_cfr")
    ready, game = importlib.import_module("jax").block_until_ready, spiel.load_game("leduc_poker")
    solver = module.JaxCFR(game)

    def step(iterations: int) -> None:
        solver.multiple_steps(iterations)
        ready(list(vars(solver).values()))

    def measured() -> float:
        policy = solver.average_policy()
        rows = {
            name: [(a, float(p)) for a, p in enumerate(policy.action_probability_array[i]) if legal[a]]
            for name, i in policy.state_lookup.items()
            for legal in [policy.legal_actions_mask[i]]
        }
        return float(spiel.exploitability(game, spiel.TabularPolicy(rows)))

    return Solver(step, measured)


def solver_lite(baseline: str) -> Solver:
    """LiteEFG, by one of its baselines."""
    lite, graph = importlib.import_module("LiteEFG"), importlib.import_module(f"LiteEFG.baselines.{baseline}").graph()
    game = importlib.import_module("pyspiel").load_game("leduc_poker")
    environment = lite.OpenSpielEnv(game, traverse_type="Enumerate", regenerate=False)
    environment.set_graph(graph)

    def once() -> None:
        graph.update_graph(environment)
        environment.update_strategy(graph.current_strategy())

    def measured() -> float:
        return float(sum(environment.exploitability(graph.current_strategy(), "linear-avg-iterate"))) / 2

    return Solver(_repeat(once), measured)


def solver_noregret() -> Solver:
    """noregret's CFR+ on the processor, with alternating updates: what its own loop does, which cannot be continued."""
    module = importlib.import_module("noregret")
    kernel = module.FPKer()
    game = module.to_efg(kernel, module.OpenSpielGame(kernel, "leduc_poker"))
    both = [
        module.CFR_plus(kernel, one) for one in (game.row_sequence_form_polytope, game.column_sequence_form_polytope)
    ]
    played = [one.output(False) for one in both]

    def once() -> None:
        for seat, one in enumerate(both):
            one.observe(game.utility(seat, played[1 - seat]))
            played[seat] = one.output(False)

    return Solver(_repeat(once), lambda: float(game.exploitability(*(one.average_strategy for one in both))))


def _repeat(once: Callable[[], object]) -> Callable[[int], None]:
    def step(iterations: int) -> None:
        for _ in range(iterations):
            once()

    return step


def to_target(make: Callable[[], Solver]) -> Piece:
    """Iterations from a fresh, warm solver until the target. Raises ValueError if it does not get there."""

    def begun() -> Solver:
        with contextlib.redirect_stdout(io.StringIO()):  # some greet
            solver = make()
            solver.step(WARM)
        return solver

    solver, done, until = begun(), WARM, 20
    while True:
        solver.step(until - done)
        done, until = until, int(until * GROWTH) + 1
        if solver.exploitability() <= TARGET:
            break
        if done >= MOST:
            raise ValueError(f"not at {TARGET} after {done:,} iterations")
    fresh: list[Solver] = []

    def begin() -> None:
        fresh[:] = [begun()]

    return Piece(lambda: fresh[0].step(done - WARM), 1.0, begin)


# ------------------------------------------------------------------------------------------ the comparison


def _random_play(game: str) -> list[Contestant]:
    own = Contestant("Antemill", "three keys and more logged", lambda: play(named(game), 100_000))
    others = [
        *(
            Contestant("pgx", f"batch {batch:,}, trajectories kept", partial(pgx, game, batch), ("pgx", "jax"))
            for batch in BATCHES
        ),
        Contestant("open-spiel", "C++ rollouts, nothing logged", partial(spiel_rollouts, game), ("pyspiel",)),
        Contestant("open-spiel", "C++ trajectories", partial(spiel_trajectories, game), ("pyspiel",)),
        Contestant("open-spiel", "Python, information states", partial(spiel_python, game), ("pyspiel",)),
    ]
    return [own, *others, *([Contestant("rlcard", "nothing logged", rlcard, ("rlcard",))] if game == "leduc" else [])]


def _vector(game: str) -> list[Contestant]:
    found = []
    for batch in BATCHES:
        like = f"batch {batch:,}"
        found.append(Contestant("Antemill", f"{like}, the present", partial(vector_ours, game, batch, False), (), like))
        events = partial(vector_ours, game, batch, True)
        found.append(Contestant("Antemill", f"{like}, the present and all events", events, (), f"{like}, events"))
        found.append(Contestant("pgx", like, partial(vector_pgx, game, batch), ("pgx", "jax"), like))
    for how, name in (("SyncVectorEnv", SPIEL[game][0]), ("SyncVectorEnv over our states", f"antemill(game={game})")):
        found.append(Contestant("open-spiel", f"{how}, batch 100", partial(vector_spiel, name), ("pyspiel",), "lists"))
    return found


def _solvers() -> list[Contestant]:
    def contestant(system: str, how: str, make: Callable[[], Solver], *modules: str) -> Contestant:
        return Contestant(system, how, partial(to_target, make), modules)

    return [
        *(contestant("Antemill", name.upper(), partial(solver_ours, name)) for name in RULES if name != "cfr"),
        contestant("LiteEFG", "CFR+", partial(solver_lite, "CFRplus"), "LiteEFG", "pyspiel"),
        contestant("LiteEFG", "PCFR+", partial(solver_lite, "PCFR"), "LiteEFG", "pyspiel"),
        contestant("open-spiel", "JaxCFR", solver_jax, "pyspiel", "jax", "chex"),
        contestant("open-spiel", "C++ CFR+", solver_spiel, "pyspiel"),
        contestant("noregret", "CFR+", solver_noregret, "noregret", "pyspiel"),
    ]


TASKS: dict[str, tuple[str, Callable[[], list[Contestant]]]] = {  # by name: unit, and who takes part
    "kuhn": ("decisions/s", partial(_random_play, "kuhn")),
    "leduc": ("decisions/s", partial(_random_play, "leduc")),
    "vector-kuhn": ("decisions/s", partial(_vector, "kuhn")),
    "vector-leduc": ("decisions/s", partial(_vector, "leduc")),
    "solvers": ("s", _solvers),
}


def _seconds(piece: Piece) -> float:
    if piece.before is not None:
        piece.before()
    gc.collect()
    begun = time.process_time()
    piece.call()
    return max(time.process_time() - begun, 1e-9)


def compare(task: str, print_: Callable[[object], None]) -> None:
    """Measure all contestants that are installed, in turn, and print a table."""
    unit, contestants = TASKS[task]
    ready: list[tuple[Contestant, Piece, list[float]]] = []
    for one in contestants():
        if missing := [name for name in one.modules if importlib.util.find_spec(name) is None]:
            print_(f"- {one.system}, {one.how}: {missing[0]} is not installed.")
            continue
        try:
            piece = one.make()
            _seconds(piece)
        except Exception as error:
            if one.system == "Antemill":
                raise
            print_(f"- {one.system}, {one.how}: {type(error).__name__}: {error}")
            continue
        ready.append((one, piece, []))
    for _ in range(REPEATS):
        for _, piece, values in ready:
            values.append(value(unit, _seconds(piece), piece.amount))
    better = max if unit.endswith("/s") else min
    own = {
        one.like: better(statistics.median(v) for o, _, v in ready if o[0] == "Antemill" and o.like == one.like)
        for one, _, _ in ready
        if one.system == "Antemill"
    }
    table = Table("system", "version", title=f"{task} ({unit})")
    for name in ("median", "lowest", "highest", "ours is better by"):
        table.add_column(name, justify="right")
    for one, _, values in ready:
        middle, best = statistics.median(values), own.get(one.like)
        times = None if best is None else (best / middle if unit.endswith("/s") else middle / best)
        table.add_row(
            f"{one.system}, {one.how}", version(one.system), *map(shown, (middle, min(values), max(values), times))
        )
    print_(table)


def main() -> None:
    """Compare."""
    parser = argparse.ArgumentParser(prog="python -m benches.peers", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("tasks", nargs="*", metavar="TASK", help=f"some of {', '.join(TASKS)}; all by default")
    chosen: Sequence[str] = parser.parse_args().tasks or list(TASKS)
    if unknown := set(chosen) - set(TASKS):
        parser.error(f"there is no task {sorted(unknown)[0]!r}; there are {', '.join(TASKS)}")
    if hasattr(os, "sched_setaffinity"):  # macOS has no such thing; some systems cannot be told not to use more
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    for task in chosen:
        compare(task, Console(width=140).print)


if __name__ == "__main__":
    main()
