"""What the matches of some tournaments come to, as of one tournament.

A player is its name, wherever it plays. A game is its program: where two tournaments call different games alike, the
name of the folder tells them apart. Pairs of matches with the same cards stay pairs of their tournament.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import msgspec
import pyarrow as pa
from msgspec import Struct
from pyarrow.parquet import ParquetFile

from antemill.engine.errors import StorageError, UsageError
from antemill.tournament.cards.config import CardConfig
from antemill.tournament.cards.pinned_games import PinnedGame
from antemill.tournament.cards.plan import BENCHMARK, GAMES, NAME
from antemill.tournament.cards.rows import slots_table, unusable
from antemill.tournament.charts.chart import Chart
from antemill.tournament.pool.layout import complete_pool
from antemill.tournament.pool.stats import tier_of_selection
from antemill.tournament.runs import Record
from antemill.tournament.runs.folder import looking
from antemill.tournament.runs.honest import standing
from antemill.tournament.statistics.analysis import Analysis, examine
from antemill.tournament.statistics.bootstrap import REPLICATES
from antemill.tournament.statistics.figures import figures_of
from antemill.tournament.statistics.game_axes import GameAxes, axes_in, scored

_APART = 1_000_000_000  # runs of one folder, so that those of several have numbers of their own


class Part(Struct, frozen=True):
    """One tournament. home: the folder that file names of the configuration are relative to; done: its finished
    matches; digests: of its games' programs, by label.
    """

    folder: Path
    home: Path
    config: CardConfig
    done: list[Record]
    digests: dict[str, str]
    benchmark: bytes | None


@dataclass(frozen=True, eq=False)
class CardFindings:
    """Everything that tables and figures are made of. rows: one a match."""

    parts: list[Part]
    rows: pa.Table
    analysis: Analysis

    @cached_property
    def figures(self) -> tuple[dict[str, Chart], dict[str, str]]:
        """The figures by name, and those that were not drawn, with the reason."""
        return figures_of(self.analysis, self.paper), {}

    @property
    def paper(self) -> bool:
        """Whether the paper's further tables and figures are wanted."""
        return any(part.config.paper is True for part in self.parts)

    @property
    def done(self) -> list[Record]:
        """All finished matches."""
        return [record for part in self.parts for record in part.done]


def read_part(folder: Path, clean: bool = False) -> Part:
    """The tournament in a folder. clean: without matches in which a reply could not be used."""
    with looking(NAME, CardConfig, folder) as (config, store):
        materials = store.materials()
        pinned = msgspec.json.decode(materials[GAMES], type=list[PinnedGame])
        done = [one for one in store.records(finished_only=True) if one.status == "done"]
        return Part(
            folder,
            Path(store.meta()["home"]),
            config,
            [one for one in done if not (clean and unusable(one))],
            {game.label: game.digest for game in pinned},
            materials.get(BENCHMARK),
        )


def rows_of(parts: Sequence[Part]) -> pa.Table:
    """The finished matches of all parts, one row each."""
    if len(parts) == 1:
        return slots_table(parts[0].done)
    programs: dict[str, set[str]] = {}
    for part in parts:
        for label, digest in part.digests.items():
            programs.setdefault(label, set()).add(digest)
    tables = []
    for number, part in enumerate(parts):
        found = slots_table(part.done)
        name = part.folder.resolve().name
        games = [label if len(programs[label]) == 1 else f"{label} ({name})" for label in found["game"].to_pylist()]
        runs = [number * _APART + run for run in found["run"].to_pylist()]
        for key, values in (("game", games), ("run", runs)):
            place = found.schema.get_field_index(key)
            found = found.set_column(place, found.schema.field(key), pa.array(values, found.schema.field(key).type))
        tables.append(found)
    return pa.concat_tables(tables)


def findings(folders: Sequence[Path], clean: bool = False, bootstrap: int = REPLICATES) -> CardFindings:
    """Raises UsageError if no match is finished, StorageError for what is no tournament. bootstrap: replicates.

    Solved policies are references, no part of the leaderboard, if two other players are left.
    """
    parts = [read_part(folder, clean) for folder in folders]
    rows = rows_of(parts)
    if not rows.num_rows:
        raise UsageError(f"no match in {folders[0]} is finished: there is nothing to report yet.")
    paper = any(part.config.paper is True for part in parts)
    found = examine(
        rows,
        None,
        bootstrap if paper else 0,
        axes_of=_axes_of(parts),
        references=_references(parts),
        families=_families(parts),
        uneven=any(part.config.tournament.schedule == "adaptive" for part in parts),
        pool=_pool_of(parts[0]) if len(parts) == 1 else None,
        unranked=list(standing(folders).unranked),
    )
    return CardFindings(parts, rows, found)


def _axes_of(parts: Sequence[Part]) -> partial[GameAxes]:
    """What measures the games: the benchmark that they are from, if they are from one."""
    benchmark = parts[0].benchmark
    if benchmark is None or any(part.benchmark != benchmark for part in parts):
        return partial(scored)
    return partial(_pinned_axes, benchmark, str(parts[0].folder / BENCHMARK))


def _pinned_axes(benchmark: bytes, source: str, games: Sequence[str]) -> GameAxes:
    return axes_in(ParquetFile(pa.BufferReader(benchmark)).read(), games, source)


def _pool_of(part: Part) -> Path | None:
    """The folder of the pool beside the benchmark that the games are from; None if it is no longer there."""
    if part.config.tournament.benchmark is None:
        return None
    folder = (part.home / part.config.tournament.benchmark).parent
    try:
        pool = complete_pool(folder)
    except StorageError:
        return None
    return folder if pool.scored_by(tier_of_selection(pool)) is not None else None


def _references(parts: Sequence[Part]) -> list[str]:
    """The solved policies that played, unless too few are left without them."""
    pairs = [{record.item.data["alice"], record.item.data["bob"]} for part in parts for record in part.done]
    solved = {name for part in parts for name, player in part.config.players.items() if player.policy is not None}
    found = solved & set().union(*pairs)
    return sorted(found) if any(not pair & found for pair in pairs) else []


def _families(parts: Sequence[Part]) -> Mapping[str, tuple[str, str]]:
    """The siblings of the thinking ablation: name -> (high effort, low effort)."""
    tables = (part.config.ablation for part in parts if part.config.ablation is not None)
    return {f"{low} to {high}": (high, low) for table in tables for low, high in table.pairs}
