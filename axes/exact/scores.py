"""All axes of a game at the exact tier, or at the tier beyond it if the game is too large."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import cache

from antemill.axes import scores
from antemill.axes.budgets import Tier
from antemill.axes.exact.brittleness import brittleness
from antemill.axes.exact.opponents import opponent_modeling
from antemill.axes.exact.risk import risk
from antemill.axes.exact.tier import TIERS, Exact
from antemill.axes.exact.tree import tree_of
from antemill.axes.exact.uniform import Play, information_sensitivity, states_met, temporal_depth
from antemill.axes.scores import Scores, default_seed, score
from antemill.axes.table import AXES
from antemill.engine.digests import shared
from antemill.engine.machine.program import Program


def score_exactly(program: Program, tier: Exact, seed: int | None = None, only: Iterable[str] | None = None) -> Scores:
    """The axes of a game without random play, or at `tier.beyond` if its tree is too large; `Scores.tier` says which.

    `information_states` counts all that random play can reach; `state_space` is the expected number in `tier.episodes`
    episodes. only: the names of some axes. seed: 63 bits, of the opponents; None: the program's own. Raises ValueError
    for an axis that is not in `AXES`.
    """
    wanted = frozenset(AXES if only is None else only)
    if unknown := sorted(wanted - set(AXES)):
        raise ValueError(f"there is no axis '{unknown[0]}'; the axes are {', '.join(AXES)}")
    tree = tree_of(program, tier.nodes)
    if tree is None:
        return score(program, tier.beyond, seed, only)
    play = Play(program, tree)
    number = default_seed(program) if seed is None else seed
    measures: dict[str, Callable[[], tuple[float, ...]]] = {
        "state_space": lambda: (math.log10(max(1.0, states_met(play, tier.episodes))),),
        "temporal_depth": lambda: (temporal_depth(play),),
        "information_sensitivity": lambda: information_sensitivity(play),
        "opponent_modeling": lambda: (opponent_modeling(play, tier.opponents, tier.focused, number),),
        "risk": lambda: (risk(play),),
        "brittleness": lambda: (brittleness(play, tier.trials, tier.shift, tier.dirichlet, number),),
    }
    found = {name: measures[name]() for name in AXES if name in wanted}
    return Scores(
        tier=tier.name,
        axes={name: figures[0] for name, figures in found.items()},
        also={key: value for name in found for key, value in zip(AXES[name].also, found[name][1:], strict=True)},
        information_states=len(play.infos.starts) - 1,
        decisions_per_episode=play.decisions_per_episode,
        sigma_u=play.sigma,
    )


@cache
def version() -> str:
    """As `antemill.axes.scores.version`, for the exact tier."""
    return shared().digest([__name__])


def score_at(
    program: Program, tier: Tier | Exact, seed: int | None = None, only: Iterable[str] | None = None
) -> Scores:
    """The axes of a game at any tier, whether it plays or enumerates."""
    if isinstance(tier, Exact):
        return score_exactly(program, tier, seed, only)
    return score(program, tier, seed, only)


def version_of(tier: str) -> str:
    """The version of the code that computes the axes at a tier. tier: its name."""
    return version() if isinstance(TIERS[tier], Exact) else scores.version()


def axis_version_of(tier: str, axis: str) -> str:
    """As `version_of`, for one axis by name. At the exact tier all axes share their code and version."""
    return version() if isinstance(TIERS[tier], Exact) else scores.axis_version(axis)
