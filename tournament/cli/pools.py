"""The commands about pools, and the whole pipeline."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

from cyclopts import Parameter

from antemill.engine.errors import StorageError, UsageError
from antemill.engine.storage.lean import without_pandas
from antemill.tournament.cli.arguments import AsJson, DryRunLocal, ExecutorName, Folder, Seeds, Tier, Workers
from antemill.tournament.cli.output import console, percent, print_json, print_next, print_sheet, print_table

if TYPE_CHECKING:
    from antemill.engine.builder.caps import Caps

Complexity = Annotated[
    str | None,
    Parameter(
        help="One complexity C for all games, or a range LO:HI to which the seeds' own complexities are scaled: from 0 "
        "to 1, with --caps up to the highest that these limits allow, which is the default with them."
    ),
]
CapsOption = Annotated[
    str | None,
    Parameter(
        help="Limits of what is drawn: the word larger, for larger games than the benchmark's, or a .toml or .json "
        "file that names some of the limits. By default they are the benchmark's."
    ),
]


def run(
    *,
    seeds: Seeds = "0:12351",
    out: Annotated[str, Parameter(name=["--out", "-o"], help="The folder for everything.")] = "out",
    count: Annotated[int, Parameter(help="Games to select for the benchmark.")] = 50,
    tier: Annotated[
        str, Parameter(help="The tier to score the pool at and to select by; the paper's is the fast one.")
    ] = "fast",
    complexity: Complexity = None,
    caps: CapsOption = None,
    workers: Workers = None,
    executor: ExecutorName = "local",
    dry_run: DryRunLocal = False,
    json: AsJson = False,
) -> None:
    """`run`."""
    if "://" in out:
        raise UsageError(
            f"`antemill run` writes a page and a benchmark beside the pool, into a folder of this machine, not {out}: "
            "build the pool there with `antemill pool build`, then `pool score`, `pool select -o FILE`."
        )
    from antemill.tournament.pool.early import TO_SCORE, start_early
    from antemill.tournament.pool.ranges import parse_seeds

    wanted, drawn = parse_seeds(seeds), _drawn(complexity, caps)
    if dry_run:
        from antemill.tournament.cli.plan import print_plan
        from antemill.tournament.pool.plans import plan_run

        if count < 1:
            raise UsageError(f"--count is {count}: select at least 1 game.")
        print_plan(plan_run(Path(out), wanted, count, workers, executor, tier, **drawn), json)
        return
    if not Path(out, "report.html").exists():
        start_early(TO_SCORE, workers, executor)
    from antemill.tournament.cli.pool_printing import built_document, print_axes
    from antemill.tournament.pipeline import run_pipeline
    from antemill.tournament.report.pool_tables import acceptance

    without_pandas()
    start = time.perf_counter()
    done = run_pipeline(Path(out), wanted, count, workers, executor, tier=tier, **drawn)
    seconds = time.perf_counter() - start
    selected = 0 if done.benchmark is None else done.benchmark.num_rows
    if json:
        document = built_document(done.built, seconds)
        paths = {"benchmark": done.benchmark_path, "report": done.report_path}
        document |= {"selected": selected, "survivors": done.survivors}
        print_json(document | {name: path and str(path) for name, path in paths.items()})
        return
    print_sheet(acceptance(done.built))
    print_axes(done.pool)
    if selected < count:
        console().print(f"The pool has {selected} accepted games, fewer than the {count} asked for: all are selected.")
    if done.benchmark_path is not None:
        console().print(f"Benchmark of {selected} games: {done.benchmark_path}", soft_wrap=True)
        _print_survivors(done.survivors, selected)
    console().print(f"Report: {done.report_path}  ({seconds:.1f} s)", soft_wrap=True)


def build(
    folder: Folder,
    *,
    seeds: Seeds,
    complexity: Complexity = None,
    caps: CapsOption = None,
    accept: Annotated[
        int | None, Parameter(help="Stop when this many games are accepted; the paper's pool has 2000.")
    ] = None,
    workers: Workers = None,
    executor: ExecutorName = "local",
    dry_run: DryRunLocal = False,
    json: AsJson = False,
) -> None:
    """`pool build`."""
    from antemill.tournament.pool.early import TO_BUILD as MODULES
    from antemill.tournament.pool.early import start_early
    from antemill.tournament.pool.ranges import parse_seeds

    wanted, drawn = parse_seeds(seeds), _drawn(complexity, caps)
    if dry_run:
        from antemill.tournament.cli.plan import print_plan
        from antemill.tournament.pool.plans import plan_build

        if accept is not None and accept < 1:
            raise UsageError(f"--accept is {accept}: the number of games must be at least 1.")
        print_plan(plan_build(folder, wanted, accept=accept, workers=workers, executor=executor, **drawn), json)
        return
    if not Path(folder, "pool.json").exists():
        start_early(MODULES, workers, executor)
    from antemill.tournament.cli.pool_printing import built_document
    from antemill.tournament.pool.accept import build_accepting
    from antemill.tournament.pool.build import build_pool
    from antemill.tournament.pool.jobs import TO_BUILD
    from antemill.tournament.report.pool_tables import acceptance

    without_pandas()
    start = time.perf_counter()
    if accept is None:
        built = build_pool(folder, wanted, workers=workers, executor=executor, setup=TO_BUILD, **drawn)
    else:
        built = build_accepting(folder, wanted, accept, workers=workers, executor=executor, setup=TO_BUILD, **drawn)
    seconds = time.perf_counter() - start
    if json:
        print_json(built_document(built, seconds))
        return
    print_sheet(acceptance(built))
    if accept is not None and built.accepted < accept:
        console().print(f"  The seeds gave {built.accepted:,} accepted games, fewer than the {accept:,} wanted.")
    console().print(f"  {seconds:.1f} s")
    print_next("antemill", "pool", "score", folder, "--tier", "fast")


class _Drawn(TypedDict, total=False):
    """Arguments of what draws candidates."""

    complexity: tuple[float, float] | None
    caps: Caps


def _drawn(complexity: str | None, caps: str | None) -> _Drawn:
    """How games are drawn; without caps, little is loaded. Raises UsageError or StorageError."""
    from antemill.tournament.pool.ranges import parse_complexity

    if caps is None:
        return {"complexity": parse_complexity(complexity)}
    from antemill.tournament.pool.given_caps import parse_caps

    limits = parse_caps(caps)
    return {"complexity": parse_complexity(complexity, limits.complexity), "caps": limits}


def score(
    folder: Folder,
    *,
    tier: Tier = "fast",
    only: Annotated[str | None, Parameter(help="Axes to score, separated by commas; all if not given.")] = None,
    workers: Workers = None,
    executor: ExecutorName = "local",
    dry_run: DryRunLocal = False,
    json: AsJson = False,
) -> None:
    """`pool score`."""
    names = [] if only is None else [name.strip() for name in only.split(",")]
    if dry_run:
        from antemill.tournament.cli.plan import print_plan
        from antemill.tournament.pool.plans import plan_score

        print_plan(plan_score(folder, tier, names, workers, executor), json)
        return
    from antemill.tournament.pool.early import TO_SCORE, start_early

    if Path(folder, "pool.json").exists() and not Path(folder, "scores", tier).exists():
        start_early(TO_SCORE, workers, executor)
    from antemill.axes import AXES
    from antemill.tournament.pool.score import score_pool

    without_pandas()
    start = time.perf_counter()
    scored = score_pool(folder, tier, names, workers, executor)
    seconds = time.perf_counter() - start
    if json:
        fields = {"games": scored.games, "scored": scored.scored, "tier": scored.tier, "axes": scored.axes}
        print_json(fields | {"seconds": seconds})
        return
    what = "all axes" if len(scored.axes) == len(AXES) else ", ".join(scored.axes)
    known = scored.games - scored.scored
    console().print(
        f"{scored.scored} games scored at the {tier} tier ({what}), {known} were scored before  ({seconds:.1f} s)"
    )


def select(
    folder: Folder,
    *,
    count: Annotated[int, Parameter(help="How many games.")] = 50,
    tier: Annotated[
        str, Parameter(help="Select by the scores of this tier; the paper selects by those of the fast one.")
    ] = "fast",
    where: Annotated[
        str | None,
        Parameter(
            help="Select only among games that fulfil a condition: 'state_space < 3 and has_auction', 'not (risk == 0 "
            "or 0.5 <= complexity)'. Columns are the axes at the tier, information_states, sigma_u, "
            "decisions_per_episode, tier, complexity, moves, rulebook_length, seed, and has_... for each construct."
        ),
    ] = None,
    pin: Annotated[
        tuple[int, ...],
        Parameter(help="Seeds of games to select in any case, before all others.", show_default=False, negative=""),
    ] = (),
    exclude: Annotated[
        tuple[int, ...], Parameter(help="Seeds of games not to select.", show_default=False, negative="")
    ] = (),
    seeds_of_play: Annotated[
        int,
        Parameter(
            help="Score every game this many times, each time with another seed, and select by the mean axes. The "
            "first scores are the pool's; each further scoring takes as long as that one, and is not kept."
        ),
    ] = 1,
    workers: Workers = None,
    executor: ExecutorName = "local",
    output: Annotated[Path, Parameter(name=["--output", "-o"], help="The benchmark file.")],
    json: AsJson = False,
) -> None:
    """`pool select`."""
    from antemill.tournament.pool.retest import select_from_plays
    from antemill.tournament.pool.select import Limits, write_benchmark

    without_pandas()
    limits = Limits(where, pin, exclude)
    found = select_from_plays(folder, count, tier, limits, seeds_of_play, workers, executor)
    benchmark = found.benchmark
    write_benchmark(output, benchmark)
    seeds = benchmark["seed"].to_pylist()
    if json:
        print_json(
            {"selected": len(seeds), "asked": count, "seeds": seeds, "benchmark": str(output)}
            | {"survivors": found.survivors}
        )
        return
    if len(seeds) < count:
        console().print(
            f"The pool has {len(seeds)} accepted games to select among, fewer than the {count} asked for: all are "
            "selected."
        )
    console().print(f"{len(seeds)} games written to {output}", soft_wrap=True)
    _print_survivors(found.survivors, len(seeds))


def _print_survivors(survivors: float | None, selected: int) -> None:
    """Print how stable a selection is, if that is known."""
    if survivors is not None:
        console().print(
            f"Another play would select {survivors:.0f} of these {selected} games again (simulated from games that "
            "were played twice).",
            soft_wrap=True,
        )


def split(
    folder: Folder,
    *,
    train: Annotated[float, Parameter(help="The share of games for training.")] = 0.8,
    test: Annotated[float, Parameter(help="The share for testing.")] = 0.1,
    holdout: Annotated[float, Parameter(help="The share to hold out. The three shares must sum to 1.")] = 0.1,
    benchmark: Annotated[
        tuple[Path, ...],
        Parameter(
            help="A file of `pool select` whose games are held out, too; may be given several times. The pool's "
            "own benchmark.parquet, which `antemill run` writes, is always included, and so is the standard suite of "
            "`antemill eval`.",
            show_default=False,
            negative="",
        ),
    ] = (),
    output: Annotated[Path, Parameter(name=["--output", "-o"], help="The folder for the three files.")],
    json: AsJson = False,
) -> None:
    """`pool split`."""
    from antemill.tournament.pool.layout import BENCHMARK
    from antemill.tournament.pool.split import split_pool

    own = Path(folder) / BENCHMARK
    benchmarks = [*benchmark, *([own] if own.exists() else [])]
    done = split_pool(folder, output, (train, test, holdout), benchmarks)
    counts = done.games
    if json:
        shares = {"train": train, "test": test, "holdout": holdout}
        files = {name: str(path) for name, path in done.files.items()}
        held = {"benchmark_games": done.benchmark, "benchmarks": [str(path) for path in benchmarks]}
        print_json(counts | {"shares": shares, "files": files} | held)
        return
    total = sum(counts.values())
    rows = [(name, str(done.files[name]), f"{n:,}", percent(n / total) if total else "") for name, n in counts.items()]
    print_table(f"{total:,} games", ("side", "file", "games", "share"), rows, texts=2)
    if benchmarks:
        console().print(
            f"  {done.benchmark} of the pool's games belong to a benchmark or the standard suite and are held out."
        )
    else:
        console().print("  No benchmark was named: if you have one, split again with --benchmark FILE.")


def verify(folder: Folder, *, json: AsJson = False) -> None:
    """`pool verify`. Prints what is wrong; then raises StorageError if anything is."""
    from antemill.tournament.pool.verify import verify_pool

    without_pandas()
    found = verify_pool(folder)
    if json:
        print_json(found)
    elif found.problems:
        print_table("", ("file", "what is wrong"), [(one.file, one.problem) for one in found.problems], texts=2)
    else:
        console().print(f"All is well: {found.files:,} files of the pool in {found.pool} were read.", soft_wrap=True)
    if found.problems:
        number = f"{len(found.problems):,} file{'s are' if len(found.problems) > 1 else ' is'}"
        repair = f"repair it with `{found.repair}`." if found.repair else found.hint
        raise StorageError(f"{number} damaged or missing in the pool in {found.pool}; {repair}")


def stats(folder: Folder, *, tier: Tier = "fast", json: AsJson = False) -> None:
    """`pool stats`."""
    from antemill.tournament.cli.pool_printing import print_axes, print_composition
    from antemill.tournament.pool.select import require_tier
    from antemill.tournament.pool.stats import as_document, examine_pool
    from antemill.tournament.report.pool_tables import acceptance

    require_tier(tier)
    report = examine_pool(folder, tier)
    if json:
        print_json(as_document(report))
        return
    print_sheet(acceptance(report.built))
    print_composition(report)
    print_axes(report)
