"""What policies are worth where their players never go.

    python -m studies.off_path [--games N] [--iterations N] [--write]

Small accepted games are solved in several ways, with the same number of iterations. Of each profile are measured

- its exploitability;
- in every information set that its owner's choices lead to with a probability of at most a thousandth, and chance and
  the opponent with more: what it loses there to a best response against the same opponent, the mean over these sets;
- its exploitability if every tenth decision is taken at random, so that play leaves the profile's path.

`perturbed` plays every action with a probability of at least epsilon, during the iterations and after. `solved again`
keeps the average where its owner goes, and solves the rest of the game once more with as many iterations, for both
players at once: to lead there and to have beliefs there, every action gets a little probability. Since nothing changes
where a player goes by choice, the opponent's best response gains nothing: no further safeguard is needed (Burch,
Johanson and Bowling 2014 need one, because they solve subgames again that the player does reach). With --write the
table of docs/history/solver.md is replaced.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.execute import progress_bar
from antemill.engine.kernel import kernel
from antemill.engine.machine.branches import count_nodes
from antemill.engine.machine.gate import gate
from antemill.engine.machine.program import Program
from antemill.solver.algorithms.learner import Learner, average_policy, new_learners
from antemill.solver.algorithms.rules import discount, fading, update
from antemill.solver.algorithms.table import RULES, Rule
from antemill.solver.algorithms.worker_pool import WorkerPool
from antemill.solver.evaluation.measures import exploitability
from antemill.solver.evaluation.off_path import RARE, completed
from antemill.solver.game import Array, ExtensiveForm
from antemill.solver.policies.profile import StrategyProfile
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import (
    Side,
    Sides,
    fill_immediate_values,
    realization_plan,
    sides,
    uniform_policy,
)
from benches.pages import write

GAMES, LEAST, MOST, ITERATIONS, TREMBLE = 200, 300, 8_000, 1_000, 0.1
TINY = 1e-4  # the probability that an action has at least where subgames are solved again
AVERAGED, LAST = "hs-pdcfr+", "last-pdcfr+"
PAGE = Path(__file__).parents[1] / "docs" / "history" / "solver.md"


def programs() -> Iterator[Program]:
    """Accepted games of middling size, half of them at complexity .1."""
    seed = 0
    while True:
        program = compile_spec(generate(seed, 0.1 if seed % 2 else None))
        if LEAST <= count_nodes(program, MOST) <= MOST and gate(program, seed).accepted:
            yield program
        seed += 1


@kernel
def _perturbed_update(
    side: Side, learner: Learner, mixed: Array, free: Array, theirs: Array, rule: Rule, t: int, least: float
) -> None:
    """An update of a player who plays every action with a probability of at least `least`, or all alike. mixed:
    float64[sequences], what is played. free: bool[sets], which sets are updated. theirs: the opponent's realization
    plan."""
    regret, policy, values = learner.regret, learner.policy, learner.counterfactual
    fill_immediate_values(side, theirs, values)
    for i in range(len(side.parent_sequence) - 1, -1, -1):
        low, high = side.start[i], side.start[i + 1]
        played, value, total = 0.0, 0.0, 0.0
        for k in range(low, high):
            played += mixed[k] * values[k]
            value += policy[k] * values[k]
        values[side.parent_sequence[i]] += played
        if not free[i]:
            continue
        update(rule, regret, policy, values, low, high, value, discount(rule, t))
        for k in range(low, high):
            total += policy[k]
        floor = min(least, 1.0 / (high - low))
        for k in range(low, high):
            policy[k] = policy[k] / total if total > 0.0 else 1.0 / (high - low)
            mixed[k] = floor + (1.0 - floor * (high - low)) * policy[k]
    faded = fading(rule, t)
    learner.realization[0] = 1.0
    for i in range(len(side.parent_sequence)):
        for k in range(side.start[i], side.start[i + 1]):
            learner.realization[k] = learner.realization[side.parent_sequence[i]] * mixed[k]
            learner.total[k] = learner.total[k] * faded + learner.realization[k]


def _perturbed(both: Sides, starts: StrategyProfile, free: list[Array], least: float, count: int) -> StrategyProfile:
    """The average of play in which every action has a probability of at least `least`. starts: what is played at first,
    and remains where sets are not free."""
    learners = new_learners(both, simultaneous=True)
    mixed = []
    for side, start in zip(both, starts, strict=True):
        width = np.repeat(np.diff(side.start), np.diff(side.start))
        floor = np.minimum(least, 1.0 / width)
        mixed.append(np.append(1.0, floor + (1.0 - floor * width) * start[1:]))
    for side, learner, played in zip(both, learners, mixed, strict=True):
        learner.realization[:] = realization_plan(side, played)
    for t in range(1, count + 1):
        for seat in (0, 1):
            theirs = learners[1 - seat].realization
            _perturbed_update(both[seat], learners[seat], mixed[seat], free[seat], theirs, RULES[AVERAGED], t, least)
    return average_policy(both, (learners[0].total, learners[1].total))


def perturbed(both: Sides, least: float, iterations: int) -> StrategyProfile:
    """The average of play in which every action has a probability of at least `least`."""
    free = [np.ones(len(side.parent_sequence), bool) for side in both]
    return _perturbed(both, (uniform_policy(both[0]), uniform_policy(both[1])), free, least, iterations)


def solved_again(both: Sides, profile: StrategyProfile, least: float, iterations: int) -> StrategyProfile:
    """The profile, but what solving again finds in sets to which their owner's choices lead at most rarely."""
    plans = [realization_plan(side, policy) for side, policy in zip(both, profile, strict=True)]
    free = [plan[side.parent_sequence] <= RARE for side, plan in zip(both, plans, strict=True)]
    found = _perturbed(both, profile, free, least, iterations)
    policies = []
    for side, mine, before, after in zip(both, free, profile, found, strict=True):
        policies.append(np.where(np.append(False, np.repeat(mine, np.diff(side.start))), after, before))
    return policies[0], policies[1]


