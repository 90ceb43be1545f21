"""The commands about pools, and the whole pipeline."""

from __future__ import annotations

import time
from pathlib import Path

from axes.budgets import TIERS
from axes.table import AXES
from engine.errors import UsageError
from tournament.cli.output import console, number, percent, print_json, print_next, print_table
from tournament.pool import paper
from tournament.pool.build import Built, build_pool
from tournament.pool.layout import parse_complexity, parse_seeds
from tournament.pool.score import score_pool
from tournament.pool.select import select_games, write_benchmark
from tournament.pool.stats import PoolReport, as_document, examine_pool


def run(folder: Path, seeds: str, count: int, workers: int | None, executor: str, as_json: bool) -> None:
    """`run`."""
    from tournament.pipeline import run_pipeline

    start = time.perf_counter()
    done = run_pipeline(folder, parse_seeds(seeds), count, workers, executor)
    seconds = time.perf_counter() - start
    selected = 0 if done.benchmark is None else done.benchmark.num_rows
    if as_json:
        document = _built_document(done.built, seconds)
        paths = {"benchmark": done.benchmark_path, "report": done.report_path}
        print_json(document | {"selected": selected} | {name: path and str(path) for name, path in paths.items()})
        return
    _print_acceptance(done.built)
    _print_axes(done.pool)
    if selected < count:
        console().print(f"The pool has {selected} accepted games, fewer than the {count} asked for: all are selected.")
    if done.benchmark_path is not None:
        console().print(f"Benchmark of {selected} games: {done.benchmark_path}", soft_wrap=True)
    console().print(f"Report: {done.report_path}  ({seconds:.1f} s)", soft_wrap=True)


def build(
    folder: Path,
    seeds: str,
    complexity: str | None,
    workers: int | None,
    executor: str,
    as_json: bool,
) -> None:
    """`pool build`."""
    start = time.perf_counter()
    built = build_pool(folder, parse_seeds(seeds), parse_complexity(complexity), workers, executor)
    seconds = time.perf_counter() - start
    if as_json:
        print_json(_built_document(built, seconds))
        return
    _print_acceptance(built)
    console().print(f"  {seconds:.1f} s")
    print_next("antemill", "pool", "score", folder, "--tier", "fast")


def score(folder: Path, tier: str, only: str | None, workers: int | None, executor: str, as_json: bool) -> None:
    """`pool score`."""
    names = [] if only is None else [name.strip() for name in only.split(",")]
    start = time.perf_counter()
    scored = score_pool(folder, tier, names, workers, executor)
    seconds = time.perf_counter() - start
    if as_json:
        fields = {"games": scored.games, "scored": scored.scored, "tier": scored.tier, "axes": scored.axes}
        print_json(fields | {"seconds": seconds})
        return
    what = "all axes" if len(scored.axes) == len(AXES) else ", ".join(scored.axes)
    known = scored.games - scored.scored
    console().print(
        f"{scored.scored} games scored at the {tier} tier ({what}), {known} were scored before  ({seconds:.1f} s)"
    )


def select(folder: Path, count: int, output: Path, as_json: bool) -> None:
    """`pool select`."""
    benchmark = select_games(folder, count)
    write_benchmark(output, benchmark)
    seeds = benchmark["seed"].to_pylist()
    if as_json:
        print_json({"selected": len(seeds), "asked": count, "seeds": seeds, "benchmark": str(output)})
        return
    if len(seeds) < count:
        console().print(
            f"The pool has {len(seeds)} accepted games, fewer than the {count} asked for: all are selected."
        )
    console().print(f"{len(seeds)} games written to {output}", soft_wrap=True)


def stats(folder: Path, tier: str, as_json: bool) -> None:
    """`pool stats`."""
    if tier not in TIERS:
        raise UsageError(f"there is no tier '{tier}': use {' or '.join(TIERS)}.")
    report = examine_pool(folder, tier)
    if as_json:
        print_json(as_document(report))
        return
    _print_acceptance(report.built)
    _print_axes(report)


def _built_document(built: Built, seconds: float) -> dict[str, object]:
    return {
        "candidates": built.candidates,
        "accepted": built.accepted,
        "rejected": built.rejected,
        "broken": built.broken,
        "seconds": seconds,
    }


def _print_acceptance(built: Built) -> None:
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


def _print_axes(report: PoolReport) -> None:
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
