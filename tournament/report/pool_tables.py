"""The tables of a pool and its benchmark, for the page and the terminal alike.

Each figure stands beside the paper's figure of the same kind: the pool's counts beside those of the paper's pool, the
benchmark's axes beside those of the paper's fifty games.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from antemill.axes.budgets import TIERS as PLAYED
from antemill.axes.exact.tier import EXACT
from antemill.axes.pool_stats import PoolStats
from antemill.axes.reliability import Reliability
from antemill.axes.table import AXES
from antemill.tournament.pool import paper
from antemill.tournament.pool.build import Built
from antemill.tournament.pool.composition import Composition
from antemill.tournament.pool.fifty import FIFTY
from antemill.tournament.pool.stats import PoolReport
from antemill.tournament.statistics.sheets import Cell, Column, Missing, Placed, Sheet, count, text

Values = npt.NDArray[np.float64]
LABELS = tuple(axis.label for axis in AXES.values())
_PLACES = {axis: i for i, axis in enumerate(AXES)}
_RAREST = 8  # constructs
_RELIABILITY = (
    *(Column("standard_error", "error", digits=3), Column("reliability", "reliability")),
    Column("reliability_interval", "95%", "text"),
)
_WHAT_ERROR = (
    "The error is the standard error of one play, from games that were played twice. The reliability, with its 95% "
    "interval, is the share of the variance that is not noise of the play."
)
_INDENT = "\N{NO-BREAK SPACE}\N{NO-BREAK SPACE}"


def acceptance(built: Built) -> Sheet:
    """How many candidates were accepted, and why not, beside the paper's counts."""

    def row(what: str, games: int, printed: int | None = None, first: int | None = None) -> list[Cell]:
        return [what, games, games / built.candidates, first, printed, printed and printed / paper.CANDIDATES]

    rows = [
        row("candidates", built.candidates, paper.CANDIDATES),
        row("accepted", built.accepted, paper.ACCEPTED),
        row("rejected", built.candidates - built.accepted, paper.CANDIDATES - paper.ACCEPTED),
        *(row(f"{_INDENT}{reason}", n, first=built.rejected.get(reason, 0)) for reason, n in built.broken.items()),
    ]
    columns = [text("what", ""), count("games", "games"), _share("share", "share"), count("first", "as the first")]
    columns += [count("paper", "paper"), _share("paper_share", "share")]
    note = (
        "The gate plays every candidate at random. A rejected one is counted under every rule that it breaks, and "
        "beside that under the first one, so that these numbers add up."
    )
    return Sheet("acceptance", "Acceptance", columns, [[_or_blank(cell) for cell in row] for row in rows], note)


def by_complexity(made_of: Composition) -> Sheet:
    """Betting and acceptance along the complexity range."""
    columns = [
        text("complexity", "complexity"),
        _share("candidates", "of the candidates"),
        _share("accepted", "accepted"),
    ]
    columns += [_share("betting", "of these betting"), _share("loop", "with a loop")]
    rows = [
        [f"{tenth.low:.1f} to {tenth.high:.1f}", *map(_or_blank, msgspec.structs.astuple(tenth)[2:])]
        for tenth in made_of.by_complexity
    ]
    return Sheet("by_complexity", "By complexity", columns, rows)


def constructs(made_of: Composition) -> Sheet:
    """How often games are made with betting, and with the rarest constructs."""
    shares = made_of.constructs
    names = ["betting", "betting_loop", *sorted(shares, key=lambda name: shares[name].accepted)[:_RAREST]]
    rows = [[name, *map(_or_blank, msgspec.structs.astuple(shares[name]))] for name in names]
    of = ["candidates", "accepted", "benchmark"]
    if all(row[-1] == "" for row in rows):  # no benchmark
        of, rows = of[:-1], [row[:-1] for row in rows]
    columns = [text("construct", ""), *(_share(name, name) for name in of)]
    return Sheet("constructs", f"Constructs: betting, and the {_RAREST} rarest of {len(shares)}", columns, rows)


