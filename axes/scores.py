"""All axes of a game in one call.

All randomness comes from the program's digest, with a stream per purpose. So a score depends neither on the other
computed axes nor on the game's place in a pool.
"""

from collections.abc import Iterable
from functools import cache

from msgspec import Struct

from antemill.axes.axis import Play
from antemill.axes.budgets import Tier
from antemill.axes.state_space import information_states
from antemill.axes.table import AXES
from antemill.engine.digests import shared
from antemill.engine.machine.batch import kept_batch
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import rollout, streams
from antemill.engine.seeding import Domain

FIGURES = ("decisions_per_episode", "sigma_u")  # of `Scores`, that describe the random play
ALSO = tuple(name for axis in AXES.values() for name in axis.also)


class Scores(Struct, frozen=True):
    """A game's axes, and diagnostics of its random play."""

    tier: str
    axes: dict[str, float]  # the requested axes by name, in the order of `AXES`
    also: dict[str, float]  # further figures of these axes, by the names in `Axis.also`
    information_states: int  # number of distinct ones, both seats
    decisions_per_episode: float  # mean, both seats
    sigma_u: float  # standard deviation of the payoff in chips

    def point(self) -> tuple[float, ...]:
        """The axes in the order of `AXES`. Raises ValueError if one is missing."""
        if missing := [axis for axis in AXES if axis not in self.axes]:
            raise ValueError(
                f"the axes {', '.join(missing)} were not computed; score the game without a choice of axes"
            )
        return tuple(self.axes[axis] for axis in AXES)


def score(program: Program, tier: Tier, seed: int | None = None, only: Iterable[str] | None = None) -> Scores:
    """Play a game at a tier's budget and compute its axes.

    program: from `antemill.engine.compiler.compile.compile_spec`. tier: `FAST`, `PRECISE`, or your own. seed: 63 bits,
    of all playouts; None: the program's own. only: the names of some axes; None: all. Units: `AXES[name].unit`. The
    same arguments give the same scores. Raises ValueError for an axis that is not in `AXES`.
    """
    wanted = _wanted(only)
    seed = default_seed(program) if seed is None else seed
    play = random_play(program, tier, seed)
    log = play.log
    found = {name: axis.measure(play) for name, axis in AXES.items() if name in wanted}
    return Scores(
        tier=tier.name,
        axes={name: figures[0] for name, figures in found.items()},
        also={key: value for name in found for key, value in zip(AXES[name].also, found[name][1:], strict=True)},
        information_states=information_states(log, play.gathered),
        decisions_per_episode=log.rows / log.episodes,
        sigma_u=play.sigma,
    )


def random_play(program: Program, tier: Tier, seed: int) -> Play:
    """The random play that is the input of the axes. Use it before this thread plays anything else."""
    batch = kept_batch(program, logged=True)
    log = rollout(program, tier.level0, streams(seed, Domain.LEVEL0), batch=batch)
    return Play(program, log, tier, seed, batch._replace(asked=batch.asked[:0]))


@cache
def version() -> str:
    """16 hexadecimal digits that change with the code of the axes (including budgets) and of the engine below.

    Scores of equal versions are comparable. Docstrings, comments and layout do not count.
    """
    return shared().digest([__name__])


@cache
def axis_version(axis: str) -> str:
    """As `version`, for one axis by name: it does not change with the code of the other axes."""
    code = shared()
    own = code.digest([AXES[axis].measure.__module__, "axes.axis", "axes.budgets", "axes.state_space", "axes.risk"])
    return f"{own}{code.reached([__name__])[__name__].digest[:16]}"


def default_seed(program: Program) -> int:
    """The seed of a program's playouts: 63 bits of its digest."""
    return int(program.digest[:16], 16) & ((1 << 63) - 1)


def _wanted(only: Iterable[str] | None) -> frozenset[str]:
    wanted = frozenset(AXES if only is None else only)
    if unknown := sorted(wanted - set(AXES)):
        raise ValueError(f"there is no axis '{unknown[0]}'; the axes are {', '.join(AXES)}")
    return wanted
