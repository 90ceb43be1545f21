"""The axes of a game, for users: arguments are checked, and a game may be given in any form."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, SupportsIndex

from antemill.axes.budgets import FAST, Tier
from antemill.axes.exact.scores import score_at
from antemill.axes.exact.tier import TIERS, Exact
from antemill.axes.scores import Scores
from antemill.axes.table import AXES
from antemill.engine import arguments
from antemill.engine.public.games import ProgramLike, as_program


def score(
    game: ProgramLike,
    tier: Tier | Exact | str = FAST,
    seed: SupportsIndex | None = None,
    only: Iterable[str] | str | None = None,
) -> Scores:
    """The axes of a game (GENSTRAT section 4 and appendix C), from random play at a tier's budget, or exactly.

    game: a program, rules, or a GAME ("kuhn", 9, "7@0.1"). tier: `FAST`, `PRECISE`, `EXACT`, the name of one of these,
    or your own. `EXACT` enumerates the game's tree; a game that is too large for it gets the precise tier, as
    `Scores.tier` says. seed: 0 to 2^63 - 1, of all playouts and opponents; None for the program's own. only: the names
    of some axes. Units: `AXES[name].unit`. The same arguments give the same scores. Raises TypeError or ValueError
    (both also UsageError) for wrong arguments.
    """
    budget = TIERS[arguments.one_of(tier, "tier", TIERS)] if isinstance(tier, str) else tier
    names = " or ".join(f"antemill.{name.upper()}" for name in TIERS)
    if not isinstance(budget, Tier | Exact):
        arguments.wrong_type("tier", budget, "a tier", f"use {names}")
    number = None if seed is None else arguments.seed(seed)
    program, chosen = as_program(game, "game"), _chosen(only)
    return score_at(program, budget, number, chosen)


def _chosen(only: Any) -> list[str] | None:
    """The names of the requested axes; None for all."""
    if only is None:
        return None
    try:
        names = [only] if isinstance(only, str) else list(only)
    except TypeError:
        arguments.wrong_type("only", only, f"some of {', '.join(AXES)}", "leave it out for all of them")
    return [arguments.one_of(name, "only", AXES) for name in names]
