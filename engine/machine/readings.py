"""What a phase is, to the gate: the readings of a sentence of GENSTRAT (section 3) that says it of phases without more.

"Every phase must fire in at least 5% of episodes, with at most 30% of phases permitted to fall below": the paper's
rulebook (appendix B) has main phases, sub-phases with headings of their own, and inside a betting round with free sizes
a fallback for players without chips, which hardly ever plays. Whether that counts decides which games there are.
`READING` is ours; `docs/population.md` has the evidence. A program's phases are those of the spec's graph, then the
sub-phases of betting rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from engine.machine.program import Names
from engine.rules.walk import FALLBACK

BoolArray = npt.NDArray[np.bool_]


def _everything(names: Names) -> BoolArray:
    """Whatever plays: every sub-phase, and a fallback as a phase with three sub-phases of its own."""
    return np.ones(len(names.phases), np.bool_)


def _headings(names: Names) -> BoolArray:
    """What has a heading in the paper's rulebook: a fallback's three sub-phases have one, the fallback has not."""
    return ~_among(names, _fallbacks(names))


def _branches(names: Names) -> BoolArray:
    """A fallback is a branch of its round, as the rulebook words it, and counts among the branches alone."""
    fallbacks = _fallbacks(names)
    inside = {name for name in names.phases[names.spec_phases :] if name.rpartition(": ")[0] in fallbacks}
    return ~_among(names, fallbacks | inside)


def _own(names: Names) -> BoolArray:
    """Phases with content of their own: a betting round is one phase, however many decisions it asks for."""
    return np.arange(len(names.phases)) < names.spec_phases


def _fallbacks(names: Names) -> set[str]:
    """The fallbacks themselves. No other sub-phase's name ends so; a phase of the spec is called what one likes."""
    return {name for name in names.phases[names.spec_phases :] if name.endswith(FALLBACK)}


def _among(names: Names, some: set[str]) -> BoolArray:
    return np.array([name in some for name in names.phases], np.bool_)


# By name: bool[phases], which of a program's phases count.
READINGS: Mapping[str, Callable[[Names], BoolArray]] = MappingProxyType(
    {"fallbacks": _everything, "headings": _headings, "branches": _branches, "own": _own}
)
READING = "branches"
