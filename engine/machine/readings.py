"""The gate's definition of a phase: the readings of a sentence of GENSTRAT (section 3) that does not define it.

"Every phase must fire in at least 5% of episodes, with at most 30% of phases permitted to fall below." The paper's
rulebook (appendix B) has main phases, sub-phases with their own headings, and inside a betting round with free sizes a
fallback for players without chips, which is hardly ever played. Whether a fallback counts decides which games are
accepted. `READING` is ours; `docs/differences.md` has the evidence. A program's phases are those of the spec's graph,
then the sub-phases of betting rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from antemill.engine.machine.program import Outline


def _everything(game: Outline) -> int:
    """All phases: every sub-phase, and a fallback as a phase with three sub-phases of its own."""
    return (1 << game.phases) - 1


def _headings(game: Outline) -> int:
    """The phases with a heading in the paper's rulebook: a fallback's three sub-phases have one, itself it has none."""
    return _everything(game) & ~game.fallbacks


def _branches(game: Outline) -> int:
    """All phases except fallbacks and their sub-phases: the rulebook words a fallback as a branch of its round."""
    return _everything(game) & ~game.fallbacks & ~game.inside


def _own(game: Outline) -> int:
    """The phases of the spec: a betting round is one phase, whatever its number of decisions."""
    return (1 << game.spec_phases) - 1


# By name: the bit set of the phases that count.
READINGS: Mapping[str, Callable[[Outline], int]] = MappingProxyType(
    {"fallbacks": _everything, "headings": _headings, "branches": _branches, "own": _own}
)
READING = "branches"
