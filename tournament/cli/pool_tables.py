"""What the commands about pools print: acceptance, what the games are made of, axes, correlations.

Like stands beside like: the pool's counts beside what the paper says of its pool, the benchmark's axes at the precise
tier beside what it says of its fifty games.
"""

from __future__ import annotations

import math

import msgspec

from axes.pool_stats import PoolStats
from axes.table import AXES
from tournament.cli.output import console, number, percent, print_next, print_table
from tournament.pool import paper
from tournament.pool.build import Built
from tournament.pool.stats import PoolReport


def built_document(built: Built, seconds: float) -> dict[str, object]:
    """What came of drawing and gating, for --json."""
    return {
        "candidates": built.candidates,
        "accepted": built.accepted,
        "rejected": built.rejected,
        "broken": built.broken,
        "seconds": seconds,
    }


def print_acceptance(built: Built) -> None:
    """How many candidates were accepted, and why not, beside the paper\'s counts."""

    def row(what: str, count: int, printed: int | None = None, first: int | None = None) -> tuple[str, ...]:
        share = percent(count / built.candidates)
        theirs = ("", "") if printed is None else (f"{printed:,}", percent(printed / paper.CANDIDATES))
        return what, f"{count:,}", share, "" if first is None else f"{first:,}", *theirs

    rows = [
        row("candidates", built.candidates, paper.CANDIDATES),
        row("accepted", built.accepted, paper.ACCEPTED),
        row("rejected", built.candidates - built.accepted, paper.CANDIDATES - paper.ACCEPTED),
        *(row(f"  {reason}", count, first=built.rejected.get(reason, 0)) for reason, count in built.broken.items()),
    ]
    print_table("Acceptance", ("", "games", "share", "as the first", "paper", "share"), rows)


def print_composition(report: PoolReport, rarest: int = 8) -> None:
    """Betting and acceptance along the complexity range, the rarest constructs, and the gate's other readings."""
    made_of = report.composition
    rows = [
        (
            f"{tenth.low:.1f} to {tenth.high:.1f}",
            *map(_known, (tenth.candidates, tenth.accepted, tenth.betting, tenth.loop)),
        )
        for tenth in made_of.by_complexity
    ]
    header = ("complexity", "of the candidates", "accepted", "of these betting", "with a loop")
    print_table("By complexity", header, rows)
    shares = made_of.constructs
    names = ["betting", "betting loop", *sorted(shares, key=lambda name: shares[name].accepted)[:rarest]]
    parts = [(name, *map(_known, msgspec.structs.astuple(shares[name]))) for name in names]
    title = f"Constructs: betting, and the {rarest} rarest of {len(shares)}"
    print_table(title, ("", "candidates", "accepted", "benchmark"), parts)
    readings = ", ".join(f"{name} {percent(share)}" for name, share in made_of.readings.items())
    console().print(f"  Accepted by each reading of what a phase is, the gate's own among them: {readings}.\n")


def _known(share: float | None) -> str:
    return "" if share is None else percent(share)


def print_axes(report: PoolReport) -> None:
    """The axes' ranges and correlations of the pool, and of its benchmark beside the paper's."""
    stats, tails = report.stats, report.tails
    if report.points is None:
        console().print("These games are not scored yet.")
        print_next("antemill", "pool", "score", report.pool.folder, "--tier", report.tier)
    if stats is None or tails is None:
        return
    rows = []
    for axis in AXES:
        span, (low, high) = stats.axes[axis], tails[axis]
        rows.append((AXES[axis].label, *map(number, (span.min, low, span.median, high, span.max, stats.vif[axis]))))
    header = ("axis", "min", "p10", "median", "p90", "max", "VIF")
    print_table(f"Axes of {stats.games:,} games, {report.tier} tier", header, rows)
    if report.benchmark is not None:
        _print_benchmark(report.benchmark)
    _print_correlations(f"Correlations of {stats.games:,} games, {report.tier} tier", stats.correlation)
    if report.benchmark is not None:
        _print_benchmark_correlations(report.benchmark)


def _print_benchmark(stats: PoolStats) -> None:
    """The benchmark's games beside the paper's fifty, both at the precise tier."""
    printed: dict[str, tuple[float | None, ...]] = {
        "state_space": tuple(count and math.log10(count) for count in paper.INFORMATION_STATES),
        "temporal_depth": paper.TEMPORAL_DEPTH,
    }
    rows = []
    for axis in AXES:
        span, theirs = stats.axes[axis], printed.get(axis, (None, None, None))
        figures = (span.min, span.median, span.max, stats.vif[axis], *theirs, paper.VIF.get(axis))
        rows.append((AXES[axis].label, *map(number, figures)))
    header = ("axis", "min", "median", "max", "VIF", "paper: min", "median", "max", "VIF")
    print_table(f"Axes of the benchmark's {stats.games:,} games and of the paper's 50, precise tier", header, rows)
    least, most = (10 ** getattr(stats.axes["state_space"], bound) for bound in ("min", "max"))
    low, _, high = paper.INFORMATION_STATES
    console().print(
        f"  Information states: {least:,.0f} to {most:,.0f} (paper's 50 games: about {low:,.0f} to {high:,.0f}).\n",
        soft_wrap=True,
    )


def _print_benchmark_correlations(stats: PoolStats) -> None:
    _print_correlations(f"Correlations of the benchmark's {stats.games:,} games, precise tier", stats.correlation)
    places = {axis: i for i, axis in enumerate(AXES)}
    pairs = [
        f"{AXES[a].label} with {AXES[b].label} {stats.correlation[places[a]][places[b]]:.2f} (paper's {theirs:.2f})"
        for (a, b), theirs in paper.CORRELATIONS.items()
    ]
    console().print(f"  {'; '.join(pairs)}.", soft_wrap=True)


def _print_correlations(title: str, correlation: list[list[float]]) -> None:
    rows = [(AXES[axis].label, *(f"{r:.2f}" for r in correlation[i])) for i, axis in enumerate(AXES)]
    print_table(title, ("", *(AXES[axis].label for axis in AXES)), rows)
