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

from engine.machine.program import Names
from engine.rules.walk import FALLBACK


def _everything(names: Names) -> int:
    """Whatever plays: every sub-phase, and a fallback as a phase with three sub-phases of its own."""
    return (1 << len(names.phases)) - 1


def _headings(names: Names) -> int:
    """What has a heading in the paper's rulebook: a fallback's three sub-phases have one, the fallback has not."""
    return _without(names, _fallbacks(names))


def _branches(names: Names) -> int:
    """A fallback is a branch of its round, as the rulebook words it, and counts among the branches alone."""
    if not (fallbacks := _fallbacks(names)):
        return _everything(names)
    inside = {name for name in names.phases[names.spec_phases :] if name.rpartition(": ")[0] in fallbacks}
    return _without(names, fallbacks | inside)


def _own(names: Names) -> int:
    """Phases with content of their own: a betting round is one phase, however many decisions it asks for."""
    return (1 << names.spec_phases) - 1


def _fallbacks(names: Names) -> set[str]:
    """The fallbacks themselves. No other sub-phase's name ends so; a phase of the spec is called what one likes."""
    return {name for name in names.phases[names.spec_phases :] if name.endswith(FALLBACK)}


def _without(names: Names, some: set[str]) -> int:
    """All phases but those of some names."""
    return sum(1 << i for i, name in enumerate(names.phases) if name not in some) if some else _everything(names)


# By name: which of a program's phases count, phase number i as bit i.
READINGS: Mapping[str, Callable[[Names], int]] = MappingProxyType(
    {"fallbacks": _everything, "headings": _headings, "branches": _branches, "own": _own}
)
READING = "branches"
