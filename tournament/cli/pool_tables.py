"""What the commands about pools print: acceptance, axes, correlations."""

from __future__ import annotations

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


def print_axes(report: PoolReport) -> None:
    """The axes\' ranges and correlations, beside the paper\'s."""
    stats, tails = report.stats, report.tails
    if report.points is None:
        console().print("These games are not scored yet.")
        print_next("antemill", "pool", "score", report.pool.folder, "--tier", report.tier)
    if stats is None or tails is None:
        return
    rows = []
    for axis in AXES:
        span, (low, high) = stats.axes[axis], tails[axis]
        figures = (span.min, low, span.median, high, span.max, stats.vif[axis], paper.VIF.get(axis))
        rows.append((AXES[axis].label, *map(number, figures)))
    header = ("axis", "min", "p10", "median", "p90", "max", "VIF", "paper's VIF")
    print_table(f"Axes of {stats.games:,} games, {report.tier} tier", header, rows)
    least, most = (10 ** getattr(stats.axes["state_space"], bound) for bound in ("min", "max"))
    low, middle, high = paper.TEMPORAL_DEPTH
    console().print(
        f"  Information states: {least:,.0f} to {most:,.0f} (paper's 50 games: about "
        f"{paper.INFORMATION_STATES[0]:,.0f} to {paper.INFORMATION_STATES[2]:,.0f}). "
        f"Temporal depth of the paper's 50: below {low} to {high}, median {middle}.\n",
        soft_wrap=True,
    )
    _print_correlations(stats.correlation)


def _print_correlations(correlation: list[list[float]]) -> None:
    rows = [(AXES[axis].label, *(f"{r:.2f}" for r in correlation[i])) for i, axis in enumerate(AXES)]
    print_table("Correlations", ("", *(AXES[axis].label for axis in AXES)), rows)
    places = {axis: i for i, axis in enumerate(AXES)}
    pairs = [
        f"{AXES[a].label} with {AXES[b].label} {correlation[places[a]][places[b]]:.2f} (paper's 50 games {printed:.2f})"
        for (a, b), printed in paper.CORRELATIONS.items()
    ]
    console().print(f"  {'; '.join(pairs)}.", soft_wrap=True)
