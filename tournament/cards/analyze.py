"""`antemill analyze`: slots.parquet, fallback rates, and all tables and figures of the statistics."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pyarrow as pa
from msgspec import Struct
from pyarrow.parquet import ParquetFile

from antemill.engine.errors import StorageError
from antemill.engine.storage.files import sweep, write_bytes
from antemill.engine.storage.parquet import parquet_bytes
from antemill.tournament.cards.config import CardConfig
from antemill.tournament.cards.fallbacks import FallbackRates, ModelCosts, bills_of, fallback_rates
from antemill.tournament.cards.kind import BENCHMARK, GAMES, TOURNAMENT
from antemill.tournament.cards.pinned_games import chips_of
from antemill.tournament.cards.results import NAME, slots_table
from antemill.tournament.cards.tables import STATISTICS, RunFindings
from antemill.tournament.pool.layout import complete_pool
from antemill.tournament.pool.stats import tier_of_selection
from antemill.tournament.runs import Record, reading
from antemill.tournament.runs.status import spending
from antemill.tournament.statistics.bootstrap import REPLICATES, check_replicates
from antemill.tournament.statistics.game_axes import GameAxes, axes_in, scored
from antemill.tournament.statistics.outputs import AnalysisResults, AnalysisSummary, results, write
from antemill.tournament.statistics.sheets import Sheet


class RunAnalysis(Struct, frozen=True):
    """What was found and written. summary: None if no match is finished. bills: of the models."""

    matches: int
    slots: str
    rates: list[FallbackRates]
    summary: AnalysisSummary | None
    bills: list[ModelCosts]


class Examined(Struct, frozen=True):
    """A run's finished matches with all tables and figures of them.

    done: these matches; rows: one a match. of_run: the tables of the run itself; results: those of its matches, None if
    none is finished. benchmark: the file that the games are from, if they are from one. chips: those that a player
    begins with, by game. paper: whether the run has the paper's protocol.
    """

    done: list[Record]
    rows: pa.Table
    rates: list[FallbackRates]
    bills: list[ModelCosts]
    of_run: list[Sheet]
    results: AnalysisResults | None
    benchmark: bytes | None
    chips: dict[str, int]
    paper: bool


def rows(folder: Path) -> pa.Table:
    """The finished matches of a run, one row each: what `analyze` writes as slots.parquet."""
    with reading(TOURNAMENT, folder) as run:
        return slots_table(run.store.records(finished_only=True))


def analyze(folder: Path, axes: Path | None = None, bootstrap: int = REPLICATES) -> tuple[RunAnalysis, list[Sheet]]:
    """Analyse the finished matches of a run, and write everything into its folder; arguments as for `examine_run`.

    Returns the tables too, that of the fallbacks first.
    """
    sweep(folder)
    found = examine_run(folder, axes, bootstrap)
    slots = folder / NAME
    write_bytes(slots, parquet_bytes(found.rows))
    if axes is None and found.benchmark is not None:
        write_bytes(folder / BENCHMARK, found.benchmark)
    rates, *others = found.of_run
    summary, sheets = None, [rates]
    if found.results is not None:
        found.results.sheets.extend(others)
        summary = write(found.results, folder, STATISTICS.names)
        sheets += found.results.sheets
    return RunAnalysis(len(found.done), str(slots), found.rates, summary, found.bills), sheets


def examine_run(folder: Path, axes: Path | None = None, bootstrap: int = REPLICATES) -> Examined:
    """All tables and figures of a run: the one path of `antemill analyze` and `report`. Writes nothing.

    axes: a benchmark or a table of the games' axes; by default the benchmark that the games are from, if they are from
    one, else they are measured. Solved policies are references, no part of the leaderboard, if two other players are
    left. Raises StorageError or UsageError.
    """
    check_replicates(bootstrap)
    with reading(TOURNAMENT, folder) as run:
        records = run.store.records(finished_only=True)
        config, materials = run.config, run.store.materials()
        benchmark, chips = materials.get(BENCHMARK), chips_of(materials[GAMES])
        pool = _pool_of(config, Path(run.store.meta()["home"]))
    table, found = slots_table(records), None
    done = [record for record in records if record.status == "done"]
    if done:
        found = results(
            table,
            axes,
            bootstrap,
            axes_of=scored if benchmark is None else partial(_pinned_axes, benchmark, str(folder / BENCHMARK)),
            references=references(config, done),
            families=_families(config),
            uneven=config.tournament.schedule == "adaptive",
            pool=pool,
        )
    totals = spending(folder)
    rates, bills = fallback_rates(done, config.players), bills_of(totals, config.players)
    of_run = STATISTICS.tables(RunFindings(folder, done, rates, bills, totals))
    return Examined(done, table, rates, bills, of_run, found, benchmark, chips, config.paper is True)


def _pool_of(config: CardConfig, home: Path) -> Path | None:
    """The folder of the pool beside the benchmark that the games are from; None if it is no longer there."""
    if config.tournament.benchmark is None:
        return None
    folder = (home / config.tournament.benchmark).parent
    try:
        pool = complete_pool(folder)
    except StorageError:
        return None
    return folder if pool.scored_by(tier_of_selection(pool)) is not None else None


def _pinned_axes(benchmark: bytes, source: str, games: Sequence[str]) -> GameAxes:
    return axes_in(ParquetFile(pa.BufferReader(benchmark)).read(), games, source)


def references(config: CardConfig, done: list[Record]) -> list[str]:
    """The solved policies that played, unless too few are left without them."""
    solved = [name for name, player in config.players.items() if player.policy is not None]
    played = {record.item.data[side] for record in done for side in ("alice", "bob")}
    found = sorted(played & set(solved))
    among_others = any(not {record.item.data["alice"], record.item.data["bob"]} & set(found) for record in done)
    return found if among_others else []


def _families(config: CardConfig) -> dict[str, tuple[str, str]]:
    """The siblings of the thinking ablation: name -> (high effort, low effort)."""
    pairs = () if config.ablation is None else config.ablation.pairs
    return {f"{low} to {high}": (high, low) for low, high in pairs}
