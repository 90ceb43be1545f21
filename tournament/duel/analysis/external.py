"""Rank correlations of a tournament's figures with other benchmarks' scores (T13; TTG section 4.1, tables 1 and 2).

The paper's table 1 comes with the program as `table1.csv`: its ratings and rates, and the public accuracies in percent
on HLE, ARC-AGI, SWE-Bench Pro, TextQuests and GPQA Diamond.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from importlib.resources import files
from itertools import permutations

import msgspec
import numpy as np

from antemill.engine.errors import UsageError
from antemill.tournament.statistics.intervals import Floats

_EXACT = 6  # models; up to so many all orders are compared: the usual approximation gives 0 for a perfect one
Scores = dict[str, dict[str, float]]  # column -> model -> score


class Correlation(msgspec.Struct, frozen=True, kw_only=True):
    """Spearman's rho over the models that both columns name; None with fewer than three, or without any variation."""

    ours: str
    theirs: str
    models: int
    rho: float | None
    p_value: float | None


def paper_scores() -> Scores:
    """The paper's table 1."""
    return _parse((files("antemill.tournament.duel.analysis") / "table1.csv").read_text(encoding="utf-8"), "table1.csv")


def _parse(text: str, where: str) -> Scores:
    rows = [row for row in csv.reader(text.splitlines()) if row]
    if len(rows) < 2 or len(rows[0]) < 2:
        raise UsageError(f"{where} holds no scores: the first column names models, the others are benchmarks.")
    scores: Scores = {name: {} for name in rows[0][1:]}
    for row in rows[1:]:
        for name, cell in zip(rows[0][1:], row[1:], strict=False):
            if cell.strip():
                scores[name][row[0]] = _number(cell, f"{where}, model {row[0]}, column {name}")
    return scores


def _number(cell: str, where: str) -> float:
    try:
        return float(cell)
    except ValueError:
        raise UsageError(f"{where}: '{cell}' is not a number.") from None


def correlations(
    ours: Mapping[str, Mapping[str, float]], theirs: Mapping[str, Mapping[str, float]]
) -> list[Correlation]:
    """Every column of ours with every column of theirs."""
    return [_correlate(mine, ours[mine], other, theirs[other]) for mine in ours for other in theirs]


def _correlate(mine: str, ours: Mapping[str, float], other: str, theirs: Mapping[str, float]) -> Correlation:
    models = sorted(ours.keys() & theirs.keys())
    x, y = [ours[model] for model in models], [theirs[model] for model in models]
    rho = p_value = None
    if len(models) > 2 and len(set(x)) > 1 and len(set(y)) > 1:
        from scipy.stats import rankdata, spearmanr  # half a second, which no other part of a duel needs

        result = spearmanr(x, y)
        rho, p_value = float(result.statistic), float(result.pvalue)
        if len(models) <= _EXACT:
            p_value = _among_all_orders(rankdata(x), rankdata(y))
    return Correlation(ours=mine, theirs=other, models=len(models), rho=rho, p_value=p_value)


def _among_all_orders(x: Floats, y: Floats) -> float:
    """The two-sided p-value of a rank correlation: the share of all orders that correlate as strongly."""
    products = np.array(list(permutations(y - y.mean()))) @ (x - x.mean())
    return float(np.mean(np.abs(products) >= abs(products[0]) - 1e-9))
