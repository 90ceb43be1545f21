"""`tournament analyze`: slots.parquet, fallback rates, and all tables and figures of the statistics."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from msgspec import Struct

from antemill.engine.storage.files import sweep, write_bytes
from antemill.tournament.cards.aivat import WITHOUT_LUCK, aivat_sheet
from antemill.tournament.cards.config import CardConfig
from antemill.tournament.cards.kind import BENCHMARK, TOURNAMENT
from antemill.tournament.cards.results import slots_table, write_slots
from antemill.tournament.cards.tables import FallbackRates, ModelCosts, bills_of, fallback_rates, rates_sheet
from antemill.tournament.costs import cost_sheet, uncertain
from antemill.tournament.runs import Record, reading
from antemill.tournament.runs.status import spending
from antemill.tournament.statistics.bootstrap import REPLICATES, check_replicates
from antemill.tournament.statistics.game_axes import scored
from antemill.tournament.statistics.outputs import AnalysisResults, AnalysisSummary, results, write
from antemill.tournament.statistics.sheets import Sheet

PURPOSES = {"move": "moves"}  # by what a call says of itself


class RunAnalysis(Struct, frozen=True):
    """What was found and written. summary: None if no match is finished. bills: of the models."""

    matches: int
    slots: str
    rates: list[FallbackRates]
    summary: AnalysisSummary | None
    bills: list[ModelCosts]


class Examined(Struct, frozen=True):
    """A run's finished matches and all that can be said of them. results: None if no match is finished. fallbacks: the
    table of the rates and of what the players have cost."""

    matches: int
    slots: Path
    rates: list[FallbackRates]
    bills: list[ModelCosts]
    fallbacks: Sheet
    results: AnalysisResults | None


def rows(folder: Path) -> pa.Table:
    """The finished matches of a run, one row each: what `analyze` writes as slots.parquet."""
    with reading(TOURNAMENT, folder) as run:
        return slots_table(run.store.records(finished_only=True))


def analyze(folder: Path, axes: Path | None = None, bootstrap: int = REPLICATES) -> tuple[RunAnalysis, list[Sheet]]:
    """Analyse the finished matches of a run, and write everything into its folder; arguments as for `examine_run`.

    Returns the tables too, that of the fallbacks first.
    """
    sweep(folder)
    found = examine_run(folder, folder, axes, bootstrap)
    summary = None if found.results is None else write(found.results, folder, (WITHOUT_LUCK,))
    sheets = [found.fallbacks, *(() if found.results is None else found.results.sheets)]
    return RunAnalysis(found.matches, str(found.slots), found.rates, summary, found.bills), sheets


def examine_run(folder: Path, out: Path, axes: Path | None = None, bootstrap: int = REPLICATES) -> Examined:
    """All tables and figures of a run: the one path of `tournament analyze` and `report`.

    Writes slots.parquet, and the benchmark if the games are from one, to the folder `out`, and nothing else. axes: a
    benchmark or a table of the games' axes; by default the benchmark that the games are from, if they are from one,
    else they are measured. Solved policies are references, no part of the leaderboard, if two other players are left.
    Raises StorageError or UsageError.
    """
    check_replicates(bootstrap)
    with reading(TOURNAMENT, folder) as run:
        records = run.store.records(finished_only=True)
        config, materials = run.config, run.store.materials()
    slots = write_slots(out, records)
    if axes is None and BENCHMARK in materials:
        axes = out / BENCHMARK
        write_bytes(axes, materials[BENCHMARK])
    done = [record for record in records if record.status == "done"]
    found = None
    if done:
        found = results(
            slots,
            axes,
            bootstrap,
            axes_of=scored,
            references=references(config, done),
            families=_families(config),
            uneven=config.tournament.schedule == "adaptive",
        )
        sheet = aivat_sheet(folder)
        found.sheets.extend([] if sheet is None else [sheet])
        costs = cost_sheet(folder, PURPOSES)
        found.sheets.extend([costs] if costs.rows else [])
    totals = spending(folder)
    rates, bills = fallback_rates(done, config.players), bills_of(totals, config.players)
    return Examined(len(done), slots, rates, bills, rates_sheet(rates, bills, uncertain(totals)), found)


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
