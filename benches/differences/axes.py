"""The axes by other readings, on the same random play, and benchmarks chosen from another first game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
from scipy.cluster.hierarchy import fcluster, linkage

from antemill import axes
from antemill.axes import FAST, PRECISE
from antemill.axes.best_response import best_response
from antemill.axes.grouping import action_table, distinct, group, sigma_u, utilities
from antemill.axes.scores import default_seed
from antemill.axes.select import farthest_points, normalised
from antemill.engine.machine import layout
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import Log, rollout, streams
from antemill.engine.seeding import Domain
from antemill.tournament.statistics.profile import zscore
from antemill.tournament.statistics.robustness import AXIS_CLUSTERS, axis_clusters
from benches.differences.page import percent, short
from benches.differences.readings import Compared, Floats, changed, compared, spaced
from benches.population import Candidate, scores

BENCHMARK = 50
STARTS = 20  # random first games
Play = tuple[Program, Log, int]
Array = npt.NDArray[Any]
Kernel = Callable[..., Any]


def figures(candidates: Sequence[Candidate], games: int) -> dict[str, str]:
    """All figures of the section on the axes. games: how many of the accepted are measured."""
    accepted = [game for game in candidates if game.accepted]
    programs = [accepted[i].program for i in spaced(games, len(accepted))]
    plays = [(p, _logged(p), default_seed(p)) for p in programs]
    found = {"axes.games": str(len(plays))} | _second_play(plays)
    for part in (_states, _depth, _sensitivity, _opponents, _response, _risk, _brittleness):
        found |= part(plays)
    return found | _selection(accepted)


def _logged(program: Program, other: int = 0) -> Log:
    """The random play by which a game is scored, or with other cards and choices."""
    return rollout(program, FAST.level0, streams(default_seed(program) ^ other, Domain.LEVEL0))


def _second_play(plays: Sequence[Play]) -> dict[str, str]:
    """Rank correlations of each axis with its score by a second seed: what another reading has to be compared with."""

    def measured(program: Program, log: Log) -> tuple[float, ...]:
        depth = axes.temporal_depth.temporal_depth_by_seat(log, program)
        sensitivity = axes.information_sensitivity.information_sensitivity(log, program).pooled
        return float(np.log10(distinct(log.info))), sum(depth) / 2, sensitivity, axes.risk.risk(log, program)

    first = np.array([measured(program, log) for program, log, _ in plays])
    second = np.array([measured(program, _logged(program, 1)) for program, _, _ in plays])
    names = ("bins.rank_seed", "depth.rank_seed", "sensitivity.rank_seed", "risk.rank_seed")
    return {key: text for i, name in enumerate(names) for key, text in _rank(name, first[:, i], second[:, i]).items()}


def _states(plays: Sequence[Play]) -> dict[str, str]:
    """Information states with other chip bins, and of perfect recall."""
    sizes = [np.log10(distinct(log.info)) for _, log, _ in plays]
    found: dict[str, str] = {}
    for bins in (3, 10):
        with changed(layout, CHIP_BINS=bins):
            other = [np.log10(distinct(_logged(program).info)) for program, _, _ in plays]
        found |= {f"bins.median_{bins}": short(float(np.median(other)), 2)} | _rank(f"bins.rank_{bins}", sizes, other)
    recall = [np.log10(distinct(log.recall)) for _, log, _ in plays]
    found |= {"bins.median": short(float(np.median(sizes)), 2), "recall.median": short(float(np.median(recall)), 2)}
    return found | _rank("recall.rank", sizes, recall)


def _depth(plays: Sequence[Play]) -> dict[str, str]:
    seats = np.array([axes.temporal_depth.temporal_depth_by_seat(log, program) for program, log, _ in plays])
    reduced = {"mean": seats.mean(axis=1), "max": seats.max(axis=1), "sum": seats.sum(axis=1)}
    found: dict[str, str] = {}
    for name, values in reduced.items():
        found |= {f"depth.{name}": short(float(np.median(values))), f"depth.{name}_most": short(values.max(), 2)}
    return found | _rank("depth.rank", reduced["mean"], reduced["max"])


def _sensitivity(plays: Sequence[Play]) -> dict[str, str]:
    """The mean over seats, and only states that were visited several times."""
    both = [axes.information_sensitivity.information_sensitivity(log, program) for program, log, _ in plays]
    pooled = [one.pooled for one in both]
    seats = compared(pooled, [one.seat_mean for one in both])
    often = [_often_visited(program, log, 10) for program, log, _ in plays]
    return (
        {"sensitivity.median": short(seats.median), "sensitivity.most": short(seats.most, 2)}
        | _ranked("sensitivity.rank", seats)
        | {"sensitivity.pooled": short(float(np.median(pooled)), 2)}
        | {"sensitivity.often": short(float(np.median(often)), 2)}
        | _rank("sensitivity.often_rank", pooled, often)
    )


def _often_visited(program: Program, log: Log, least: int) -> float:
    """Information sensitivity of the states with so many visits."""
    groups, utility, offsets = group(log.info), utilities(log), program.action_offsets
    sums, counts = action_table(log, utility, offsets)
    means = np.where(counts > 0, sums / np.maximum(counts, 1), -np.inf)
    visits = differing = 0
    for start, stop in zip(groups.starts[:-1], groups.starts[1:], strict=True):
        rows = groups.order[start:stop]
        if len(rows) < least:
            continue
        kind = log.decision[rows[0]]
        overall = means[offsets[kind] : offsets[kind + 1]]
        tried, place = np.unique(log.action[rows], return_inverse=True)
        own = np.bincount(place, weights=utility[rows]) / np.bincount(place)
        best = set(tried[own == own.max()].tolist()) & set(np.flatnonzero(overall == overall.max()).tolist())
        visits += len(rows)
        differing += 0 if best else len(rows)
    return differing / max(visits, 1)


def _opponents(plays: Sequence[Play]) -> dict[str, str]:
    """The second pass with the shares turned round, without one, with other parents; ties; and a second seed."""
    module = axes.opponent_modeling

    def measured(play: Play, focused: bool = True, other: int = 0) -> float:
        program, log, seed = play
        shares = module.visit_shares(log, program)
        return module.opponent_modeling(program, shares, PRECISE if focused else FAST, seed ^ other)

    def first_of_ties(best: Array, offsets: Array, rates: Kernel = module.flip_rates) -> Floats:
        own = np.zeros_like(best)
        for low, high in pairwise(offsets):
            found = best[:, low:high].any(axis=1)
            own[np.flatnonzero(found), low + best[found, low:high].argmax(axis=1)] = 1
        return np.asarray(rates(own, offsets))

    def any_unstable(weights: Floats, count: int, drawn: Kernel = module.systematic) -> Array:
        return np.asarray(drawn((weights > 0.0).astype(np.float64), count))

    ours = [measured(play) for play in plays]
    with changed(axes.opponent_modeling, NEW_SHARE=0.65):
        turned = compared(ours, [measured(play) for play in plays])
    with changed(module, plain=("_measured", "_score"), flip_rates=first_of_ties):
        ties = compared(ours, [measured(play) for play in plays])
    with changed(module, plain=("_measured", "_mark_best_actions"), systematic=any_unstable):
        parents = compared(ours, [measured(play) for play in plays])
    again = compared(ours, [measured(play, other=1) for play in plays])
    single = compared(ours, [measured(play, False) for play in plays])
    return (
        {"opponents.median": short(turned.median), "opponents.single": short(single.median)}
        | {"opponents.ties": short(ties.median), "opponents.parents": short(parents.median)}
        | {"opponents.seed": short(again.median)}
        | _ranked("opponents.ties_rank", ties)
        | _ranked("opponents.parents_rank", parents)
        | _ranked("opponents.rank_seed", again)
        | _ranked("opponents.rank", turned)
        | _ranked("opponents.single_rank", single)
    )


def _response(plays: Sequence[Play]) -> dict[str, str]:
    """What the best response earns against random play, and brittleness, with other numbers of tries.

    Brittleness has forty times the fast tier's episodes, because that tier's noise would hide what the tries change.
    All numbers of tries have the same episodes; `response.rank_seed` says what is left of the noise with others.
    """
    tier = msgspec.structs.replace(FAST, dirichlet=100, dirichlet_playouts=60)

    def measured(play: Play, other: int = 0) -> tuple[float, float]:
        program, log, seed = play
        level1 = best_response(log, program)
        sigma = sigma_u(log)
        keys = streams(seed, Domain.LEVEL1)
        gains = [
            float(rollout(program, FAST.level1, keys, alice=level1).payoff.mean()),
            -float(rollout(program, FAST.level1, keys, bob=level1).payoff.mean()),
        ]
        brittleness = axes.brittleness.brittleness(program, level1, sigma, tier, seed ^ other)
        return sum(gains) / 2 / max(sigma, 1e-9), brittleness

    ours = np.array([measured(play) for play in plays])
    found = {"response.gain": short(float(np.median(ours[:, 0])), 2)}
    found |= _rank("response.rank_seed", ours[:, 1], [measured(play, 1)[1] for play in plays])
    for tries in (1, 20):
        with changed(axes.best_response, plain=("_context_actions",), MIN_TRIES=tries):
            other = np.array([measured(play) for play in plays])
        found[f"response.gain_{tries}"] = short(float(np.median(other[:, 0])), 2)
        found |= _rank(f"response.rank_{tries}", ours[:, 1], other[:, 1])
    return found


def _risk(plays: Sequence[Play]) -> dict[str, str]:
    def measured() -> Floats:
        return np.array([axes.risk.risk(log, program) for program, log, _ in plays])

    def interpolated(values: Floats) -> float:
        return float(np.quantile(values, 0.1))

    ours = measured()
    with changed(axes.risk, plain=("_costs", "_safe_mean"), tenth_percentile=interpolated):
        linear = compared(ours, measured())
    found = {"risk.median": short(linear.median), "risk.most": short(linear.most, 2)} | _ranked("risk.rank", linear)
    for tries in (1, 10):
        with changed(axes.risk, plain=("_costs", "_safe_mean"), MIN_TRIES=tries):
            found |= _rank(f"risk.rank_{tries}", ours, measured())
    return found


def _brittleness(plays: Sequence[Play]) -> dict[str, str]:
    """How many games are at the floor, and with a lower one; and the trials read otherwise, beside a second seed."""
    module = axes.brittleness

    def measured(play: Play, other: int = 0, trials: int = FAST.trials) -> float:
        program, log, seed = play
        tier = msgspec.structs.replace(FAST, trials=trials)
        return module.brittleness(program, best_response(log, program), sigma_u(log), tier, seed ^ other)

    def log_of_mean(play: Play) -> float:
        program, log, seed = play
        swings, sigma = module.swing(program, best_response(log, program), FAST, seed), sigma_u(log)
        return float(np.log10(max(module.FLOOR, sum(swings) / 2 / sigma))) if sigma else float(np.log10(module.FLOOR))

    def by_random_play(batch: Any, _: Any, uniform: Any, *rest: Any, counted: Kernel = module.level1_visits) -> bool:
        return bool(counted(batch, uniform, uniform, *rest))

    def no_single_slope(changes: Floats, types: int, slopes: Kernel = module.slopes) -> Floats:
        return np.zeros(1) if types == 1 else np.asarray(slopes(changes, types))

    ours = np.array([measured(play) for play in plays])
    found = _rank("brittleness.rank_mean", ours, [log_of_mean(play) for play in plays])
    found |= _rank("brittleness.rank_trials", ours, [measured(play, trials=FAST.trials // 2) for play in plays])
    found |= _rank("brittleness.rank_seed", ours, [measured(play, 1) for play in plays])
    with changed(module, plain=("_swings",), level1_visits=by_random_play):
        found |= _rank("brittleness.rank_weights", ours, [measured(play) for play in plays])
    with changed(module, plain=("_swings", "_weighted"), slopes=no_single_slope):
        other = np.array([measured(play) for play in plays])
    found |= {"brittleness.single": percent(float(np.mean(other != ours)))} | _rank(
        "brittleness.rank_single", ours, other
    )
    with changed(axes.brittleness, FLOOR=1e-6):
        lower = np.array([measured(play) for play in plays])
    return found | {"floor.share": percent(float(np.mean(lower != ours)))} | _rank("floor.rank", ours, lower)


def _selection(accepted: Sequence[Candidate]) -> dict[str, str]:
    """How many games of a benchmark stay if another game begins it, and how its axis clusters depend on the linkage."""
    points, seeds = scores(accepted, "fast"), np.array([game.seed for game in accepted])
    count = min(BENCHMARK, len(accepted))
    chosen = farthest_points(points, count, seeds)
    unit = normalised(points)
    middle = np.linalg.norm(unit - np.median(unit, axis=0), axis=1)
    away = np.linalg.norm(unit - unit.mean(axis=0), axis=1)
    ours = set(chosen.tolist())
    random = np.random.default_rng(0)

    def kept(first: int) -> int:
        return len(ours & set(_begun(unit, first, count)))

    drawn = [kept(int(first)) for first in random.choice(len(unit), min(STARTS, len(unit)), replace=False)]
    return {
        "select.games": str(len(accepted)),
        "select.count": str(count),
        "select.median": str(kept(int(np.argmin(middle)))),
        "select.far": str(kept(int(np.argmax(away)))),
        "select.least": str(min(drawn)),
        "select.most": str(max(drawn)),
        "select.mean": f"{np.mean(drawn):.0f}",
    } | _clusters(zscore(scores([accepted[i] for i in chosen], "precise")))


def _begun(unit: Floats, first: int, count: int) -> list[int]:
    """Farthest points from this first one on."""
    chosen, nearest = [first], np.linalg.norm(unit - unit[first], axis=1)
    while len(chosen) < count:
        chosen.append(int(np.argmax(nearest)))
        nearest = np.minimum(nearest, np.linalg.norm(unit - unit[chosen[-1]], axis=1))
    return chosen


def _clusters(points: Floats) -> dict[str, str]:
    ward = axis_clusters(points)
    found: dict[str, str] = {}
    for method in ("complete", "average", "single"):
        other = fcluster(linkage(points, method), AXIS_CLUSTERS, "maxclust")
        found[f"clusters.{method}"] = short(adjusted_rand(ward, other), 2)
        found["clusters.largest"] = str(np.bincount(other).max())  # of single linkage, the last
    return found


def adjusted_rand(a: npt.ArrayLike, b: npt.ArrayLike) -> float:
    """Agreement of two partitions: 1 if they are the same, 0 on average by chance (Hubert and Arabie, 1985)."""
    table = np.zeros((len(set(np.asarray(a).tolist())), len(set(np.asarray(b).tolist()))))
    np.add.at(table, (np.unique(a, return_inverse=True)[1], np.unique(b, return_inverse=True)[1]), 1.0)

    def pairs(counts: Floats) -> float:
        return float((counts * (counts - 1.0)).sum() / 2.0)

    rows, columns = pairs(table.sum(axis=1)), pairs(table.sum(axis=0))
    chance = rows * columns / pairs(np.array([table.sum()]))
    return 1.0 if rows == columns == chance else (pairs(table) - chance) / ((rows + columns) / 2.0 - chance)


def _rank(name: str, ours: Sequence[float] | Floats, other: Sequence[float] | Floats) -> dict[str, str]:
    return _ranked(name, compared(ours, other))


def _ranked(name: str, found: Compared) -> dict[str, str]:
    """The rank correlation, with as many nines as it has."""
    digits = 2 if found.rank < 0.985 else 3 if found.rank < 0.9985 else 4
    return {name: "1" if found.rank > 0.99995 else short(found.rank, digits)}
