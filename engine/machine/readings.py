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

from antemill.engine.machine.program import Outline


def _everything(game: Outline) -> int:
    """All that plays: every sub-phase, and a fallback as a phase with three sub-phases of its own."""
    return (1 << game.phases) - 1


def _headings(game: Outline) -> int:
    """What has a heading in the paper's rulebook: a fallback's three sub-phases have one, the fallback has not."""
    return _everything(game) & ~game.fallbacks


def _branches(game: Outline) -> int:
    """A fallback is a branch of its round, as the rulebook words it, and counts among the branches alone."""
    return _everything(game) & ~game.fallbacks & ~game.inside


def _own(game: Outline) -> int:
    """Phases with content of their own: a betting round is one phase, however many decisions it asks for."""
    return (1 << game.spec_phases) - 1


# By name: which of a game's phases count, phase number i as bit i.
READINGS: Mapping[str, Callable[[Outline], int]] = MappingProxyType(
    {"fallbacks": _everything, "headings": _headings, "branches": _branches, "own": _own}
)
READING = "branches"
