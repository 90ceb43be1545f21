"""A round robin and a guest with a few matches: what the guest does to the others' intervals."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa

from tournament.statistics.bootstrap import cluster_bootstrap
from tournament.statistics.intervals import Floats, Interval, percentile
from tournament.statistics.leaderboard import leaderboard
from tournament.statistics.strength import strengths
from tournament.statistics.table import slot_table

MAIN = 5  # players who play enough
WORLDS, REPLICATES = 1000, 200


def with_guest(matches: int, seed: int, runs: int = 8) -> tuple[Floats, pa.Table]:
    """A round robin of MAIN players on four games, and single matches of the guest `m5`; the true strengths."""
    random = np.random.default_rng(seed)
    level = np.linspace(1.0, -1.0, MAIN + 1)
    low, high = np.triu_indices(MAIN, 1)
    game, pair, number = (part.ravel() for part in np.meshgrid(range(4), range(len(low)), range(runs), indexing="ij"))
    alice, bob = np.concatenate((low[pair], high[pair])), np.concatenate((high[pair], low[pair]))
    cards = np.tile(random.normal(size=len(pair)), 2)
    alice = np.concatenate((alice, np.full(matches, MAIN)))
    bob = np.concatenate((bob, random.integers(0, MAIN, matches)))
    cards = np.concatenate((cards, random.normal(size=matches)))
    margin = level[alice] - level[bob] + cards + 2.0 * random.normal(size=len(alice))
    names = np.array([f"m{k}" for k in range(MAIN + 1)])
    return level, pa.table(
        {
            "game": np.concatenate((np.tile(game, 2), random.integers(0, 4, matches))),
            "run": np.concatenate((np.tile(number, 2), 100 + np.arange(matches))),
            "alice": names[alice],
            "bob": names[bob],
            "margin": margin,
        }
    )


def coverage(matches: int, worlds: int = WORLDS) -> tuple[float, float, float]:
    """Shares of 95% intervals that hold: the others' with the guest in the fit, the others' and its own as they are.

    The last is NaN where the guest has none.
    """
    fitted, others, own = [], [], []
    for seed in range(worlds):
        level, rows = with_guest(matches, seed)
        table = slot_table(rows)
        whole = level[: len(table.models)]
        found = percentile(strengths(cluster_bootstrap(table, REPLICATES, seed)))
        fitted.append(_held(found, whole - whole.mean())[:MAIN].mean())
        board = leaderboard(table, REPLICATES, seed)
        part = level[: len(table.models) - len(board.apart)]
        held = _held(board.interval, part - part.mean())
        others.append(held[:MAIN].mean())
        own.append(held[MAIN] if len(held) > MAIN else np.nan)
    return float(np.mean(fitted)), float(np.mean(others)), float(np.mean(own))


def _held(interval: Interval, want: Floats) -> Floats:
    low, high = interval.low[: len(want)], interval.high[: len(want)]
    return np.asarray((low <= want) & (want <= high), np.float64)


def table_of(store: Path) -> str:
    """The table in Markdown. Finished lines are kept in `store`, a folder."""
    lines = [
        "| matches of the guest | the others', with the guest in the fit | the others' | its own |",
        "|--:|--:|--:|--:|",
    ]
    for matches in (0, 1, 2, 3, 4, 5, 8, 12):
        path = store / f"guest-{matches}-{WORLDS}.json"
        if not path.is_file():
            path.write_text(json.dumps(coverage(matches)), encoding="utf-8")
            print(f"a guest with {matches} matches", flush=True)
        fitted, others, own = json.loads(path.read_text(encoding="utf-8"))
        lines.append(f"| {matches} | {fitted:.1%} | {others:.1%} | {'none' if np.isnan(own) else f'{own:.1%}'} |")
    return "\n".join(lines)
