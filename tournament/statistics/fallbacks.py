"""How often a reply gave no legal action and a random one was played (GENSTRAT appendix F; N3)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from msgspec import Struct


class Fallbacks(Struct, frozen=True):
    """One model's counts over both seats. Rates are NaN if it made no move, or played no match."""

    slots: int
    moves: int
    fallbacks: int  # moves
    slots_with: int  # slots with at least one
    move_rate: float
    slot_rate: float


def fallback_counts(
    models: int,
    seats: npt.NDArray[np.integer],
    moves: npt.NDArray[np.integer],
    fallbacks: npt.NDArray[np.integer],
) -> list[Fallbacks]:
    """Counts of every model. All arrays: one entry a seat of a match; seats: index of the model that sat there."""
    slots = np.bincount(seats, minlength=models)
    made = np.bincount(seats, weights=moves, minlength=models).astype(np.int64)
    fell = np.bincount(seats, weights=fallbacks, minlength=models).astype(np.int64)
    hit = np.bincount(seats, weights=fallbacks > 0, minlength=models).astype(np.int64)
    return [rates(int(s), int(m), int(f), int(h)) for s, m, f, h in zip(slots, made, fell, hit, strict=True)]


def rates(slots: int, moves: int, fallbacks: int, slots_with: int) -> Fallbacks:
    """Counts with their rates."""
    per_move = fallbacks / moves if moves else float("nan")
    return Fallbacks(slots, moves, fallbacks, slots_with, per_move, slots_with / slots if slots else float("nan"))
