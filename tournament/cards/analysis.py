"""`tournament analyze`: slots.parquet, fallback rates, and all tables and figures of the statistics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec import Struct

from engine.errors import UsageError
from engine.files import sweep, write_bytes
from tournament.cards.config import CardConfig
from tournament.cards.export import write_slots
from tournament.cards.kind import BENCHMARK, TOURNAMENT
from tournament.cards.luck import without_luck
from tournament.cards.rates import Rates, fallback_rates
from tournament.runs import Record, reading
from tournament.statistics.analyze import Results, Summary, analyze, results
from tournament.statistics.bootstrap import REPLICATES
from tournament.statistics.game_axes import scored
from tournament.statistics.sheets import write_sheet


class Analysis(Struct, frozen=True):
    """What was found and written. summary: None if no match is finished."""

    matches: int
    slots: str
    rates: list[Rates]
    summary: Summary | None


class _Prepared(Struct, frozen=True):
    """A run's finished matches, and where the statistics find them."""

    slots: Path
    axes: Path | None
    done: list[Record]
    config: CardConfig

    @property
    def arguments(self) -> dict[str, Any]:
        """What the statistics are told beside the two files."""
        return {
            "references": _references(self.config, self.done),
            "families": _families(self.config),
            "axes_of": scored,
            "uneven": self.config.tournament.schedule == "adaptive",
        }


def analyze_run(folder: Path, axes: Path | None = None, bootstrap: int = REPLICATES) -> Analysis:
    """Analyse the finished matches of a run, and write everything into its folder.

    axes: a benchmark or a table of the games' axes; by default the benchmark that the games are from, if they are from
    one, else they are measured. Solved policies are references, no part of the leaderboard, if two other players are
    left. Raises StorageError or UsageError.
    """
    run = _prepare(folder, axes)
    rates = fallback_rates(run.done, run.config.players)
    summary = analyze(run.slots, run.axes, folder, bootstrap, **run.arguments) if run.done else None
    if summary is not None and (sheet := without_luck(folder)) is not None:
        write_sheet(folder / "tables", sheet)
    return Analysis(len(run.done), str(run.slots), rates, summary)


def run_results(folder: Path, bootstrap: int = REPLICATES) -> tuple[Results, list[Rates]]:
    """All tables and figures, and the fallback rates. Raises UsageError if no match is finished, else as above."""
    run = _prepare(folder, None)
    if not run.done:
        raise UsageError(f"no match in {folder} is finished: there is nothing to report yet.")
    found = results(run.slots, run.axes, bootstrap, **run.arguments)
    sheet = without_luck(folder)
    found.sheets.extend([sheet] if sheet is not None else [])
    return found, fallback_rates(run.done, run.config.players)


def _prepare(folder: Path, axes: Path | None) -> _Prepared:
    """Write slots.parquet, and the benchmark if the games are from one."""
    with reading(TOURNAMENT, folder) as run:
        records = run.store.records(finished_only=True)
        config, materials = run.config, run.store.materials()
    sweep(folder)
    path = write_slots(folder, records)
    if axes is None and BENCHMARK in materials:
        axes = folder / BENCHMARK
        write_bytes(axes, materials[BENCHMARK])
    return _Prepared(path, axes, [record for record in records if record.status == "done"], config)


def _references(config: CardConfig, done: list[Record]) -> list[str]:
    solved = [name for name, player in config.players.items() if player.policy is not None]
    played = {record.item.data[side] for record in done for side in ("alice", "bob")}
    found = sorted(played & set(solved))
    among_others = any(not {record.item.data["alice"], record.item.data["bob"]} & set(found) for record in done)
    return found if among_others else []


def _families(config: CardConfig) -> dict[str, tuple[str, str]]:
    """The siblings of the thinking ablation: name -> (high effort, low effort)."""
    pairs = () if config.ablation is None else config.ablation.pairs
    return {f"{low} to {high}": (high, low) for low, high in pairs}
