"""What the paper says in sentences about a leaderboard and its refits (GENSTRAT section 6, appendices H and I)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from antemill.tournament.statistics.complexity import THIRDS
from antemill.tournament.statistics.intervals import Floats, Interval

_GROUP = 3  # models at the top and at the bottom


def order_kept(full: Floats, refit: Floats) -> str:
    """Whether a refit keeps the order of the leaderboard. Both float64[models], in its order; NaN is left out."""
    there = np.isfinite(full) & np.isfinite(refit)
    if there.sum() < 2:
        return ""
    a, b = full[there], refit[there]
    turned = int(np.triu((a[:, None] - a[None]) * (b[:, None] - b[None]) < 0.0).sum())
    pairs = int(there.sum()) * (int(there.sum()) - 1) // 2
    if turned:
        return f"{turned} of {pairs} pairs of models are in the other order."
    return f"The order of the {int(there.sum())} models is that of the whole leaderboard."


def sign_changes(models: Sequence[str], full: Floats, refit: Floats) -> str:
    """Which models are on the other side of the mean after a refit, since the mean is that of other models."""
    turned = [name for name, a, b in zip(models, full, refit, strict=True) if a * b < 0.0]
    return f" The mean is that of other models: {', '.join(turned)} changed sides." if turned else ""


def cells_left(full: Floats, refit: Floats) -> str:
    """How many strengths by game a refit determines, of those before. Both float64[games, models]."""
    before, left = int(np.isfinite(full).sum()), int((np.isfinite(full) & np.isfinite(refit)).sum())
    return f" {left:,} of {before:,} strengths by game are determined."


def widths(models: Sequence[str], thirds: Sequence[Interval]) -> str:
    """The widths of the intervals in all thirds: the largest, where it is, and the median."""
    wide = np.array([third.high - third.low for third in thirds])
    known = wide[np.isfinite(wide)]
    if not len(known):
        return ""
    third, model = divmod(int(np.nanargmax(wide)), wide.shape[1])
    return (
        f" 95% intervals are at most {known.max():.2f} wide over {len(known)} cells ({models[model]}, "
        f"{THIRDS[third]}), in the median {np.median(known):.2f}."
    )


def top_and_bottom(models: Sequence[str], overall: Floats, thirds: Sequence[Floats]) -> str:
    """Whether the best and the last three of the leaderboard are those of each third, and the gap between them."""
    if len(models) <= _GROUP or not all(np.isfinite(part).all() for part in (overall, *thirds)):
        return ""
    said = []
    for k, part in enumerate(thirds):
        order = np.argsort(-part, kind="stable").tolist()
        for what, here, want in (
            ("first", order[:_GROUP], range(_GROUP)),
            ("last", order[-_GROUP:], range(len(models) - _GROUP, len(models))),
        ):
            if new := [models[m] for m in here if m not in want]:
                old = [models[m] for m in want if m not in here]
                said.append(f"on {THIRDS[k]} {' and '.join(new)} for {' and '.join(old)} among the {what} {_GROUP}")
    kept = f"The first and the last {_GROUP} are those of the leaderboard"
    gaps = ", ".join(f"{part[:_GROUP].mean() - part[-1]:.2f}" for part in thirds)
    return (
        f" {kept}{', but ' + '; '.join(said) if said else ' in every third'}. The mean of its first {_GROUP} less "
        f"{models[-1]}: {gaps}."
    )
