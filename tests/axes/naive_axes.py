"""The six axes once more, in plain Python over dictionaries: the reference against which the kernels are tested.

What is shared with the code under test: the engine that plays, the mixed policies of the opponents, and the budgets.
Where `axes` counts in kernels, and skips episodes that a perturbation cannot change, everything here is played and
logged.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from antemill.axes.budgets import Tier
from antemill.axes.grouping import decisions
from antemill.axes.simplex import dirichlet_policies, sobol_policies
from antemill.engine.machine.chance import key_of
from antemill.engine.machine.policy import UNIFORM, Policy, mixed
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import Log, Streams, rollout
from antemill.engine.seeding import Domain

FloatArray = npt.NDArray[np.float64]


class Visit(NamedTuple):
    """One decision of a log."""

    episode: int
    seat: int
    dt: int
    action: int
    info: int
    context: int
    utility: int


def visits(log: Log) -> list[Visit]:
    return [
        Visit(
            int(log.episode[i]),
            int(log.seat[i]),
            int(log.decision[i]),
            int(log.action[i]),
            int(log.info[i]),
            int(log.context[i]),
            int(log.payoff[log.episode[i]]) * (1 if log.seat[i] == 0 else -1),
        )
        for i in range(log.rows)
    ]


def means(rows: Iterable[Visit], tries: int = 1) -> dict[int, Fraction]:
    """Mean utility of every action tried often enough."""
    by_action = defaultdict(list)
    for row in rows:
        by_action[row.action].append(row.utility)
    return {a: Fraction(sum(us), len(us)) for a, us in by_action.items() if len(us) >= tries}


def best(values: dict[int, Fraction]) -> set[int]:
    return {a for a, value in values.items() if value == max(values.values())}


def by(rows: Iterable[Visit], field: str) -> dict[int, list[Visit]]:
    groups: dict[int, list[Visit]] = defaultdict(list)
    for row in rows:
        groups[getattr(row, field)].append(row)
    return dict(groups)


def state_space(log: Log) -> float:
    states = {(row.seat, row.info) for row in visits(log)}
    return math.log10(len(states)) if states else 0.0


def temporal_depth(log: Log) -> tuple[float, float]:
    episodes: dict[tuple[int, int], list[Visit]] = defaultdict(list)
    ahead: dict[int, int] = Counter()
    rows = visits(log)
    for row in rows:
        episodes[row.episode, row.seat].append(row)
    for own in episodes.values():
        for place, row in enumerate(own):
            ahead[row.dt] += len(own) - 1 - place
    scores = [0.0, 0.0]
    for dt, own in by(rows, "dt").items():
        us = [row.utility for row in own]
        overall = Fraction(sum(us), len(us))
        total = sum((u - overall) ** 2 for u in us)
        if total > 0:
            values, tries = means(own), Counter(row.action for row in own)
            eta2 = sum(tries[a] * (values[a] - overall) ** 2 for a in values) / total
            f, r = Fraction(len(own), log.episodes), Fraction(ahead[dt], len(own))
            scores[own[0].seat] += float(f * eta2 * r)
    return scores[0], scores[1]


def information_sensitivity(log: Log) -> tuple[float, float]:
    """Pooled by visits, and the mean over seats."""
    rows = visits(log)
    of_type = {dt: best(means(own)) for dt, own in by(rows, "dt").items()}
    differing = [0, 0]
    for own in by(rows, "info").values():
        if not best(means(own)) & of_type[own[0].dt]:
            differing[own[0].seat] += len(own)
    met = [sum(row.seat == seat for row in rows) for seat in (0, 1)]
    shares = [differing[seat] / met[seat] if met[seat] else 0.0 for seat in (0, 1)]
    return (sum(differing) / len(rows) if rows else 0.0), sum(shares) / 2


def sigma_u(log: Log) -> float:
    us = [int(u) for u in log.payoff]
    return math.sqrt(Fraction(sum(u * u for u in us), len(us)) - Fraction(sum(us), len(us)) ** 2)


def tenth_percentile(values: Sequence[int]) -> int:
    return min(x for x in values if 10 * sum(v <= x for v in values) >= len(values))


def risk(log: Log) -> tuple[float, float]:
    """By seat, without the lower cut."""
    costs: list[list[tuple[int, float]]] = [[], []]
    for own in by(visits(log), "context").values():
        values = means(own, 5)
        if len(own) >= 20 and len(values) >= 2:
            floors = {a: tenth_percentile([row.utility for row in own if row.action == a]) for a in values}
            safe = max(values[a] for a in values if floors[a] == max(floors.values()))
            costs[own[0].seat].append((len(own), float(max(values.values()) - safe)))
    sigma = sigma_u(log)
    scores = [
        sum(n * cost for n, cost in seat) / sum(n for n, _ in seat) / sigma if seat and sigma else 0.0 for seat in costs
    ]
    return scores[0], scores[1]


def best_response(log: Log, program: Program) -> tuple[dict[int, int], list[int]]:
    """The action at each context that has one, and the action of each decision type."""
    rows = visits(log)
    actions = {context: min(best(means(own, 5))) for context, own in by(rows, "context").items() if means(own, 5)}
    of_type = [d.low for d in program.names.decisions]
    for dt, own in by(rows, "dt").items():
        of_type[dt] = min(best(means(own)))
    return actions, of_type


def streams_of(seed: int, domain: Domain, focal: int, *part: int) -> Streams:
    return Streams(*(key_of(seed, domain, focal, own, *part) for own in (Domain.CHANCE, Domain.ALICE, Domain.BOB)))


def play(program: Program, focal: int, own: Policy, other: Policy, episodes: int, keys: Streams) -> list[Visit]:
    log = rollout(program, episodes, keys, *((own, other) if focal == 0 else (other, own)))
    return [row for row in visits(log) if row.seat == focal]


def opponent_modeling(program: Program, log: Log, tier: Tier, seed: int) -> float:
    share = {dt: len(own) / log.rows for dt, own in by(visits(log), "dt").items()}
    return sum(_flips(program, share, tier, seed, focal) for focal in (0, 1))


def _flips(program: Program, share: dict[int, float], tier: Tier, seed: int, focal: int) -> float:
    key = key_of(seed, Domain.SOBOL, focal, Domain.SOBOL)
    weights = sobol_policies(decisions(program), 1 - focal, np.arange(tier.opponents + tier.focused), key)
    bests: list[dict[int, set[int]]] = []

    def meet(number: int, opponent: FloatArray) -> None:
        keys = streams_of(seed, Domain.SOBOL, focal, number)
        rows = play(program, focal, UNIFORM, mixed(program, opponent), tier.playouts, keys)
        bests.append({dt: best(means(own)) for dt, own in by(rows, "dt").items()})

    for number in range(tier.opponents):
        meet(number, weights[number])
    modal = modal_actions(bests)
    unstable = [sum(share.get(dt, 0.0) for dt in own if modal[dt] not in own[dt]) for own in bests]
    for j in range(tier.focused):
        number = tier.opponents + j
        if sum(unstable) == 0:
            meet(number, weights[number])
            continue
        wanted, parent = (j + 0.5) / tier.focused * sum(unstable), 0
        while sum(unstable[: parent + 1]) <= wanted:
            parent += 1
        meet(number, 0.65 * weights[parent] + 0.35 * weights[number])
    modal = modal_actions(bests)
    score = 0.0
    for dt, action in modal.items():
        met = [own[dt] for own in bests if dt in own]
        score += share.get(dt, 0.0) * (1 - sum(action in own for own in met) / len(met))
    return score


def modal_actions(bests: Sequence[dict[int, set[int]]]) -> dict[int, int]:
    """Per decision type the action that is a best one against most opponents, the lowest of several."""
    wins: dict[int, Counter[int]] = defaultdict(Counter)
    for own in bests:
        for dt, actions in own.items():
            wins[dt].update(sorted(actions))
    return {dt: min(a for a in count if count[a] == max(count.values())) for dt, count in wins.items()}


def brittleness(program: Program, level1: Policy, sigma: float, tier: Tier, seed: int) -> float:
    if sigma == 0:
        return -4.0
    swings = [swing(program, level1, tier, seed, focal) for focal in (0, 1)]
    return sum(math.log10(max(1e-4, value / sigma)) for value in swings) / 2


def swing(program: Program, level1: Policy, tier: Tier, seed: int, focal: int) -> float:
    rows = play(program, focal, level1, UNIFORM, tier.level1, streams_of(seed, Domain.LEVEL1, focal))
    met = Counter(row.dt for row in rows)
    ranked = sorted(met, key=lambda dt: (-met[dt], dt))[: tier.trials]
    if not ranked:
        return 0.0
    perturbed = [ranked[t % len(ranked)] for t in range(tier.trials)]
    changes = [trial(program, level1, perturbed[t], t // len(ranked), tier, seed, focal) for t in range(tier.trials)]
    return sum(met[dt] / len(rows) * abs(slope([float(p == dt) for p in perturbed], changes)) for dt in ranked)


def trial(program: Program, level1: Policy, dt: int, part: int, tier: Tier, seed: int, focal: int) -> float:
    """Mean change of the focal seat's payoff when some of L1's mass at `dt` is shifted."""
    opponents = dirichlet_policies(
        decisions(program), tier.dirichlet, key_of(seed, Domain.BRITTLENESS, Domain.BRITTLENESS)
    )
    shifted = level1._replace(shifted=dt, shift=tier.shift)
    total = 0
    for o in range(tier.dirichlet):
        keys = streams_of(seed, Domain.BRITTLENESS, focal, part * tier.dirichlet + o)
        for own, sign in ((level1, -1), (shifted, 1)):
            opponent = mixed(program, opponents[o])
            log = rollout(program, tier.dirichlet_playouts, keys, *((own, opponent) if focal == 0 else (opponent, own)))
            total += sign * (1 - 2 * focal) * int(log.payoff.sum())
    return total / (tier.dirichlet * tier.dirichlet_playouts)


def slope(xs: Sequence[float], ys: Sequence[float]) -> float:
    """Least squares; without variation in x the mean of y."""
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((a - x) ** 2 for a in xs)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True)) / spread if spread > 0 else y


def farthest_points(points: Sequence[Sequence[float]], count: int, seeds: Sequence[int]) -> list[int]:
    """Row numbers in order of choice."""
    n, axes = len(points), range(len(points[0]))
    low = [min(p[j] for p in points) for j in axes]
    span = [max(p[j] for p in points) - low[j] for j in axes]
    unit = [[(p[j] - low[j]) / (span[j] or 1.0) for j in axes] for p in points]
    centroid = [sum(u[j] for u in unit) / n for j in axes]

    def gap(a: Sequence[float], b: Sequence[float]) -> float:
        return sum((a[j] - b[j]) ** 2 for j in axes)

    chosen = [min(range(n), key=lambda i: (gap(unit[i], centroid), seeds[i]))]
    while len(chosen) < count:
        rest = [i for i in range(n) if i not in chosen]
        chosen.append(min(rest, key=lambda i: (-min(gap(unit[i], unit[c]) for c in chosen), seeds[i])))
    return chosen