def iterated(both: Sides, name: str, iterations: int) -> StrategyProfile:
    """What an algorithm of the table finds."""
    with WorkerPool(both, RULES[name]) as pool:
        pool.advance(iterations)
        return pool.average()


WAYS: dict[str, Callable[[Sides, int], StrategyProfile]] = {
    "average": lambda both, count: iterated(both, AVERAGED, count),
    "average, completed": lambda both, count: completed(both, iterated(both, AVERAGED, count)),
    "average, solved again": lambda both, count: solved_again(both, iterated(both, AVERAGED, count), TINY, count),
    "last iterate": lambda both, count: iterated(both, LAST, count),
    "perturbed, 1e-4": lambda both, count: perturbed(both, 1e-4, count),
    "perturbed, 1e-3": lambda both, count: perturbed(both, 1e-3, count),
}


def conditional_losses(tree: ExtensiveForm, both: Sides, profile: StrategyProfile) -> Iterator[float]:
    """What the profile loses in each of the sets in question, chips, by walks over the tree's nodes."""
    for seat, side in enumerate(both):
        own, theirs = (realization_plan(both[one], profile[one]) for one in (seat, 1 - seat))
        nodes = np.flatnonzero(tree.player == seat)
        odds = tree.chance[nodes] * theirs[tree.sequence[1 - seat, nodes]]
        reach = np.bincount(tree.information_set[nodes], odds, tree.sets[seat].size)
        played, best = np.empty(side.sequences), np.empty(side.sequences)
        fill_immediate_values(side, theirs, played)
        best[:] = played
        for i in range(len(reach) - 1, -1, -1):
            low, high, before = side.start[i], side.start[i + 1], side.parent_sequence[i]
            as_played, at_best = float(played[low:high] @ profile[seat][low:high]), float(best[low:high].max())
            played[before] += as_played
            best[before] += at_best
            if own[before] <= RARE < reach[i]:
                yield max(0.0, at_best - as_played) / reach[i]


def main() -> None:
    """Measure and print the table."""
    ask = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    ask.add_argument("--games", type=int, default=GAMES)
    ask.add_argument("--iterations", type=int, default=ITERATIONS)
    ask.add_argument("--write", action="store_true", help="replace the table in docs/history/solver.md")
    asked = ask.parse_args()
    rows: dict[str, list[tuple[float, ...]]] = {name: [] for name in WAYS}
    first = sides(build_tree(next(programs())))
    for way in WAYS.values():
        way(first, 10)  # so that compiling is not timed
    with progress_bar("games", asked.games) as bar:
        for number, program in zip(range(asked.games), programs(), strict=False):
            tree = build_tree(program)
            both = sides(tree)
            for name, way in WAYS.items():
                begun = time.process_time()
                profile = way(both, asked.iterations)
                spent = time.process_time() - begun
                lost = [*conditional_losses(tree, both, profile)]
                mixed = [
                    (1 - TREMBLE) * one + TREMBLE * uniform_policy(side)
                    for one, side in zip(profile, both, strict=True)
                ]
                figures = (
                    exploitability(both, profile),
                    float(np.mean(lost or 0)),
                    exploitability(both, (mixed[0], mixed[1])),
                )
                rows[name].append((*figures, spent))
            bar(number + 1, None)
    text = table(rows, asked.iterations)
    print(text)
    if asked.write:
        write(PAGE, "off path", text)


def table(rows: dict[str, list[tuple[float, ...]]], iterations: int) -> str:
    """The table of docs/history/solver.md."""
    unit = np.array(rows["average"])[:, 3].sum()
    lines = [
        f"{len(rows['average'])} accepted games of {LEAST} to {MOST:,} nodes, {iterations:,} iterations each; chips.",
        "",
        "| solution | exploitability, median / mean | lost off its path | exploitability with every tenth decision at "
        "random | time |",
        "|---|---|---|---|---|",
    ]
    for name, found in rows.items():
        each = np.array(found)
        middle, mean = np.median(each[:, 0]), each[:, 0].mean()
        figures = f"{middle:.1e} / {mean:.1e} | {each[:, 1].mean():.4f} | {each[:, 2].mean():.4f}"
        lines.append(f"| {name} | {figures} | {each[:, 3].sum() / unit:.2f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
