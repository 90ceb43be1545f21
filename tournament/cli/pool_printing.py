"""What the commands about pools print: acceptance, what the games are made of, axes, correlations."""

from __future__ import annotations

from antemill.tournament.cli.output import console, print_next, print_sheet
from antemill.tournament.pool import paper
from antemill.tournament.pool.build import Built
from antemill.tournament.pool.stats import PoolReport
from antemill.tournament.report import pool_tables


def built_document(built: Built, seconds: float) -> dict[str, object]:
    """The result of drawing and gating, for --json."""
    names = ("candidates", "accepted", "rejected", "broken")
    return {name: getattr(built, name) for name in names} | {"seconds": seconds}


def print_composition(report: PoolReport) -> None:
    """Print betting and acceptance along the complexity range, the rarest constructs, and the gate's other readings."""
    print_sheet(pool_tables.by_complexity(report.composition))
    print_sheet(pool_tables.constructs(report.composition))
    readings = ", ".join(f"{name} {share:.1%}" for name, share in report.composition.readings.items())
    console().print(f"  Accepted by each reading of what a phase is, the gate's own among them: {readings}.\n")


def print_axes(report: PoolReport) -> None:
    """Print the axes' ranges and correlations of the pool, and of its benchmark beside the paper's."""
    stats, benchmark = report.stats, report.benchmark
    if report.points is None:
        console().print("These games are not scored yet.")
        print_next("antemill", "pool", "score", str(report.pool.folder), "--tier", report.tier)
    if stats is None:
        return
    print_sheet(pool_tables.pool_axes(report, stats))
    if benchmark is not None:
        print_sheet(pool_tables.benchmark_axes(benchmark, "precise"))
        least, most = (10 ** getattr(benchmark.axes["state_space"], bound) for bound in ("min", "max"))
        low, _, high = paper.INFORMATION_STATES
        if report.chosen is not None and (caps := report.pool.settings.caps) is not None:
            print_sheet(pool_tables.beyond(benchmark, report.chosen, caps))
        counts = f"{least:,.0f} to {most:,.0f} (paper's 50 games: about {low:,.0f} to {high:,.0f})"
        console().print(f"  Information states: {counts}.\n", soft_wrap=True)
    print_sheet(pool_tables.correlations(f"{stats.games:,} games, {report.tier} tier", stats))
    if benchmark is not None:
        print_sheet(pool_tables.correlations(f"the benchmark's {benchmark.games:,} games, precise tier", benchmark))
        print_sheet(pool_tables.paper_correlations({"benchmark": benchmark}))
