"""All six axes of a game in one call.

Whatever is random follows from the program's digest and a stream per purpose: a score does not depend on which other
axes are computed, nor on the game's place in a pool.
"""

from collections.abc import Iterable
from functools import cache
from typing import cast

from msgspec import Struct

from axes.best_response import best_response
from axes.brittleness import brittleness
from axes.budgets import Tier
from axes.information_sensitivity import information_sensitivity
from axes.opponent_modeling import opponent_modeling, visit_shares
from axes.risk import risk, sigma_u
from axes.state_space import information_states, state_space
from axes.temporal_depth import temporal_depth
from engine.digests import Sources
from engine.program import Program
from engine.rollout import rollout, streams
from engine.streams import Domain

AXES = ("state_space", "temporal_depth", "information_sensitivity", "opponent_modeling", "risk", "brittleness")


class Scores(Struct, frozen=True):
    """A game's axes, None where not asked for, and diagnostics of its random play."""

    tier: str
    state_space: float | None  # log10 of a count
    temporal_depth: float | None
    information_sensitivity: float | None  # 0..1
    opponent_modeling: float | None  # 0..1
    risk: float | None  # standard deviations of the payoff
    brittleness: float | None  # log10 of standard deviations of the payoff
    information_states: int  # distinct ones, both seats
    decisions_per_episode: float  # mean, both seats
    sigma_u: float  # standard deviation of the payoff in chips
    information_sensitivity_seat_mean: float | None

    def point(self) -> tuple[float, ...]:
        """The six axes in the order of `AXES`. Raises ValueError if one is missing."""
        values = tuple(getattr(self, axis) for axis in AXES)
        missing = [axis for axis, value in zip(AXES, values, strict=True) if value is None]
        if missing:
            raise ValueError(
                f"the axes {', '.join(missing)} were not computed; score the game without a choice of axes"
            )
        return cast(tuple[float, ...], values)


def score(program: Program, tier: Tier, seed: int | None = None, only: Iterable[str] | None = None) -> Scores:
    """Play a game at a tier's budget and compute its axes, or `only` those named.

    seed: of all playouts; None takes the one that belongs to the program. Raises ValueError for an axis without
    meaning.
    """
    wanted = _wanted(only)
    seed = default_seed(program) if seed is None else seed
    log = rollout(program, tier.level0, streams(seed, Domain.LEVEL0))
    sigma = sigma_u(log)
    sensitivity = information_sensitivity(log, program) if "information_sensitivity" in wanted else None
    shares = visit_shares(log, program)
    return Scores(
        tier=tier.name,
        state_space=state_space(log) if "state_space" in wanted else None,
        temporal_depth=temporal_depth(log, program) if "temporal_depth" in wanted else None,
        information_sensitivity=sensitivity.pooled if sensitivity else None,
        opponent_modeling=opponent_modeling(program, shares, tier, seed) if "opponent_modeling" in wanted else None,
        risk=risk(log, program) if "risk" in wanted else None,
        brittleness=brittleness(program, best_response(log, program), sigma, tier, seed)
        if "brittleness" in wanted
        else None,
        information_states=information_states(log),
        decisions_per_episode=log.rows / log.episodes,
        sigma_u=sigma,
        information_sensitivity_seat_mean=sensitivity.seat_mean if sensitivity else None,
    )


@cache
def version() -> str:
    """16 hexadecimal digits that change with the code of the axes, their budgets among it, and of the engine below.

    Scores of equal versions are comparable. Docstrings, comments and layout do not count.
    """
    return Sources().digest([__name__])


def default_seed(program: Program) -> int:
    """The seed of a program's playouts: 63 bits of its digest."""
    return int(program.digest[:16], 16) & ((1 << 63) - 1)


def _wanted(only: Iterable[str] | None) -> frozenset[str]:
    wanted = frozenset(AXES if only is None else only)
    if unknown := sorted(wanted - set(AXES)):
        raise ValueError(f"there is no axis '{unknown[0]}'; the axes are {', '.join(AXES)}")
    return wanted
