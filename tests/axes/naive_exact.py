"""The axes under random play from every play of a game, in fractions: the reference for `antemill.axes.exact`.

The plays are those of the plain interpreter. Shared with the code under test are the opponents' mixed policies alone.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from antemill.axes.exact.tier import Exact
from antemill.axes.grouping import decisions
from antemill.axes.simplex import sobol_policies
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine.chance import key_of
from antemill.engine.rules.spec import GameSpec
from antemill.engine.seeding import Domain
from tests.naive.choosers import every_playout

TIE = 1e-9


class Asked(NamedTuple):
    """A decision of a play."""

    seat: int
    dt: int  # the compiled number of the decision type
    info: Hashable
    context: Hashable
    menu: tuple[int, ...]
    action: int


class Line(NamedTuple):
    """A play and its probability when both choose at random."""

    asked: tuple[Asked, ...]
    payoff: int  # Alice's
    p: Fraction


class Visit(NamedTuple):
    """A decision of a play with the payoff of its player."""

    asked: Asked
    utility: int
    p: float | Fraction
    later: int  # decisions of the same player


def lines(spec: GameSpec) -> list[Line]:
    """Every play."""
    numbers: dict[tuple[str, str, str, int], int] = {}
    program = compile_spec(spec)
    for number, named in enumerate(program.names.decisions):
        numbers[named.phase, named.move_type, named.move_name, int(program.decision_seats[number])] = number
    found = []
    for playout, p in every_playout(spec):
        asked = tuple(
            Asked(d.seat, numbers[d.phase, d.move_type, d.move_name, d.seat], d.info, d.context, d.menu, action)
            for d, action in playout.decisions
        )
        found.append(Line(asked, playout.payoff, p))
    assert sum(line.p for line in found) == 1
    return found


def visits(plays: Iterable[tuple[Line, float | Fraction]]) -> list[Visit]:
    """All decisions of plays with these probabilities."""
    found = []
    for line, p in plays:
        for i, asked in enumerate(line.asked):
            later = sum(one.seat == asked.seat for one in line.asked[i + 1 :])
            found.append(Visit(asked, line.payoff * (1 if asked.seat == 0 else -1), p, later))
    return found


def at_random(plays: list[Line]) -> list[Visit]:
    return visits((line, line.p) for line in plays)


def by(rows: Iterable[Visit], key: Callable[[Asked], Hashable]) -> dict[Hashable, list[Visit]]:
    groups = defaultdict(list)
    for row in rows:
        groups[key(row.asked)].append(row)
    return dict(groups)


def mass(rows: Iterable[Visit]) -> float | Fraction:
    return sum((row.p for row in rows), Fraction(0))


def mean(rows: list[Visit]) -> float | Fraction:
    return sum((row.p * row.utility for row in rows), Fraction(0)) / mass(rows)


def means(rows: Iterable[Visit]) -> dict[int, float | Fraction]:
    tried: dict[int, list[Visit]] = defaultdict(list)
    for row in rows:
        tried[row.asked.action].append(row)
    return {action: mean(own) for action, own in tried.items()}


def best(values: dict[int, float | Fraction]) -> set[int]:
    highest = max(values.values())
    return {action for action, value in values.items() if highest - value <= TIE}


def sigma(plays: list[Line]) -> float:
    centre = sum(line.p * line.payoff for line in plays)
    return math.sqrt(sum(line.p * (line.payoff - centre) ** 2 for line in plays))


def states(plays: list[Line], episodes: int) -> tuple[int, float]:
    """All information states, and how many of them so many episodes meet on average."""
    groups = by(at_random(plays), lambda asked: (asked.seat, asked.info)).values()
    return len(groups), sum(float(1 - (1 - mass(rows)) ** episodes) for rows in groups)


def temporal_depth(plays: list[Line]) -> float:
    total = 0.0
    for rows in by(at_random(plays), lambda asked: asked.dt).values():
        centre = mean(rows)
        spread = sum(row.p * (row.utility - centre) ** 2 for row in rows)
        tried = by(rows, lambda asked: asked.action).values()
        between = sum(mass(own) * (mean(own) - centre) ** 2 for own in tried)
        total += float(between / spread * sum(row.p * row.later for row in rows)) if spread else 0.0
    return total / 2


def information_sensitivity(plays: list[Line]) -> tuple[float, float]:
    rows = at_random(plays)
    by_type = {dt: best(means(own)) for dt, own in by(rows, lambda asked: asked.dt).items()}
    differing: dict[int, float | Fraction] = {0: Fraction(0), 1: Fraction(0)}
    for own in by(rows, lambda asked: (asked.seat, asked.info)).values():
        if not best(means(own)) & by_type[own[0].asked.dt]:
            differing[own[0].asked.seat] += mass(own)
    per_seat = {seat: mass(row for row in rows if row.asked.seat == seat) for seat in (0, 1)}
    shares = [float(differing[seat] / per_seat[seat]) if per_seat[seat] else 0.0 for seat in (0, 1)]
    return float(sum(differing.values()) / (mass(rows) or 1)), sum(shares) / 2


def floor(rows: list[Visit]) -> int:
    """The smallest payoff that is not exceeded with a probability of a tenth."""
    wanted = mass(rows) / 10
    below: float | Fraction = Fraction(0)
    for row in sorted(rows, key=lambda row: row.utility):
        below += row.p
        if below >= wanted:
            return row.utility
    raise AssertionError("a distribution has a tenth percentile")


def risk(plays: list[Line]) -> float:
    costs, weights = {0: 0.0, 1: 0.0}, {0: 0.0, 1: 0.0}
    for rows in by(at_random(plays), lambda asked: (asked.seat, asked.context)).values():
        tried = by(rows, lambda asked: asked.action)
        if len(tried) > 1:
            seat, p = rows[0].asked.seat, float(mass(rows))
            safe = max((floor(own), mean(own)) for own in tried.values())[1]
            weights[seat] += p
            costs[seat] += p * float(max(means(rows).values()) - safe)
    found = sum(costs[seat] / weights[seat] for seat in (0, 1) if weights[seat]) / 2 / (sigma(plays) or 1.0)
    return found if found >= 0.01 else 0.0


# ------------------------------------------------------------------------------------------- against other players

FloatArray = npt.NDArray[np.float64]


def odds(line: Line, seat: int, weights: FloatArray, offsets: npt.NDArray[np.int64]) -> float:
    """The probability of a seat's choices in a play by a mixed policy."""
    found = 1.0
    for asked in line.asked:
        if asked.seat == seat:
            own = weights[offsets[asked.dt] :]
            found *= own[asked.action] / sum(own[action] for action in asked.menu)
    return found


