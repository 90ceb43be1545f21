"""Matches of games that are also played in disguise: the mean over the forms with the same cards, and the gains by
form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum

from msgspec import Struct

from antemill.tournament.cards.disguises import Form
from antemill.tournament.head_to_head import MatchResult

ITSELF = 0  # as the number of a form: no disguise


class Met(Struct, frozen=True):
    """A match of a game in one of its forms, in chips of the game itself."""

    form: Form | None
    result: MatchResult

    @property
    def number(self) -> int:
        """Of the disguise, or `ITSELF`."""
        return ITSELF if self.form is None else self.form.number


def over_forms(met: Sequence[Met]) -> list[MatchResult]:
    """One match for each run and seat: the mean of the forms that were played with the same cards."""
    together: dict[tuple[int, int], list[MatchResult]] = {}
    for one in met:
        together.setdefault((one.result.run, one.result.seat), []).append(one.result)
    return [_mean(found) for found in together.values()]


def _mean(found: Sequence[MatchResult]) -> MatchResult:
    first, estimates = found[0], [one.estimate for one in found if one.estimate is not None]
    margin = fsum(one.margin for one in found) / len(found)
    estimate = fsum(estimates) / len(estimates) if estimates else None
    return MatchResult(first.run, first.play_seed, first.seat, margin, estimate)


def by_form(met: Iterable[Met]) -> Mapping[int, Mapping[int, float]]:
    """The player's gain, chips a match without luck: {form: {run: gain}}, for runs of which both seats are played."""
    found: dict[int, dict[int, list[float]]] = {}
    for one in met:
        assert one.result.estimate is not None
        found.setdefault(one.number, {}).setdefault(one.result.run, []).append(one.result.estimate / 2)
    return {
        form: {run: fsum(both) / 2 for run, both in runs.items() if len(both) == 2}
        for form, runs in sorted(found.items())
    }
