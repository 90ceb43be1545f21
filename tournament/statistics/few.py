"""Players with too few matches for an interval are set apart, so that their error does not affect the others'.

A bootstrap of few clusters understates their noise; with one cluster it sees none. And as strengths sum to zero, the
error of one such player is a part of every player's strength. So a player with fewer than FEWEST clusters is not part
of the fit or its contrast, and has no interval. Its strength is given beside the fit: the mean of its margin plus the
opponent's strength, over its matches against players of the fit. Not from the papers, where every player plays enough.

Only clusters against others that stay count, so players are set apart until each that remains has enough. If fewer
than two remain, the tournament is too small: all stay in the fit, and none has an interval. If the players fall into
groups that never met, the largest is fitted and the others are set apart: no match says how they compare.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from antemill.tournament.statistics.intervals import Floats, Interval
from antemill.tournament.statistics.matches import Flags, Integers, SlotTable

FEWEST = 5
TOO_FEW_CLUSTERS = f"fewer than {FEWEST} runs"


class Apart(Struct, frozen=True, eq=False):
    """The players that were set apart, by name."""

    models: tuple[str, ...]
    strengths: Floats  # float64[models]; beside the fit, NaN for one that met no player of it
    units: Integers  # int64[models]: in how many units each plays
    slots: Integers  # int64[models]: in how many matches


def units_of_models(table: SlotTable) -> Integers:
    """int64[models]: in how many units (clusters, if none are given) each model plays."""
    played = np.unique(np.concatenate((table.alice, table.bob)) * table.units + np.tile(table.unit, 2))
    return np.bincount(played // max(table.units, 1), minlength=len(table.models)).astype(np.int64)


def units_of_pairs(table: SlotTable) -> Integers:
    """int64[models, models]: in how many units each pair met."""
    models = len(table.models)
    met = np.unique((table.low * models + table.high) * table.units + table.unit) // max(table.units, 1)
    found = np.bincount(met, minlength=models**2).astype(np.int64).reshape(models, models)
    return found + found.T


def enough(table: SlotTable) -> Flags:
    """bool[models]: which players have an interval. All false if that would leave fewer than two."""
    found, part = np.zeros(len(table.models), bool), largest_group(table)[0]
    while len(part.margin):
        short = units_of_models(part) < FEWEST
        if not short.any():
            part = largest_group(part)[0]
            found[np.searchsorted(table.models, part.models)] = True
            break
        part = part.without_models([name for name, few in zip(part.models, short, strict=True) if few])
    return found


def largest_group(table: SlotTable) -> tuple[SlotTable, tuple[str, ...]]:
    """The matches of the largest group of players that matches connect, and the names of the players outside it.

    Of several of a size, the one with the most matches; then the one whose first name is the first.
    """
    size = len(table.models)
    met = csr_array((np.ones(len(table.alice)), (table.alice, table.bob)), shape=(size, size))
    groups, label = connected_components(met, directed=False)
    if groups < 2:
        return table, ()
    players, matches = np.bincount(label), np.bincount(label[table.alice], minlength=groups)
    first = np.array([int(np.argmax(label == k)) for k in range(groups)])
    inside = label == np.lexsort((first, -matches, -players))[0]
    outside = tuple(name for name, there in zip(table.models, inside, strict=True) if not there)
    return table.rows(inside[table.alice]), outside


def set_apart(table: SlotTable) -> tuple[SlotTable, tuple[str, ...]]:
    """The matches among players with enough, and the names of the others; if none has enough, the largest group."""
    there = enough(table)
    if not there.any():
        return largest_group(table)
    few = tuple(name for name, stays in zip(table.models, there, strict=True) if not stays)
    return (table.without_models(few) if few else table), few


def beside(table: SlotTable, name: str, strengths: dict[str, float]) -> float:
    """The strength of a player that was set apart; NaN if it met no player of the fit. strengths: those of the fit."""
    known = np.array([strengths.get(model, np.nan) for model in table.models])
    me = table.models.index(name)
    first = table.alice == me
    mine = first | (table.bob == me)
    margin = np.where(first, table.margin, -table.margin)[mine]
    level = known[np.where(first, table.bob, table.alice)[mine]]
    met, weight = np.isfinite(level), table.weight[mine]
    return float(np.average((margin + level)[met], weights=weight[met])) if met.any() else float("nan")


def apart(table: SlotTable, models: tuple[str, ...], strengths: dict[str, float]) -> Apart:
    """The strengths and counts of the models that were set apart. strengths: those of the fit, by name."""
    codes = np.array([table.models.index(name) for name in models], np.int64)
    slots = np.bincount(np.concatenate((table.alice, table.bob)), minlength=len(table.models))
    found = np.array([beside(table, name, strengths) for name in models])
    return Apart(models, found, units_of_models(table)[codes], slots[codes].astype(np.int64))


def masked(interval: Interval, there: Flags) -> Interval:
    """The bounds where `there` is true, NaN elsewhere."""
    return Interval(np.where(there, interval.low, np.nan), np.where(there, interval.high, np.nan))


def placed(values: Floats, there: Flags) -> Floats:
    """float64[..., all models]: values of the models that are there, in order, and NaN for the others."""
    found = np.full((*values.shape[:-1], len(there)), np.nan)
    found[..., there] = values
    return found
