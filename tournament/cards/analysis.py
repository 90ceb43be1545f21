"""`tournament analyze`: slots.parquet, fallback rates, and all tables and figures of the statistics."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from engine.files import sweep, write_bytes
from tournament.cards.config import CardConfig
from tournament.cards.export import write_slots
from tournament.cards.kind import BENCHMARK, TOURNAMENT
from tournament.cards.rates import Rates, fallback_rates
from tournament.runs import Record, reading
from tournament.statistics.analyze import Summary, analyze
from tournament.statistics.bootstrap import REPLICATES


class Analysis(Struct, frozen=True):
    """What was found and written. summary: None if no match is finished."""

    matches: int
    slots: str
    rates: list[Rates]
    summary: Summary | None


def analyze_run(folder: Path, axes: Path | None = None, bootstrap: int = REPLICATES) -> Analysis:
    """Analyse the finished matches of a run, and write everything into its folder.

    axes: a benchmark or a table of the games' axes; by default the benchmark that the games are from, if they are from
    one. Solved policies are references, no part of the leaderboard, if two other players are left.
    Raises StorageError or UsageError.
    """
    with reading(TOURNAMENT, folder) as run:
        records = run.store.records(finished_only=True)
        config, materials = run.config, run.store.materials()
    sweep(folder)
    path = write_slots(folder, records)
    if axes is None and BENCHMARK in materials:
        axes = folder / BENCHMARK
        write_bytes(axes, materials[BENCHMARK])
    done = [record for record in records if record.status == "done"]
    rates = fallback_rates(done, config.players)
    summary = None
    if done:
        references = _references(config, done)
        families = _families(config)
        summary = analyze(path, axes, folder, bootstrap, references=references, families=families)
    return Analysis(len(done), str(path), rates, summary)


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
