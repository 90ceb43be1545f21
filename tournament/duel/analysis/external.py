"""Rank correlations of a tournament's figures with other benchmarks' scores (T13; TTG section 4.1, tables 1 and 2).

The paper's table 1 comes with the program as `table1.csv`: its ratings and rates, and the public accuracies in percent
on HLE, ARC-AGI, SWE-Bench Pro, TextQuests and GPQA Diamond.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from importlib.resources import files
from itertools import permutations

import numpy as np
from msgspec import Struct

from antemill.tournament.statistics.intervals import Floats

_EXACT = 6  # models; up to so many all orders are compared: the usual approximation gives 0 for a perfect one
Scores = dict[str, dict[str, float]]  # column -> model -> score


class Correlation(Struct, frozen=True):
    """Spearman's rho over the models that both columns name; None with fewer than three, or without any variation."""

    ours: str
    theirs: str
    models: int
    rho: float | None
    p_value: float | None


def paper_scores() -> Scores:
    """The paper's table 1."""
    text = (files("antemill.tournament.duel.analysis") / "table1.csv").read_text(encoding="utf-8")
    (_, *names), *rows = (row for row in csv.reader(text.splitlines()) if row)
    cells = [(name, row[0], cell) for row in rows for name, cell in zip(names, row[1:], strict=True)]
    return {name: {model: float(cell) for one, model, cell in cells if one == name and cell} for name in names}


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
    return Correlation(mine, other, len(models), rho, p_value)


def _among_all_orders(x: Floats, y: Floats) -> float:
    """The two-sided p-value of a rank correlation: the share of all orders that correlate as strongly."""
    products = np.array(list(permutations(y - y.mean()))) @ (x - x.mean())
    return float(np.mean(np.abs(products) >= abs(products[0]) - 1e-9))
