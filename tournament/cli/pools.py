"""The commands about pools, and the whole pipeline."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

from cyclopts import Parameter

from antemill.engine.errors import StorageError, UsageError
from antemill.engine.storage.lean import without_pandas
from antemill.tournament.cli.arguments import AsJson, ExecutorName, Workers
from antemill.tournament.cli.output import percent, print_json, print_next, print_sheet, print_table, say

if TYPE_CHECKING:
    from antemill.engine.builder.caps import Caps
    from antemill.tournament.pool.build import Built
    from antemill.tournament.pool.stats import PoolReport

Folder = Annotated[
    str,
    Parameter(
        help="The pool's folder; it may lie in a store: s3://BUCKET/FOLDER, gs://BUCKET/FOLDER.", show_default=False
    ),
]
Seeds = Annotated[str, Parameter(help="Candidate seeds A:B, the numbers A to B-1.")]
Tier = Annotated[
    str,
    Parameter(
        help="fast or precise: how much is simulated. exact: all ways to play are enumerated instead; a game that is "
        "too large for that gets precise scores, and its row says so in the column `tier`."
    ),
]
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
    count: int = 50,
    tier: str = "fast",
    caps: CapsOption = None,
    workers: Workers = None,
    json: AsJson = False,
) -> None:
    """Seeds to a benchmark: pool, gate, axes, fifty games, a page.

    Every stage continues where an earlier run of the same command was stopped.

        antemill run
        antemill run --seeds 0:400 --out small

    Args:
        count: Games to select for the benchmark.
        tier: The tier to score the pool at and to select by; the paper's is the fast one.
    """
    if "://" in out:
        raise UsageError(
            f"`antemill run` writes a page and a benchmark beside the pool, into a folder of this machine, not {out}: "
            "build the pool there with `antemill pool build`, then `pool score`, `pool select -o FILE`."
        )
    from antemill.tournament.pool.early import start_early
    from antemill.tournament.pool.ranges import parse_seeds

    wanted, drawn = parse_seeds(seeds), _drawn(None, caps)
    if not Path(out, "report.html").exists():
        start_early(workers, "local")
    from antemill.tournament.pipeline import run_pipeline
    from antemill.tournament.report.pool_tables import acceptance

    without_pandas()
    start = time.perf_counter()
    done = run_pipeline(Path(out), wanted, count, workers, tier=tier, **drawn)
    seconds = time.perf_counter() - start
    selected = 0 if done.benchmark is None else done.benchmark.num_rows
    if json:
        document = _built(done.built, seconds)
        paths = {"benchmark": done.benchmark_path, "report": done.report_path}
        document |= {"selected": selected, "survivors": done.survivors}
        print_json(document | {name: path and str(path) for name, path in paths.items()})
        return
    print_sheet(acceptance(done.built))
    _print_axes(done.pool)
    if selected < count:
        say(f"The pool has {selected} accepted games, fewer than the {count} asked for: all are selected.")
    if done.benchmark_path is not None:
        say(f"Benchmark of {selected} games: {done.benchmark_path}")
        _print_survivors(done.survivors, selected)
    say(f"Report: {done.report_path}  ({seconds:.1f} s)")


def build(
    folder: Folder,
    *,
    seeds: Seeds,
    complexity: Complexity = None,
    caps: CapsOption = None,
    accept: int | None = None,
    workers: Workers = None,
    executor: ExecutorName = "local",
    json: AsJson = False,
) -> None:
    """Draw candidate games from seeds and gate them by random play.

    A finished pool can be extended: name a range that contains the old one.

        antemill pool build pool --seeds 0:12351
        antemill pool build easy --seeds 0:1000 --complexity 0:0.3
        antemill pool build paper --seeds 0:20000 --accept 2000

    Args:
        accept: Stop when this many games are accepted; the paper's pool has 2000.
    """
    from antemill.tournament.pool.early import start_early
    from antemill.tournament.pool.ranges import parse_seeds

    wanted, drawn = parse_seeds(seeds), _drawn(complexity, caps)
    if not Path(folder, "pool.json").exists():
        start_early(workers, executor)
    from antemill.tournament.pool.build import build_pool
    from antemill.tournament.report.pool_tables import acceptance

    without_pandas()
    start = time.perf_counter()
    built = build_pool(folder, wanted, workers=workers, executor=executor, accept=accept, **drawn)
    seconds = time.perf_counter() - start
    if json:
        print_json(_built(built, seconds))
        return
    print_sheet(acceptance(built))
    if accept is not None and built.accepted < accept:
        say(f"  The seeds gave {built.accepted:,} accepted games, fewer than the {accept:,} wanted.")
    say(f"  {seconds:.1f} s")
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
    workers: Workers = None,
    executor: ExecutorName = "local",
    json: AsJson = False,
) -> None:
    """Score the accepted games on all axes, from their stored programs.

    antemill pool score pool --tier precise
    """
    from antemill.tournament.pool.early import start_early

    if Path(folder, "pool.json").exists() and not Path(folder, "scores", tier).exists():
        start_early(workers, executor)
    from antemill.tournament.pool.score import score_pool

    without_pandas()
    start = time.perf_counter()
    scored = score_pool(folder, tier, workers, executor)
    seconds = time.perf_counter() - start
    if json:
        print_json({"games": scored.games, "scored": scored.scored, "tier": scored.tier, "seconds": seconds})
        return
    say(f"{scored.games:,} games have {tier} scores, {scored.scored:,} were played now  ({seconds:.1f} s)")


def select(
    folder: Folder,
    *,
    count: int = 50,
    tier: str = "fast",
    where: str | None = None,
    pin: Annotated[tuple[int, ...], Parameter(show_default=False, negative="")] = (),
    exclude: Annotated[tuple[int, ...], Parameter(show_default=False, negative="")] = (),
    output: Annotated[
        Path, Parameter(name=["--output", "-o"], help="The benchmark, .parquet; or its figures, .csv or .json.")
    ],
    json: AsJson = False,
) -> None:
    """Select the games that cover the axes best (farthest-point sampling).

    antemill pool select pool --count 50 -o bench.parquet
    antemill pool select pool --count 5 --where "state_space < 3 AND seed <> 39" -o small.parquet
        antemill pool select pool --count 5 --pin 39 --exclude 7 --exclude 12 -o five.parquet

    Args:
        count: How many games.
        tier: Select by the scores of this tier; the paper selects by those of the fast one.
        where: Select only among games that fulfil a condition in SQL: 'state_space < 3 AND has_auction',
            'risk BETWEEN 0.1 AND 0.5 OR sqrt(moves) > 2'. Columns are the axes at the tier, information_states,
            sigma_u, decisions_per_episode, tier, complexity, moves, rulebook_length, seed, and has_... for
            each construct.
        pin: The seed of a game to select in any case, before all others; may be given several times.
        exclude: The seed of a game not to select; may be given several times.
    """
    from antemill.tournament.pool.retest import select_from_plays
    from antemill.tournament.pool.select import Limits, require_suffix, write_selected

    require_suffix(output)
    without_pandas()
    found = select_from_plays(folder, count, tier, Limits(where, pin, exclude))
    benchmark = found.benchmark
    write_selected(output, benchmark)
    seeds = benchmark["seed"].to_pylist()
    if json:
        print_json(
            {"selected": len(seeds), "asked": count, "seeds": seeds, "benchmark": str(output)}
            | {"survivors": found.survivors}
        )
        return
    if len(seeds) < count:
        say(f"The pool has {len(seeds)} games to select among, fewer than the {count} asked for: all are selected.")
    say(f"{len(seeds)} games written to {output}")
    _print_survivors(found.survivors, len(seeds))


def _print_survivors(survivors: float | None, selected: int) -> None:
    """Print how stable a selection is, if that is known."""
    if survivors is not None:
        say(
            f"Another play would select {survivors:.0f} of these {selected} games again (simulated from games that "
            "were played twice)."
        )


def split(
    folder: Folder,
    *,
    train: float = 0.8,
    test: float = 0.1,
    benchmark: tuple[Path, ...] = (),
    output: Annotated[Path, Parameter(name=["--output", "-o"], help="The folder for the three files.")],
    json: AsJson = False,
) -> None:
    """Write train.parquet, test.parquet and holdout.parquet of a pool's games.

    A game's canonical digest decides its side, so the same game under other names of cards and phases is on the same
    side in every pool, as long as the shares are the same. Games of a benchmark are always held out.

        antemill pool split pool --benchmark bench.parquet -o split
        antemill pool split pool --train 0.7 --test 0.2 -o split

    Args:
        train: The share of games for training.
        test: The share for testing; the rest is held out.
        benchmark: A file of `pool select` whose games are held out, too; may be given several times. The
            pool's own benchmark.parquet, which `antemill run` writes, is always included, and so is the
            standard suite of `antemill eval`.
    """
    from antemill.tournament.pool.layout import BENCHMARK
    from antemill.tournament.pool.split import split_pool

    own, rest = Path(folder) / BENCHMARK, round(1 - train - test, 12)
    benchmarks = [*benchmark, *([own] if own.exists() else [])]
    done = split_pool(folder, output, (train, test, rest), benchmarks)
    counts = done.games
    if json:
        shares = {"train": train, "test": test, "holdout": rest}
        files = {name: str(path) for name, path in done.files.items()}
        held = {"benchmark_games": done.benchmark, "benchmarks": [str(path) for path in benchmarks]}
        print_json(counts | {"shares": shares, "files": files} | held)
        return
    total = sum(counts.values())
    rows = [(name, str(done.files[name]), f"{n:,}", percent(n / total) if total else "") for name, n in counts.items()]
    print_table(f"{total:,} games", ("side", "file", "games", "share"), rows, texts=2)
    if benchmarks:
        say(f"  {done.benchmark} of the pool's games belong to a benchmark or the standard suite and are held out.")
    else:
        say("  No benchmark was named: if you have one, split again with --benchmark FILE.")


def verify(folder: Folder, *, json: AsJson = False) -> None:
    """Read every file of a pool; say what is damaged or missing.

    The command that repairs it is named. The exit code is 0 if the pool is whole, else 2. A lost pool.json is made
    again, nothing else changes. In JSON: problems [{file, problem, damaged}], and repair, which is null if nothing is
    wrong or if this version cannot repair it.

        antemill pool verify pool
    """
    from antemill.tournament.pool.damage import verify_pool

    without_pandas()
    found = verify_pool(folder)
    if json:
        print_json(found)
    elif found.problems:
        print_table("", ("file", "what is wrong"), [(one.file, one.problem) for one in found.problems], texts=2)
    else:
        say(f"All is well: {found.files:,} files of the pool in {found.pool} were read.")
    if found.problems:
        raise StorageError(found.sentence)


def stats(folder: Folder, *, tier: Tier = "fast", json: AsJson = False) -> None:
    """Acceptance, constructs, axes, correlations, beside the paper's.

    The pool is compared with the paper's pool. A benchmark that `antemill run` has written beside the pool is compared
    with the paper's fifty games, at the precise tier. In JSON, constructs are shares of candidates, of the accepted
    games and of the benchmark; by_complexity has, for each tenth of the complexity range, its share of the candidates,
    the share of these that was accepted, and the shares of the accepted games with betting and with a betting loop.

    A rejected candidate counts under every rule of the gate that it breaks (in JSON: broken). "As the first" counts it
    only for the first of them (in JSON: rejected), so those numbers add up.

        antemill pool stats pool --json
    """
    from antemill.tournament.pool.select import require_tier
    from antemill.tournament.pool.stats import as_document, examine_pool
    from antemill.tournament.report import pool_tables

    require_tier(tier)
    report = examine_pool(folder, tier)
    if json:
        print_json(as_document(report))
        return
    print_sheet(pool_tables.acceptance(report.built))
    for sheet in (pool_tables.by_complexity(report.composition), pool_tables.constructs(report.composition)):
        print_sheet(sheet)
    _print_axes(report)


def _built(built: Built, seconds: float) -> dict[str, object]:
    """The result of drawing and gating, for --json."""
    names = ("candidates", "accepted", "rejected", "broken")
    return {name: getattr(built, name) for name in names} | {"seconds": seconds}


def _print_axes(report: PoolReport) -> None:
    """Print the axes' ranges and correlations of the pool, and of its benchmark beside the paper's."""
    from antemill.tournament.report import pool_tables

    stats, benchmark = report.stats, report.benchmark
    if report.points is None:
        say("These games are not scored yet.")
        print_next("antemill", "pool", "score", str(report.pool.folder), "--tier", report.tier)
    if stats is None:
        return
    sheets = [pool_tables.pool_axes(report, stats)]
    if benchmark is not None:
        sheets.append(pool_tables.benchmark_axes(benchmark, "precise"))
        if report.chosen is not None and (caps := report.pool.settings.caps) is not None:
            sheets.append(pool_tables.beyond(benchmark, report.chosen, caps))
    sheets.append(pool_tables.correlations(f"{stats.games:,} games, {report.tier} tier", stats))
    if benchmark is not None:
        of_benchmark = f"the benchmark's {benchmark.games:,} games, precise tier"
        sheets.append(pool_tables.correlations(of_benchmark, benchmark))
        sheets.append(pool_tables.paper_correlations({"benchmark": benchmark}))
    for sheet in sheets:
        print_sheet(sheet)