def pool_axes(pool: PoolReport, stats: PoolStats) -> Sheet:
    """The axes' ranges in a scored pool. stats: of its games."""
    tails = pool.tails or {}
    columns = [text("axis", "axis"), *_figures(("min", "p10", "median", "p90", "max", "VIF"))]
    if pool.retest:
        columns += _RELIABILITY
    rows: list[list[Cell]] = []
    for axis, label in zip(AXES, LABELS, strict=True):
        span, (low, high) = stats.axes[axis], tails[axis]
        row: list[Cell] = [label, span.min, low, span.median, high, span.max, _inflation(stats.vif[axis])]
        if pool.retest:
            row += _reliable(pool.retest[axis])
        rows.append(row)
    note = "VIF, variance inflation, says how far the other axes determine one; 1 is not at all."
    if pool.retest:
        note += f" {_WHAT_ERROR}"
    beyond = 0 if pool.points is None else sum(tier != pool.tier for tier in pool.points.tiers)
    if beyond:
        note += f" {beyond:,} games are too large for the {pool.tier} tier and have the scores of the one beyond it."
    return Sheet("pool_axes", f"Axes of {stats.games:,} games, {pool.tier} tier", columns, rows, note)


def _reliable(own: Reliability) -> list[Cell]:
    """The cells of `_RELIABILITY`."""
    known = math.isfinite(own.share)
    return [own.error, own.share if known else "", f"{own.low:.2f} to {own.high:.2f}" if known else ""]


def benchmark_axes(stats: PoolStats, tier: str, errors: Mapping[str, Reliability] | None = None) -> Sheet:
    """The axes of a benchmark's games beside what the paper prints of its fifty, at the precise tier.

    errors: of each axis, if the games were played twice.
    """
    logarithms = tuple(states and math.log10(states) for states in paper.INFORMATION_STATES)
    printed = {"state_space": logarithms, "temporal_depth": paper.TEMPORAL_DEPTH}
    names = ("min", "median", "max", "VIF")
    columns = [text("axis", "axis"), *_figures(names), *_figures(names, "paper"), *(_RELIABILITY if errors else ())]
    rows: list[list[Cell]] = []
    for axis, label in zip(AXES, LABELS, strict=True):
        span, theirs = stats.axes[axis], (*printed.get(axis, (None,) * 3), paper.VIF.get(axis))
        own = _reliable(errors[axis]) if errors else []
        rows.append([label, span.min, span.median, span.max, _inflation(stats.vif[axis]), *theirs, *own])
    title = f"Axes of the benchmark's {stats.games:,} games and of the paper's 50, {tier} tier"
    return Sheet("benchmark_axes", title, columns, rows, _WHAT_ERROR if errors else "")


def beyond(stats: PoolStats, values: Values, caps: Mapping[str, float]) -> Sheet:
    """The axes of games with other caps beside those of the default fifty, at the precise tier.

    stats, values: of the benchmark's games, float64[games, axes].
    """
    columns = [text("axis", "axis"), *_figures(("min", "median", "max"))]
    columns += _figures(("min", "median", "max"), "within the benchmark's caps")
    columns += [count("below", "below"), count("above", "above")]
    rows: list[list[Cell]] = []
    for i, (axis, label) in enumerate(zip(AXES, LABELS, strict=True)):
        span, fifty = stats.axes[axis], FIFTY[axis]
        outside = int((values[:, i] < fifty[0]).sum()), int((values[:, i] > fifty[2]).sum())
        rows.append([label, span.min, span.median, span.max, *fifty, *outside])
    note = (
        "Beside the fifty games that `antemill run` selects by default; below and above: games outside of the range of "
        f"those. Caps: {', '.join(f'{name} {value:g}' for name, value in caps.items())}."
    )
    return Sheet(
        "beyond", f"Axes of {stats.games:,} games beyond the benchmark's caps, precise tier", columns, rows, note
    )


def correlations(title: str, stats: PoolStats) -> Sheet:
    """Pearson correlations of the axes. title: of which games."""
    columns = [text("axis", ""), *(Column(axis, label, heat=1.0) for axis, label in zip(AXES, LABELS, strict=True))]
    rows: list[list[Cell]] = [[label, *row] for label, row in zip(LABELS, stats.correlation, strict=True)]
    return Sheet("correlations", f"Correlations of {title}", columns, rows)


def paper_correlations(of: Mapping[str, PoolStats]) -> Sheet:
    """The correlations that the paper prints, beside ours. of: ours, by what the games are."""
    columns = [text("pair", "pair"), *(Column(name, name) for name in of), Column("paper", "paper's 50")]
    rows: list[list[Cell]] = []
    for (a, b), printed in paper.CORRELATIONS.items():
        ours = [stats.correlation[_PLACES[a]][_PLACES[b]] for stats in of.values()]
        rows.append([f"{AXES[a].label}, {AXES[b].label}", *ours, printed])
    return Sheet("paper_correlations", "Correlations that the paper prints", columns, rows)