def alone(line: Line, seat: int) -> float:
    """The probability of the play but for a seat's choices, when all else is random."""
    return float(line.p) * math.prod(len(asked.menu) for asked in line.asked if asked.seat == seat)


def opponent_modeling(spec: GameSpec, plays: list[Line], tier: Exact, seed: int) -> float:
    """Without a second pass."""
    program = compile_spec(spec)
    types, everyone = decisions(program), at_random(plays)
    flips: dict[Hashable, float] = {}
    for focal in range(2):
        key = key_of(seed, Domain.SOBOL, focal, Domain.SOBOL)
        wins: dict[Hashable, Counter[int]] = defaultdict(Counter)
        for weights in sobol_policies(types, 1 - focal, np.arange(tier.opponents), key):
            against = [(x, alone(x, 1 - focal) * odds(x, 1 - focal, weights, types.offsets)) for x in plays]
            rows = (row for row in visits(against) if row.asked.seat == focal)
            for dt, own in by(rows, lambda asked: asked.dt).items():
                wins[dt].update(best(means(own)))
        flips |= {dt: 1 - max(count.values()) / tier.opponents for dt, count in wins.items()}
    shares = by(everyone, lambda asked: asked.dt)
    return sum(float(mass(rows) / mass(everyone)) * flips[dt] for dt, rows in shares.items())


