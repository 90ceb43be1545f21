"""Scoring the accepted games of one block; runs in a worker, which takes and returns the bytes of parts."""

from __future__ import annotations

import math
from typing import Any

from axes.budgets import TIERS
from axes.scores import FIGURES, score
from axes.scores import version as axes_version
from axes.table import AXES
from engine.execute import checkpoint
from engine.machine.program import Program
from engine.storage.store import GAMES, decode, encode, programs, table
from tournament.pool.schemas import SCORES


def score_part(_start: int, games: bytes, source: str, tier: str, wanted: tuple[str, ...], old: bytes | None) -> bytes:
    """The part of scores for a part of games.

    games: its bytes; `source` names it in errors. wanted: the axes to compute. old: the bytes of an earlier part of
    scores for the same games and axes version, whose other axes are kept.
    """
    candidates = decode(games, GAMES, source)
    accepted = candidates.filter(candidates["accepted"])
    kept: list[dict[str, Any]] = [{} for _ in range(accepted.num_rows)]
    if old is not None:
        kept = decode(old, SCORES, source).to_pylist()
    rows = []
    for seed, program, before in zip(accepted["seed"].to_pylist(), programs(accepted, source), kept, strict=True):
        checkpoint()
        new = score_game(program, tier, wanted)
        rows.append(before | new | {"seed": seed, "digest": program.digest, "tier": tier})
    return encode(SCORES, table(SCORES, rows), candidates["builder"][0].as_py())


def score_game(program: Program, tier: str, wanted: tuple[str, ...] = tuple(AXES)) -> dict[str, Any]:
    """The wanted axes of one game with what goes with them, by their column names in `SCORES`."""
    result = score(program, TIERS[tier], only=wanted)
    values = {**result.axes, **result.also, **{name: getattr(result, name) for name in FIGURES}}
    bad = [axis for axis in wanted if not math.isfinite(values[axis])]
    assert not bad, f"the axis {bad[0]} of {program.names.game} is not a finite number"
    return values | {"information_states": result.information_states, "axes_version": axes_version()}