def games(benchmark: pa.Table) -> Sheet:
    """The games of a benchmark, in order of selection."""
    columns = [count("rank", "Rank"), text("seed", "Seed"), Column("complexity", "Complexity")]
    columns += [count("phases", "Phases"), count("decisions", "Decision types"), count("rulebook", "Rulebook")]
    rows = benchmark.to_pylist()
    tiers = [*PLAYED, *([EXACT.name] if any(row[f"{EXACT.name}_tier"] for row in rows) else [])]
    for tier in tiers:
        columns += [Column(f"{tier}_{axis}", AXES[axis].label, group=f"{tier.capitalize()} scores") for axis in AXES]
    exact = EXACT.name in tiers
    columns += [
        *([Column("exact_tier", "scored by", "text", group="Exact scores")] if exact else []),
        text("digest", "Digest"),
    ]
    note = (
        "In order of selection; click a heading to sort. A decision type is who decides, in which phase, what kind. "
        "The rulebook's length is in characters."
    )
    return Sheet("games", "The selected games", columns, [_game(row, tiers) for row in rows], note)


def solved(rows: Sequence[Mapping[str, Any]]) -> Sheet:
    """The solved games of a benchmark. rows: as `antemill.tournament.solving.solved_games` reads them."""
    columns = [count("rank", "Rank"), text("seed", "Seed"), count("nodes", "Nodes"), count("information_sets", "Sets")]
    columns += [Column("value", "Value", digits=4), Column("exploitability", "Exploitability", digits=4, tiny=True)]
    columns += [text("measured", "Kind"), text("reached", "Target reached")]
    bounds = (("lower_bound", "Lower bound"), ("lower_bound_low", "Lower"), ("lower_bound_high", "Upper"))
    if any(row.get(bounds[0][0]) is not None for row in rows):
        columns += [Column(key, heading, digits=4, group="Sampled, 95%") for key, heading in bounds]
    columns += [Column("seconds", "Seconds", digits=1), text("algorithm", "Algorithm")]
    columns += [text("abstraction", "Abstraction"), text("stopped", "Stopped by")]
    kept, near = sum(row.get("algorithm") is not None for row in rows), sum(row.get("reached") is True for row in rows)
    note = (
        f"{kept} of the {len(rows)} games have a policy, {near} of which reach the target. Chips per game; the value "
        "is Alice's, the exploitability NashConv / 2 in the real game. It is exact where the tree was built and "
        "solved, and where best responses to the policy of an abstraction or of sampling were worked out; such a "
        "policy is no equilibrium of the real game. Where that would take too long there is a sampled lower bound "
        "instead, with its 95% confidence interval. The target is reached where the exploitability is known and not "
        "above it."
    )
    words: dict[Any, str] = {True: "yes", False: "no"}
    shown = [
        dict(row)
        | {"seed": str(row["seed"]), "stopped": row["problem"] or row.get("stopped")}
        | {"reached": words.get(row.get("reached"))}
        | {"measured": (row.get("measured") or "").partition(" ")[0].rstrip(",")}  # exact or sampled
        for row in rows
    ]
    return Sheet("solved", "Solved games", columns, [[row.get(one.key) for one in columns] for row in shown], note)


def _game(row: dict[str, Any], tiers: Sequence[str]) -> list[Cell]:
    names = msgspec.json.decode(row["names"])
    sizes = (names["spec_phases"], len(names["decisions"]), row["rulebook_length"])
    scores = [row[f"{tier}_{axis}"] for tier in tiers for axis in AXES]
    scores += [row[f"{tier}_tier"] for tier in tiers if tier == EXACT.name]
    return [row["rank"], str(row["seed"]), row["complexity"], *sizes, *scores, row["digest"][:12]]


def _figures(names: Sequence[str], group: str = "") -> list[Column]:
    return [Column(f"{group}_{n}".strip("_"), n, digits=2 if n == "VIF" else 3, group=group) for n in names]


def _share(key: str, heading: str) -> Column:
    return Column(key, heading, "share", 1)


def _inflation(value: float) -> Cell:
    """Infinite for an axis that the others determine."""
    return value if math.isfinite(value) else Placed("∞")


def _or_blank(cell: Cell) -> Cell:
    """An empty text for a figure that is not known."""
    return "" if cell is None or isinstance(cell, Missing) else cell