def dirichlet(line: Line, seat: int) -> float:
    """The mean probability of a seat's choices over all Dirichlet(1, ..., 1) policies, by the Dirichlet integral.

    It holds where a decision type that comes again has the same menu.
    """
    menus = {asked.dt: asked.menu for asked in line.asked if asked.seat == seat}
    found = 1.0
    for dt, menu in menus.items():
        taken = Counter(asked.action for asked in line.asked if asked.dt == dt)
        ways = math.factorial(len(menu) - 1) * math.prod(map(math.factorial, taken.values()))
        found *= ways / math.factorial(len(menu) - 1 + sum(taken.values()))
    return found


def level1(plays: list[Line]) -> dict[Hashable, int]:
    """The action in each context."""
    groups = by(at_random(plays), lambda asked: (asked.seat, asked.context))
    return {context: min(best(means(rows))) for context, rows in groups.items()}


def focal_odds(line: Line, seat: int, policy: dict[Hashable, int], shifted: int, shift: float) -> float:
    """The probability of the focal seat's choices by L1, perturbed at one decision type."""
    found = 1.0
    for asked in line.asked:
        if asked.seat == seat:
            wanted, n = policy[seat, asked.context], len(asked.menu)
            moved = shift if asked.dt == shifted and n > 1 else 0.0
            found *= 1 - moved if asked.action == wanted else moved / max(n - 1, 1)
    return found


def brittleness(
    spec: GameSpec, plays: list[Line], tier: Exact, opponents: dict[int, FloatArray] | None = None
) -> float:
    """opponents: for a focal seat mixed policies of the other, whose mean is taken; without, all Dirichlet policies."""
    program = compile_spec(spec)
    types = decisions(program)
    policy, deviation, scores = level1(plays), sigma(plays), []
    for focal in range(2):
        theirs = 1 - focal

        def played(line: Line, shifted: int, uniform: bool = False, focal: int = focal, theirs: int = theirs) -> float:
            own = focal_odds(line, focal, policy, shifted, tier.shift)
            base = float(line.p) * math.prod(len(asked.menu) for asked in line.asked)
            if own == 0.0:
                return 0.0
            if uniform:
                return own * alone(line, focal)
            if focal not in (opponents or {}):
                return own * base * dirichlet(line, theirs)
            mixed = [odds(line, theirs, weights, types.offsets) for weights in (opponents or {})[focal]]
            return own * base * float(np.mean(mixed))

        def payoff(shifted: int, focal: int = focal, played: Callable[[Line, int], float] = played) -> float:
            return sum(played(line, shifted) * line.payoff for line in plays) * (1 if focal == 0 else -1)

        met: Counter[int] = Counter()
        for line in plays:
            p = played(line, -1, True)
            for asked in line.asked:
                if asked.seat == focal:
                    met[asked.dt] += p  # type: ignore[assignment]
        ranked = sorted((dt for dt in met if met[dt] > 0), key=lambda dt: (-round(met[dt], 6), dt))[: tier.trials]
        if not ranked:
            scores.append(math.log10(1e-4))
            continue
        changes = {dt: payoff(dt) - payoff(-1) for dt in ranked}
        trials = [ranked[t % len(ranked)] for t in range(tier.trials)]
        swing = 0.0
        for dt in ranked:
            other = [changes[one] for one in trials if one != dt]
            beta = changes[dt] - (sum(other) / len(other) if other else 0.0)
            swing += met[dt] / sum(met.values()) * abs(beta)
        scores.append(math.log10(max(1e-4, swing / deviation)))
    return sum(scores) / 2
