"""Figure 8 as the paper designed it: fixed sets of options and fixed orders, each asked ten times.

A player who does not care about the options is right in each group of ten with the same probability, and its shares
differ all the same. So a simulated indifferent player stands beside each: its probability is the share correct over all
groups of the question, and its spread is that of binomial draws. The paper has no such baseline.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from antemill.tournament.statistics.intervals import Floats

KINDS = {"set": "sets of options", "order": "orders"}
SIMULATED = 4_000  # indifferent players


class Sensitive(Struct, frozen=True, eq=False):
    """One player and kind of group. spread: the standard deviation of the shares correct over a question's groups, mean
    over questions; indifferent, limit: its mean and 95% quantile for indifferent players; p: the share of these whose
    spread is at least as large.

    numbers: of the questions; shares: float64[questions, groups]; low, high: float64[questions], means of an
    indifferent player's lowest and highest share.
    """

    player: str
    kind: str
    spread: float
    indifferent: float
    limit: float
    p: float
    numbers: list[int]
    shares: Floats
    low: Floats
    high: Floats


def sensitive(rows: Sequence[Mapping[str, Any]]) -> list[Sensitive]:
    """Every player of the rows of such tests, for sets and for orders. Questions with fewer groups than others are
    compared with their own number of groups.
    """
    players = dict.fromkeys(row["player"] for row in rows)
    return [_sensitive(player, kind, rows) for player in players for kind in KINDS]


def _sensitive(player: str, kind: str, rows: Sequence[Mapping[str, Any]]) -> Sensitive:
    own = [row for row in rows if row["player"] == player]
    random = np.random.default_rng(0)
    shares, drawn, bounds = [], np.zeros(SIMULATED), []
    for row in own:
        counts = np.array([group[1:] for group in row["groups"] if group[0] == kind], np.int64)
        shares.append(counts[:, 0] / counts[:, 1])
        p = counts[:, 0].sum() / counts[:, 1].sum()
        same = random.binomial(counts[:, 1], p, (SIMULATED, len(counts))) / counts[:, 1]
        drawn += same.std(axis=1) / len(own)
        bounds.append((same.min(axis=1).mean(), same.max(axis=1).mean()))
    most = max(map(len, shares))
    table = np.array([np.pad(one, (0, most - len(one)), constant_values=np.nan) for one in shares])
    spread = float(np.mean([one.std() for one in shares]))
    limit = float(np.quantile(drawn, 0.95))
    chance = float((drawn >= spread - 1e-12).mean())
    low, high = np.array(bounds).T
    return Sensitive(
        player, kind, spread, float(drawn.mean()), limit, chance, [row["number"] for row in own], table, low, high
    )
