"""A round robin and a guest with a few matches, or two groups tied by a few runs: what that does to the intervals."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa

from antemill.tournament.statistics.bootstrap import cluster_bootstrap
from antemill.tournament.statistics.cells import cells_of
from antemill.tournament.statistics.clustered import clustered, stretched
from antemill.tournament.statistics.few import enough, masked, placed, set_apart
from antemill.tournament.statistics.intervals import Floats, Interval, percentile
from antemill.tournament.statistics.leaderboards import leaderboard
from antemill.tournament.statistics.matches import SlotTable, slot_table
from antemill.tournament.statistics.precision import Error, noise_of, overall_influence, propagated
from antemill.tournament.statistics.rating import RatingOptions, rate
from antemill.tournament.statistics.strength import strengths

MAIN = 5  # players who play enough
WORLDS, REPLICATES = 200, 200
GUESTS = (0, 1, 2, 3, 4, 5, 6, 8, 12)
TIES = (1, 2, 3, 5, 8)
TRIED = {  # what was measured for a guest of LEAST matches
    "paper": "percentiles of resamples, the paper's",
    "normal": "corrected error, normal quantile",
    "expanded": "percentiles expanded for few clusters (Hesterberg, 2015)",
    "resampled": "percentiles stretched to Student's t (`--bootstrap`)",
    "rate": "corrected error, Student's t (the default)",
}
LEAST = 5
Shares = dict[str, float]  # of the intervals that hold; NaN where there are none


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


def tied(ties: int, seed: int, runs: int = 10) -> tuple[Floats, pa.Table]:
    """Two groups of three players, a round robin on four games within each, and a few runs of one pair on one game."""
    random = np.random.default_rng(seed)
    level = np.linspace(1.0, -1.0, 6)
    inside = [(a, b) for group in (range(3), range(3, 6)) for a in group for b in group if a < b]
    met = [(game, *pair, run) for game in range(4) for pair in inside for run in range(runs)]
    game, low, high, run = np.array(met + [(0, 0, 3, run) for run in range(ties)]).T
    alice, bob = np.concatenate((low, high)), np.concatenate((high, low))
    cards = np.tile(random.normal(size=len(game)), 2)
    names = np.array([f"m{k}" for k in range(6)])
    return level, pa.table(
        {
            "game": np.tile(game, 2),
            "run": np.tile(run, 2),
            "alice": names[alice],
            "bob": names[bob],
            "margin": level[alice] - level[bob] + cards + 2.0 * random.normal(size=len(alice)),
        }
    )


def guest_world(matches: int, seed: int) -> Shares:
    """Which intervals hold: of the others (with the guest in the fit) and, as `own ...`, the guest's."""
    level, rows = with_guest(matches, seed)
    table = slot_table(rows)
    whole = level[: len(table.models)]
    fitted = _held(percentile(strengths(cluster_bootstrap(table, REPLICATES, seed))), whole - whole.mean())
    found = {"fitted": float(fitted[:MAIN].mean())}
    for kind, interval in (_intervals(table, seed) | (_tried(table, seed) if matches == LEAST else {})).items():
        there = enough(table)
        held = _held(interval, whole - whole[there].mean())
        found |= {kind: float(held[:MAIN].mean()), f"own {kind}": float(held[MAIN]) if len(held) > MAIN else np.nan}
    return found


def tied_world(ties: int, seed: int) -> Shares:
    """The shares of all players' intervals that hold."""
    level, rows = tied(ties, seed)
    found = _intervals(slot_table(rows), seed).items()
    return {kind: float(np.nan if np.isnan(each.low).all() else _held(each, level).mean()) for kind, each in found}


def coverage(world: Callable[[int, int], Shares], count: int, worlds: int = WORLDS) -> Shares:
    """Means over worlds. count: of the guest's matches, or of the runs that tie two groups."""
    found = [world(count, seed) for seed in range(worlds)]
    return {name: _mean([shares[name] for shares in found]) for name in found[0]}


def _intervals(table: SlotTable, seed: int) -> dict[str, Interval]:
    """The leaderboard's as the paper has them, those of `rate --method margin`, and those on these games."""
    rated = {one.player: one for one in rate(table, RatingOptions("margin"))}
    bounds = np.array([[rated[name].low, rated[name].high] for name in table.models]).T
    main, apart = set_apart(table)
    there = ~np.isin(table.models, apart)
    these = np.full((2, len(there)), np.nan)
    error = propagated(overall_influence(cells_of(main)), noise_of(main)).interval(strengths(main))
    these[:, there] = error.low, error.high
    paper = leaderboard(table, REPLICATES, seed).interval
    return {"paper": paper, "rate": Interval(*bounds), "these": masked(Interval(*these), enough(table))}


def _tried(table: SlotTable, seed: int) -> dict[str, Interval]:
    """Other intervals, of those who play enough."""
    main, apart = set_apart(table)
    point, errors = strengths(main), clustered(main)
    drawn = percentile(strengths(cluster_bootstrap(main, REPLICATES, seed)))
    freedom = errors[0].freedom
    widened = Error(np.sqrt((freedom + 1.0) / freedom), freedom), np.ones(len(point))
    found = {
        "normal": Error(errors[0].error, np.full(len(point), np.inf)).interval(point),
        "expanded": stretched(drawn, point, widened),
        "resampled": stretched(drawn, point, errors),
    }
    there = ~np.isin(table.models, apart)
    return {kind: Interval(placed(each.low, there), placed(each.high, there)) for kind, each in found.items()}


def _held(interval: Interval, want: Floats) -> Floats:
    """float64[players]: 1 where the interval holds, 0 where not, NaN where there is none."""
    inside = ((interval.low <= want) & (want <= interval.high)).astype(np.float64)
    return np.where(np.isfinite(interval.low), inside, np.nan)


def _mean(values: Iterable[float]) -> float:
    found = np.array(list(values))
    return float(np.nanmean(found)) if np.isfinite(found).any() else float("nan")


def lines(store: Path, worlds: int = WORLDS) -> dict[str, Shares]:
    """The lines of the table, by name. Finished ones are kept in `store`, a folder."""
    found: dict[str, Shares] = {}
    for n in GUESTS:
        one = _kept(store, "guest", n, guest_world, worlds)
        found[f"a guest of {n} matches"] = _there(
            {
                "few, paper": one["own paper"],
                "few, beside": one["own these"],
                "others, paper": one["paper"],
                "others, beside": one["these"],
                "few, rate": one["own rate"],
                "others, rate": one["rate"],
                "others, fitted": one["fitted"],
            }
        )
    for n in TIES:
        one = _kept(store, "tied", n, tied_world, worlds)
        found[f"two groups, {n} runs between them"] = _there(
            {"strength, these, paper": one["paper"], "strength, these": one["these"], "rate": one["rate"]}
        )
    one = _kept(store, "guest", LEAST, guest_world, worlds)
    for kind, name in TRIED.items():
        found[f"a guest of {LEAST}: {name}"] = _there({"few, rate": one[f"own {kind}"], "others, rate": one[kind]})
    return found


def _there(shares: Shares) -> Shares:
    """Those that are there: too few matches have no interval."""
    return {name: share for name, share in shares.items() if not np.isnan(share)}


def _kept(store: Path, name: str, count: int, world: Callable[[int, int], Shares], worlds: int) -> Shares:
    path = store / f"{name}-{count}-{worlds}.json"
    if not path.is_file():
        path.write_text(json.dumps(coverage(world, count, worlds)), encoding="utf-8")
        print(f"{name} {count}", flush=True)
    found: Shares = json.loads(path.read_text(encoding="utf-8"))
    return found
